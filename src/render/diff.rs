//! Diffs of files.

use std::time::Duration;

use similar::{ChangeTag, DiffOp, InlineChange, TextDiff};

use super::look::Look;
use crate::text::{SpelledPiece, spell, spell_code, width};

use super::RenderOptions;
use super::code::Highlighter;
use super::line::{StyledLine, alphabet};
use super::options::NEWLINE;

/// The number of columns from which old and new are shown side by side.
const SIDE_BY_SIDE: u16 = 140;
/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;
/// The gap between the two sides.
const GAP: &str = "  ";
/// The time limit for a comparison. After it the diff is coarser, which happens for large files with little in common.
const PATIENCE: Duration = Duration::from_millis(50);
/// The most consecutive empty lines that are shown.
const EMPTY_LINES: usize = 3;
/// The most lines with syntax colours, because highlighting delays the session's loop.
const MOST_COLOURED: usize = 400;

/// Renders a diff with changed words highlighted: unified, or side by side from 140 columns on. Empty if the texts are equal.
///
/// Every line ends with a line break, the last one too.
pub(crate) fn diff(old: &str, new: &str, path: &str, options: &RenderOptions) -> String {
    let Some(change) = compare(old, new, path, options) else { return String::new() };
    let summary = StyledLine::of(Look::HEADING, path).with(Look::PLAIN, " ");
    let mut out = Vec::new();
    for line in [&change.counts(summary)].into_iter().chain(&change.lines) {
        line.write(options, &mut out);
        out.extend_from_slice(NEWLINE);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A unified diff that was made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnifiedDiff {
    pub path: String,
    pub added: usize,
    pub removed: usize,
    /// Remarks for the line with the path.
    pub notes: String,
    /// The lines, each with its sign.
    pub text: String,
}

/// Renders unified diffs in the colours of [`diff`]. Nothing is compared or highlighted, so many lines take little time.
pub(crate) fn unified_diffs(diffs: &[UnifiedDiff], options: &RenderOptions) -> String {
    let mut out = Vec::new();
    for UnifiedDiff { path, added, removed, notes, text } in diffs {
        let mut summary = StyledLine::new();
        summary.push_spelled(Look::HEADING, path, options);
        summary.push(Look::PLAIN, " ");
        let mut summary = counts(summary, *added, *removed);
        if !notes.is_empty() {
            summary.push_spelled(Look::MUTED, &format!("  {notes}"), options);
        }
        let lines = text.lines().map(|line| {
            let look = match line.as_bytes().first() {
                Some(b'+') => Look::GOOD,
                Some(b'-') => Look::BAD,
                Some(b' ') => Look::PLAIN,
                Some(_) | None => Look::MUTED,
            };
            let mut styled = StyledLine::new();
            styled.push_pieces(look, &spell_code(line, alphabet(options)));
            styled
        });
        for line in [summary].into_iter().chain(lines) {
            line.write(options, &mut out);
            out.extend_from_slice(NEWLINE);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A rendered diff.
pub(super) struct Difference {
    added: usize,
    removed: usize,
    pub(super) lines: Vec<StyledLine>,
}

impl Difference {
    /// Adds `+2 −1` to a line.
    pub(super) fn counts(&self, line: StyledLine) -> StyledLine {
        counts(line, self.added, self.removed)
    }
}

/// Adds `+2 −1` to a line.
pub(super) fn counts(line: StyledLine, added: usize, removed: usize) -> StyledLine {
    line.with(Look::GOOD, &format!("+{added}")).with(Look::BAD, &format!(" −{removed}"))
}

/// Compares two texts. Returns `None` if they are equal. Invisible characters are spelled out.
pub(super) fn compare(old: &str, new: &str, path: &str, options: &RenderOptions) -> Option<Difference> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let hunks = diff.grouped_ops(CONTEXT);
    if hunks.is_empty() {
        return None;
    }
    let view = DiffView { options, has_crlf: is_crlf(old) && is_crlf(new) };
    let mut lines = Vec::new();
    let mut coloured = 0;
    for hunk in &hunks {
        lines.push(StyledLine::of(Look::MUTED, &place(hunk)));
        // Each hunk is highlighted on its own, because the text before it in the file may be long.
        let mut highlighter = Highlighter::new(language(path), &options.code).filter(|_| coloured < MOST_COLOURED);
        for op in hunk {
            let rows: Vec<DiffRow> =
                diff.iter_inline_changes(op).map(|change| DiffRow::of(&change, &mut highlighter, &view)).collect();
            coloured += rows.len();
            let rows = folded(rows, options);
            if options.columns >= SIDE_BY_SIDE {
                lines.extend(beside(&rows, options));
            } else {
                lines.extend(rows.iter().flat_map(unified));
            }
        }
    }
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    Some(Difference { added: count(ChangeTag::Insert), removed: count(ChangeTag::Delete), lines })
}

/// How the lines of a diff are displayed.
struct DiffView<'a> {
    options: &'a RenderOptions,
    /// Whether the file's lines end with `\r\n`.
    has_crlf: bool,
}

/// Whether all lines of a text end with `\r\n`. True for an empty text.
fn is_crlf(text: &str) -> bool {
    text.matches("\r\n").count() == text.matches('\n').count()
}

/// Replaces long runs of empty lines with their count, because they could push the rest out of sight.
fn folded(rows: Vec<DiffRow>, options: &RenderOptions) -> Vec<DiffRow> {
    let mut folded: Vec<DiffRow> = Vec::new();
    let mut rest = rows.into_iter().peekable();
    while let Some(mut row) = rest.next() {
        let mut count = 1;
        while row.is_empty() && rest.peek().is_some_and(|next| next.is_empty() && next.tag == row.tag) {
            rest.next();
            count += 1;
        }
        if count > EMPTY_LINES {
            for pieces in spell(&"\n".repeat(count), alphabet(options)) {
                row.text.push_pieces(Look::PLAIN, &pieces);
            }
        } else {
            let again = (1..count).map(|_| DiffRow { text: StyledLine::new(), ..row });
            folded.extend(again.collect::<Vec<_>>());
        }
        folded.push(row);
    }
    folded
}

/// The line numbers of a hunk, counted from 1.
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

/// A line of the old text, of the new text, or of both.
struct DiffRow {
    tag: ChangeTag,
    old: Option<usize>,
    new: Option<usize>,
    text: StyledLine,
    missing_newline: bool,
}

impl DiffRow {
    /// Added and unchanged lines have the colours of their language, with the changed words highlighted. Removed lines have one colour.
    fn of(change: &InlineChange<'_, str>, highlighter: &mut Option<Highlighter>, view: &DiffView<'_>) -> DiffRow {
        let tag = change.tag();
        let whole: String = change.values().iter().map(|(_, text)| *text).collect();
        let whole = whole.strip_suffix('\n').unwrap_or(&whole);
        let whole = whole.strip_suffix('\r').filter(|_| view.has_crlf).unwrap_or(whole);
        let (_, plain) = look(tag);
        let pieces = match highlighter {
            Some(highlighter) if tag != ChangeTag::Delete => highlighter.pieces(whole),
            Some(_) | None => vec![(plain, 0..whole.len())],
        };
        let spelled = spell_code(whole, alphabet(view.options));
        let (old, new, missing_newline) = (change.old_index(), change.new_index(), change.missing_newline());
        let mut line = StyledLine::new();
        if spelled.iter().any(|piece| matches!(piece, SpelledPiece::Sign(_))) {
            // A line with invisible characters is shown with them spelled out, and without syntax colours.
            line.push_pieces(plain, &spelled);
            return DiffRow { tag, old, new, text: line, missing_newline };
        }
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
        DiffRow { tag, old, new, text: line, missing_newline }
    }
}

impl DiffRow {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.missing_newline
    }
}

/// The extension of a file's name, or the whole name if it has none.
fn language(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit('.').next().unwrap_or(name)
}

fn unified(row: &DiffRow) -> Vec<StyledLine> {
    let (sign, style) = look(row.tag);
    let mut line = StyledLine::of(style, sign);
    line.append(&row.text);
    let mut lines = vec![line];
    if row.missing_newline {
        lines.push(StyledLine::of(Look::MUTED, "\\ no newline at the end"));
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

/// Shows the lines of one change side by side, with the old ones on the left.
fn beside(changes: &[DiffRow], options: &RenderOptions) -> Vec<StyledLine> {
    let half = (usize::from(options.columns).saturating_sub(1 + GAP.len())) / 2;
    let side = |keep: fn(&DiffRow) -> Option<usize>| -> Vec<StyledLine> {
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

/// A line with its number, wrapped into rows of `half` cells, so that the whole line is visible.
fn numbered(index: usize, line: &DiffRow, half: usize) -> Vec<StyledLine> {
    let (sign, style) = look(line.tag);
    let number = format!("{:>4} ", index + 1);
    let room = half.saturating_sub(number.len() + 1);
    let rows = rows(&line.text, room);
    let first = |row: usize| if row == 0 { number.clone() } else { " ".repeat(number.len()) };
    let numbered = rows.iter().enumerate().map(|(row, text)| {
        let mut line = StyledLine::of(Look::MUTED, &first(row)).with(style, sign);
        line.append(text);
        line
    });
    numbered.collect()
}

fn rows(line: &StyledLine, room: usize) -> Vec<StyledLine> {
    let mut rows = vec![StyledLine::new()];
    let mut left = room;
    for span in &line.spans {
        let mut rest = span.text.as_str();
        while !rest.is_empty() {
            let fitting = width::fit(rest, left);
            if fitting.is_empty() && left < room {
                rows.push(StyledLine::new());
                left = room;
                continue;
            }
            // A character that is wider than the row still takes a row.
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
