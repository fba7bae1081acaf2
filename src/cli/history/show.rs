//! Prints a command with its output.

use std::io::Write;

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

fn about(entry: &HistoryEntry, context: &HistoryContext<'_>) -> String {
    let started = timestamp(entry.started_at).to_zoned(context.now.time_zone().clone());
    let outcome = if entry.status == 0 { "✓".to_owned() } else { format!("exit status {}", entry.status) };
    let mut facts = vec![
        format!("#{}", entry.id),
        sanitize(&entry.cwd.to_string_lossy()),
        format!("{} ({})", started.strftime("%Y-%m-%d %H:%M:%S"), human::age(age(entry.started_at, &context.now))),
        outcome,
        human::duration(entry.duration),
        format!("{} of output", human::size(entry.output_bytes)),
    ];
    if entry.full_screen {
        facts.push("full screen".to_owned());
    }
    facts.join(" · ")
}
