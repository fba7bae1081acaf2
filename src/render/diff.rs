//! What changed in a file.

use similar::{ChangeTag, DiffOp, InlineChange, TextDiff};

use crate::text::style::Style;
use crate::text::width;

use super::line::Line;
use super::{Options, theme};

/// From here on old and new have room beside each other.
const SIDE_BY_SIDE: u16 = 140;
/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Between old and new.
const GAP: &str = "  ";

/// Renders the difference with changed words standing out: unified, or side by side from 140 columns on. Empty if there is none.
///
/// Lines end as the mode needs, the last one too.
pub fn diff(old: &str, new: &str, path: &str, options: &Options) -> String {
    let diff = TextDiff::from_lines(old, new);
    let hunks = diff.grouped_ops(CONTEXT);
    if hunks.is_empty() {
        return String::new();
    }
    let mut lines = vec![summary(&diff, path)];
    for hunk in &hunks {
        lines.push(Line::of(theme::MUTED, &place(hunk)));
        for op in hunk {
            let changes: Vec<InlineChange<'_, str>> = diff.iter_inline_changes(op).collect();
            if options.columns >= SIDE_BY_SIDE {
                lines.extend(beside(&changes, options));
            } else {
                lines.extend(changes.iter().flat_map(unified));
            }
        }
    }
    let mut out = Vec::new();
    for line in &lines {
        line.write(options, &mut out);
        out.extend_from_slice(options.newline());
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn summary(diff: &TextDiff<'_, '_, str>, path: &str) -> Line {
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    Line::of(theme::HEADING, path)
        .with(theme::GOOD, &format!(" +{}", count(ChangeTag::Insert)))
        .with(theme::BAD, &format!(" -{}", count(ChangeTag::Delete)))
}

/// Where a hunk is, counted from 1 as editors do.
fn place(hunk: &[DiffOp]) -> String {
    let (first, last) = match hunk {
        [] => return String::new(),
        [only] => (only, only),
        [first, .., last] => (first, last),
    };
    let range = |start: usize, end: usize| format!("{},{}", start + usize::from(end > start), end - start);
    let old = range(first.old_range().start, last.old_range().end);
    let new = range(first.new_range().start, last.new_range().end);
    format!("@@ -{old} +{new} @@")
}

fn unified(change: &InlineChange<'_, str>) -> Vec<Line> {
    let (sign, style) = look(change.tag());
    let mut lines = vec![content(change, Line::of(style, sign))];
    if change.missing_newline() {
        lines.push(Line::of(theme::MUTED, "\\ no newline at the end"));
    }
    lines
}

fn look(tag: ChangeTag) -> (&'static str, Style) {
    match tag {
        ChangeTag::Delete => ("-", theme::BAD),
        ChangeTag::Insert => ("+", theme::GOOD),
        ChangeTag::Equal => (" ", Style::PLAIN),
    }
}

/// Appends the line's text, the words that changed in reverse.
fn content(change: &InlineChange<'_, str>, mut line: Line) -> Line {
    let (_, style) = look(change.tag());
    for (emphasized, text) in change.values() {
        let style = if *emphasized { Style { reverse: true, ..style } } else { style };
        line.push(style, text.trim_end_matches(['\n', '\r']));
    }
    line
}

/// Pairs the lines of one change, old at the left, each half in its own rows.
fn beside(changes: &[InlineChange<'_, str>], options: &Options) -> Vec<Line> {
    let half = (usize::from(options.columns).saturating_sub(1 + GAP.len())) / 2;
    let side = |keep: fn(&InlineChange<'_, str>) -> Option<usize>| -> Vec<Line> {
        let kept = changes.iter().filter_map(|change| Some((keep(change)?, change)));
        kept.flat_map(|(index, change)| numbered(index, change, half)).collect()
    };
    let mut old = side(|change| change.old_index()).into_iter();
    let mut new = side(|change| change.new_index()).into_iter();
    let mut lines = Vec::new();
    loop {
        let (left, right) = (old.next(), new.next());
        if left.is_none() && right.is_none() {
            return lines;
        }
        let mut line = left.unwrap_or_default();
        if let Some(right) = right {
            let room = half.saturating_sub(line.cells());
            line.push(Style::PLAIN, &" ".repeat(room));
            line.push(Style::PLAIN, GAP);
            line.append(&right);
        }
        lines.push(line);
    }
}

/// A line with its number, cut into rows of `half` cells: nothing of a change is hidden.
fn numbered(index: usize, change: &InlineChange<'_, str>, half: usize) -> Vec<Line> {
    let (sign, style) = look(change.tag());
    let number = format!("{:>4} ", index + 1);
    let room = half.saturating_sub(number.len() + 1);
    let rows = rows(&content(change, Line::new()), room);
    let first = |row: usize| if row == 0 { number.clone() } else { " ".repeat(number.len()) };
    let numbered = rows.iter().enumerate().map(|(row, text)| {
        let mut line = Line::of(theme::MUTED, &first(row)).with(style, sign);
        line.append(text);
        line
    });
    numbered.collect()
}

fn rows(line: &Line, room: usize) -> Vec<Line> {
    let mut rows = vec![Line::new()];
    let mut left = room;
    for span in &line.spans {
        let mut rest = span.text.as_str();
        while !rest.is_empty() {
            let fitting = width::fit(rest, left);
            if fitting.is_empty() && left < room {
                rows.push(Line::new());
                left = room;
                continue;
            }
            // A character wider than the row has to stand somewhere.
            let taken = if fitting.is_empty() { rest } else { fitting };
            if let Some(row) = rows.last_mut() {
                row.push(span.style, taken);
            }
            left = left.saturating_sub(width::widest(taken));
            rest = &rest[taken.len()..];
        }
    }
    rows
}
