//! Records an exchange as it happens: what the entries of the store contain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::meter::Meter;
use super::recorded_front::RecordedFront;
use super::window::WindowState;
use super::{Exchange, Front, Past, pictures};
use crate::chat::{Ending, Message, Part, Role, Timing, Usage};
use crate::guard::Redactor;
use crate::provider::Resolved;
use crate::store::{
    ConversationLog, EntryKind, EntryText, ExchangeLog, KeptPicture, QueryFigures, QueryId, StoredEntry, Words,
};

/// The text of an entry that begins an exchange. The store reads `question`.
#[derive(Debug, Serialize, Deserialize)]
struct QuestionEntry {
    #[serde(default)]
    query: QueryId,
    /// The person's own words.
    question: String,
    message: Message,
}

/// The text of an entry that ends an exchange. The store reads `model`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EndEntry {
    pub model: String,
    pub usage: Usage,
    pub ending: Ending,
    #[serde(default)]
    pub(super) window: WindowState,
}

/// What an entry of the store says.
#[derive(Debug)]
pub(crate) enum RecordedEntry {
    Question {
        query: QueryId,
        /// The person's own words.
        words: String,
        /// What was sent.
        message: Message,
    },
    Message(Message),
    End(EndEntry),
    Compaction(Past),
    /// Something that is not said: a title, a step back, an end of the terminal.
    Other,
}

impl RecordedEntry {
    /// Reads an entry. The error means that the file was damaged, or written by a newer version.
    pub(crate) fn read(entry: &StoredEntry) -> Result<RecordedEntry, serde_json::Error> {
        let body = entry.body.as_str();
        Ok(match entry.kind {
            EntryKind::Question => {
                let QuestionEntry { query, question, message } = serde_json::from_str(body)?;
                RecordedEntry::Question { query, words: question, message }
            }
            EntryKind::Assistant | EntryKind::Tool | EntryKind::Steering => {
                RecordedEntry::Message(serde_json::from_str(body)?)
            }
            EntryKind::End => RecordedEntry::End(serde_json::from_str(body)?),
            EntryKind::Compaction => RecordedEntry::Compaction(serde_json::from_str(body)?),
            EntryKind::Name | EntryKind::Rewind | EntryKind::Closed => RecordedEntry::Other,
        })
    }
}

/// The recording of a running exchange. The default records nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct ExchangeRecord {
    log: Option<ExchangeLog>,
}

impl ExchangeRecord {
    /// Begins an exchange with its first message. All secrets in it must be masked.
    pub(super) fn begin(
        log: &ConversationLog,
        cwd: std::path::PathBuf,
        (query, question): (QueryId, &str),
        message: &Message,
    ) -> Self {
        if !log.is_on() {
            return ExchangeRecord::default();
        }
        let (message, pictures) = pictures::take_out(message);
        let entry = QuestionEntry { query, question: question.to_owned(), message };
        ExchangeRecord { log: entry_text(&entry, pictures).map(|text| log.ask(cwd, question.to_owned(), text)) }
    }

    /// Records a further message.
    pub(super) fn say(&self, message: &Message) {
        let kind = match message.role {
            Role::Assistant => EntryKind::Assistant,
            Role::Tool => EntryKind::Tool,
            Role::User => EntryKind::Steering,
        };
        let Some(log) = &self.log else { return };
        let (message, pictures) = pictures::take_out(message);
        if let Some(text) = entry_text(&message, pictures) {
            log.say(kind, words(&message), text);
        }
    }

    /// A front that also records the events that it hears. Where nothing is recorded, it is the front itself.
    pub(super) fn listening(&self, front: Arc<dyn Front>, redactor: &Redactor) -> Arc<dyn Front> {
        match &self.log {
            Some(log) => Arc::new(RecordedFront::new(front, log.clone(), redactor.clone())),
            None => front,
        }
    }

    /// Records the end, with the compaction that the exchange has made.
    pub(super) fn end(self, exchange: &Exchange, model: &Resolved) {
        let Some(log) = self.log else { return };
        if let Some(past) = &exchange.compacted {
            compact(log.conversation(), past);
        }
        let Exchange { model: name, usage, timing, ending, window, .. } = exchange;
        let entry = EndEntry { model: name.clone(), usage: *usage, ending: ending.clone(), window: window.clone() };
        if let Some(body) = json(&entry) {
            log.end(figures(model, *usage, *timing, ending), body);
        }
    }
}

/// Records the figures of a request that belongs to no exchange.
pub(super) fn count_request(log: &ConversationLog, model: &Resolved, meter: &Meter, ending: &Ending) {
    log.count(figures(model, meter.usage(), meter.timing(), ending));
}

fn figures(model: &Resolved, usage: Usage, timing: Timing, ending: &Ending) -> QueryFigures {
    QueryFigures {
        provider: model.vendor.clone(),
        model: model.model.clone(),
        input: usage.input,
        output: usage.output,
        cached: usage.cached,
        cache_written: usage.cache_written,
        cost: usage.cost,
        first_token: timing.first_token,
        duration: timing.took,
        ending: word_for(ending).into(),
    }
}

/// The queries among these entries.
pub(crate) fn queries(entries: &[StoredEntry]) -> Vec<QueryId> {
    let questions = entries.iter().filter(|entry| entry.kind == EntryKind::Question);
    let read = questions.filter_map(|entry| match RecordedEntry::read(entry) {
        Ok(RecordedEntry::Question { query, .. }) => Some(query),
        _ => None,
    });
    read.filter(|query| *query != QueryId::default()).collect()
}

/// Records a shorter form of a conversation.
pub(crate) fn compact(log: &ConversationLog, past: &Past) {
    if !log.is_on() {
        return;
    }
    let (past, pictures) = past.without_pictures();
    if let Some(text) = entry_text(&past, pictures) {
        log.compact(text);
    }
}

/// Records that the last exchanges were taken back; `past` is what is left. The branch before them has no summary, so one that is
/// left is recorded again.
pub(crate) fn rewind(log: &ConversationLog, exchanges: usize, past: &Past) {
    log.rewind(exchanges);
    if past.is_summarised() {
        compact(log, past);
    }
}

/// Records a title.
pub(crate) fn name(log: &ConversationLog, title: &str) {
    log.name(serde_json::json!({ "name": title }).to_string());
}

/// Ends a recorded exchange that a killed process has left.
pub(super) fn end_unfinished(log: &ConversationLog, question: i64, exchange: &Exchange) {
    let mut found = Words::default();
    for words in exchange.messages.iter().skip(1).map(words) {
        found.answer.push_str(&words.answer);
        found.work.push_str(&words.work);
    }
    let Exchange { question: asked, model, usage, ending, window, .. } = exchange;
    let entry = EndEntry { model: model.clone(), usage: *usage, ending: ending.clone(), window: window.clone() };
    if let Some(body) = json(&entry) {
        log.end_unfinished(question, asked.clone(), found, body);
    }
}

/// The ending in one word.
fn word_for(ending: &Ending) -> &'static str {
    match ending {
        Ending::Answered => "answered",
        Ending::Interrupted => "interrupted",
        Ending::StepLimit => "step_limit",
        Ending::Failed(_) => "failed",
    }
}

/// The words by which a message is found.
fn words(message: &Message) -> Words {
    let mut words = Words::default();
    for part in &message.parts {
        let (to, pieces) = match part {
            Part::Text(text) => (&mut words.answer, vec![text.as_str()]),
            Part::Call(call) => (&mut words.work, vec![call.name.as_str(), &call.arguments]),
            Part::Result { outcome, .. } => (&mut words.work, vec![outcome.text()]),
            Part::Thinking(_) | Part::Image(_) => continue,
        };
        for piece in pieces {
            to.push_str(piece);
            to.push('\n');
        }
    }
    words
}

fn entry_text(entry: &impl Serialize, pictures: Vec<KeptPicture>) -> Option<EntryText> {
    json(entry).map(|body| EntryText { body, pictures })
}

/// The JSON of an entry. Its types have string keys only, so this does not fail.
fn json(entry: &impl Serialize) -> Option<String> {
    serde_json::to_string(entry).inspect_err(|error| tracing::error!(%error, "an entry cannot be recorded")).ok()
}
