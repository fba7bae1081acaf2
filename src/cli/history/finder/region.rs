//! The rows of the screen that the finder uses. They are erased at its end.

use std::io::{self, Write};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::tty::Tty;

/// Where the finder begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli::history) enum RegionStart {
    /// In the row of the cursor, which is empty.
    Here,
    /// In the row below the cursor, because a prompt is in this one.
    Below,
}

/// The terminal as a writer that waits until it accepts all bytes.
pub(super) struct TtyWriter<'a>(pub(super) &'a Tty);

impl Write for TtyWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut waited = [PollFd::new(std::os::fd::AsFd::as_fd(self.0), PollFlags::POLLOUT)];
                    // An interrupted wait is repeated; if the terminal is gone, the next write fails.
                    let _ = poll(&mut waited, PollTimeout::from(1000_u16));
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The rows of the finder. Dropping them erases them and puts the cursor back where it was.
///
/// While it is open, the cursor is in the first row. A terminal that rewraps its text after a resize moves the cursor with this row, so
/// the region is found again.
pub(super) struct FinderRegion<W: Write> {
    out: W,
    start: RegionStart,
    /// The column of the cursor.
    cursor: usize,
    is_resized: bool,
}

impl<W: Write> FinderRegion<W> {
    pub(super) fn open(mut out: W, start: RegionStart, rows: usize) -> io::Result<FinderRegion<W>> {
        if start == RegionStart::Below {
            // The line feeds make room, and keep the column in raw mode.
            let line_feeds = "\n".repeat(rows);
            out.write_all(format!("{line_feeds}\x1b[{rows}A\x1b7\n\r").as_bytes())?;
        }
        let mut region = FinderRegion { out, start, cursor: 0, is_resized: false };
        region.make_room(rows)?;
        Ok(region)
    }

    fn make_room(&mut self, rows: usize) -> io::Result<()> {
        let below = rows.saturating_sub(1).max(1);
        self.out.write_all(format!("\r\x1b[J{}\x1b[{below}A", "\n".repeat(below)).as_bytes())
    }

    /// Draws rows in place of the earlier ones.
    pub(super) fn draw(&mut self, rows: &[Vec<u8>], cursor: usize, is_synchronized: bool) -> io::Result<()> {
        let (begin, end) = if is_synchronized { ("\x1b[?2026h", "\x1b[?2026l") } else { ("", "") };
        let mut frame = format!("{begin}\x1b[?25l\r").into_bytes();
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                frame.extend_from_slice(b"\r\n");
            }
            frame.extend_from_slice(row);
            frame.extend_from_slice(b"\x1b[0m\x1b[K");
        }
        frame.extend_from_slice(b"\x1b[J\r");
        if rows.len() > 1 {
            frame.extend_from_slice(format!("\x1b[{}A", rows.len() - 1).as_bytes());
        }
        if cursor > 0 {
            frame.extend_from_slice(format!("\x1b[{cursor}C").as_bytes());
        }
        frame.extend_from_slice(format!("\x1b[?25h{end}").as_bytes());
        self.cursor = cursor;
        self.out.write_all(&frame)
    }

    /// The window has a new size. The terminal may have rewrapped the rows, so they are erased.
    pub(super) fn resized(&mut self, columns: u16, rows: usize) -> io::Result<()> {
        let wrapped = self.cursor / usize::from(columns.max(1));
        if wrapped > 0 {
            self.out.write_all(format!("\x1b[{wrapped}A").as_bytes())?;
        }
        (self.cursor, self.is_resized) = (0, true);
        self.make_room(rows)
    }

    pub(super) fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

impl<W: Write> Drop for FinderRegion<W> {
    fn drop(&mut self) {
        let back = match (self.start, self.is_resized) {
            (RegionStart::Here, _) => "",
            (RegionStart::Below, false) => "\x1b8",
            // The saved position is no longer right.
            (RegionStart::Below, true) => "\x1b[A",
        };
        let _ = self.out.write_all(format!("\r\x1b[J{back}\x1b[?25h").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    fn terminal(before: &str) -> vt100::Parser {
        let cells = |count| NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(cells(6), cells(20), 100);
        terminal.process(before.as_bytes());
        terminal
    }

    #[test]
    fn the_screen_is_as_before_wherever_the_cursor_was() {
        for (before, start) in [
            ("$ find\r\n", RegionStart::Here),
            ("1\r\n2\r\n3\r\n4\r\n5\r\n", RegionStart::Here),
            ("$ git", RegionStart::Below),
            ("1\r\n2\r\n3\r\n4\r\n5\r\n$ git lo", RegionStart::Below),
        ] {
            let mut terminal = terminal(before);
            let (text, column) = (terminal.screen().contents(), terminal.screen().cursor_position().1);
            let mut out = Vec::new();
            let mut region = FinderRegion::open(&mut out, start, 4).unwrap();
            for word in ["one", "two"] {
                let rows: Vec<Vec<u8>> = (0..4).map(|row| format!("{word} {row}").into_bytes()).collect();
                region.draw(&rows, 3, true).unwrap();
            }
            let opened = region.out().clone();
            drop(region);
            terminal.process(&opened);
            let open = terminal.screen().contents();
            assert!(open.ends_with("two 0\ntwo 1\ntwo 2\ntwo 3"), "{open}");
            assert!(open.contains(text.lines().last().unwrap()), "{open}");
            terminal.process(&out[opened.len()..]);
            let after = terminal.screen().contents();
            assert!(text.ends_with(after.trim_end()), "{before:?}: {after:?}");
            assert_eq!(terminal.screen().cursor_position().1, column);
        }
    }
}
