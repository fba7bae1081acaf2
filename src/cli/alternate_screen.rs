//! The alternate screen, for lists and texts that use the whole window.

use std::io::{self, Write};

/// The alternate screen without a cursor and without wrapping, and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &[u8] = b"\x1b[?7h\x1b[?25h\x1b[?1049l";

/// The alternate screen. The screen before it is restored when this is dropped.
pub(super) struct AlternateScreen<'a, W: Write> {
    pub(super) out: &'a mut W,
}

impl<'a, W: Write> AlternateScreen<'a, W> {
    pub(super) fn enter(out: &'a mut W) -> io::Result<AlternateScreen<'a, W>> {
        out.write_all(ENTER)?;
        Ok(AlternateScreen { out })
    }

    /// Draws these rows in place of the ones before.
    pub(super) fn draw(&mut self, rows: &[String], is_synchronized: bool) -> io::Result<()> {
        let (begin, end) = if is_synchronized { ("\x1b[?2026h", "\x1b[?2026l") } else { ("", "") };
        let lines: Vec<String> = rows.iter().map(|line| format!("\x1b[0m\x1b[K{line}")).collect();
        self.out.write_all(format!("{begin}\x1b[H{}\x1b[0m\x1b[J{end}", lines.join("\r\n")).as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Drop for AlternateScreen<'_, W> {
    fn drop(&mut self) {
        let _ = self.out.write_all(LEAVE).and_then(|()| self.out.flush());
    }
}
