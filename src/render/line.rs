//! A logical line: styled text without line breaks. Prose is wrapped at words. Everything else is wrapped by the terminal.

use std::ops::Range;

use crate::text::wrap::{self, Fixed, Layout};
use crate::text::{Alphabet, SpelledPiece, ansi, sanitize, spell_line, width};

use super::RenderOptions;
use super::look::Look;

/// In windows with fewer columns the terminal wraps prose too, because few words fit beside the indent of a list.
const NARROWEST: u16 = 12;

/// A piece of a line with one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) style: Look,
    /// The target of a hyperlink, which `safe_url` has accepted.
    pub(super) link: Option<String>,
    pub(super) text: String,
}

/// How a line that is wider than the terminal is broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Wrap {
    /// The terminal wraps it at the margin, so that a copy from the screen is one line.
    #[default]
    Terminal,
    /// It is wrapped at words.
    Words(Hang),
}

/// The indentation of the rows of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hang {
    /// Cells at the start of the first row that are never separated from the first word, such as a bullet.
    pub(super) lead: usize,
    /// Cells of indentation at the start of further rows.
    pub(super) indent: usize,
    /// How many quote marks the indentation contains.
    pub(super) quoted: usize,
}

impl Hang {
    /// Aligns further rows with the text after a lead of this width.
    pub(super) fn below(lead: usize) -> Hang {
        Hang { lead, indent: lead, quoted: 0 }
    }

    /// Limits the indentation to a third of the window's columns.
    fn within(self, columns: usize) -> Hang {
        let indent = self.indent.min(columns / 3);
        Hang { indent, quoted: self.quoted.min(indent / 2), ..self }
    }

    /// The indentation and quote marks of a further row.
    fn prefix(self) -> StyledLine {
        let marks = "> ".repeat(self.quoted);
        let blanks = " ".repeat(self.indent - marks.len());
        StyledLine::of(Look::MUTED, &marks).with(Look::PLAIN, &blanks)
    }
}

/// A styled line. Neighbouring spans always differ in look, so two lines that look alike are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StyledLine {
    pub(super) spans: Vec<Span>,
    pub(super) wrap: Wrap,
}

/// A row of a line, and the offset of its first byte in the line's text.
#[derive(Debug)]
pub(super) struct LineRow {
    pub(super) line: StyledLine,
    pub(super) start: usize,
}

/// The display of a tab. The width of a real tab would depend on its column.
const TAB: &str = "    ";

/// The characters that the terminal can display.
pub(super) fn alphabet(options: &RenderOptions) -> Alphabet {
    if options.unicode { Alphabet::Unicode } else { Alphabet::Ascii }
}

impl Wrap {
    /// The wrapping that is used with these options. The terminal wraps if it is dumb or narrow, or if the user has chosen so.
    fn in_(self, options: &RenderOptions) -> Wrap {
        let is_wide_enough = options.columns >= NARROWEST;
        let by_words =
            options.mode == super::TerminalMode::Terminal && options.wrap == super::Wrapping::Words && is_wide_enough;
        if by_words { self } else { Wrap::Terminal }
    }
}

impl StyledLine {
    pub(super) fn new() -> StyledLine {
        StyledLine::default()
    }

    pub(super) fn of(style: Look, text: &str) -> StyledLine {
        StyledLine::new().with(style, text)
    }

    pub(super) fn with(mut self, style: Look, text: &str) -> StyledLine {
        self.push(style, text);
        self
    }

    /// Appends text from any source. Control characters in it are replaced.
    pub(super) fn push(&mut self, style: Look, text: &str) {
        self.push_link(style, None, text);
    }

    pub(super) fn push_link(&mut self, style: Look, link: Option<&str>, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = sanitize(text).replace('\t', TAB).replace('\n', " ");
        match self.spans.last_mut() {
            Some(last) if last.style == style && last.link.as_deref() == link => last.text.push_str(&text),
            Some(_) | None => self.spans.push(Span { style, link: link.map(str::to_owned), text }),
        }
    }

    /// Appends text with its invisible characters spelled out.
    pub(super) fn push_spelled(&mut self, style: Look, text: &str, options: &RenderOptions) {
        self.push_pieces(style, &spell_line(text, alphabet(options)));
    }

    pub(super) fn push_pieces(&mut self, style: Look, pieces: &[SpelledPiece]) {
        for piece in pieces {
            match piece {
                SpelledPiece::Plain(text) => self.push(style, text),
                SpelledPiece::Sign(sign) => self.push(Look { reverse: true, ..Look::WARNING }, sign),
            }
        }
    }

    pub(super) fn append(&mut self, other: &StyledLine) {
        for span in &other.spans {
            self.push_link(span.style, span.link.as_deref(), &span.text);
        }
    }

    /// Wraps the line at words if it is too wide.
    pub(super) fn wrapped(mut self, hang: Hang) -> StyledLine {
        self.wrap = Wrap::Words(hang);
        self
    }

    /// Appends the rest of a line. An empty line takes over its wrapping too.
    pub(super) fn extend(&mut self, rest: &StyledLine) {
        if self.is_empty() && self.wrap == Wrap::Terminal {
            self.wrap = rest.wrap;
        }
        self.append(rest);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The rows of the line, each of which is written with a line break. A row may still be wider than the terminal, which then wraps it.
    pub(super) fn rows(&self, options: &RenderOptions, fixed: Option<Fixed>) -> Vec<LineRow> {
        let text = self.text();
        // What stood on the screen may have become other characters since.
        let boundary = |length: usize| (0..=length.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let fixed = fixed.map(|fixed| Fixed { length: boundary(fixed.length).unwrap_or(0), ..fixed });
        let Wrap::Words(hang) = self.wrap.in_(options) else {
            return self.unwrapped_rows(&text, fixed);
        };
        let columns = options.width();
        let hang = hang.within(columns);
        let layout = Layout { columns, lead: hang.lead, hang: hang.indent, fixed };
        let row = |(index, range): (usize, Range<usize>)| {
            let start = range.start;
            let mut line = if index > 0 { hang.prefix() } else { StyledLine::new() };
            line.append(&self.slice(range));
            LineRow { line, start }
        };
        wrap::rows(&text, layout).into_iter().enumerate().map(row).collect()
    }

    fn unwrapped_rows(&self, text: &str, fixed: Option<Fixed>) -> Vec<LineRow> {
        let row = |range: Range<usize>| LineRow { start: range.start, line: self.slice(range) };
        match fixed {
            Some(Fixed { length, is_closed: true }) => {
                let length = length.min(text.len());
                vec![row(0..length), row(length..text.len())]
            }
            Some(Fixed { is_closed: false, .. }) | None => vec![row(0..text.len())],
        }
    }

    /// The rest of the line from this offset of its text on, as the beginning of a further row.
    pub(super) fn continued_from(&self, start: usize, options: &RenderOptions) -> StyledLine {
        let rest = self.slice(start..self.text().len());
        let Wrap::Words(hang) = self.wrap.in_(options) else { return StyledLine { wrap: self.wrap, ..rest } };
        if start == 0 {
            return self.clone();
        }
        let narrow = hang.within(options.width());
        let mut line = narrow.prefix();
        line.append(&rest);
        line.wrapped(Hang { lead: narrow.indent, ..hang })
    }

    /// The part of the line in this byte range of its text.
    pub(super) fn slice(&self, range: Range<usize>) -> StyledLine {
        let mut part = StyledLine::new();
        let mut at = 0;
        for span in &self.spans {
            let end = at + span.text.len();
            let (from, to) = (range.start.clamp(at, end), range.end.clamp(at, end));
            part.push_link(span.style, span.link.as_deref(), &span.text[from - at..to - at]);
            at = end;
        }
        part
    }

    /// The number of bytes at the start of the text in which both lines look the same.
    pub(super) fn common(&self, other: &StyledLine) -> usize {
        let mut common = 0;
        for (mine, theirs) in self.spans.iter().zip(&other.spans) {
            if mine.style != theirs.style || mine.link != theirs.link {
                break;
            }
            let same = mine.text.chars().zip(theirs.text.chars()).take_while(|(mine, theirs)| mine == theirs);
            let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
            common += same;
            if same < mine.text.len() || same < theirs.text.len() {
                break;
            }
        }
        common
    }

    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(super) fn cells(&self) -> usize {
        width::cells(&self.text())
    }

    /// Returns the rest of the line after `beginning`, if the line begins with it.
    pub(super) fn after(&self, beginning: &StyledLine) -> Option<StyledLine> {
        let Some((last, before)) = beginning.spans.split_last() else { return Some(self.clone()) };
        if self.spans.len() < beginning.spans.len() || self.spans[..before.len()] != *before {
            return None;
        }
        let meeting = &self.spans[before.len()];
        let rest = meeting.text.strip_prefix(last.text.as_str())?;
        if meeting.style != last.style || meeting.link != last.link {
            return None;
        }
        let mut after = StyledLine::new();
        after.push_link(meeting.style, meeting.link.as_deref(), rest);
        after.spans.extend_from_slice(&self.spans[before.len() + 1..]);
        Some(after)
    }

    /// Returns the rest of the line after `text`, if the line begins with it in any look.
    pub(super) fn skip_text(&self, text: &str) -> Option<StyledLine> {
        let mut rest = text;
        let mut after = StyledLine::new();
        for span in &self.spans {
            let common = rest.len().min(span.text.len());
            if rest.as_bytes()[..common] != span.text.as_bytes()[..common] {
                return None;
            }
            after.push_link(span.style, span.link.as_deref(), &span.text[common..]);
            rest = &rest[common..];
        }
        rest.is_empty().then_some(after)
    }

    /// Cuts the line so that it takes at most `room` cells on every terminal.
    pub(super) fn clipped(&self, room: usize, options: &RenderOptions) -> StyledLine {
        if width::widest(&self.text()) <= room {
            return self.clone();
        }
        let ellipsis = if options.unicode { "…" } else { "..." };
        let mut room = room.saturating_sub(width::cells(ellipsis));
        let mut clipped = StyledLine::new();
        for span in &self.spans {
            let kept = width::fit(&span.text, room);
            clipped.push_link(span.style, span.link.as_deref(), kept);
            if kept.len() < span.text.len() {
                break;
            }
            room = room.saturating_sub(width::widest(kept));
        }
        clipped.push(Look::MUTED, ellipsis);
        clipped
    }

    /// Writes the line, followed by a reset of all attributes.
    pub(super) fn write(&self, options: &RenderOptions, out: &mut Vec<u8>) {
        for span in &self.spans {
            let text = if options.unicode { span.text.clone() } else { super::ascii::ascii(&span.text) };
            let shown = match options.mode {
                super::TerminalMode::Dumb | super::TerminalMode::Reader => text,
                super::TerminalMode::Terminal => {
                    let painted = options.theme.style(span.style).paint(&text, options.colour);
                    match span.link.as_deref().filter(|_| options.hyperlinks) {
                        Some(url) => ansi::link(url, &painted),
                        None => painted,
                    }
                }
            };
            out.extend_from_slice(shown.as_bytes());
        }
    }
}
