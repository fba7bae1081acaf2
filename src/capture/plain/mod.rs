//! Renders raw output as the text that the terminal showed.

mod pieces;
mod screen;
mod sheet;
mod strainer;
mod typewriter;

use std::io::{self, Read};
use std::num::NonZeroU16;
use std::ops::ControlFlow;

use crate::text::{MIB, without_titles};

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub rows: NonZeroU16,
    pub cols: NonZeroU16,
}

impl Size {
    /// The size that a terminal reports. A zero is replaced by the usual 80 columns or 24 rows.
    pub(crate) fn new(rows: u16, cols: u16) -> Size {
        const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
        const COLS: NonZeroU16 = NonZeroU16::new(80).unwrap();
        Size { rows: NonZeroU16::new(rows).unwrap_or(ROWS), cols: NonZeroU16::new(cols).unwrap_or(COLS) }
    }
}

/// Limits of a modelled screen. With fewer than two columns a wide character does not fit, and vt100 does not wrap. A terminal
/// that reports a huge size would cost gigabytes.
const ROWS: (u16, u16) = (2, 500);
const COLS: (u16, u16) = (2, 1000);

/// Output up to this size is rendered in memory, in one pass instead of up to three.
const IN_MEMORY: usize = MIB;

/// Hands out all bytes from the start, in pieces, until the visitor stops.
type ByteSource<'a> = dyn Fn(&mut ByteVisitor<'_>) -> io::Result<ControlFlow<()>> + 'a;
type ByteVisitor<'a> = dyn FnMut(&[u8]) -> ControlFlow<()> + 'a;

/// Turns output into the text that is left on a terminal of this size, with the lines that have scrolled off in front.
///
/// Lines that the terminal wrapped are joined again. Trailing blanks and empty lines at the end are left out, and so is text that
/// was erased, overwritten or drawn on the alternate screen.
pub(crate) fn render(bytes: &[u8], size: Size) -> String {
    let size = drawable(size);
    let bytes = &without_titles(bytes);
    one_line_at_a_time(bytes, size).unwrap_or_else(|| on_a_screen(bytes, size))
}

/// Renders one line at a time; `None` if the output needs a whole screen.
fn one_line_at_a_time(bytes: &[u8], size: Size) -> Option<String> {
    let mut text = String::new();
    let drawn = typewriter::render(&|visit| Ok(visit(bytes)), size, &mut |piece| {
        text.push_str(piece);
        Ok(())
    });
    // Reading from memory and writing to it cannot fail.
    drawn.is_ok_and(|drawn| drawn.is_continue()).then_some(text)
}

fn on_a_screen(bytes: &[u8], size: Size) -> String {
    let mut text = String::new();
    let _ = screen::render(&|visit| Ok(visit(bytes)), size, &mut |piece| {
        text.push_str(piece);
        Ok(())
    });
    text
}

/// Like `render` for output of any length, with a bounded amount of memory: `open` reads the output from its start, and `write`
/// gets the text piece by piece.
pub(super) fn stream<R: Read>(
    open: impl Fn() -> io::Result<R>,
    size: Size,
    write: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let mut beginning = Vec::new();
    open()?.take(IN_MEMORY as u64 + 1).read_to_end(&mut beginning)?;
    if beginning.len() <= IN_MEMORY {
        let text = render(&beginning, size);
        return if text.is_empty() { Ok(()) } else { write(&text) };
    }
    drop(beginning);
    stream_pieces(&|visit: &mut ByteVisitor<'_>| pieces::visit(open()?, pieces::LENGTH, visit), size, write)
}

/// Written text cannot be taken back, so a first pass finds out whether one line at a time is enough.
fn stream_pieces(bytes: &ByteSource<'_>, size: Size, write: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    let size = drawable(size);
    if typewriter::render(bytes, size, &mut |_| Ok(()))?.is_continue() {
        typewriter::render(bytes, size, write).map(|_| ())
    } else {
        screen::render(bytes, size, write)
    }
}

/// The nearest size at which a screen can be modelled.
fn drawable(size: Size) -> Size {
    Size { rows: clamp(size.rows, ROWS), cols: clamp(size.cols, COLS) }
}

fn clamp(extent: NonZeroU16, (least, most): (u16, u16)) -> NonZeroU16 {
    NonZeroU16::new(extent.get().clamp(least, most)).unwrap_or(extent)
}

#[cfg(test)]
mod tests;
