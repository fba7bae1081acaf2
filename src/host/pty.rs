//! The companion's side of the pseudo-terminal.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::{Pid, tcgetpgrp};
use portable_pty::{MasterPty, PtySize};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Rows, columns and pixels.
pub type Size = PtySize;

/// Moves bytes to and from the shell. Closing it hangs the shell up.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    io: AsyncFd<File>,
}

impl Pty {
    /// `io` is the same open master, non-blocking.
    pub(super) fn new(master: Box<dyn MasterPty + Send>, io: AsyncFd<File>) -> Pty {
        Pty { master, io }
    }

    /// Reads what the shell and its programs print; 0 when nobody holds their side any more.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        gone_is_end(self.io.async_io(Interest::READABLE, |mut file| file.read(buffer)).await)
    }

    /// Reads what is there right now; `WouldBlock` when nothing is.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        gone_is_end(self.io.try_io(Interest::READABLE, |mut file| file.read(buffer)))
    }

    pub async fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.io.async_io(Interest::WRITABLE, |mut file| file.write(bytes)).await
    }

    /// Writes what fits right now; `WouldBlock` when nothing does.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.io.try_io(Interest::WRITABLE, |mut file| file.write(bytes))
    }

    /// Tells the shell's side its new size, which sends SIGWINCH to whoever is in front.
    pub fn resize(&self, size: Size) {
        if let Err(error) = self.master.resize(size) {
            tracing::debug!(%error, "the pty was not resized");
        }
    }

    /// The path of the shell's side.
    pub fn name(&self) -> Option<PathBuf> {
        self.master.tty_name()
    }

    /// The process group that owns the terminal: the shell's own at its prompt, a job's while one runs.
    pub fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(self.io.get_ref()).ok()
    }

    /// Whether somebody reads keys one by one, as a line editor does.
    pub fn edits_lines_itself(&self) -> bool {
        tcgetattr(self.io.get_ref()).is_ok_and(|settings| !settings.local_flags.contains(LocalFlags::ICANON))
    }
}

/// Linux says EIO on the master once the last holder of the other side is gone.
fn gone_is_end(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(0),
        other => other,
    }
}
