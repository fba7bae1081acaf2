//! Raw bytes as the terminal showed them.

mod screen;
mod strainer;
mod typewriter;

use std::num::NonZeroU16;

use crate::text::without_titles;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub rows: NonZeroU16,
    pub cols: NonZeroU16,
}

impl Size {
    /// What a terminal says of itself; one that does not know is taken for 80×24.
    pub(crate) fn new(rows: u16, cols: u16) -> Size {
        const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
        const COLS: NonZeroU16 = NonZeroU16::new(80).unwrap();
        Size { rows: NonZeroU16::new(rows).unwrap_or(ROWS), cols: NonZeroU16::new(cols).unwrap_or(COLS) }
    }
}

/// The sizes a screen is modelled at. Below two a wide character has no place and vt100 knows no wrapping; above, a terminal
/// that lies about its size would cost gigabytes.
const ROWS: (u16, u16) = (2, 500);
const COLS: (u16, u16) = (2, 1000);

/// Turns output into the text a terminal of this size was left with, scrolled-off lines first.
///
/// Lines the terminal wrapped are whole again; trailing blanks and trailing empty lines are gone, and so is what was erased,
/// overwritten or drawn on the alternate screen.
pub(crate) fn render(bytes: &[u8], size: Size) -> String {
    let size = Size { rows: clamp(size.rows, ROWS), cols: clamp(size.cols, COLS) };
    let bytes = &without_titles(bytes);
    typewriter::render(bytes, size).unwrap_or_else(|| screen::render(bytes, size))
}

fn clamp(extent: NonZeroU16, (least, most): (u16, u16)) -> NonZeroU16 {
    NonZeroU16::new(extent.get().clamp(least, most)).unwrap_or(extent)
}

#[cfg(test)]
mod tests;
