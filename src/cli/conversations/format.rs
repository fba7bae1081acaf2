//! A recorded conversation as lines of JSON.

use std::io::Write;

use serde::Serialize;

use super::list::timestamp;
use crate::cli::json;
use crate::store::StoredEntry;

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
