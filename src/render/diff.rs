//! What changed in a file.

use std::time::Duration;

use similar::{ChangeTag, DiffOp, InlineChange, TextDiff};

use super::look::Look;
use crate::text::width;

use super::Options;
use super::code::Highlighter;
use super::line::Line;
use super::options::NEWLINE;

/// From here on old and new have room beside each other.
const SIDE_BY_SIDE: u16 = 140;
/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Between old and new.
const GAP: &str = "  ";
/// Two large files that have nothing in common are not compared for longer; the difference is then coarser.
const PATIENCE: Duration = Duration::from_millis(50);
/// Lines with colours; nobody reads more, and whoever paints them has other things to do.
const MOST_COLOURED: usize = 400;

/// Renders the difference with changed words standing out: unified, or side by side from 140 columns on. Empty if there is none.
///
/// Lines end as the mode needs, the last one too.
pub fn diff(old: &str, new: &str, path: &str, options: &Options) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let hunks = diff.grouped_ops(CONTEXT);
    if hunks.is_empty() {
        return String::new();
    }
    let mut lines = vec![summary(&diff, path)];
    let mut coloured = 0;
    for hunk in &hunks {
        lines.push(Line::of(Look::MUTED, &place(hunk)));
        // Each hunk is coloured by itself: what stands before it in the file may be long.
        let mut highlighter = Highlighter::new(language(path)).filter(|_| coloured < MOST_COLOURED);
        for op in hunk {
            let rows: Vec<Row> =
                diff.iter_inline_changes(op).map(|change| Row::of(&change, &mut highlighter)).collect();
            coloured += rows.len();
            if options.columns >= SIDE_BY_SIDE {
                lines.extend(beside(&rows, options));
            } else {
                lines.extend(rows.iter().flat_map(unified));
            }
        }
    }
    let mut out = Vec::new();
    for line in &lines {
        line.write(options, &mut out);
        out.extend_from_slice(NEWLINE);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn summary(diff: &TextDiff<'_, '_, str>, path: &str) -> Line {
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    Line::of(Look::HEADING, path)
        .with(Look::GOOD, &format!(" +{}", count(ChangeTag::Insert)))
        .with(Look::BAD, &format!(" -{}", count(ChangeTag::Delete)))
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

/// One line of the old text, the new one, or both.
struct Row {
    tag: ChangeTag,
    old: Option<usize>,
    new: Option<usize>,
    text: Line,
    missing_newline: bool,
}

impl Row {
    /// What is there afterwards has the colours of its language, and what changed in it stands out; what goes is all of one colour.
    fn of(change: &InlineChange<'_, str>, highlighter: &mut Option<Highlighter>) -> Row {
        let tag = change.tag();
        let whole: String = change.values().iter().map(|(_, text)| *text).collect();
        let whole = whole.trim_end_matches(['\n', '\r']);
        let (_, plain) = look(tag);
        let pieces = match highlighter {
            Some(highlighter) if tag != ChangeTag::Delete => highlighter.pieces(whole),
            Some(_) | None => vec![(plain, 0..whole.len())],
        };
        let mut line = Line::new();
        let mut at = 0;
        for (emphasized, text) in change.values() {
            let end = (at + text.len()).min(whole.len());
            for (look, range) in &pieces {
                let part = range.start.max(at)..range.end.min(end);
                if part.start < part.end {
                    let look = if *emphasized { Look { reverse: true, ..plain } } else { *look };
                    line.push(look, &whole[part]);
                }
            }
            at = end;
        }
        let missing_newline = change.missing_newline();
        Row { tag, old: change.old_index(), new: change.new_index(), text: line, missing_newline }
    }
}

/// What tells the language of a file: what follows the last dot of its name, or all of it.
fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit('.').next().unwrap_or(name)
}

fn unified(row: &Row) -> Vec<Line> {
    let (sign, style) = look(row.tag);
    let mut line = Line::of(style, sign);
    line.append(&row.text);
    let mut lines = vec![line];
    if row.missing_newline {
        lines.push(Line::of(Look::MUTED, "\\ no newline at the end"));
    }
    lines
}

fn look(tag: ChangeTag) -> (&'static str, Look) {
    match tag {
        ChangeTag::Delete => ("-", Look::BAD),
        ChangeTag::Insert => ("+", Look::GOOD),
        ChangeTag::Equal => (" ", Look::PLAIN),
    }
}

/// Pairs the lines of one change, old at the left, each half in its own rows.
fn beside(changes: &[Row], options: &Options) -> Vec<Line> {
    let half = (usize::from(options.columns).saturating_sub(1 + GAP.len())) / 2;
    let side = |keep: fn(&Row) -> Option<usize>| -> Vec<Line> {
        let kept = changes.iter().filter_map(|row| Some((keep(row)?, row)));
        kept.flat_map(|(index, row)| numbered(index, row, half)).collect()
    };
    let mut old = side(|row| row.old).into_iter();
    let mut new = side(|row| row.new).into_iter();
    let mut lines = Vec::new();
    loop {
        let (left, right) = (old.next(), new.next());
        if left.is_none() && right.is_none() {
            return lines;
        }
        let mut line = left.unwrap_or_default();
        if let Some(right) = right {
            let room = half.saturating_sub(line.cells());
            line.push(Look::PLAIN, &" ".repeat(room));
            line.push(Look::PLAIN, GAP);
            line.append(&right);
        }
        lines.push(line);
    }
}

/// A line with its number, cut into rows of `half` cells: nothing of a change is hidden.
fn numbered(index: usize, line: &Row, half: usize) -> Vec<Line> {
    let (sign, style) = look(line.tag);
    let number = format!("{:>4} ", index + 1);
    let room = half.saturating_sub(number.len() + 1);
    let rows = rows(&line.text, room);
    let first = |row: usize| if row == 0 { number.clone() } else { " ".repeat(number.len()) };
    let numbered = rows.iter().enumerate().map(|(row, text)| {
        let mut line = Line::of(Look::MUTED, &first(row)).with(style, sign);
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
