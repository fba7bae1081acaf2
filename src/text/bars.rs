//! Bar charts for a terminal, as lines of text.

use super::style::{Depth, Style};
use super::{sanitize, width};

/// The widest bar in columns. A longer one says nothing more.
const WIDEST: usize = 40;
/// A shorter bar says nothing, so none is drawn.
const NARROWEST: usize = 4;
/// Rows of a histogram.
const HEIGHT: usize = 4;
/// The widest column of a histogram, with the gap after it.
const WIDEST_COLUMN: usize = 3;
/// The parts of a cell from the left, from one eighth to seven.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/// The parts of a cell from below, from one eighth to the whole.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChartLook {
    pub columns: usize,
    /// Whether it shows UTF-8. Otherwise the chart is ASCII.
    pub unicode: bool,
    pub paint: ChartPaint,
}

/// The styles of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChartPaint {
    /// `None` for a chart without any escape sequences.
    pub depth: Option<Depth>,
    pub heading: Style,
    pub bar: Style,
    /// For the part of a bar that stands for failures.
    pub bad: Style,
}

/// One bar with its label and figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BarRow {
    pub label: String,
    pub value: u64,
    /// The part of the value that stands for failures. It is drawn at the end of the bar.
    pub bad: u64,
    /// From the most to the least important. A narrow terminal shows only the first ones.
    pub figures: Vec<String>,
}

impl ChartPaint {
    /// No escape sequences.
    pub(crate) const NONE: ChartPaint =
        ChartPaint { depth: None, heading: Style::PLAIN, bar: Style::PLAIN, bad: Style::PLAIN };

    /// The text in this style, if there are styles at all.
    pub(crate) fn painted(&self, style: Style, text: &str) -> String {
        self.depth.map_or_else(|| text.to_owned(), |depth| style.paint(text, depth))
    }
}

impl ChartLook {
    /// A text that is safe to show on this terminal.
    pub(crate) fn safe(&self, text: &str) -> String {
        let safe = sanitize(text);
        if self.unicode { safe } else { safe.replace(|c: char| !c.is_ascii(), "?") }
    }
}

/// Lines with aligned columns: label, bar, figures.
pub(crate) fn bars(rows: &[BarRow], look: &ChartLook) -> Vec<String> {
    let most = rows.iter().map(|row| row.value).max().unwrap_or_default();
    let label = rows.iter().map(|row| width::cells(&row.label)).max().unwrap_or_default().min(look.columns / 2);
    let count = rows.iter().map(|row| row.figures.len()).max().unwrap_or_default();
    let widest = |at: usize| rows.iter().filter_map(|row| row.figures.get(at)).map(|figure| width::cells(figure)).max();
    let widths: Vec<usize> = (0..count).map(|at| widest(at).unwrap_or_default()).collect();
    // The figures that fit beside the label and the shortest bar; at least the first.
    let shown = (1..=widths.len()).rev().find(|shown| room(label, &widths[..*shown], look) >= NARROWEST).unwrap_or(1);
    let widths = &widths[..shown.min(widths.len())];
    let bar = Some(room(label, widths, look)).filter(|room| *room >= NARROWEST).unwrap_or(0).min(WIDEST);
    let line = |row: &BarRow| {
        let name = width::fit(&row.label, label);
        let mut line = format!("{name}{}", blanks(label, name));
        if bar > 0 {
            line.push_str(&format!("  {}", drawn(row, most, bar, look)));
        }
        for (figure, width) in row.figures.iter().zip(widths).filter(|(_, width)| **width > 0) {
            line.push_str(&format!("  {}{figure}", blanks(*width, figure)));
        }
        // Without a bar there are no colours either, so that the line can be cut.
        if bar == 0 { width::fit(&line, look.columns).to_owned() } else { line.trim_end().to_owned() }
    };
    rows.iter().map(line).collect()
}

/// The blanks that make a text as wide as its column.
fn blanks(columns: usize, text: &str) -> String {
    " ".repeat(columns.saturating_sub(width::cells(text)))
}

/// Columns that are left for a bar.
fn room(label: usize, figures: &[usize], look: &ChartLook) -> usize {
    let figures: usize = figures.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
    look.columns.saturating_sub(label + figures + 2)
}

/// A bar of this many columns, filled in proportion. Anything above zero can be seen.
fn drawn(row: &BarRow, most: u64, columns: usize, look: &ChartLook) -> String {
    let eighths = (row.value as f64 / most.max(1) as f64 * columns as f64 * 8.0).round() as usize;
    let eighths = if row.value > 0 { eighths.clamp(1, columns * 8) } else { 0 };
    let (whole, part) = (eighths / 8, eighths % 8);
    let filled = match look.unicode {
        true => "█".repeat(whole) + &part.checked_sub(1).map(|at| EIGHTHS[at].to_string()).unwrap_or_default(),
        false => "#".repeat(eighths.div_ceil(8)),
    };
    let cells = filled.chars().count();
    let bad = (row.bad.min(row.value) as f64 / row.value.max(1) as f64 * cells as f64).round() as usize;
    let bad = if row.bad > 0 { bad.clamp(1, cells.max(1)) } else { 0 };
    let good: String = filled.chars().take(cells - bad.min(cells)).collect();
    let rest: String = filled.chars().skip(cells - bad.min(cells)).collect();
    let ChartPaint { bar, bad, .. } = look.paint;
    let painted = look.paint.painted(bar, &good) + &look.paint.painted(bad, &rest);
    painted + &" ".repeat(columns.saturating_sub(cells))
}

/// A histogram: a column for each value, and below it the labels, each at the column with its number. Empty if the terminal is too
/// narrow for it.
pub(crate) fn histogram(values: &[u64], labels: &[(usize, String)], look: &ChartLook) -> Vec<String> {
    let column = look.columns.checked_div(values.len()).unwrap_or_default().min(WIDEST_COLUMN);
    let most = values.iter().copied().max().unwrap_or_default();
    if column == 0 || most == 0 {
        return Vec::new();
    }
    let steps = |value: u64| {
        let steps = (value as f64 / most as f64 * (HEIGHT * HEIGHTS.len()) as f64).round() as usize;
        if value > 0 { steps.max(1) } else { 0 }
    };
    let cell = |value: u64, row: usize| {
        let filled = steps(value).saturating_sub((HEIGHT - 1 - row) * HEIGHTS.len()).min(HEIGHTS.len());
        match (filled.checked_sub(1), look.unicode) {
            (None, _) => ' ',
            (Some(at), true) => HEIGHTS[at],
            (Some(_), false) => '#',
        }
    };
    let gap = usize::from(column > 1);
    let line = |row: usize| {
        let columns = values.iter().map(|value| cell(*value, row).to_string().repeat(column - gap) + &" ".repeat(gap));
        look.paint.painted(look.paint.bar, columns.collect::<String>().trim_end())
    };
    let mut lines: Vec<String> = (0..HEIGHT).map(line).collect();
    lines.push(axis(labels, column, values.len() * column));
    lines
}

/// The labels below a histogram. One at the end is moved to the left until it fits; one without room is left out.
fn axis(labels: &[(usize, String)], column: usize, columns: usize) -> String {
    let mut line = String::new();
    for (at, label) in labels {
        let Some(last) = columns.checked_sub(width::cells(label)) else { continue };
        let start = last.min(at * column);
        let used = width::cells(&line);
        if used == 0 || start > used {
            line.push_str(&" ".repeat(start - used));
            line.push_str(label);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::style::Ansi;

    const LOOK: ChartLook = ChartLook { columns: 40, unicode: true, paint: ChartPaint::NONE };

    fn row(label: &str, value: u64, bad: u64, figures: &[&str]) -> BarRow {
        BarRow { label: label.into(), value, bad, figures: figures.iter().map(|figure| (*figure).into()).collect() }
    }

    #[test]
    fn failures_are_the_end_of_a_bar() {
        let paint = ChartPaint { depth: Some(Depth::Ansi16), bad: Style::colour(Ansi::Red), ..ChartPaint::NONE };
        let rows = [row("cargo", 8, 4, &["8"]), row("ls", 4, 0, &["4"])];
        let lines = bars(&rows, &ChartLook { columns: 18, paint, ..LOOK });
        assert_eq!(lines, ["cargo  ████\u{1b}[31m████\u{1b}[0m  8", "ls     ████      4"]);
    }

    #[test]
    fn a_histogram_has_its_labels_below_their_columns() {
        let lines = histogram(&[0, 1, 32, 16], &[(0, "a".into()), (2, "c".into())], &ChartLook { columns: 8, ..LOOK });
        assert_eq!(lines, ["    █", "    █", "    █ █", "  ▁ █ █", "a   c"]);
        let plain = histogram(&[1, 2], &[], &ChartLook { unicode: false, ..LOOK });
        assert_eq!(plain, ["   ##", "   ##", "## ##", "## ##", ""]);
        assert_eq!(histogram(&[0, 0], &[], &LOOK), Vec::<String>::new(), "nothing to draw");
        assert_eq!(histogram(&[1; 50], &[], &LOOK), Vec::<String>::new(), "no room");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            columns in 1usize..120,
            values in proptest::collection::vec((0u64..1_000_000, 0u64..1_000_000), 1..40),
            label in "\\PC{0,20}",
            unicode: bool,
        ) {
            let look = ChartLook { columns, unicode, ..LOOK };
            let rows: Vec<BarRow> = values.iter().map(|(value, bad)| row(&look.safe(&label), *value, *bad, &["12", "3 % failed", "1h"])).collect();
            for line in bars(&rows, &look) {
                prop_assert!(width::cells(&line) <= columns, "{line:?}");
            }
            let values: Vec<u64> = values.iter().map(|(value, _)| *value).collect();
            for line in histogram(&values, &[(0, label.clone()), (values.len() / 2, label)], &look) {
                prop_assert!(width::cells(&line) <= columns, "{line:?}");
            }
        }
    }
}
