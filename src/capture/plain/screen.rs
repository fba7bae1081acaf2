//! Renders output on a whole screen, for programs that move the cursor between lines.

use super::sheet::Sheet;
use super::strainer::{Strainer, StreamPiece};
use super::{ByteSource, Size};
use std::io;
use std::ops::ControlFlow::{Break, Continue};
use unicode_width::UnicodeWidthChar;
use vt100::capture::{BasicFormattedCaptureState, RowContents};

/// Characters that vt100 gets under another code point, which no program prints. vt100 drops U+FFFD. At U+FE0F, which widens the
/// symbol before it, vt100 may access a column after the last one.
const ALIASES: [(char, char); 2] = [('\u{FFFD}', '\u{FDD0}'), ('\u{FE0F}', '\u{E01EF}')];

/// Draws the bytes. Writes each line that scrolls off, and at the end the screen.
pub(super) fn render(
    bytes: &ByteSource<'_>,
    size: Size,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let lines = ScrolledLines::new(size, Sheet::new(erasures(bytes)?, write));
    let mut screen = ReplayedScreen { parser: vt100::Parser::new_with_callbacks(size.rows, size.cols, 0, lines) };
    let mut strainer = Strainer::default();
    let _ = bytes(&mut |bytes| {
        strainer.feed(bytes, &mut |piece| {
            screen.draw(piece);
            if screen.parser.callbacks().sheet.has_failed() { Break(()) } else { Continue(()) }
        })
    })?;
    screen.finish()
}

/// How often the lines that scrolled off are erased.
fn erasures(bytes: &ByteSource<'_>) -> io::Result<usize> {
    let mut strainer = Strainer::default();
    let mut erasures = 0;
    let _ = bytes(&mut |bytes| {
        strainer.feed(bytes, &mut |piece| {
            erasures += usize::from(matches!(piece, StreamPiece::Control(b"3" | b"?3", b'J')));
            Continue(())
        })
    })?;
    Ok(erasures)
}

struct ReplayedScreen<'a> {
    parser: vt100::Parser<ScrolledLines<'a>>,
}

impl ReplayedScreen<'_> {
    fn draw(&mut self, piece: StreamPiece<'_>) {
        match piece {
            StreamPiece::Text(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                if text.contains(ALIASES.map(|(name, _)| name)) {
                    let text: String = text.chars().map(alias).collect();
                    self.parser.process(text.as_bytes());
                } else {
                    self.parser.process(text.as_bytes());
                }
            }
            StreamPiece::Escape(last @ (b'7' | b'8' | b'M' | b'c')) => self.parser.process(&[0x1b, last]),
            StreamPiece::Escape(b'D') => self.parser.process(b"\n"),
            StreamPiece::Escape(b'E') => self.parser.process(b"\r\n"),
            StreamPiece::Escape(_) => {}
            StreamPiece::Control(parameters, last) => self.control(parameters, last),
        }
    }

    /// Leaves out colours, and translates sequences that vt100 does not know into ones that it knows.
    fn control(&mut self, parameters: &[u8], last: u8) {
        match (parameters, last) {
            (b"3" | b"?3", b'J') => self.parser.callbacks_mut().forget(),
            (b"", b's') => self.parser.process(b"\x1b7"),
            (b"", b'u') => self.parser.process(b"\x1b8"),
            (_, b'a') => self.process(parameters, b'C'),
            (_, b'e') => self.process(parameters, b'B'),
            (_, b'b') => {
                // A character is repeated only to the end of its line; a larger count would print gigabytes.
                let line = self.parser.screen().size().1.get();
                let count = repetitions(parameters).min(line);
                self.process(count.to_string().as_bytes(), b'b');
            }
            ([b'?', ..], b'h' | b'l' | b'J' | b'K')
            | (
                [] | [b'0'..=b'9' | b';', ..],
                b'@' | b'A'..=b'H' | b'J'..=b'M' | b'P' | b'S' | b'T' | b'X' | b'`' | b'd' | b'f' | b'r',
            ) => self.process(parameters, last),
            _ => {}
        }
    }

    fn process(&mut self, parameters: &[u8], last: u8) {
        self.parser.process(b"\x1b[");
        self.parser.process(parameters);
        self.parser.process(&[last]);
    }

    /// Scrolls the rest of the screen off at the top, so that all rows are written in the same way.
    fn finish(mut self) -> io::Result<()> {
        self.parser.process(b"\x1b[r\x1b[65535S");
        self.parser.callbacks_mut().sheet.finish()
    }
}

fn alias(c: char) -> char {
    ALIASES.iter().find(|(name, _)| *name == c).map_or(c, |(_, alias)| *alias)
}

fn unalias(c: char) -> char {
    ALIASES.iter().find(|(_, alias)| *alias == c).map_or(c, |(name, _)| *name)
}

fn repetitions(digits: &[u8]) -> u16 {
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    digits.parse().unwrap_or(if digits.is_empty() { 1 } else { u16::MAX }).max(1)
}

/// Writes rows as they leave the screen at the top.
struct ScrolledLines<'a> {
    cols: usize,
    sheet: Sheet<'a>,
    /// The row that scrolled off last.
    row: String,
    state: BasicFormattedCaptureState,
    scratch: String,
}

impl<'a> ScrolledLines<'a> {
    fn new(size: Size, sheet: Sheet<'a>) -> Self {
        Self {
            cols: usize::from(size.cols.get()),
            sheet,
            row: String::new(),
            state: BasicFormattedCaptureState::new(),
            scratch: String::new(),
        }
    }

    fn forget(&mut self) {
        self.sheet.erase();
        self.row.clear();
        self.state = BasicFormattedCaptureState::new();
    }

    /// Whether the next row starts with a wide character that did not fit into the last column. vt100 does not report that as
    /// wrapping.
    fn wide_wrapped(&self, next: &str) -> bool {
        let is_wide = |c: char| c.width() > Some(1);
        next.starts_with(is_wide)
            && self.row.chars().map(|c| c.width().unwrap_or(0).min(2)).sum::<usize>() + 1 == self.cols
    }
}

impl vt100::Callbacks for ScrolledLines<'_> {
    fn on_scroll(&mut self, contents: RowContents<'_>, _alternate_screen: bool) {
        let mut row = std::mem::take(&mut self.scratch);
        row.clear();
        // Writing to a string cannot fail.
        let _ = contents.write_formatted_basic(&mut row, &mut self.state);
        // Whether a row was wrapped is known only from the newline in front of the next row.
        let shown = match row.strip_prefix('\n') {
            Some(shown) if !self.wide_wrapped(shown) => {
                self.sheet.end_line();
                shown
            }
            joined => joined.unwrap_or(&row),
        };
        self.sheet.push(shown.chars().map(unalias));
        self.row.clear();
        self.row.push_str(shown);
        self.scratch = row;
    }
}
