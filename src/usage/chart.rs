//! Draws a report with bars, for a terminal.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{UsageReport, UsageSum};
use crate::text::bars::{BarRow, ChartLook, bars};
use crate::text::{human, width};

/// More days than this are drawn as months.
const MOST_DAYS: usize = 31;
/// The lines of the chart: each day, then each model, then the total.
pub(crate) fn chart(report: &UsageReport, look: ChartLook) -> Vec<String> {
    let days = report.by_day();
    let days = match days.len() > MOST_DAYS {
        true => rows(report.by_month(), |month| month.strftime("%b %Y").to_string()),
        false => rows(days, |day| day.strftime("%a %d %b").to_string()),
    };
    let models = report.by_model();
    let models = models.iter().map(|(model, sum)| bar(look.safe(model), sum));
    let mut lines = bars(&days, &look);
    lines.push(String::new());
    lines.extend(bars(&models.collect::<Vec<_>>(), &look));
    lines.push(String::new());
    lines.extend(total(&report.total()).iter().map(|line| width::fit(line, look.columns).to_owned()));
    lines
}

fn rows(sums: BTreeMap<Date, UsageSum>, label: impl Fn(Date) -> String) -> Vec<BarRow> {
    sums.into_iter().map(|(day, sum)| bar(label(day), &sum)).collect()
}

fn bar(label: String, sum: &UsageSum) -> BarRow {
    let queries = format!("{} {}", sum.queries, if sum.queries == 1 { "query" } else { "queries" });
    let cost = sum.cost.map(|cost| human::cost(Some(cost))).unwrap_or_default();
    BarRow { label, value: sum.tokens(), bad: 0, figures: vec![human::count(sum.tokens()), cost, queries] }
}

fn total(sum: &UsageSum) -> Vec<String> {
    let cached = match sum.cached {
        0 => String::new(),
        cached => format!(" ({} cached)", human::count(cached)),
    };
    let cost = sum.cost.map(|cost| format!(", {}", human::cost(Some(cost)))).unwrap_or_default();
    let tokens =
        format!("total: {} tokens in{cached}, {} out{cost}", human::count(sum.input), human::count(sum.output));
    let failed = match sum.unanswered {
        0 => String::new(),
        unanswered => format!(", {unanswered} not answered"),
    };
    let first = sum.first_token().map(|time| format!(", first token after {}", human::duration(time)));
    let queries = if sum.queries == 1 { "query" } else { "queries" };
    vec![tokens, format!("{} {queries}{failed}{}", sum.queries, first.unwrap_or_default())]
}
