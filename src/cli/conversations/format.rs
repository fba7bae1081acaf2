//! A recorded conversation as lines of JSON or as a document.

use std::io::Write;

use serde::Serialize;

use super::list::timestamp;
use crate::agent::RecordedEntry;
use crate::chat::Ending;
use crate::cli::json;
use crate::export::{Document, DocumentExchange};
use crate::store::{ListedConversation, StoredEntry};

/// An entry as a line of JSON.
#[derive(Serialize)]
struct EntryJson {
    id: i64,
    exchange: Option<i64>,
    kind: &'static str,
    at: String,
    body: serde_json::Value,
}

/// Writes entries as they are stored, one JSON object a line.
pub(super) fn entries(entries: &[StoredEntry], out: &mut impl Write) -> anyhow::Result<()> {
    entries.iter().try_for_each(|entry| {
        let StoredEntry { id, exchange, kind, at, body } = entry;
        let body = serde_json::from_str(body)?;
        json::print(&EntryJson { id: *id, exchange: *exchange, kind: kind.name(), at: timestamp(*at), body }, out)
    })
}

/// The document of a conversation. Exchanges without an end were interrupted, or are not over yet.
pub(super) fn document(listed: &ListedConversation, entries: &[StoredEntry]) -> Document {
    let mut exchanges: Vec<(i64, DocumentExchange)> = Vec::new();
    for entry in entries {
        let of = entry.exchange.unwrap_or(entry.id);
        let open = exchanges.iter_mut().rev().find(|(question, _)| *question == of).map(|(_, exchange)| exchange);
        match (RecordedEntry::read(entry), open) {
            (Ok(RecordedEntry::Question { words, message }), _) => {
                let (asked, model) = (timestamp(entry.at), String::new());
                let (messages, ending) = (vec![message], Ending::Interrupted);
                exchanges.push((entry.id, DocumentExchange { question: words, asked, model, messages, ending }));
            }
            (Ok(RecordedEntry::Message(message)), Some(open)) => open.messages.push(message),
            (Ok(RecordedEntry::End(end)), Some(open)) => (open.model, open.ending) = (end.model, end.ending),
            (Ok(_), _) => {}
            (Err(error), _) => tracing::warn!(%error, id = entry.id, "a recorded entry cannot be read"),
        }
    }
    let facts = vec![
        format!("conversation {}", listed.id),
        listed.repository.display().to_string(),
        timestamp(listed.touched_at),
    ];
    Document { title: listed.title(), facts, exchanges: exchanges.into_iter().map(|(_, exchange)| exchange).collect() }
}
