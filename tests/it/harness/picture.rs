//! A screen as text for a file: with the cursor, and without parts that differ between runs.

use std::sync::LazyLock;

use regex::Regex;
use vt100::Screen;

/// The rows of the screen without trailing blanks. A visible cursor is a `█` in front of the character
/// it is on. `known` replaces text whose length differs between machines; a line with such text is not split into rows.
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

/// The row with the cursor, if the cursor is in this row and visible.
fn with_cursor(screen: &Screen, row: u16) -> Option<String> {
    let columns = screen.size().1.get();
    let (cursor, column) = screen.cursor_position();
    if cursor != row || screen.hide_cursor() {
        return None;
    }
    // The cursor may be behind the last column.
    let column = column.min(columns);
    let before = screen.rows(0, column).nth(usize::from(row))?;
    let behind =
        if column < columns { screen.rows(column, columns - column).nth(usize::from(row))? } else { String::new() };
    let is_half = |cell: &u16| screen.cell(row, *cell).is_some_and(vt100::Cell::is_wide_continuation);
    let cells = (0..column).filter(|cell| !is_half(cell)).count();
    let gap = " ".repeat(cells.saturating_sub(before.chars().count()));
    Some(format!("{before}{gap}█{behind}"))
}

/// Replaces spinners and durations, which differ between runs.
fn timeless(line: &str) -> String {
    static SPINNER: LazyLock<Regex> = LazyLock::new(|| Regex::new("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]").unwrap());
    static ASCII_SPINNER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[|/\\-] (waiting|thinking|writing|working)|(  )[|/\\-] (\d+s)$").unwrap());
    static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+(\.\d)?m?s\b").unwrap());
    let line = SPINNER.replace_all(line, "⠿");
    let line = ASCII_SPINNER.replace(&line, "${2}* $1$3");
    TIME.replace_all(&line, "0s").into_owned()
}
