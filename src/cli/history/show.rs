//! Prints a command with its output.

use std::io::Write;
use std::time::SystemTime;

use super::display::Display;
use super::{HistoryContext, age, timestamp};
use crate::store::{HistoryEntry, StoredCommand};
use crate::text::style::Style;
use crate::text::{human, sanitize};

/// The command, a line about it, and its output as the terminal showed it.
pub(super) fn whole(
    stored: &StoredCommand,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let command = sanitize(&String::from_utf8_lossy(&stored.entry.command));
    writeln!(out, "{}", display.paint(Style::BOLD, &format!("$ {command}")))?;
    writeln!(out, "{}", display.paint(Style::DIM, &about(&stored.entry, context)))?;
    let mut is_empty = true;
    stored.whole().write_text(stored.size, &mut |text| {
        is_empty = false;
        out.write_all(sanitize(text).as_bytes())
    })?;
    if !is_empty {
        writeln!(out)?;
    }
    Ok(())
}

/// Prints the recorded bytes of the output.
pub(super) fn raw(stored: &StoredCommand, out: &mut impl Write) -> anyhow::Result<()> {
    Ok(stored.whole().write_raw(out)?)
}

/// The facts about a command. What is unknown is left out.
pub(super) fn about(entry: &HistoryEntry, context: &HistoryContext<'_>) -> String {
    let started = |time: SystemTime| {
        let local = timestamp(time).to_zoned(context.now.time_zone().clone());
        format!("{} ({})", local.strftime("%Y-%m-%d %H:%M:%S"), human::age(age(time, &context.now)))
    };
    let outcome = |status: i32| if status == 0 { "✓".to_owned() } else { format!("exit status {status}") };
    let output = match &entry.imported {
        Some(origin) => format!("imported from {}, without output", sanitize(origin)),
        None => format!("{} of output", human::size(entry.output_bytes)),
    };
    let facts = [
        Some(format!("#{}", entry.id)),
        entry.cwd.as_ref().map(|cwd| sanitize(&cwd.to_string_lossy())),
        entry.started_at.map(started),
        entry.status.map(outcome),
        entry.duration.map(human::duration),
        Some(output),
        entry.full_screen.then(|| "full screen".to_owned()),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
