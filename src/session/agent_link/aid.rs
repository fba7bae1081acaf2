//! Answers by the built-in rules: before a model answers, or in its place.

use std::path::PathBuf;

use tokio::task::JoinHandle;

use crate::agent::{Aid, Front, NO_MODEL, Query, RULES_WAIT, first_aid};
use crate::chat::{Ending, Event};
use crate::reflex::{LocalQuestion, RulesRole};
use crate::tool::{self, Asker, UserAnswer};

use super::{News, RequestLink};

/// The question for a model if the rules know no correction.
const FIX: &str = "Find out why my last command failed and put a corrected command on my prompt with suggest_command. Say in one line what was wrong.";

/// The rules and the history, working on one question.
pub(super) struct RulesTask {
    question: LocalQuestion,
    /// The rules read files, so they run on a thread of their own.
    aid: JoinHandle<Option<Aid>>,
}

impl RulesTask {
    /// Starts the rules on a question, if it is one that they can answer.
    pub(super) fn ask(query: &Query, history: Option<PathBuf>) -> Option<RulesTask> {
        let question = LocalQuestion::read(&query.text)?;
        let query = query.clone();
        let aid = tokio::task::spawn_blocking(move || first_aid(&query, history.as_deref()));
        Some(RulesTask { question, aid })
    }

    /// Whether the person wants a corrected command and not an explanation.
    pub(super) fn are_asked_for_a_fix(&self) -> bool {
        self.question == LocalQuestion::Fix
    }

    pub(super) async fn aid(self) -> Option<Aid> {
        self.aid.await.ok().flatten()
    }

    /// Shows a certain answer first; news of a model waits for that. Any other answer is kept until the model is in trouble or
    /// slow.
    pub(super) fn speak_first(self, link: &RequestLink) -> Said {
        link.hold();
        let link = link.clone();
        Said(Some(tokio::spawn(async move {
            // Answers from the history are facts. A model may understand a question about shellmate better.
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
                            // The model gets this long to begin; then the person sees what the rules know.
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

/// Whether the rules have shown an answer.
pub(super) struct Said(Option<JoinHandle<bool>>);

impl Said {
    pub(super) fn nothing() -> Said {
        Said(None)
    }

    /// Keeps an explanation in a case where a correction was wanted.
    pub(super) fn kept(aid: Option<Aid>, link: &RequestLink) -> Said {
        if let Some(aid) = aid {
            link.keep(aid.words);
        }
        Said(None)
    }

    /// Waits until the rules have finished. Returns whether they have shown something; an answer that was not shown is kept by
    /// the link.
    pub(super) async fn have_spoken(self) -> bool {
        match self.0 {
            Some(speaking) => speaking.await.unwrap_or(false),
            None => false,
        }
    }
}

/// Puts a correction on the prompt: the certain one, or the one that the person picks.
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

/// Shown if the rules know nothing and there is no model, or none is wanted.
pub(super) fn without_a_model(role: RulesRole) -> String {
    match role {
        RulesRole::Only => {
            "the built-in rules cannot answer that, and `reflex = \"only\"` in the configuration asks no model"
                .to_owned()
        }
        RulesRole::First | RulesRole::Off => NO_MODEL.trim_end().to_owned(),
    }
}

/// The question that a model gets in place of `fix`.
pub(super) fn for_a_model(query: Query) -> Query {
    match LocalQuestion::read(&query.text) {
        Some(LocalQuestion::Fix) => Query { text: FIX.to_owned(), ..query },
        Some(_) | None => query,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::reflex::Proposal;

    /// Offers corrections to a person who picks `pick`. Returns the notices and the command on the prompt.
    fn offered(commands: &[&str], is_confident: bool, pick: Option<&str>) -> (Vec<String>, Option<String>) {
        let proposal = |command: &&str| Proposal { command: (*command).to_owned(), why: format!("why {command}") };
        let aid = Aid { words: String::new(), proposals: commands.iter().map(proposal).collect(), is_confident };
        let (tell, news) = sync_channel(100);
        let link = RequestLink::scripted(tell);
        let answer = pick.map_or(UserAnswer::Declined, |pick| UserAnswer::Said(pick.to_owned()));
        let person = std::thread::spawn(move || {
            let (mut notices, mut suggested, mut is_over) = (Vec::new(), None, false);
            for (_, news) in news {
                match news {
                    News::Ask(question, reply) => {
                        assert!(question.choices.len() > 1, "one correction needs no choice");
                        let _ = reply.send(answer.clone());
                    }
                    News::Event(Event::Notice(words)) => notices.push(words),
                    News::Event(Event::Finished(Ending::Answered)) => is_over = true,
                    News::Suggest(command) => suggested = Some(command),
                    _ => panic!("nothing else is expected"),
                }
            }
            assert!(is_over);
            (notices, suggested)
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(offer(aid, &link));
        drop(link);
        person.join().unwrap()
    }

    #[test]
    fn a_single_or_certain_correction_is_put_on_the_prompt_without_a_question() {
        let expected = (vec!["why git push (built-in rules)".to_owned()], Some("git push".to_owned()));
        assert_eq!(offered(&["git push"], false, None), expected);
        assert_eq!(offered(&["git push", "git pull"], true, None), expected);
        assert_eq!(offered(&[], true, None), (Vec::new(), None));
    }

    #[test]
    fn the_person_picks_one_of_several_corrections_or_none() {
        let commands = ["git push", "git pull"];
        let pulled = (vec!["why git pull (built-in rules)".to_owned()], Some("git pull".to_owned()));
        assert_eq!(offered(&commands, false, Some("git pull")), pulled);
        assert_eq!(offered(&commands, false, Some("rm -rf /")), (Vec::new(), None), "only what was offered");
        assert_eq!(offered(&commands, false, None), (Vec::new(), None));
    }

    #[test]
    fn a_model_is_asked_in_full_for_a_correction_and_as_typed_otherwise() {
        assert_eq!(for_a_model(Query::scripted("fix")).text, FIX);
        assert_eq!(for_a_model(Query::scripted("why did that fail")).text, "why did that fail");
    }

    #[test]
    fn without_a_model_the_person_reads_how_to_get_an_answer() {
        assert!(without_a_model(RulesRole::First).contains("shellmate auth login"));
        assert!(without_a_model(RulesRole::Only).contains("`reflex = \"only\"`"));
    }
}
