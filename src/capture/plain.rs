//! Raw bytes as the terminal showed them.

mod strainer;

use memchr::memchr_iter;
use std::num::NonZeroU16;
use strainer::Strainer;
use unicode_width::UnicodeWidthChar;
use vt100::capture::{BasicFormattedCaptureState, RowContents};

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub rows: NonZeroU16,
    pub cols: NonZeroU16,
}

impl Size {
    /// What a terminal says of itself; one that does not know is taken for 80×24.
    pub fn new(rows: u16, cols: u16) -> Size {
        const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
        const COLS: NonZeroU16 = NonZeroU16::new(80).unwrap();
        Size { rows: NonZeroU16::new(rows).unwrap_or(ROWS), cols: NonZeroU16::new(cols).unwrap_or(COLS) }
    }
}

/// The sizes a screen is modelled at. Below two a wide character has no place and vt100 knows no wrapping; above, a terminal
/// that lies about its size would cost gigabytes.
const ROWS: (u16, u16) = (2, 500);
const COLS: (u16, u16) = (2, 1000);

/// Stands in for U+FFFD on its way through vt100, which drops that one; a noncharacter that no program prints.
const REPLACEMENT: char = '\u{FDD0}';

/// Turns output into the text a terminal of this size was left with, scrolled-off lines first.
///
/// Lines the terminal wrapped are whole again; trailing blanks and trailing empty lines are gone, and so is what was erased,
/// overwritten or drawn on the alternate screen.
pub fn render(bytes: &[u8], size: Size) -> String {
    let size = Size { rows: clamp(size.rows, ROWS), cols: clamp(size.cols, COLS) };
    typewritten(bytes, size.cols).unwrap_or_else(|| on_screen(bytes, size))
}

fn clamp(extent: NonZeroU16, (least, most): (u16, u16)) -> NonZeroU16 {
    NonZeroU16::new(extent.get().clamp(least, most)).unwrap_or(extent)
}

/// Renders what a typewriter could have printed: ASCII lines. `None` if there is anything else.
fn typewritten(bytes: &[u8], cols: NonZeroU16) -> Option<String> {
    let mut text = String::with_capacity(bytes.len());
    let mut start = 0;
    for newline in memchr_iter(b'\n', bytes) {
        let line = bytes[start..newline].strip_suffix(b"\r")?;
        type_line(&mut text, line, usize::from(cols.get()))?;
        text.push('\n');
        start = newline + 1;
    }
    type_line(&mut text, &bytes[start..], usize::from(cols.get()))?;
    text.truncate(text.trim_end_matches('\n').len());
    Some(text)
}

fn type_line(text: &mut String, line: &[u8], cols: usize) -> Option<()> {
    let start = text.len();
    if line.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        text.push_str(std::str::from_utf8(line).ok()?);
    } else {
        for &byte in line {
            match byte {
                b' '..=b'~' => text.push(char::from(byte)),
                b'\t' => text.extend(std::iter::repeat_n(' ', 8 - (text.len() - start) % 8)),
                _ => return None,
            }
        }
        // Tabs stop at the right edge instead of wrapping.
        if text.len() - start >= cols {
            return None;
        }
    }
    trim_blanks(text, start);
    Some(())
}

fn on_screen(bytes: &[u8], size: Size) -> String {
    let mut strainer = Strainer::new(vt100::Parser::new_with_callbacks(size.rows, size.cols, 0, Lines::new(size.cols)));
    strainer.feed(bytes);
    let mut lines = strainer.finish();
    lines.end_line();
    let text = lines.text.trim_end_matches('\n');
    if text.contains(REPLACEMENT) { text.replace(REPLACEMENT, "\u{FFFD}") } else { text.to_owned() }
}

fn trim_blanks(text: &mut String, from: usize) {
    let length = text[from..].trim_end_matches(' ').len();
    text.truncate(from + length);
}

/// Collects rows as they leave the screen at the top.
struct Lines {
    cols: usize,
    text: String,
    /// Where the last row begins in `text`.
    row: usize,
    /// Where the line of the last row begins.
    line: usize,
    state: BasicFormattedCaptureState,
    scratch: String,
}

impl Lines {
    fn new(cols: NonZeroU16) -> Self {
        Self {
            cols: usize::from(cols.get()),
            text: String::new(),
            row: 0,
            line: 0,
            state: BasicFormattedCaptureState::new(),
            scratch: String::new(),
        }
    }

    fn forget(&mut self) {
        self.text.clear();
        self.state = BasicFormattedCaptureState::new();
        (self.row, self.line) = (0, 0);
    }

    fn end_line(&mut self) {
        trim_blanks(&mut self.text, self.line);
    }

    /// Whether a wide character that did not fit into the last column began the next row. vt100 does not call that wrapping.
    fn wide_wrapped(&self, next: &str) -> bool {
        let is_wide = |c: char| c.width() > Some(1);
        next.starts_with(is_wide)
            && self.text[self.row..].chars().map(|c| c.width().unwrap_or(0).min(2)).sum::<usize>() + 1 == self.cols
    }
}

impl vt100::Callbacks for Lines {
    fn on_scroll(&mut self, contents: RowContents<'_>, _alternate_screen: bool) {
        let mut row = std::mem::take(&mut self.scratch);
        row.clear();
        // Writing to a string cannot fail.
        let _ = contents.write_formatted_basic(&mut row, &mut self.state);
        // A row says whether it is wrapped only by the newline before the next one.
        match row.strip_prefix('\n') {
            Some(row) if !self.wide_wrapped(row) => {
                self.end_line();
                self.text.push('\n');
                self.row = self.text.len();
                self.line = self.row;
                self.text.push_str(row);
            }
            joined => {
                self.row = self.text.len();
                self.text.push_str(joined.unwrap_or(&row));
            }
        }
        self.scratch = row;
    }
}

#[cfg(test)]
mod tests;
