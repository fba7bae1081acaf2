//! `shellmate usage`: what questions cost, by day and model.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use jiff::Zoned;
use jiff::civil::Date;
use serde_json::json;

use crate::store::Conversations;
use crate::text::bars::ChartLook;
use crate::text::sanitize;
use crate::usage::{Period, UsageReport, UsageSum, chart};

use super::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The days to count: today, week (the last 7 days), month (the last 30 days) or all.
    #[arg(default_value = "week", value_parser = PossibleValuesParser::new(Period::NAMES), value_name = "PERIOD")]
    period: String,

    /// Print one JSON object for each day and model.
    #[arg(long)]
    json: bool,
}

/// Where the figures are, and whether new ones are recorded.
pub(super) struct UsageContext<'a> {
    pub(super) database: &'a Path,
    pub(super) is_recording: bool,
    pub(super) now: Zoned,
}

/// Prints the usage of a period. Exits with 1 if nothing was recorded.
pub(super) fn run(
    args: Args,
    context: &UsageContext<'_>,
    look: Option<ChartLook>,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let period: Period = args.period.parse()?;
    let read = UsageReport::read(&Conversations::open(context.database)?, period, &context.now)?;
    match print(&args, &read, look, out).and_then(|()| Ok(out.flush()?)) {
        // A closed pipe (`| head`) is not an error.
        Err(error) if super::history::is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        done => done?,
    }
    if !context.is_recording {
        report::notices(["recording is off (`enabled` in [history]), so new questions are not counted"]);
    }
    if read.is_empty() {
        report::notices([format!("no questions were recorded {}", period.words())]);
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(args: &Args, read: &UsageReport, look: Option<ChartLook>, out: &mut impl Write) -> Result<()> {
    if let Some(look) = look.filter(|_| !args.json && !read.is_empty()) {
        return chart(read, look).iter().try_for_each(|line| Ok(writeln!(out, "{line}")?));
    }
    for ((day, model), sum) in &read.days {
        match args.json {
            true => super::json::print(&object(*day, model, sum), out)?,
            false => writeln!(out, "{}", row(*day, model, sum))?,
        }
    }
    Ok(())
}

fn object(day: Date, model: &str, sum: &UsageSum) -> serde_json::Value {
    json!({
        "day": day.to_string(), "model": model, "queries": sum.queries, "unanswered": sum.unanswered,
        "input": sum.input, "output": sum.output, "cached": sum.cached, "cache_written": sum.cache_written,
        "cost": sum.cost, "first_token_ms": sum.first_token().map(millis), "duration_ms": millis(sum.duration),
    })
}

/// Day, model, queries, tokens in, out and cached, cost, median time to the first token and total time, separated by tabs.
fn row(day: Date, model: &str, sum: &UsageSum) -> String {
    let cost = sum.cost.map(|cost| format!("{cost:.6}")).unwrap_or_default();
    let first = sum.first_token().map(|time| millis(time).to_string()).unwrap_or_default();
    let UsageSum { queries, input, output, cached, .. } = sum;
    let duration = millis(sum.duration);
    format!("{day}\t{}\t{queries}\t{input}\t{output}\t{cached}\t{cost}\t{first}\t{duration}", sanitize(model))
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
