//! Secrets in tables whose first line names the columns: `NAME  TOKEN`, `| id | password |`, `user,password`.

use std::ops::Range;

use super::dictionary::Hits;
use super::extent::char_boundary;
use super::found::Found;
use super::name::{self, Nature};
use super::value::{self, Setting};

/// Bytes of a table that are read behind its first line.
const LONGEST: usize = 32 * 1024;
/// Bytes of a line that names columns.
const WIDEST: usize = 512;
/// Columns of a table that may hold secrets.
const MOST: usize = 8;

/// What stands between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Two blanks or more; every cell begins where its column's name does.
    Blanks,
    Bar,
    Tab,
    Comma,
    Semicolon,
}

/// A column that holds secrets.
struct Column {
    /// Its number, or for columns between blanks how many characters stand before it.
    place: usize,
    nature: Nature,
}

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    for hit in &hits.names {
        if hit.start < done {
            continue;
        }
        let Some(line) = line_around(text, hit.start) else { continue };
        done = line.end;
        if let Some((gap, columns)) = columns(&text[line.clone()]) {
            done = rows(text, line.end, gap, &columns, found).max(done);
        }
    }
}

/// The line that holds this place, if it is short enough to name columns.
fn line_around(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(WIDEST);
    let start = memchr::memrchr(b'\n', &bytes[from..at]).map(|newline| from + newline + 1);
    let start = start.or((from == 0).then_some(0))?;
    let rest = &bytes[at..bytes.len().min(at + WIDEST)];
    // A line without an end has no table below it.
    let end = at + memchr::memchr(b'\n', rest)?;
    Some(start..end)
}

/// The columns of secrets in a line that names columns. Every cell of such a line is a name of one or a few words.
fn columns(line: &str) -> Option<(Gap, Vec<Column>)> {
    let line = line.trim_end_matches('\r');
    let gap = if line.contains('|') {
        Gap::Bar
    } else if line.contains('\t') {
        Gap::Tab
    } else if line.trim().contains("  ") {
        Gap::Blanks
    } else if line.contains(',') {
        Gap::Comma
    } else {
        line.contains(';').then_some(Gap::Semicolon)?
    };
    let cells = cells(line, gap);
    // Commas with blanks behind them, and parentheses, are code or prose.
    let is_file = matches!(gap, Gap::Comma | Gap::Semicolon);
    let signs: &[u8] = if is_file { b" _-." } else { b" _-.()#/" };
    let is_name = |cell: &&str| {
        if is_file && cell.trim() != *cell {
            return false;
        }
        let cell = cell.trim().trim_matches('"');
        let of_name = |byte: u8| byte.is_ascii_alphanumeric() || signs.contains(&byte);
        let begins = cell.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '#');
        cell.is_empty() || cell.len() <= 32 && begins && cell.bytes().all(of_name) && cell.split(' ').count() <= 3
    };
    let names = cells.iter().filter(|(_, cell)| !cell.trim().is_empty()).count();
    if names < 2 || !cells.iter().all(|(_, cell)| is_name(cell)) {
        return None;
    }
    let of_secrets = |(place, cell): &(usize, &str)| {
        let name = cell.trim().trim_matches('"').replace(' ', "_");
        let nature = name::nature(&name)?;
        let is_held = !matches!(nature, Nature::Cookie | Nature::SetCookie | Nature::Authorization | Nature::Signature);
        is_held.then_some(Column { place: *place, nature })
    };
    let columns: Vec<Column> = cells.iter().filter_map(of_secrets).take(MOST).collect();
    (!columns.is_empty()).then_some((gap, columns))
}

/// The cells of a line, each with its place.
fn cells(line: &str, gap: Gap) -> Vec<(usize, &str)> {
    let between = match gap {
        Gap::Bar => '|',
        Gap::Tab => '\t',
        Gap::Comma => ',',
        Gap::Semicolon => ';',
        Gap::Blanks => return aligned(line),
    };
    line.split(between).enumerate().collect()
}

/// The cells of a line between wide gaps, each with the number of characters before it.
fn aligned(line: &str) -> Vec<(usize, &str)> {
    let (mut cells, mut rest, mut place) = (Vec::new(), line, 0);
    loop {
        let cell = rest.trim_start_matches(' ');
        place += rest.len() - cell.len();
        if cell.is_empty() {
            return cells;
        }
        let end = cell.find("  ").unwrap_or(cell.len());
        cells.push((place, &cell[..end]));
        place += cell[..end].chars().count();
        rest = &cell[end..];
    }
}

/// Looks at the rows below the names, up to an empty line, and returns where they end.
fn rows(text: &str, from: usize, gap: Gap, columns: &[Column], found: &mut Vec<Found>) -> usize {
    let rest = &text[from..char_boundary(text, from + LONGEST)];
    let mut start = from;
    for line in rest.split_inclusive('\n') {
        let row = line.trim_end_matches(['\r', '\n']);
        if row.is_empty() && start > from {
            break;
        }
        for column in columns {
            if let Some(cell) = cell_of(row, gap, column.place)
                && is_secret(cell, column.nature, gap)
            {
                let at = start + (cell.as_ptr().addr() - row.as_ptr().addr());
                found.push(Found::new(at..at + cell.len(), column.nature.kind()));
            }
        }
        start += line.len();
    }
    start
}

/// The cell of a column in this row, without blanks and quotes around it.
fn cell_of(row: &str, gap: Gap, place: usize) -> Option<&str> {
    let cell = if gap == Gap::Blanks {
        let at = row.char_indices().nth(place)?.0;
        // A cell of another width has pushed this row out of its columns.
        let (before, cell) = row.split_at(at);
        if !before.is_empty() && !before.ends_with(' ') || cell.starts_with(' ') {
            return None;
        }
        cell.split("  ").next()?
    } else {
        cells(row, gap).get(place)?.1
    };
    let cell = cell.trim();
    Some(cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell))
}

/// A description has several words. Values between commas are those of a file, so that a chosen password counts, too.
fn is_secret(cell: &str, nature: Nature, gap: Gap) -> bool {
    let setting = if matches!(gap, Gap::Comma | Gap::Semicolon) { Setting::Line } else { Setting::Loose };
    !cell.contains(' ') && value::is_secret(cell, nature, setting)
}
