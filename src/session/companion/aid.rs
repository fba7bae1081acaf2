//! The rules' part in an answer: before a model's, or in its place.

use tokio::task::JoinHandle;

use crate::agent::{Aid, Front, NO_MODEL, Query, first_aid};
use crate::chat::{Ending, Event};
use crate::reflex::Question;
use crate::tool::{self, Answer, Asker};

use super::orders::Mind;
use super::{Line, News};

/// What a model is asked where the rules know no correction.
const FIX: &str = "Find out why my last command failed and put a corrected command on my prompt with suggest_command. Say in one line what was wrong.";

/// What the rules may say to one question.
pub(super) struct Help {
    question: Question,
    /// They look at files, so they do it on a thread of their own.
    aid: JoinHandle<Option<Aid>>,
}

impl Help {
    /// Lets the rules look at a question, if it is one for them.
    pub(super) fn seek(query: &Query, mind: &Mind) -> Option<Help> {
        let question = Question::read(&query.text)?;
        let (query, history) = (query.clone(), mind.history());
        let aid = tokio::task::spawn_blocking(move || first_aid(&query, history.as_deref()));
        Some(Help { question, aid })
    }

    /// Whether a corrected command is wanted, not words.
    pub(super) fn is_fix(&self) -> bool {
        self.question == Question::Fix
    }

    pub(super) async fn aid(self) -> Option<Aid> {
        self.aid.await.ok().flatten()
    }

    /// Says first what the rules are sure of; what a model says meanwhile waits for that.
    pub(super) fn speak_first(self, line: &Line) {
        if self.question != Question::Why {
            return;
        }
        line.hold();
        let line = line.clone();
        tokio::spawn(async move {
            let words = self.aid().await.filter(|aid| aid.is_confident).map(|aid| News::Words(aid.words));
            line.release(words);
        });
    }
}

/// Puts a correction on the prompt: the one that is meant, or the one that the person picks.
pub(super) async fn offer(aid: Aid, line: &Line) {
    let chosen = match &aid.proposals[..] {
        [] => None,
        [only] => Some(only),
        [first, ..] if aid.is_confident => Some(first),
        several => {
            let choices = several.iter().map(|proposal| proposal.command.clone()).collect();
            let text = "which one should be on your prompt?".to_owned();
            match Asker::ask(line, tool::Question { text, choices }).await {
                Answer::Said(said) => several.iter().find(|proposal| proposal.command == said),
                Answer::Declined => None,
            }
        }
    };
    if let Some(proposal) = chosen {
        line.hear(Event::Notice(format!("{} (built-in rules)", proposal.why)));
        line.say(News::Suggest(proposal.command.clone()));
    }
    line.hear(Event::Finished(Ending::Answered));
}

/// What is said where no model is, or none is wanted.
pub(super) fn alone(aid: Option<Aid>, has_no_model: bool) -> String {
    match aid {
        Some(aid) => aid.words,
        None if has_no_model => NO_MODEL.trim_end().to_owned(),
        None => "the built-in rules cannot answer that, and `reflex = \"only\"` in the configuration asks no model"
            .to_owned(),
    }
}

/// The question for a model behind a wish for a correction.
pub(super) fn for_a_model(query: Query) -> Query {
    match Question::read(&query.text) {
        Some(Question::Fix) => Query { text: FIX.to_owned(), ..query },
        Some(_) | None => query,
    }
}
