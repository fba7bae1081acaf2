//! A conversation: a list of exchanges to which whole exchanges are appended.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::restore::{self, RestoredConversation, Unfinished};
use super::stream::INTERRUPTED;
use super::window::{Past, Rewound, WindowState};
use crate::chat::{Ending, Message, Outcome, Part, Role, Timing, Usage};
use crate::store::{PictureFiles, QueryId, StoredEntry};
use crate::tool::Seen;

/// Replaces a missing answer, so that questions and answers alternate.
const NO_ANSWER: &str = "[no answer]";
/// The result for a call that did not run.
const NO_RESULT: &str = "this call was not made";

/// Identifies a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConversationId(u64);

impl ConversationId {
    /// A new id: the time in nanoseconds, or the last id plus one if the clock has not advanced.
    fn fresh() -> ConversationId {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let now = u64::try_from(now).unwrap_or(0);
        let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(now.max(last + 1)));
        ConversationId(now.max(last.unwrap_or_default() + 1))
    }
}

/// A question with all messages up to the end of its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Exchange {
    pub query: QueryId,
    /// The person's own words.
    pub question: String,
    pub messages: Vec<Message>,
    /// The model that answered.
    pub model: String,
    /// The tokens of all its requests, with those for a summary.
    pub usage: Usage,
    pub timing: Timing,
    pub ending: Ending,
    /// The files that were read. They are not stored, because they must be read again after a restart.
    #[serde(skip)]
    pub seen: Seen,
    /// What is known about the requests so far.
    pub window: WindowState,
    /// The exchanges before this one, if they had to be made shorter for the model's window.
    pub compacted: Option<Past>,
}

/// A conversation. Only whole exchanges are appended, and its messages can be sent to any provider: every call is directly followed by its
/// result, and questions and answers alternate.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Conversation {
    id: ConversationId,
    past: Past,
    /// The tokens of all exchanges.
    usage: Usage,
    /// The latest answer.
    answer: Option<String>,
    #[serde(skip)]
    seen: Seen,
}

impl Default for Conversation {
    fn default() -> Conversation {
        let (usage, seen) = (Usage::default(), Seen::default());
        Conversation { id: ConversationId::fresh(), past: Past::default(), usage, answer: None, seen }
    }
}

impl Conversation {
    pub(crate) fn id(&self) -> ConversationId {
        self.id
    }

    /// Adds an exchange, however it ended.
    pub(crate) fn append(&mut self, exchange: Exchange) {
        let Exchange { query, question, messages, usage, ending, seen, window, compacted, .. } = exchange;
        compacted.into_iter().for_each(|compacted| self.compact(compacted));
        self.past.state = window;
        self.seen.join(&seen);
        self.usage += usage;
        let messages = sendable(messages, &ending);
        if messages.is_empty() {
            return;
        }
        let mut answers = messages.iter().rev().filter(|message| message.role == Role::Assistant).map(Message::text);
        let answer = answers.find(|text| !text.trim().is_empty() && text != NO_ANSWER);
        self.answer = answer.or(self.answer.take());
        self.past.push(query, question, messages);
    }

    /// Rebuilds a conversation from its recorded entries. Exchanges without an end are `unfinished`.
    pub(crate) fn restore(
        entries: &[StoredEntry],
        pictures: &PictureFiles,
        unfinished: Unfinished,
    ) -> RestoredConversation {
        restore::restore(entries, pictures, unfinished)
    }

    /// Takes the last exchanges back. `None` if there are not as many, or a summary stands for some of them.
    pub(crate) fn rewind(&mut self, exchanges: usize) -> Option<Rewound> {
        let rewound = self.past.rewind(exchanges)?;
        self.seen.forget_lines();
        let messages: Vec<Message> = self.past.messages().collect();
        self.answer = messages.iter().rev().find(|message| message.role == Role::Assistant).map(Message::text);
        Some(rewound)
    }

    /// Takes a shorter form of what was said when it was made.
    pub(crate) fn compact(&mut self, compacted: Past) {
        self.past.replace(compacted);
        self.seen.forget_lines();
    }

    /// The part that is sent with the next question.
    pub(crate) fn past(&self) -> &Past {
        &self.past
    }

    /// The messages that are sent with the next question.
    pub(crate) fn window(&self) -> Vec<Message> {
        self.past.messages().collect()
    }

    /// The exchanges that are not summarised: each question in the person's own words, and its messages.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = (&str, &[Message])> {
        self.past.exchanges().map(|one| (one.question.as_str(), one.messages.as_slice()))
    }

    /// The latest answer.
    pub(crate) fn last_answer(&self) -> Option<String> {
        self.answer.clone()
    }

    /// The tokens of all exchanges.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// A copy of the files that the model has read. Files that a running answer reads are added when its exchange is appended.
    pub(crate) fn seen(&self) -> Seen {
        self.seen.fork()
    }
}

/// Brings the messages of an exchange into a form that every provider accepts. It begins with the question and ends with a message of the
/// model, no message is empty, questions and answers alternate, and every call is directly followed by its result.
fn sendable(messages: Vec<Message>, ending: &Ending) -> Vec<Message> {
    let mut sound: Vec<Message> = Vec::new();
    for message in messages {
        let open: Vec<String> = open_calls(&sound);
        match (message.role, sound.last_mut()) {
            (Role::User | Role::Assistant, _) if message.parts.is_empty() => {}
            (Role::Assistant | Role::Tool, None) => {}
            (Role::Tool, Some(_)) => {
                if !open.is_empty() {
                    sound.push(results(open, message.parts));
                }
            }
            (role, Some(last)) if role == last.role && open.is_empty() => last.parts.extend(message.parts),
            (_, _) => {
                if !open.is_empty() {
                    sound.push(results(open, Vec::new()));
                }
                sound.push(message);
            }
        }
    }
    let open = open_calls(&sound);
    if !open.is_empty() {
        sound.push(results(open, Vec::new()));
    }
    if sound.last().is_some_and(|last| last.role != Role::Assistant) {
        let words = if *ending == Ending::Interrupted { INTERRUPTED } else { NO_ANSWER };
        sound.push(Message { role: Role::Assistant, parts: vec![Part::Text(words.to_owned())] });
    }
    sound
}

/// The ids of the calls in the last message, which have no results yet.
fn open_calls(messages: &[Message]) -> Vec<String> {
    let last = messages.last().filter(|last| last.role == Role::Assistant);
    last.into_iter().flat_map(Message::calls).map(|call| call.id.clone()).collect()
}

/// One result for each of these calls, in their order.
fn results(calls: Vec<String>, mut given: Vec<Part>) -> Message {
    let mut take = |id: &String| {
        let at = given.iter().position(|part| matches!(part, Part::Result { id: given, .. } if given == id));
        at.map(|at| given.remove(at))
    };
    let closed = calls.into_iter().map(|id| {
        let result = take(&id);
        result.unwrap_or_else(|| Part::Result { id, outcome: Outcome::failed(NO_RESULT) })
    });
    Message { role: Role::Tool, parts: closed.collect() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chat::{Call, Failure, FailureKind};
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = Part> {
        let id = prop_oneof!["a", "b", "c"];
        prop_oneof![
            "[a-z]{0,3}".prop_map(Part::Text),
            id.clone().prop_map(|id| Part::Call(Call { id, name: "ls".into(), arguments: String::new() })),
            id.prop_map(|id| Part::Result { id, outcome: Outcome::done("ok") }),
        ]
    }

    /// Messages as a turn might leave them: in any order, but only the model makes calls and only tools return results.
    fn message() -> impl Strategy<Value = Message> {
        let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
        (role, prop::collection::vec(part(), 0..4)).prop_map(|(role, mut parts)| {
            parts.retain(|part| match part {
                Part::Call(_) => role == Role::Assistant,
                Part::Result { .. } => role == Role::Tool,
                _ => role != Role::Tool,
            });
            Message { role, parts }
        })
    }

    pub(in crate::agent) fn exchange() -> impl Strategy<Value = Exchange> {
        let failed = Ending::Failed(Failure::new(FailureKind::Network, "no network"));
        let ending =
            prop_oneof![Just(Ending::Answered), Just(Ending::Interrupted), Just(Ending::StepLimit), Just(failed)];
        (prop::collection::vec(message(), 0..8), ending).prop_map(|(messages, ending)| Exchange {
            query: QueryId::default(),
            question: "q".into(),
            messages,
            model: "m".into(),
            usage: Usage { input: 1, ..Usage::default() },
            timing: Timing::ZERO,
            ending,
            seen: Seen::default(),
            window: WindowState::default(),
            compacted: None,
        })
    }

    proptest! {
        #[test]
        fn after_any_append_every_call_has_its_result_and_roles_alternate(all in prop::collection::vec(exchange(), 0..5)) {
            let mut conversation = Conversation::default();
            for exchange in all {
                conversation.append(exchange);
                let window = conversation.window();
                super::super::testing::assert_sendable(&window);
                for pair in window.windows(2) {
                    prop_assert!(pair[0].role != pair[1].role, "{window:?}");
                }
                prop_assert!(window.first().is_none_or(|first| first.role == Role::User));
                prop_assert!(window.last().is_none_or(|last| last.role == Role::Assistant));
                let stored = serde_json::to_string(&conversation).unwrap();
                let read: Conversation = serde_json::from_str(&stored).unwrap();
                prop_assert_eq!(read.window(), window);
                prop_assert_eq!(read.id(), conversation.id());
            }
        }
    }

    #[test]
    fn conversations_have_different_ids() {
        let ids: Vec<u64> = (0..1_000).map(|_| Conversation::default().id().0).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
