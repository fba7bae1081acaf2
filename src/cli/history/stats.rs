//! `shellmate history stats`: figures and charts on a terminal, lines with tabs otherwise.

use std::io::Write;
use std::path::PathBuf;

use super::display::{Display, clip};
use super::{HistoryContext, table, timestamp};
use crate::store::{BusyTimes, Filter, History, HistoryEntry, ProgramRuns, Stats};
use crate::text::bars::{BarRow, ChartLook, bars, histogram};
use crate::text::wrap::{self, Layout};
use crate::text::{Since, human, sanitize};

/// Columns of the label before a sum.
const LABEL: usize = 10;

/// Which commands are counted.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only commands started in this directory or below it.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Only commands started since then: 30m, 2h, 2d, 1w, today, or a date.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Only commands of this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Counts the commands that are selected.
pub(super) fn count(args: Args, history: &History, context: &HistoryContext<'_>) -> anyhow::Result<Stats> {
    let filter = Filter {
        cwd: args.cwd.map(|directory| super::absolute(context.cwd, &directory)),
        failed: false,
        since: args.since.map(|since| since.before(&context.now)).transpose()?,
        session: args.session,
        recorded: false,
        limit: None,
    };
    Ok(history.stats(&filter, &context.now)?)
}

pub(super) fn print(
    stats: &Stats,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    if !display.terminal {
        return plain(stats, out);
    }
    let look = ChartLook { columns: display.width, ..context.chart };
    for line in totals(stats, context) {
        let line = look.safe(&line);
        let layout = Layout { columns: display.width, hang: LABEL, ..Layout::default() };
        for (at, row) in wrap::rows(&line, layout).into_iter().enumerate() {
            let indent = if at == 0 { 0 } else { LABEL };
            writeln!(out, "{:indent$}{}", "", clip(&line[row], display.width.saturating_sub(indent)))?;
        }
    }
    for (heading, lines) in charts(stats, &look) {
        if lines.is_empty() {
            continue;
        }
        let heading = look.paint.painted(look.paint.heading, &clip(heading, display.width));
        writeln!(out, "\n{heading}")?;
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    Ok(())
}

/// The sums, one per line.
fn totals(stats: &Stats, context: &HistoryContext<'_>) -> Vec<String> {
    let since = match stats.since {
        Some(since) => {
            let since = timestamp(since).to_zoned(context.now.time_zone().clone());
            format!(" since {}", since.strftime("%Y-%m-%d"))
        }
        None => String::new(),
    };
    let judged = stats.commands - stats.unknown;
    let unknown = match stats.unknown {
        0 => String::new(),
        unknown => format!(", {unknown} with an unknown status"),
    };
    let sessions = match stats.sessions {
        0 => String::new(),
        1 => " in 1 session".to_owned(),
        sessions => format!(" in {sessions} sessions"),
    };
    let failed = match judged {
        0 if stats.unknown > 0 => "unknown".to_owned(),
        _ => format!("{} ({} %){unknown}", stats.failed, percent(stats.failed, judged)),
    };
    let running = match stats.duration.is_zero() && stats.unknown > 0 {
        true => "unknown".to_owned(),
        false => {
            format!(
                "{}, {} of it in commands that failed",
                human::duration(stats.duration),
                human::duration(stats.lost)
            )
        }
    };
    vec![
        format!("commands  {}{sessions}{since}", stats.commands),
        format!("failed    {failed}"),
        format!("running   {running}"),
        format!("output    {}", human::size(stats.output_bytes)),
        format!("on disk   {}", human::size(stats.disk_bytes)),
    ]
}

/// The charts with their headings.
fn charts(stats: &Stats, look: &ChartLook) -> [(&'static str, Vec<String>); 6] {
    let used = stats.programs.iter().map(|program| BarRow {
        label: look.safe(&program.name),
        value: program.runs,
        bad: program.failed,
        figures: vec![program.runs.to_string(), failed(program), run_time(program)],
    });
    let failing = stats.failing.iter().map(|program| BarRow {
        label: look.safe(&program.name),
        value: program.failed,
        bad: program.failed,
        figures: vec![
            program.failed.to_string(),
            format!("{} %", percent(program.failed, program.judged)),
            format!("{} lost", human::duration(program.lost)),
        ],
    });
    let times = &stats.times;
    let days: Vec<u64> = times.days.iter().map(|(_, count)| *count).collect();
    [
        ("most run", bars(&used.collect::<Vec<_>>(), look)),
        ("most failing", bars(&failing.collect::<Vec<_>>(), look)),
        ("slowest", slowest(stats, look)),
        ("by hour", histogram(&times.hours, &[0, 6, 12, 18].map(|hour| (hour, format!("{hour:02}"))), look)),
        ("by weekday", bars(&weekdays(stats), look)),
        ("the last 30 days", histogram(&days, &day_labels(times), look)),
    ]
}

fn slowest(stats: &Stats, look: &ChartLook) -> Vec<String> {
    let line = |entry: &HistoryEntry| {
        let took = human::duration(entry.duration.unwrap_or_default());
        clip(&look.safe(&format!("{took:>8}  {}  #{}", table::one_line(&entry.command), entry.id)), look.columns)
    };
    stats.slowest.iter().map(line).collect()
}

fn weekdays(stats: &Stats) -> Vec<BarRow> {
    let days = BusyTimes::WEEKDAYS.iter().zip(stats.times.weekdays);
    let rows = days.map(|(day, count)| BarRow {
        label: format!("{day:?}").chars().take(3).collect(),
        value: count,
        bad: 0,
        figures: vec![count.to_string()],
    });
    if stats.commands == 0 { Vec::new() } else { rows.collect() }
}

/// The first day of the chart, one in the middle and today.
fn day_labels(times: &BusyTimes) -> Vec<(usize, String)> {
    let last = times.days.len().saturating_sub(1);
    let label = |at: usize| times.days.get(at).map(|(date, _)| (at, date.strftime("%m-%d").to_string()));
    [0, last / 2, last].into_iter().filter_map(label).collect()
}

fn failed(program: &ProgramRuns) -> String {
    match program.failed {
        0 => String::new(),
        failed => format!("{} % failed", percent(failed, program.judged)),
    }
}

/// Imported commands may have neither a status nor a duration.
fn run_time(program: &ProgramRuns) -> String {
    match program.duration.is_zero() && program.judged == 0 {
        true => String::new(),
        false => human::duration(program.duration),
    }
}

fn plain(stats: &Stats, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "commands\t{}", stats.commands)?;
    writeln!(out, "failed\t{}", stats.failed)?;
    writeln!(out, "unknown\t{}", stats.unknown)?;
    writeln!(out, "sessions\t{}", stats.sessions)?;
    if let Some(since) = stats.since {
        writeln!(out, "since\t{:.3}", timestamp(since))?;
    }
    writeln!(out, "duration_ms\t{}", stats.duration.as_millis())?;
    writeln!(out, "lost_ms\t{}", stats.lost.as_millis())?;
    writeln!(out, "output_bytes\t{}", stats.output_bytes)?;
    writeln!(out, "disk_bytes\t{}", stats.disk_bytes)?;
    for program in &stats.programs {
        writeln!(out, "program\t{}\t{}\t{}", program.runs, program.failed, one_field(&program.name))?;
    }
    for program in &stats.failing {
        let lost = program.lost.as_millis();
        writeln!(out, "failing\t{}\t{}\t{lost}\t{}", program.failed, program.runs, one_field(&program.name))?;
    }
    for entry in &stats.slowest {
        let command = table::one_line(&entry.command);
        writeln!(out, "slowest\t{}\t{}\t{command}", entry.duration.unwrap_or_default().as_millis(), entry.id)?;
    }
    for (hour, count) in stats.times.hours.iter().enumerate() {
        writeln!(out, "hour\t{hour}\t{count}")?;
    }
    for (day, count) in BusyTimes::WEEKDAYS.iter().zip(stats.times.weekdays) {
        writeln!(out, "weekday\t{}\t{count}", format!("{day:?}").to_lowercase())?;
    }
    for (day, count) in &stats.times.days {
        writeln!(out, "day\t{day}\t{count}")?;
    }
    Ok(())
}

/// A name without tabs and line breaks.
fn one_field(name: &str) -> String {
    sanitize(name).replace('\n', "\\n").replace('\t', "\\t")
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or_default()
}
