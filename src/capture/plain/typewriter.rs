//! Renders output one line at a time, for programs that never move the cursor back to an earlier line.
//!
//! Most output is of this kind: text, colours, and progress that overwrites itself. One line at a time takes a fraction of the
//! time that a whole screen takes. It stops at every sequence that it could draw differently.

use super::sheet::Sheet;
use super::strainer::{Strainer, StreamPiece};
use super::{ByteSource, Size};
use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use unicode_width::UnicodeWidthChar;

/// How many characters of a wrapped line are kept.
const HELD: usize = 4096;

/// Renders one line at a time; stops if a whole screen is needed.
pub(super) fn render(
    bytes: &ByteSource<'_>,
    size: Size,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<ControlFlow<()>> {
    let mut typewriter = Typewriter {
        cols: usize::from(size.cols.get()),
        sheet: Sheet::new(0, write),
        line: Vec::new(),
        written: 0,
        at: 0,
    };
    let mut strainer = Strainer::default();
    let drawn = bytes(&mut |bytes| strainer.feed(bytes, &mut |piece| typewriter.draw(piece)))?;
    typewriter.end_line();
    typewriter.sheet.finish()?;
    Ok(drawn)
}

struct Typewriter<'a> {
    cols: usize,
    sheet: Sheet<'a>,
    /// The current line, without the part that has been written.
    line: Vec<char>,
    /// How many characters of the line have been written. A line that has wrapped can only get longer, so the part before the
    /// wrap is not kept.
    written: usize,
    /// The column of the next character. It is one past the last column until the next character wraps.
    at: usize,
}

impl Typewriter<'_> {
    fn draw(&mut self, piece: StreamPiece<'_>) -> ControlFlow<()> {
        if self.sheet.has_failed() {
            return Break(());
        }
        match piece {
            StreamPiece::Text(bytes) => self.text(bytes),
            StreamPiece::Escape(b'\\' | b'=' | b'>') | StreamPiece::Control(_, b'm') => Continue(()),
            StreamPiece::Escape(_) => Break(()),
            StreamPiece::Control(parameters, last) => self.control(parameters, last),
        }
    }

    fn text(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let text = String::from_utf8_lossy(bytes);
        let mut rest = &*text;
        while let Some(first) = rest.chars().next() {
            let plain = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')).unwrap_or(rest.len());
            if plain > 0 {
                self.print(rest[..plain].chars());
                rest = &rest[plain..];
                continue;
            }
            rest = &rest[first.len_utf8()..];
            match first {
                '\r' if rest.starts_with('\n') => self.at = 0,
                '\r' => self.go(0)?,
                '\n' if self.at == 0 => self.newline(),
                // In the column past the last one, the next character would wrap a second time.
                '\n' | '\x0b' | '\x0c' if self.at >= self.cols => return Break(()),
                '\n' | '\x0b' | '\x0c' => {
                    let at = self.at;
                    self.go(at)?;
                    self.newline();
                    self.at = at;
                }
                '\t' => self.go(((self.at / 8 + 1) * 8).min(self.cols - 1))?,
                '\x08' => self.go(self.at.saturating_sub(1))?,
                '\0'..='\x1f' | '\x7f'..='\u{9f}' => {}
                first if first.width() == Some(1) => self.print(std::iter::once(first)),
                _ => return Break(()),
            }
        }
        Continue(())
    }

    fn control(&mut self, parameters: &[u8], last: u8) -> ControlFlow<()> {
        let number = || std::str::from_utf8(parameters).ok().and_then(|digits| digits.parse::<usize>().ok());
        let count = if parameters.is_empty() { Some(1) } else { number().filter(|count| (1..10_000).contains(count)) };
        match (parameters, last, count) {
            // Modes of the cursor, pasting and the mouse. Not the origin mode, which moves the cursor.
            ([b'?', modes @ ..], b'h' | b'l', _) if !modes.split(|byte| *byte == b';').any(|mode| mode == b"6") => {
                Continue(())
            }
            (b"" | b"0", b'K', _) => {
                self.go(self.at)?;
                self.line.truncate(self.at);
                Continue(())
            }
            // In the column past the last one, this would also cancel the wrap of the next character.
            (b"1" | b"2", b'K', _) if self.at < self.cols => {
                self.go(self.at)?;
                let erased = if parameters == b"2" { self.line.len() } else { self.line.len().min(self.at + 1) };
                self.line[..erased].fill(' ');
                Continue(())
            }
            (_, b'C', Some(count)) => self.go((self.at + count).min(self.cols - 1)),
            (_, b'D', Some(count)) => self.go(self.at.saturating_sub(count)),
            (_, b'G', Some(column)) => self.go((column - 1).min(self.cols - 1)),
            _ => Break(()),
        }
    }

    /// Moves the cursor within the line. A wrapped line takes two rows, so moving back in it needs a whole screen.
    fn go(&mut self, at: usize) -> ControlFlow<()> {
        if self.written + self.line.len() > self.cols {
            return Break(());
        }
        self.at = at;
        Continue(())
    }

    fn print(&mut self, characters: impl Iterator<Item = char>) {
        if self.at >= self.written + self.line.len() {
            self.line.resize(self.at - self.written, ' ');
            self.line.extend(characters);
            self.at = self.written + self.line.len();
            if self.line.len() > self.cols.max(HELD) {
                self.end_line();
                self.written = self.at;
            }
            return;
        }
        for character in characters {
            match self.line.get_mut(self.at) {
                Some(cell) => *cell = character,
                None => self.line.push(character),
            }
            self.at += 1;
        }
    }

    fn newline(&mut self) {
        self.end_line();
        self.sheet.end_line();
        self.written = 0;
    }

    /// Writes the kept part of the line.
    fn end_line(&mut self) {
        self.sheet.push(self.line.drain(..));
    }
}
