//! A screen as cells with their styles, without what differs between runs.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use vt100::{Color, Screen};

/// How a cell looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellStyle {
    pub(super) ink: Color,
    pub(super) paper: Color,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) inverse: bool,
}

/// A part of a row in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) column: usize,
    pub(super) text: String,
    pub(super) style: CellStyle,
}

impl Run {
    pub(super) fn columns(&self) -> usize {
        self.text.chars().count()
    }
}

/// A screen: rows of characters of one column each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grid {
    rows: Vec<Vec<(char, CellStyle)>>,
    /// Row and column of the cursor, if it is visible.
    pub(super) cursor: Option<(usize, usize)>,
}

/// Times, numbers of tokens and spinners differ between runs. They are replaced by these.
static CHANGING: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
    [
        (Regex::new(r"\b[\d.]+k? in, [\d.]+k? out\b").unwrap(), "9.2k in, 210 out"),
        (Regex::new(r"\b\d+(\.\d)?m?s$").unwrap(), "3ms"),
        (Regex::new(r"· 3ms$").unwrap(), "· 2.4s"),
        (Regex::new("^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] .*").unwrap(), "⠹ working · 1s · Ctrl-C stops"),
    ]
});

impl Grid {
    pub(super) fn of(screen: &Screen) -> Grid {
        let (height, width) = (screen.size().0.get(), screen.size().1.get());
        let row = |row| {
            let cells = (0..width).filter_map(move |column| screen.cell(row, column));
            steady(cells.map(|cell| (cell.contents().chars().next().unwrap_or(' '), style(cell))).collect())
        };
        let (cursor_row, cursor_column) = screen.cursor_position();
        let cursor = (!screen.hide_cursor()).then_some((cursor_row.into(), cursor_column.into()));
        Grid { rows: (0..height).map(row).collect(), cursor }
    }

    /// The text, with the blank of a prompt in front of the cursor and a newline behind each row.
    pub(super) fn text(&self) -> String {
        let line = |(at, row): (usize, &Vec<(char, CellStyle)>)| {
            let text: String = row.iter().map(|(c, _)| *c).collect();
            let at_least = self.cursor.filter(|(row, _)| *row == at).map_or(0, |(_, column)| column);
            let end = text.trim_end().chars().count().max(at_least);
            text.chars().take(end).chain(['\n']).collect::<String>()
        };
        self.rows.iter().enumerate().map(line).collect()
    }

    /// The number of rows up to the last one that shows something.
    pub(super) fn height(&self) -> usize {
        let drawn = (0..self.rows.len()).rev().find(|row| !self.runs(*row).is_empty()).map_or(0, |row| row + 1);
        drawn.max(self.cursor.map_or(0, |(row, _)| row + 1))
    }

    pub(super) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The parts of a row that differ in style. Blanks without colour are left out.
    pub(super) fn runs(&self, row: usize) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (column, (c, style)) in self.rows[row].iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.style == *style => run.text.push(*c),
                _ => runs.push(Run { column, text: (*c).to_string(), style: *style }),
            }
        }
        for run in &mut runs {
            let is_seen = run.style.inverse || run.style.underline || run.style.paper != Color::Default;
            if !is_seen {
                let blanks = run.text.chars().take_while(|c| *c == ' ').count();
                run.text = run.text.trim().to_owned();
                run.column += blanks;
            }
        }
        runs.retain(|run| !run.text.is_empty());
        runs
    }
}

/// The row with fixed text in place of what differs between runs. It has as many cells as before.
fn steady(mut row: Vec<(char, CellStyle)>) -> Vec<(char, CellStyle)> {
    let width = row.len();
    for (pattern, replacement) in CHANGING.iter() {
        let text: String = row.iter().map(|(c, _)| *c).collect();
        let Some(found) = pattern.find(text.trim_end()) else { continue };
        let cells: Range<usize> = text[..found.start()].chars().count()..text[..found.end()].chars().count();
        let style = row[cells.start].1;
        row.splice(cells, replacement.chars().map(|c| (c, style)));
        row.resize(width, (' ', CellStyle::default()));
    }
    row
}

fn style(cell: &vt100::Cell) -> CellStyle {
    CellStyle {
        ink: cell.fgcolor(),
        paper: cell.bgcolor(),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}
