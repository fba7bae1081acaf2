//! The terminal as the session uses it, so that a test can put another in its place.

use std::io;
use std::os::fd::AsFd;

use super::{Tty, WindowSize};

/// A terminal that keys come from and bytes are shown on. `Tty` is the real one.
pub(crate) trait Terminal: AsFd {
    /// Reads keys; 0 when the terminal is gone, `WouldBlock` when there are none.
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes what fits right now; `WouldBlock` when nothing does.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    fn size(&self) -> WindowSize;

    /// Whether more keys can be read without waiting.
    fn has_more(&self) -> bool;

    /// From here on every key comes to us unprocessed.
    fn enter_raw(&self) -> io::Result<()>;

    /// Puts the settings back that the terminal had before.
    fn leave_raw(&self);
}

impl Terminal for Tty {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Tty::read(self, buffer)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Tty::write(self, bytes)
    }

    fn size(&self) -> WindowSize {
        Tty::size(self)
    }

    fn has_more(&self) -> bool {
        Tty::has_more(self)
    }

    fn enter_raw(&self) -> io::Result<()> {
        Tty::enter_raw(self)
    }

    fn leave_raw(&self) {
        Tty::leave_raw(self);
    }
}
