//! The text of `/usage`: tokens and costs.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Zoned;

use crate::agent::ShellView;
use crate::chat::Usage;
use crate::store::{Conversations, StoreError};
use crate::text::bars::{ChartLook, ChartPaint};
use crate::text::human;
use crate::usage::{Period, UsageReport, chart};

use super::orders::AgentThread;

/// The width of the chart if the terminal's width is unknown, and its greatest width.
const COLUMNS: usize = 80;

/// How long to wait until the last question is recorded.
const WRITING: Duration = Duration::from_secs(1);

const NOT_RECORDED: &str = "recording is off, so only this session is counted";

impl AgentThread {
    /// The usage of this session, and the chart of a period, by default the last 7 days.
    pub(super) async fn usage_words(&self, period: Option<Period>, view: &ShellView) -> String {
        let session = session_words(self.usage());
        let Some(database) = self.setup.places.history.clone().filter(|_| self.log.is_on()) else {
            return format!("{session}\n{NOT_RECORDED}");
        };
        // The last question may not be in the database yet.
        self.setup.conversations.settled(WRITING).await;
        let columns = view.columns.unwrap_or(COLUMNS).min(COLUMNS);
        match (period, recorded(database, period.unwrap_or(Period::Week)).await) {
            (None, Ok(report)) if report.is_empty() => session,
            (None, Ok(report)) => format!("{session}\n\n{}:\n{}", Period::Week.words(), drawn(&report, columns)),
            (Some(period), Ok(report)) if report.is_empty() => format!("no questions were recorded {}", period.words()),
            (Some(_), Ok(report)) => drawn(&report, columns),
            (None, Err(error)) => format!("{session}\n{error}"),
            (Some(_), Err(error)) => error.to_string(),
        }
    }
}

/// The recorded queries of a period. They are read on another thread, because answers may be arriving on this one.
async fn recorded(database: PathBuf, period: Period) -> Result<UsageReport, StoreError> {
    let read = move || UsageReport::read(&Conversations::open(&database)?, period, &Zoned::now());
    // The task fails only if it panics, which the log reports.
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| Ok(UsageReport::default()))
}

/// The chart. The painter adds no colours to it, and writes ASCII where the terminal shows no UTF-8.
fn drawn(report: &UsageReport, columns: usize) -> String {
    chart(report, ChartLook { columns, unicode: true, paint: ChartPaint::NONE }).join("\n")
}

/// Tokens and cost, in the units of the line below an answer.
fn session_words(usage: Usage) -> String {
    if usage == Usage::default() {
        return "nothing has been asked yet, so nothing has been used".to_owned();
    }
    let Usage { input, output, cached, .. } = usage;
    let cached = if cached > 0 { format!(" ({} cached)", human::count(cached)) } else { String::new() };
    format!("{} tokens in{cached}, {} out, {}", human::count(input), human::count(output), human::cost(usage.cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_in_the_units_of_the_footer() {
        let usage = Usage { input: 12_345, output: 350, cached: 8_000, cache_written: 0, cost: Some(0.0042) };
        assert_eq!(session_words(usage), "12k tokens in (8.0k cached), 350 out, $0.0042");
        let local = Usage { input: 999, output: 1_000_000, ..Usage::default() };
        assert_eq!(session_words(local), "999 tokens in, 1.0M out, local");
        assert_eq!(session_words(Usage::default()), "nothing has been asked yet, so nothing has been used");
    }
}
