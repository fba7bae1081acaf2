//! Rebuilds a conversation from what was recorded of it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use super::record::{self, EndEntry, RecordedEntry};
use super::{Conversation, Exchange, pictures};
use crate::chat::{Ending, Message, Timing, Usage};
use crate::store::{ConversationLog, EntryKind, PictureFiles, QueryId, StoredEntry};
use crate::tool::Seen;

/// What becomes of exchanges that have no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// The process that asked is gone: they were interrupted.
    Interrupted,
    /// Another process still works on them: they are left out.
    LeftOut,
}

/// A conversation as it was recorded.
#[derive(Debug)]
pub(crate) struct RestoredConversation {
    pub conversation: Conversation,
    /// The last question, if any.
    pub last_question: Option<String>,
    /// Entries that could not be read.
    pub damaged: usize,
    /// Pictures that are not there any more.
    pub missing: usize,
    /// Exchanges that have no end, with the ids of their questions.
    unfinished: Vec<(i64, Exchange)>,
}

impl RestoredConversation {
    /// Records the ends of the exchanges that a killed process has left.
    pub(crate) fn end_unfinished(&self, log: &ConversationLog) {
        self.unfinished.iter().for_each(|(question, exchange)| record::end_unfinished(log, *question, exchange));
    }
}

/// A line for the person, if pictures of a conversation are missing.
pub(crate) fn missing_pictures(missing: usize) -> Option<String> {
    match missing {
        0 => None,
        1 => Some("a picture of it is no longer kept; the model is told so".to_owned()),
        missing => Some(format!("{missing} pictures of it are no longer kept; the model is told so")),
    }
}

/// An exchange whose end was not read yet.
struct OpenExchange {
    query: QueryId,
    question: String,
    asked_at: SystemTime,
    messages: Vec<Message>,
}

pub(super) fn restore(entries: &[StoredEntry], files: &PictureFiles, unfinished: Unfinished) -> RestoredConversation {
    let mut restored = RestoredConversation {
        conversation: Conversation::default(),
        last_question: None,
        damaged: 0,
        missing: 0,
        unfinished: Vec::new(),
    };
    let mut open: BTreeMap<i64, OpenExchange> = BTreeMap::new();
    for entry in entries {
        let exchange = entry.exchange.unwrap_or(entry.id);
        match RecordedEntry::read(entry) {
            Ok(RecordedEntry::Question { query, words, mut message }) => {
                restored.missing += pictures::put_back(&mut message, files);
                let (question, asked_at) = (words, entry.at);
                open.insert(exchange, OpenExchange { query, question, asked_at, messages: vec![message] });
            }
            Ok(RecordedEntry::Message(mut message)) => {
                restored.missing += pictures::put_back(&mut message, files);
                open.entry(exchange).and_modify(|open| open.messages.push(message));
            }
            Ok(RecordedEntry::End(end)) => {
                if let Some(open) = open.remove(&exchange) {
                    restored.append(open.ended(end));
                }
            }
            Ok(RecordedEntry::Compaction(mut past)) => {
                past.put_pictures_back(files);
                restored.conversation.compact(past);
            }
            Ok(RecordedEntry::Other) => {}
            Err(error) => {
                tracing::warn!(%error, id = entry.id, kind = ?entry.kind, "a recorded entry cannot be read");
                restored.damaged += 1;
                if entry.kind == EntryKind::End {
                    open.remove(&exchange);
                }
            }
        }
    }
    if unfinished == Unfinished::Interrupted {
        for (question, open) in open {
            let window = restored.conversation.past().state.clone();
            let end = EndEntry { model: String::new(), usage: Usage::default(), ending: Ending::Interrupted, window };
            let exchange = open.ended(end);
            restored.unfinished.push((question, exchange.clone()));
            restored.append(exchange);
        }
    }
    restored
}

impl RestoredConversation {
    fn append(&mut self, exchange: Exchange) {
        self.last_question = Some(exchange.question.clone());
        self.conversation.append(exchange);
    }
}

impl OpenExchange {
    fn ended(self, end: EndEntry) -> Exchange {
        let EndEntry { model, ending, window, .. } = end;
        Exchange {
            query: self.query,
            question: self.question,
            messages: self.messages,
            model,
            // What was paid for in earlier sessions is in the figures of the store.
            usage: Usage::default(),
            timing: Timing { started: self.asked_at, first_token: None, took: Duration::ZERO },
            ending,
            seen: Seen::default(),
            window,
            compacted: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::conversation::tests::exchange;
    use super::super::record::ExchangeRecord;
    use super::super::testing::{ScriptedModel, assert_sendable, resolved};
    use super::super::window::summarised;
    use super::*;
    use crate::chat::Role;
    use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup};
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::Arc;

    const PATIENCE: Duration = Duration::from_secs(60);

    #[derive(Debug, Clone)]
    enum Deed {
        Say(Exchange),
        /// The process is killed before the exchange ends.
        SayHalf(Exchange),
        Compact,
        Rewind(usize),
        Fork,
        Load,
    }

    /// An exchange begins with a question.
    fn asked() -> impl Strategy<Value = Exchange> {
        exchange().prop_map(|mut exchange| {
            exchange.messages.insert(0, Message::user("q"));
            exchange
        })
    }

    fn deed() -> impl Strategy<Value = Deed> {
        prop_oneof![
            4 => asked().prop_map(Deed::Say),
            1 => asked().prop_map(Deed::SayHalf),
            1 => Just(Deed::Compact),
            2 => (1..4_usize).prop_map(Deed::Rewind),
            1 => Just(Deed::Fork),
            2 => Just(Deed::Load),
        ]
    }

    /// A conversation with its record.
    struct Recorded {
        recorder: ConversationRecorder,
        log: ConversationLog,
        conversation: Conversation,
    }

    impl Recorded {
        fn new(directory: &Path) -> Recorded {
            let text = |text: &str| text.to_owned();
            let limits = ConversationLimits { age: PATIENCE * 60, bytes: u64::MAX };
            let database = directory.join("history.db");
            let setup =
                ConversationSetup { database, session: text("s"), host: text("box"), terminal: text(""), limits };
            let recorder = ConversationRecorder::new(setup);
            let log = recorder.begin();
            Recorded { recorder, log, conversation: Conversation::default() }
        }

        fn settle(&self) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(self.recorder.settled(PATIENCE));
        }

        /// Records all messages of an exchange but not its end.
        fn record(&self, exchange: &Exchange) -> ExchangeRecord {
            let (first, rest) = exchange.messages.split_first().unwrap();
            let record = ExchangeRecord::begin(&self.log, "/".into(), (exchange.query, &exchange.question), first);
            rest.iter().for_each(|message| record.say(message));
            record
        }

        fn load(&mut self) -> RestoredConversation {
            self.settle();
            let id = self.log.id();
            self.log = self.recorder.begin();
            let Some(id) = id else {
                return restore(&[], &PictureFiles::beside(Path::new("/none/history.db")), Unfinished::Interrupted);
            };
            let resumed = self.recorder.resume(id).unwrap().unwrap();
            assert!(!resumed.is_fork, "nobody else holds the conversation");
            self.log = resumed.log;
            let restored = Conversation::restore(&resumed.entries, &resumed.pictures, Unfinished::Interrupted);
            assert_eq!((restored.damaged, restored.missing), (0, 0));
            restored.end_unfinished(&self.log);
            restored
        }

        fn perform(&mut self, deed: Deed) {
            match deed {
                Deed::Say(exchange) => {
                    self.record(&exchange).end(&exchange, &resolved(Arc::new(ScriptedModel::default()), "m"));
                    self.conversation.append(exchange);
                }
                Deed::SayHalf(exchange) => {
                    drop(self.record(&exchange));
                    self.conversation = self.load().conversation;
                }
                Deed::Compact if !self.conversation.past().is_empty() => {
                    let past = summarised(self.conversation.past());
                    record::compact(&self.log, &past);
                    self.conversation.compact(past);
                }
                Deed::Compact => {}
                Deed::Rewind(exchanges) => {
                    if self.conversation.rewind(exchanges).is_some() {
                        record::rewind(&self.log, exchanges, self.conversation.past());
                    }
                }
                Deed::Fork => {
                    self.settle();
                    self.log = self.recorder.fork(&self.log).unwrap_or_else(|| self.log.clone());
                }
                Deed::Load => {
                    let before = self.conversation.window();
                    // A fork has no row before something is added to it.
                    let is_new_fork = {
                        self.settle();
                        self.log.id().is_none()
                    };
                    if !is_new_fork {
                        self.conversation = self.load().conversation;
                        assert_eq!(self.conversation.window(), before);
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn any_sequence_of_deeds_leaves_a_conversation_that_can_be_sent(deeds in prop::collection::vec(deed(), 1..16)) {
            let home = tempfile::tempdir().unwrap();
            let mut recorded = Recorded::new(home.path());
            for deed in deeds {
                recorded.perform(deed);
                let window = recorded.conversation.window();
                assert_sendable(&window);
                prop_assert!(window.windows(2).all(|pair| pair[0].role != pair[1].role), "{window:?}");
                prop_assert!(window.last().is_none_or(|last| last.role == Role::Assistant));
            }
            recorded.recorder.close(true, PATIENCE);
            prop_assert_eq!(recorded.recorder.trouble(), None);
        }
    }
}
