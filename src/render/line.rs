//! A logical line: styled text without a break, wrapped by the terminal alone.

use crate::text::style::RESET;
use crate::text::{Alphabet, Piece, sanitize, spell_line, width};

use super::Options;
use super::look::Look;

/// A piece of a line with one look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) style: Look,
    /// Where it leads, already found safe.
    pub(super) link: Option<String>,
    pub(super) text: String,
}

/// Spans next to each other always differ in look, so two lines that look alike are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) spans: Vec<Span>,
}

/// Enough to keep code readable; a real tab would move by a distance that depends on where it is.
const TAB: &str = "    ";

/// The characters that a terminal can show.
pub(super) fn alphabet(options: &Options) -> Alphabet {
    if options.unicode { Alphabet::Unicode } else { Alphabet::Ascii }
}

impl Line {
    pub(super) fn new() -> Line {
        Line::default()
    }

    pub(super) fn of(style: Look, text: &str) -> Line {
        Line::new().with(style, text)
    }

    pub(super) fn with(mut self, style: Look, text: &str) -> Line {
        self.push(style, text);
        self
    }

    /// Appends text of any origin; nothing in it can steer the terminal.
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

    /// Appends text of which every character counts: what cannot be seen is spelled out.
    pub(super) fn push_spelled(&mut self, style: Look, text: &str, options: &Options) {
        self.push_pieces(style, &spell_line(text, alphabet(options)));
    }

    pub(super) fn push_pieces(&mut self, style: Look, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Plain(text) => self.push(style, text),
                Piece::Sign(sign) => self.push(Look { reverse: true, ..Look::WARNING }, sign),
            }
        }
    }

    pub(super) fn append(&mut self, other: &Line) {
        for span in &other.spans {
            self.push_link(span.style, span.link.as_deref(), &span.text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(super) fn cells(&self) -> usize {
        width::cells(&self.text())
    }

    /// Cuts the line behind its last blank.
    pub(super) fn drop_last_word(&mut self) {
        while let Some(last) = self.spans.last_mut() {
            let kept = last.text.rfind(' ').map_or(0, |blank| blank + 1);
            last.text.truncate(kept);
            if kept > 0 {
                return;
            }
            self.spans.pop();
        }
    }

    /// Returns what follows `beginning`, if the line begins with it.
    pub(super) fn after(&self, beginning: &Line) -> Option<Line> {
        let Some((last, before)) = beginning.spans.split_last() else { return Some(self.clone()) };
        if self.spans.len() < beginning.spans.len() || self.spans[..before.len()] != *before {
            return None;
        }
        let meeting = &self.spans[before.len()];
        let rest = meeting.text.strip_prefix(last.text.as_str())?;
        if meeting.style != last.style || meeting.link != last.link {
            return None;
        }
        let mut after = Line::new();
        after.push_link(meeting.style, meeting.link.as_deref(), rest);
        after.spans.extend_from_slice(&self.spans[before.len() + 1..]);
        Some(after)
    }

    /// Returns what follows `text`, if the line begins with it in whatever look.
    pub(super) fn skip_text(&self, text: &str) -> Option<Line> {
        let mut rest = text;
        let mut after = Line::new();
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
    pub(super) fn clipped(&self, room: usize, options: &Options) -> Line {
        if width::widest(&self.text()) <= room {
            return self.clone();
        }
        let ellipsis = if options.unicode { "…" } else { "..." };
        let mut room = room.saturating_sub(width::cells(ellipsis));
        let mut clipped = Line::new();
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

    /// Writes the bytes; the terminal is left in a plain state.
    pub(super) fn write(&self, options: &Options, out: &mut Vec<u8>) {
        for span in &self.spans {
            let escapes = options.mode == super::Mode::Terminal;
            let style = options.theme.style(span.style);
            let sgr = if escapes { style.sgr(options.colour) } else { String::new() };
            let link = span.link.as_deref().filter(|_| escapes && options.hyperlinks);
            if let Some(url) = link {
                out.extend_from_slice(format!("\x1b]8;;{url}\x1b\\").as_bytes());
            }
            out.extend_from_slice(sgr.as_bytes());
            if options.unicode {
                out.extend_from_slice(span.text.as_bytes());
            } else {
                out.extend_from_slice(super::ascii::ascii(&span.text).as_bytes());
            }
            if !sgr.is_empty() {
                out.extend_from_slice(RESET.as_bytes());
            }
            if link.is_some() {
                out.extend_from_slice(b"\x1b]8;;\x1b\\");
            }
        }
    }
}
