//! The keys that answer a question, and what each means.

use crate::agent::{Approval, Decision};
use crate::guard::{Grant, GrantOffer, GrantScope, GrantWidth, Intent};
use crate::render::CardChoice;
use crate::tool::UserQuestion;

use super::{Asked, Confirmation};

/// What a key does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Approves in this way.
    Approve(Decision),
    /// Says yes to shellmate itself.
    Yes,
    /// Says no, or gives no answer.
    No,
    /// Opens a line: the reason for a no, or an answer in the person's own words.
    Write,
    /// Answers with this choice of the model.
    Pick(usize),
    /// Offers the wider grants in place of the others.
    Widen,
}

/// A key that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyChoice {
    pub(super) act: Act,
    pub(super) shown: CardChoice,
}

/// The most choices of the model that have a key of their own.
const MOST_PICKS: usize = 9;

fn choice(key: char, words: &'static str, meaning: impl Into<String>, act: Act) -> KeyChoice {
    KeyChoice { act, shown: CardChoice { key, words, meaning: meaning.into(), needs_enter: false } }
}

impl KeyChoice {
    fn with_enter(mut self, needs_enter: bool) -> KeyChoice {
        self.shown.needs_enter = needs_enter;
        self
    }
}

/// The keys that answer this question. `width` says which calls the letters of a grant cover.
pub(super) fn choices(asked: &Asked, width: GrantWidth) -> Vec<KeyChoice> {
    match asked {
        Asked::Approval(approval, _) => of_approval(approval, width),
        Asked::Confirm(Confirmation { yes, no, lasts, .. }, _) => {
            let yes = choice('y', yes, *yes, Act::Yes).with_enter(*lasts);
            vec![yes, choice('n', no, *no, Act::No)]
        }
        Asked::Question(UserQuestion { choices, .. }, _) => {
            let picks = (1..).zip(choices).take(MOST_PICKS).filter_map(|(number, text)| {
                Some(choice(char::from_digit(number, 10)?, "", text.clone(), Act::Pick(number as usize - 1)))
            });
            let own = choice('r', "reply in words", "reply in your own words", Act::Write);
            picks.chain([own, choice('n', "no answer", "no answer", Act::No)]).collect()
        }
        Asked::Pick(..) => Vec::new(),
    }
}

fn of_approval(approval: &Approval, width: GrantWidth) -> Vec<KeyChoice> {
    let offers = &approval.offers;
    let yes = choice('y', "yes", "yes, this once", Act::Approve(Decision::Once)).with_enter(!approval.is_contained);
    let mut choices = vec![yes, choice('n', "no", "no", Act::No)];
    let given = match width {
        GrantWidth::Exact => &offers.exact,
        GrantWidth::Wide => &offers.wide,
    };
    for offer in given {
        let (key, words, scope) = match offer.scope {
            GrantScope::Session => ('a', "this session", "this session"),
            GrantScope::Project => ('p', "this project", "this project from now on"),
            GrantScope::Everywhere => ('g', "everywhere", "everywhere from now on"),
        };
        let act = Act::Approve(Decision::Granted { width, scope: offer.scope });
        let meaning = format!("yes, and {}, {scope}", covers(approval, offer));
        choices.push(choice(key, words, meaning, act).with_enter(true));
    }
    if width == GrantWidth::Exact && !offers.wide.is_empty() {
        let meaning = format!(
            "more than this: {}",
            offers.wide.first().map_or_else(String::new, |offer| covers(approval, offer))
        );
        choices.push(choice('w', "", meaning, Act::Widen));
    }
    if offers.auto {
        let act = Act::Approve(Decision::AutoMode);
        choices.push(choice('m', "", "yes, and auto mode from now on", act).with_enter(true));
    }
    choices.push(choice('r', "", "no, and say why", Act::Write));
    choices
}

/// What the grant of an offer covers.
fn covers(approval: &Approval, offer: &GrantOffer) -> String {
    let words = |grant: &Grant| match grant {
        Grant::Command { .. } | Grant::ShellCommand { .. } => "exactly this command".to_owned(),
        Grant::Words { words, .. } => format!("any `{} …`", words.join(" ")),
        Grant::Edits(path) if approval.cwd.starts_with(path) => "all edits here".to_owned(),
        Grant::Edits(path) if matches!(&approval.intent, Intent::Write { path: edited, .. } if edited == path) => {
            "edits of this file".to_owned()
        }
        Grant::Edits(path) => format!("all edits in {}", path.display()),
        Grant::Reads(paths) if paths.len() == 1 => "reading this".to_owned(),
        Grant::Reads(paths) => format!("reading these {} files", paths.len()),
        Grant::OtherTerminals => "reading other terminals".to_owned(),
    };
    offer.grant.iter().map(words).collect::<Vec<_>>().join(" and ")
}
