//! The rules' part in an answer: before a model's, or in its place.

use std::path::PathBuf;

use tokio::task::JoinHandle;

use crate::agent::{Aid, Front, NO_MODEL, Query, RULES_WAIT, first_aid};
use crate::chat::{Ending, Event};
use crate::reflex::{LocalQuestion, RulesRole};
use crate::tool::{self, Asker, UserAnswer};

use super::{News, RequestLink};

/// What a model is asked where the rules know no correction.
const FIX: &str = "Find out why my last command failed and put a corrected command on my prompt with suggest_command. Say in one line what was wrong.";

/// The rules and the record, at work on one question.
pub(super) struct RulesTask {
    question: LocalQuestion,
    /// They look at files, so they do it on a thread of their own.
    aid: JoinHandle<Option<Aid>>,
}

impl RulesTask {
    /// Lets them look at a question, if it is one for them.
    pub(super) fn ask(query: &Query, history: Option<PathBuf>) -> Option<RulesTask> {
        let question = LocalQuestion::read(&query.text)?;
        let query = query.clone();
        let aid = tokio::task::spawn_blocking(move || first_aid(&query, history.as_deref()));
        Some(RulesTask { question, aid })
    }

    /// Whether a corrected command is wanted, not words.
    pub(super) fn are_asked_for_a_fix(&self) -> bool {
        self.question == LocalQuestion::Fix
    }

    pub(super) async fn aid(self) -> Option<Aid> {
        self.aid.await.ok().flatten()
    }

    /// Says first what they are sure of; what a model says meanwhile waits for that. Anything else is kept until the model turns
    /// out to be in trouble or slow.
    pub(super) fn speak_first(self, link: &RequestLink) -> Said {
        link.hold();
        let link = link.clone();
        Said(Some(tokio::spawn(async move {
            // What the record says is a fact. A model may know better what a question about shellmate means.
            let is_fact = !matches!(self.question, LocalQuestion::Why | LocalQuestion::Itself(_));
            match self.aid().await {
                Some(aid) if is_fact || aid.is_confident => {
                    link.release(Some(News::Words(aid.words)));
                    true
                }
                aid => {
                    if let Some(aid) = aid {
                        link.keep(aid.words);
                        let link = link.clone();
                        tokio::spawn(async move {
                            tokio::time::sleep(RULES_WAIT).await;
                            link.say_kept();
                        });
                    }
                    link.release(None);
                    false
                }
            }
        })))
    }
}

/// What became of the rules' words.
pub(super) struct Said(Option<JoinHandle<bool>>);

impl Said {
    pub(super) fn nothing() -> Said {
        Said(None)
    }

    /// Keeps words that are no correction, though one was wanted.
    pub(super) fn kept(aid: Option<Aid>, link: &RequestLink) -> Said {
        if let Some(aid) = aid {
            link.keep(aid.words);
        }
        Said(None)
    }

    /// Waits until the rules have looked. Whether they have said something; words that were not said are kept by the link.
    pub(super) async fn have_spoken(self) -> bool {
        match self.0 {
            Some(speaking) => speaking.await.unwrap_or(false),
            None => false,
        }
    }
}

/// Puts a correction on the prompt: the one that is meant, or the one that the person picks.
pub(super) async fn offer(aid: Aid, link: &RequestLink) {
    let chosen = match &aid.proposals[..] {
        [] => None,
        [only] => Some(only),
        [first, ..] if aid.is_confident => Some(first),
        several => {
            let choices = several.iter().map(|proposal| proposal.command.clone()).collect();
            let text = "which one should be on your prompt?".to_owned();
            match Asker::ask(link, tool::UserQuestion { text, choices }).await {
                UserAnswer::Said(said) => several.iter().find(|proposal| proposal.command == said),
                UserAnswer::Declined => None,
            }
        }
    };
    if let Some(proposal) = chosen {
        link.hear(Event::Notice(format!("{} (built-in rules)", proposal.why)));
        link.say(News::Suggest(proposal.command.clone()));
    }
    link.hear(Event::Finished(Ending::Answered));
}

/// What is said where the rules know nothing and no model is there, or none is wanted.
pub(super) fn without_a_model(role: RulesRole) -> String {
    match role {
        RulesRole::Only => {
            "the built-in rules cannot answer that, and `reflex = \"only\"` in the configuration asks no model"
                .to_owned()
        }
        RulesRole::First | RulesRole::Off => NO_MODEL.trim_end().to_owned(),
    }
}

/// The question for a model behind a wish for a correction.
pub(super) fn for_a_model(query: Query) -> Query {
    match LocalQuestion::read(&query.text) {
        Some(LocalQuestion::Fix) => Query { text: FIX.to_owned(), ..query },
        Some(_) | None => query,
    }
}
