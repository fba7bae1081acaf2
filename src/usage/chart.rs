//! Draws a report with bars, for a terminal.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{UsageReport, UsageSum};
use crate::text::human;
use crate::text::style::{Ansi, Depth, Style};
use crate::text::{sanitize, width};

/// More days than this are drawn as months.
const MOST_DAYS: usize = 31;
/// The widest bar in columns. A longer one says nothing more.
const WIDEST: usize = 40;
/// A shorter bar says nothing, so none is drawn.
const NARROWEST: usize = 4;
/// The parts of a column, from one eighth to seven.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChartLook {
    pub columns: usize,
    pub colour: bool,
    /// Whether it shows UTF-8. Otherwise the chart is ASCII.
    pub unicode: bool,
}

/// One line of a chart.
struct ChartRow {
    label: String,
    tokens: u64,
    /// From the most to the least important. A narrow terminal shows only the first ones.
    figures: [String; 3],
}

/// The lines of the chart: each day, then each model, then the total.
pub(crate) fn chart(report: &UsageReport, look: ChartLook) -> Vec<String> {
    let days = report.by_day();
    let days = match days.len() > MOST_DAYS {
        true => rows(report.by_month(), |month| month.strftime("%b %Y").to_string()),
        false => rows(days, |day| day.strftime("%a %d %b").to_string()),
    };
    let models = report.by_model();
    let models = models.iter().map(|(model, sum)| ChartRow::new(name(model, look.unicode), sum));
    let mut lines = block(&days, look);
    lines.push(String::new());
    lines.extend(block(&models.collect::<Vec<_>>(), look));
    lines.push(String::new());
    lines.extend(total(&report.total()).iter().map(|line| width::fit(line, look.columns).to_owned()));
    lines
}

/// The name of a model, safe to show on this terminal.
fn name(model: &str, unicode: bool) -> String {
    let safe = sanitize(model);
    if unicode { safe } else { safe.replace(|c: char| !c.is_ascii(), "?") }
}

fn rows(sums: BTreeMap<Date, UsageSum>, label: impl Fn(Date) -> String) -> Vec<ChartRow> {
    sums.into_iter().map(|(day, sum)| ChartRow::new(label(day), &sum)).collect()
}

impl ChartRow {
    fn new(label: String, sum: &UsageSum) -> ChartRow {
        let queries = format!("{} {}", sum.queries, if sum.queries == 1 { "query" } else { "queries" });
        let cost = sum.cost.map(|cost| human::cost(Some(cost))).unwrap_or_default();
        ChartRow { label, tokens: sum.tokens(), figures: [human::count(sum.tokens()), cost, queries] }
    }
}

/// Lines with aligned columns: label, bar, figures.
fn block(rows: &[ChartRow], look: ChartLook) -> Vec<String> {
    let most = rows.iter().map(|row| row.tokens).max().unwrap_or_default();
    let label = rows.iter().map(|row| width::cells(&row.label)).max().unwrap_or_default().min(look.columns / 2);
    let widths = [0, 1, 2].map(|at| rows.iter().map(|row| row.figures[at].len()).max().unwrap_or_default());
    // The figures that fit beside the label and the shortest bar; at least the first.
    let shown = (1..=widths.len()).rev().find(|shown| room(label, &widths[..*shown], look) >= NARROWEST).unwrap_or(1);
    let bar = Some(room(label, &widths[..shown], look)).filter(|room| *room >= NARROWEST).unwrap_or(0).min(WIDEST);
    let line = |row: &ChartRow| {
        let name = width::fit(&row.label, label);
        let mut line = format!("{name}{}", " ".repeat(label.saturating_sub(width::cells(name))));
        if bar > 0 {
            line.push_str(&format!("  {}", painted(&drawn(row.tokens, most, bar, look.unicode), look)));
        }
        for (figure, width) in row.figures.iter().zip(widths).take(shown).filter(|(_, width)| *width > 0) {
            line.push_str(&format!("  {figure:>width$}"));
        }
        // Without a bar there are no colours either, so that the line can be cut.
        if bar == 0 { width::fit(&line, look.columns).to_owned() } else { line.trim_end().to_owned() }
    };
    rows.iter().map(line).collect()
}

/// Columns that are left for a bar.
fn room(label: usize, figures: &[usize], look: ChartLook) -> usize {
    let figures: usize = figures.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
    look.columns.saturating_sub(label + figures + 2)
}

/// A bar of this many columns, filled in proportion. Anything above zero can be seen.
fn drawn(tokens: u64, most: u64, columns: usize, unicode: bool) -> String {
    let eighths = (tokens as f64 / most.max(1) as f64 * columns as f64 * 8.0).round() as usize;
    let eighths = if tokens > 0 { eighths.clamp(1, columns * 8) } else { 0 };
    let (whole, part) = (eighths / 8, eighths % 8);
    let mut bar = match unicode {
        true => "█".repeat(whole) + &part.checked_sub(1).map(|at| EIGHTHS[at].to_string()).unwrap_or_default(),
        false => "#".repeat(eighths.div_ceil(8)),
    };
    bar.push_str(&" ".repeat(columns.saturating_sub(width::cells(&bar))));
    bar
}

fn painted(bar: &str, look: ChartLook) -> String {
    if look.colour { Style::colour(Ansi::Cyan).paint(bar, Depth::Ansi16) } else { bar.to_owned() }
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
