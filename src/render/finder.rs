//! The finder of the history: a line to type into, the commands that match, and the output of the selected one.

use super::RenderOptions;
use super::line::StyledLine;
use super::look::Look;
use crate::text::width;

/// The output is beside the list from this width on, and below it in narrower windows.
const SIDE_BY_SIDE: u16 = 90;
/// The most rows of the finder.
const TALLEST: u16 = 24;
/// The fewest rows, if the window has as many.
const LOWEST: u16 = 10;
/// Rows above the list: the typed words and the hint.
const HEAD: usize = 2;

/// One command in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FinderRow {
    /// `✓` or the exit status.
    pub status: String,
    pub is_good: Option<bool>,
    pub age: String,
    pub command: String,
    /// The directory, if it is not the current one.
    pub place: String,
}

/// Where the parts of the finder are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FinderLayout {
    /// All rows of the finder.
    pub rows: usize,
    pub list_rows: usize,
    list_columns: usize,
    /// Rows of output, below the line about the command. No output is shown if there are none.
    pub output_rows: usize,
    output_columns: usize,
    is_beside: bool,
}

impl FinderLayout {
    /// The layout in a window of this size. One row is left to what is above the finder.
    pub(crate) fn of(options: &RenderOptions) -> FinderLayout {
        let rows = (options.rows / 2).clamp(LOWEST, TALLEST).min(options.rows.saturating_sub(1)).max(3);
        let (rows, columns) = (usize::from(rows), usize::from(options.columns.max(2)) - 1);
        let body = rows - HEAD;
        if options.columns >= SIDE_BY_SIDE {
            let list_columns = columns * 11 / 20;
            return FinderLayout {
                rows,
                list_rows: body,
                list_columns,
                output_rows: body - 1,
                output_columns: columns - list_columns - 3,
                is_beside: true,
            };
        }
        // One row of the lower half is about the command.
        let output_rows = if body >= 6 { body / 2 - 1 } else { 0 };
        let list_rows = if output_rows > 0 { body - output_rows - 1 } else { body };
        FinderLayout { rows, list_rows, list_columns: columns, output_rows, output_columns: columns, is_beside: false }
    }
}

/// What the finder shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FinderView {
    pub filter: String,
    pub hint: String,
    /// At most as many as the layout has rows for.
    pub rows: Vec<FinderRow>,
    /// The position of the selected row.
    pub selected: usize,
    /// Facts about the selected command.
    pub about: String,
    /// Its output, at most as many lines as the layout has rows for.
    pub output: Vec<String>,
}

/// Renders the rows of the finder. None is wider than the window. Returns the column of the cursor in the first row too.
pub(crate) fn finder_rows(view: &FinderView, layout: &FinderLayout, options: &RenderOptions) -> (Vec<Vec<u8>>, usize) {
    let room = usize::from(options.columns.max(2)) - 1;
    // The end of the words is what is being typed.
    let skip = view.filter.chars().count().saturating_sub(room.saturating_sub(4));
    let shown: String = view.filter.chars().skip(skip).collect();
    let typed = StyledLine::of(Look::ACCENT, "? ").with(Look::PLAIN, &shown).clipped(room, options);
    let cursor = typed.cells().min(room);
    let hint = StyledLine::of(Look::MUTED, &format!("  {}", view.hint)).clipped(room, options);
    let mut lines = vec![typed, hint];
    let list = list(view, layout, options);
    let output = output(view, layout, options);
    if layout.is_beside {
        let bar = if options.unicode { " │ " } else { " | " };
        let blank = || StyledLine::of(Look::PLAIN, "");
        for row in 0..layout.list_rows {
            let mut line = list.get(row).cloned().unwrap_or_else(blank);
            let gap = layout.list_columns.saturating_sub(width::widest(&line.text()));
            line.push(Look::PLAIN, &" ".repeat(gap));
            line.push(Look::MUTED, bar);
            line.append(&output.get(row).cloned().unwrap_or_else(blank));
            lines.push(line);
        }
    } else {
        lines.extend(list);
        lines.resize_with(HEAD + layout.list_rows, || StyledLine::of(Look::PLAIN, ""));
        lines.extend(output);
    }
    let written = |line: &StyledLine| {
        let mut bytes = Vec::new();
        line.write(options, &mut bytes);
        bytes
    };
    (lines.iter().take(layout.rows).map(written).collect(), cursor)
}

fn list(view: &FinderView, layout: &FinderLayout, options: &RenderOptions) -> Vec<StyledLine> {
    let widest = |text: fn(&FinderRow) -> &str| view.rows.iter().map(|row| width::cells(text(row))).max().unwrap_or(0);
    let (status, age) = (widest(|row| &row.status), widest(|row| &row.age));
    let sign = if options.unicode { "▸ " } else { "> " };
    let line = |(at, row): (usize, &FinderRow)| {
        let is_selected = at == view.selected;
        let look = match row.is_good {
            Some(true) => Look::GOOD,
            Some(false) => Look::BAD,
            None => Look::MUTED,
        };
        let mut line = StyledLine::of(Look::ACCENT, if is_selected { sign } else { "  " });
        line.push(look, &padded(&row.status, status));
        line.push(Look::MUTED, &format!(" {:>age$}  ", row.age));
        let text = if is_selected { Look::BOLD } else { Look::PLAIN };
        // The directory is left out rather than the command.
        let used = width::widest(&line.text());
        let place = if row.place.is_empty() { String::new() } else { format!("  {}", row.place) };
        let left = layout.list_columns.saturating_sub(used);
        let fits = width::widest(&row.command) + width::widest(&place) <= left;
        line.push_spelled(text, &row.command, options);
        if fits {
            line.push(Look::MUTED, &place);
        }
        line.clipped(layout.list_columns, options)
    };
    view.rows.iter().take(layout.list_rows).enumerate().map(line).collect()
}

/// The line about the command, and its output.
fn output(view: &FinderView, layout: &FinderLayout, options: &RenderOptions) -> Vec<StyledLine> {
    if layout.output_rows == 0 {
        return Vec::new();
    }
    let about = StyledLine::of(Look::MUTED, &view.about);
    let lines = view.output.iter().take(layout.output_rows).map(|line| StyledLine::of(Look::PLAIN, line));
    [about].into_iter().chain(lines).map(|line| line.clipped(layout.output_columns, options)).collect()
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width::cells(text))))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::render::{ScreenSize, Theme, Wrapping};

    fn options(columns: u16, rows: u16) -> RenderOptions {
        let utf8 = |name: &str| if name == "LANG" { "C.UTF-8" } else { "xterm" }.to_owned();
        RenderOptions::of_terminal(ScreenSize { columns, rows }, Theme::default(), Wrapping::default(), |name| {
            if ["LANG", "TERM"].contains(&name) { utf8(name) } else { String::new() }
        })
    }

    fn view() -> FinderView {
        let row = |status: &str, age: &str, command: &str, place: &str| FinderRow {
            status: status.to_owned(),
            is_good: Some(status == "✓"),
            age: age.to_owned(),
            command: command.to_owned(),
            place: place.to_owned(),
        };
        FinderView {
            filter: "cargo".to_owned(),
            hint: "1 of 3; Esc leave".to_owned(),
            rows: vec![
                row("✓", "3s", "cargo test", ""),
                row("101", "12m", "cargo build --日本語", "~/app"),
                row("✓", "2d", &format!("cargo run {}", "x".repeat(200)), "/tmp"),
            ],
            selected: 1,
            about: "~/app, exit status 101".to_owned(),
            output: vec!["error\x1b]52;c;aGk=\x07: 日本語".to_owned(), "y".repeat(300), "\x1b[2Jthird".to_owned()],
        }
    }

    /// The screen that shows these rows.
    fn screen(columns: u16, rows: u16) -> String {
        let options = options(columns, rows);
        let layout = FinderLayout::of(&options);
        let (lines, _) = finder_rows(&view(), &layout, &options);
        assert!(lines.len() <= layout.rows);
        let cells = |count| NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(cells(rows), cells(columns), 0);
        terminal.process(&lines.join(&b"\r\n"[..]));
        assert_eq!(usize::from(terminal.screen().cursor_position().0), lines.len() - 1, "no row is wrapped");
        terminal.screen().contents().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn output_is_beside_the_list_in_a_wide_window() {
        insta::assert_snapshot!(screen(100, 20), @r"
        ? cargo
          1 of 3; Esc leave
          ✓    3s  cargo test                                  │ ~/app, exit status 101
        ▸ 101 12m  cargo build --日本語  ~/app                 │ error]52;c;aGk=: 日本語
          ✓    2d  cargo run xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… │ yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
                                                               │ [2Jthird
                                                               │
                                                               │
                                                               │
                                                               │
        ");
    }

    #[test]
    fn output_is_below_the_list_in_a_narrow_window() {
        insta::assert_snapshot!(screen(40, 20), @r"
        ? cargo
          1 of 3; Esc leave
          ✓    3s  cargo test
        ▸ 101 12m  cargo build --日本語  ~/app
          ✓    2d  cargo run xxxxxxxxxxxxxxxxx…

        ~/app, exit status 101
        error]52;c;aGk=: 日本語
        yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy…
        [2Jthird
        ");
    }

    #[test]
    fn every_window_has_a_layout_that_fits() {
        for rows in 1..60 {
            for columns in 1..200 {
                let layout = FinderLayout::of(&options(columns, rows));
                let below = if layout.is_beside || layout.output_rows == 0 { 0 } else { layout.output_rows + 1 };
                assert_eq!(layout.rows, HEAD + layout.list_rows + below, "{rows} × {columns}");
                assert!(layout.rows < usize::from(rows.max(4)), "{rows} × {columns}");
                assert!(layout.list_rows >= 1, "{rows} × {columns}");
            }
        }
    }
}
