//! A screen as it is kept in a file: what changes from run to run is taken out, and the cursor shown.

use std::sync::LazyLock;

use regex::Regex;
use vt100::Screen;

/// Rows down to the last that is drawn, without blanks at their ends; the cursor, where it shows, is a `█` in front of what it
/// stands on. What `known` replaces may be of another length elsewhere: a line with such a thing in it is not shown row by row.
pub(crate) fn picture(screen: &Screen, known: impl Fn(&str) -> String) -> String {
    let columns = screen.size().1.get();
    let mut lines = Vec::new();
    let mut line: Vec<String> = Vec::new();
    for (row, text) in (0..).zip(screen.rows(0, columns)) {
        line.push(with_cursor(screen, row).unwrap_or(text));
        if !screen.row_wrapped(row) {
            let whole = line.concat();
            let told = known(&whole);
            lines.extend(if told == whole { std::mem::take(&mut line) } else { vec![told] });
            line.clear();
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| timeless(line.trim_end())).collect();
    let drawn = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines[..drawn].join("\n")
}

/// The row with the cursor in it, if it is there and shows.
fn with_cursor(screen: &Screen, row: u16) -> Option<String> {
    let columns = screen.size().1.get();
    let (cursor, column) = screen.cursor_position();
    if cursor != row || screen.hide_cursor() {
        return None;
    }
    // Behind the last column it waits for the next character.
    let column = column.min(columns);
    let before = screen.rows(0, column).nth(usize::from(row))?;
    let behind =
        if column < columns { screen.rows(column, columns - column).nth(usize::from(row))? } else { String::new() };
    let is_half = |cell: &u16| screen.cell(row, *cell).is_some_and(vt100::Cell::is_wide_continuation);
    let cells = (0..column).filter(|cell| !is_half(cell)).count();
    let gap = " ".repeat(cells.saturating_sub(before.chars().count()));
    Some(format!("{before}{gap}█{behind}"))
}

/// The same at any time: what moves stands still, and nothing takes any time.
fn timeless(line: &str) -> String {
    static SPINNER: LazyLock<Regex> = LazyLock::new(|| Regex::new("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]").unwrap());
    static ASCII_SPINNER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[|/\\-] (waiting|thinking|writing|working)|(  )[|/\\-] (\d+s)$").unwrap());
    static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+(\.\d)?m?s\b").unwrap());
    let line = SPINNER.replace_all(line, "⠿");
    let line = ASCII_SPINNER.replace(&line, "${2}* $1$3");
    TIME.replace_all(&line, "0s").into_owned()
}
