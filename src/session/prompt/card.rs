//! The card that asks for approval of a call.

use std::path::Path;
use std::sync::Arc;

use crate::agent::Approval;
use crate::guard::{Grant, GrantOffer, GrantOffers, GrantScope, Intent, SandboxException};
use crate::input::KeyMap;
use crate::render::{self, Card, FileChange, RenderOptions, Subject};
use crate::tool::Preview;

/// What is on the screen beside the card.
pub(in crate::session) struct CardContext<'a> {
    pub(in crate::session) user: &'a str,
    pub(in crate::session) host: &'a str,
    /// The directory of the prompt above; `None` if another program is in the foreground, which may run elsewhere.
    pub(in crate::session) cwd: Option<&'a Path>,
    /// The height of the screen.
    pub(in crate::session) rows: u16,
    /// The keys of a list.
    pub(in crate::session) keys: &'a Arc<KeyMap>,
}

/// Draws the whole command or change, and the directory and the user if they differ from those of the prompt.
pub(super) fn card(approval: &Approval, around: &CardContext<'_>, options: &RenderOptions) -> Card {
    let exception = approval.intent.exception().map(SandboxException::words);
    let secrets = (!approval.secrets.is_empty()).then(|| format!("puts back: {}", approval.secrets.join(", ")));
    let weakness = approval.weakness.map(str::to_owned);
    let place = secrets.into_iter().chain(weakness).chain(exception).chain(place(&approval.cwd, around));
    let place = place.reduce(|all, next| format!("{next}, {all}"));
    let (choices, wider) = (choices(approval), grants(approval, &approval.offers.wide));
    let request = render::ApprovalRequest {
        subject: subject(approval),
        place: place.as_deref(),
        choices: &borrowed(&choices),
        wider: &borrowed(&wider),
    };
    render::approval_card(&request, around.rows, options)
}

fn subject(approval: &Approval) -> Subject<'_> {
    match (&approval.intent, &approval.preview) {
        (Intent::Run { command, .. }, _) => Subject::Command { action: "run", command },
        (Intent::RunInShell { command, .. }, _) => Subject::Command { action: "run in your shell", command },
        (Intent::Write { .. }, Some(Preview::Edit { before, after, .. })) => {
            Subject::Edit(FileChange { path: &approval.title, old: before, new: after })
        }
        (Intent::Write { .. }, _) => Subject::Other { action: "edit", title: &approval.title },
        (Intent::Read { .. }, _) => Subject::Other { action: "read", title: &approval.title },
        (Intent::OtherTerminals, _) => Subject::Other { action: "read other terminals:", title: &approval.title },
        (Intent::Ask | Intent::Suggest { .. }, _) => Subject::Other { action: "go on", title: &approval.title },
    }
}

/// The user and the directory of the call, as far as the prompt does not show them.
fn place(directory: &Path, around: &CardContext<'_>) -> Option<String> {
    match around.cwd {
        Some(cwd) if cwd == directory => None,
        Some(_) => Some(format!("in {}", directory.display())),
        None => Some(format!("as {}@{} in {}", around.user, around.host, directory.display())),
    }
}

/// The choices that give a grant or change the mode, each with what it means.
fn choices(approval: &Approval) -> Vec<(&'static str, String)> {
    let GrantOffers { exact, wide, auto } = &approval.offers;
    let mut choices = grants(approval, exact);
    if !wide.is_empty() {
        choices.push(("w", format!("wider: {}", covers(approval, wide))));
    }
    if *auto {
        choices.push(("m", "auto mode".to_owned()));
    }
    choices
}

fn borrowed<'a>(choices: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    choices.iter().map(|(key, words)| (*key, words.as_str())).collect()
}

/// One choice for each scope. Only the first says what is covered.
fn grants(approval: &Approval, offers: &[GrantOffer]) -> Vec<(&'static str, String)> {
    let choice = |(index, offer): (usize, &GrantOffer)| {
        let (key, scope) = match offer.scope {
            GrantScope::Session => ("a", "this session"),
            GrantScope::Project => ("p", "this project"),
            GrantScope::Everywhere => ("g", "everywhere"),
        };
        let words = if index == 0 { format!("{}, {scope}", covers(approval, offers)) } else { scope.to_owned() };
        (key, words)
    };
    offers.iter().enumerate().map(choice).collect()
}

/// What the grants of these offers cover.
fn covers(approval: &Approval, offers: &[GrantOffer]) -> String {
    let grants = offers.first().map(|offer| offer.grant.as_slice()).unwrap_or_default();
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
    grants.iter().map(words).collect::<Vec<_>>().join(" and ")
}
