//! Statistics of the history.

use std::io::Write;

use super::display::{Display, clip};
use super::{HistoryContext, table, timestamp};
use crate::store::Stats;
use crate::text::style::Style;
use crate::text::{human, sanitize};

pub(super) fn print(
    stats: &Stats,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    if display.terminal { fitted(stats, context, display, out) } else { plain(stats, out) }
}

fn fitted(stats: &Stats, context: &HistoryContext<'_>, display: Display, out: &mut impl Write) -> anyhow::Result<()> {
    let since = match stats.since {
        Some(since) => {
            let since = timestamp(since).to_zoned(context.now.time_zone().clone());
            format!(" since {}", since.strftime("%Y-%m-%d"))
        }
        None => String::new(),
    };
    let sessions = if stats.sessions == 1 { "session" } else { "sessions" };
    for line in [
        format!("commands  {} in {} {sessions}{since}", stats.commands, stats.sessions),
        format!("failed    {} ({} %)", stats.failed, percent(stats.failed, stats.commands)),
        format!("running   {}", human::duration(stats.duration)),
        format!("output    {}", human::size(stats.output_bytes)),
        format!("on disk   {}", human::size(stats.disk_bytes)),
    ] {
        writeln!(out, "{}", clip(&line, display.width))?;
    }
    if !stats.programs.is_empty() {
        writeln!(out, "\n{}", display.paint(Style::BOLD, "most run"))?;
    }
    for program in &stats.programs {
        let failed = format!("{} % failed", percent(program.failed, program.runs));
        let line = format!("{:>8}  {}  {failed}", program.runs, sanitize(&program.name));
        writeln!(out, "{}", clip(&line, display.width))?;
    }
    if !stats.slowest.is_empty() {
        writeln!(out, "\n{}", display.paint(Style::BOLD, "slowest"))?;
    }
    for entry in &stats.slowest {
        let line =
            format!("{:>8}  {}  #{}", human::duration(entry.duration), table::one_line(&entry.command), entry.id);
        writeln!(out, "{}", clip(&line, display.width))?;
    }
    Ok(())
}

fn plain(stats: &Stats, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "commands\t{}", stats.commands)?;
    writeln!(out, "failed\t{}", stats.failed)?;
    writeln!(out, "sessions\t{}", stats.sessions)?;
    if let Some(since) = stats.since {
        writeln!(out, "since\t{:.3}", timestamp(since))?;
    }
    writeln!(out, "duration_ms\t{}", stats.duration.as_millis())?;
    writeln!(out, "output_bytes\t{}", stats.output_bytes)?;
    writeln!(out, "disk_bytes\t{}", stats.disk_bytes)?;
    for program in &stats.programs {
        writeln!(out, "program\t{}\t{}\t{}", program.runs, program.failed, sanitize(&program.name))?;
    }
    for entry in &stats.slowest {
        let command = table::one_line(&entry.command);
        writeln!(out, "slowest\t{}\t{}\t{command}", entry.duration.as_millis(), entry.id)?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or_default()
}
