//! The history in JSON: one object per line.

use std::io::Write;

use serde::Serialize;

use super::timestamp;
use crate::cli::json::{TextWriter, print, print_with};
use crate::store::{HistoryEntry, Stats, StoredCommand};

/// A command in JSON. Scripts rely on the names of the fields.
#[derive(Serialize)]
struct JsonEntry {
    id: i64,
    session: String,
    host: String,
    cwd: String,
    command: String,
    status: i32,
    started_at: String,
    duration_ms: u128,
    output_bytes: u64,
    truncated: bool,
    full_screen: bool,
    spill: Option<String>,
}

impl JsonEntry {
    fn new(entry: &HistoryEntry) -> JsonEntry {
        JsonEntry {
            id: entry.id,
            session: entry.session.clone(),
            host: entry.host.clone(),
            cwd: entry.cwd.to_string_lossy().into_owned(),
            command: String::from_utf8_lossy(&entry.command).into_owned(),
            status: entry.status,
            started_at: format!("{:.3}", timestamp(entry.started_at)),
            duration_ms: entry.duration.as_millis(),
            output_bytes: entry.output_bytes,
            truncated: entry.truncated,
            full_screen: entry.full_screen,
            spill: entry.spill.as_ref().map(|path| path.to_string_lossy().into_owned()),
        }
    }
}

pub(super) fn entry(entry: &HistoryEntry, out: &mut impl Write) -> anyhow::Result<()> {
    print(&JsonEntry::new(entry), out)
}

pub(super) fn whole(stored: &StoredCommand, out: &mut impl Write) -> anyhow::Result<()> {
    let text = |write: &mut TextWriter<'_>| stored.whole().write_text(stored.size, write);
    print_with(&JsonEntry::new(&stored.entry), "output", text, out)
}

pub(super) fn stats(stats: &Stats, out: &mut impl Write) -> anyhow::Result<()> {
    let programs: Vec<_> = stats
        .programs
        .iter()
        .map(|program| serde_json::json!({ "name": program.name, "runs": program.runs, "failed": program.failed }))
        .collect();
    let slowest: Vec<_> = stats.slowest.iter().map(JsonEntry::new).collect();
    let object = serde_json::json!({
        "commands": stats.commands,
        "failed": stats.failed,
        "sessions": stats.sessions,
        "since": stats.since.map(|since| format!("{:.3}", timestamp(since))),
        "duration_ms": stats.duration.as_millis() as u64,
        "output_bytes": stats.output_bytes,
        "disk_bytes": stats.disk_bytes,
        "programs": programs,
        "slowest": slowest,
    });
    print(&object, out)
}
