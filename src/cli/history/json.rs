//! The history in JSON: one object per line.

use std::io::Write;

use serde::Serialize;
use serde_json::{Map, Value};

use super::timestamp;
use crate::cli::json::{TextWriter, print, print_with};
use crate::store::{BusyTimes, HistoryEntry, ProgramRuns, Stats, StoredCommand};

/// A command in JSON. Scripts rely on the names of the fields. What is unknown is null.
#[derive(Serialize)]
struct JsonEntry {
    id: i64,
    session: Option<String>,
    host: Option<String>,
    cwd: Option<String>,
    command: String,
    status: Option<i32>,
    started_at: Option<String>,
    duration_ms: Option<u128>,
    output_bytes: u64,
    truncated: bool,
    full_screen: bool,
    spill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<String>,
}

impl JsonEntry {
    fn new(entry: &HistoryEntry) -> JsonEntry {
        JsonEntry {
            id: entry.id,
            session: Some(entry.session.clone()).filter(|session| !session.is_empty()),
            host: Some(entry.host.clone()).filter(|host| !host.is_empty()),
            cwd: entry.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()),
            command: String::from_utf8_lossy(&entry.command).into_owned(),
            status: entry.status,
            started_at: entry.started_at.map(|time| format!("{:.3}", timestamp(time))),
            duration_ms: entry.duration.map(|duration| duration.as_millis()),
            output_bytes: entry.output_bytes,
            truncated: entry.truncated,
            full_screen: entry.full_screen,
            spill: entry.spill.as_ref().map(|path| path.to_string_lossy().into_owned()),
            imported: entry.imported.clone(),
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
    let slowest: Vec<_> = stats.slowest.iter().map(JsonEntry::new).collect();
    let BusyTimes { hours, weekdays, days } = &stats.times;
    let weekdays: Map<String, Value> = BusyTimes::WEEKDAYS
        .iter()
        .zip(weekdays)
        .map(|(day, count)| (format!("{day:?}").to_lowercase(), (*count).into()))
        .collect();
    let days: Map<String, Value> = days.iter().map(|(day, count)| (day.to_string(), (*count).into())).collect();
    let object = serde_json::json!({
        "commands": stats.commands,
        "failed": stats.failed,
        "unknown": stats.unknown,
        "sessions": stats.sessions,
        "since": stats.since.map(|since| format!("{:.3}", timestamp(since))),
        "duration_ms": stats.duration.as_millis() as u64,
        "lost_ms": stats.lost.as_millis() as u64,
        "output_bytes": stats.output_bytes,
        "disk_bytes": stats.disk_bytes,
        "programs": stats.programs.iter().map(program).collect::<Vec<_>>(),
        "failing": stats.failing.iter().map(program).collect::<Vec<_>>(),
        "slowest": slowest,
        "hours": hours,
        "weekdays": weekdays,
        "days": days,
    });
    print(&object, out)
}

fn program(program: &ProgramRuns) -> Value {
    serde_json::json!({
        "name": program.name,
        "runs": program.runs,
        "judged": program.judged,
        "failed": program.failed,
        "duration_ms": program.duration.as_millis() as u64,
        "lost_ms": program.lost.as_millis() as u64,
    })
}
