//! Tables: aligned columns if they fit, otherwise one record below another.

use crate::render::RenderOptions;
use crate::render::line::{Hang, StyledLine};
use crate::render::look::Look;

use super::inline::inline;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Centre,
    Right,
}

const GAP: usize = 2;

/// Renders the rows of a table. Returns `None` if the second row is not a delimiter row, so that the rows are not a table.
pub(super) fn table(rows: &[String], options: &RenderOptions) -> Option<Vec<StyledLine>> {
    let [header, delimiter, body @ ..] = rows else { return None };
    let aligns = cells(delimiter).into_iter().map(align).collect::<Option<Vec<Align>>>()?;
    let row = |source: &String, style: Look| -> Vec<StyledLine> {
        let mut row: Vec<StyledLine> = cells(source).into_iter().map(|cell| inline(cell, style, options)).collect();
        row.resize(aligns.len(), StyledLine::new());
        row
    };
    let header = row(header, Look::HEADING);
    let body: Vec<Vec<StyledLine>> = body.iter().map(|source| row(source, Look::PLAIN)).collect();
    let mut widths: Vec<usize> = header.iter().map(StyledLine::cells).collect();
    for row in &body {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.cells().max(*width);
        }
    }
    let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    if total >= usize::from(options.columns) {
        Some(records(&header, &body))
    } else {
        Some(aligned(&header, &body, &widths, &aligns))
    }
}

fn aligned(header: &[StyledLine], body: &[Vec<StyledLine>], widths: &[usize], aligns: &[Align]) -> Vec<StyledLine> {
    let mut lines = vec![spread(header, widths, aligns)];
    let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    lines.push(StyledLine::of(Look::MUTED, &rules.join(&" ".repeat(GAP))));
    lines.extend(body.iter().map(|row| spread(row, widths, aligns)));
    lines
}

fn spread(row: &[StyledLine], widths: &[usize], aligns: &[Align]) -> StyledLine {
    let mut line = StyledLine::new();
    let mut due = 0;
    for ((cell, width), align) in row.iter().zip(widths).zip(aligns) {
        let room = width.saturating_sub(cell.cells());
        let before = match align {
            Align::Left => 0,
            Align::Centre => room / 2,
            Align::Right => room,
        };
        // Padding is written only before text, so that no line ends with blanks.
        due += before;
        if !cell.is_empty() {
            line.push(Look::PLAIN, &" ".repeat(due));
            line.append(cell);
            due = 0;
        }
        due += room - before + GAP + if cell.is_empty() { cell.cells() } else { 0 };
    }
    line
}

fn records(header: &[StyledLine], body: &[Vec<StyledLine>]) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for (index, row) in body.iter().enumerate() {
        if index > 0 {
            lines.push(StyledLine::new());
        }
        for (name, cell) in header.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let mut line = name.clone();
            if !name.is_empty() {
                line.push(Look::HEADING, ": ");
            }
            line.append(cell);
            lines.push(line.wrapped(Hang { indent: 2, ..Hang::default() }));
        }
    }
    lines
}

/// Whether two lines are the header and the delimiter row of a table without outer bars.
pub(super) fn begins_loosely(header: &str, delimiter: &str) -> bool {
    let aligns = cells(delimiter);
    delimiter.contains('|')
        && aligns.len() >= 2
        && aligns.len() == cells(header).len()
        && aligns.into_iter().all(|cell| align(cell).is_some())
}

/// The cells of a row. An escaped bar does not separate cells.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, c) in row.char_indices() {
        if c == '|' && !escaped {
            cells.push(row[start..at].trim());
            start = at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    if !row[start..].trim().is_empty() {
        cells.push(row[start..].trim());
    }
    cells
}

fn align(cell: &str) -> Option<Align> {
    let dashes = cell.trim_matches(':');
    if dashes.is_empty() || !dashes.bytes().all(|b| b == b'-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Align::Centre,
        (false, true) => Align::Right,
        (true, false) | (false, false) => Align::Left,
    })
}
