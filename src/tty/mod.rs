//! The user's real terminal. Its settings are always restored.
//!
//! The terminal is opened anew, because non-blocking mode on an inherited descriptor would affect other programs. It has one reader
//! and one writer. Dropping [`Tty`] restores the settings, during a panic too. This room does not use the shell's pseudo-terminal.

mod raw;
#[cfg(test)]
mod scripted;
mod secret;
mod terminal;

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{self, Termios};
use nix::unistd::{getpgrp, tcgetpgrp, ttyname};

use raw::window_size;

pub(crate) use raw::WindowSize;
#[cfg(test)]
pub(crate) use scripted::{Person, ScriptedTerminal};
pub(crate) use secret::{read_answer, read_secret, read_yes};
pub(crate) use terminal::Terminal;

/// Why the terminal cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TtyError {
    #[error("cannot open the terminal")]
    Open(#[source] io::Error),
    #[error("cannot read the terminal's settings")]
    Settings(#[source] io::Error),
}

/// Whether standard input, output and error are all a terminal, so that a shell started here would be interactive.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// The number of columns of standard output, or 80 if it is unknown.
pub(crate) fn width_of_stdout() -> usize {
    usize::from(size_of_stdout().cols)
}

/// The size of the terminal on standard output, or 80 × 24 if it is unknown.
pub(crate) fn size_of_stdout() -> WindowSize {
    size_of(io::stdout())
}

/// The size of a terminal, or 80 × 24 if it is unknown.
pub(crate) fn size_of(stream: impl AsFd) -> WindowSize {
    let size = window_size(stream.as_fd()).unwrap_or_default();
    if size.cols == 0 || size.rows == 0 {
        let cols = if size.cols == 0 { WindowSize::default().cols } else { size.cols };
        return WindowSize { cols, ..WindowSize::default() };
    }
    size
}

/// The path of the terminal on standard input.
pub(crate) fn name() -> Option<PathBuf> {
    ttyname(io::stdin()).ok()
}

/// Whether this process is in the foreground of its terminal. The kernel stops a background process that reads the terminal or
/// changes its settings.
pub(crate) fn is_in_foreground() -> bool {
    open_terminal().is_ok_and(|terminal| tcgetpgrp(&terminal).is_ok_and(|group| group == getpgrp()))
}

fn open_terminal() -> io::Result<File> {
    let open = |path: PathBuf| {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits())
            .open(path)
    };
    // Inside a container the named device may not exist, while `/dev/tty` can still be opened.
    let named = name().ok_or_else(|| io::ErrorKind::NotFound.into()).and_then(open);
    named.or_else(|_| open(PathBuf::from("/dev/tty")))
}

/// The terminal, opened anew. Its settings are restored when this is dropped.
pub(crate) struct Tty {
    file: File,
    original: Termios,
}

impl Tty {
    /// Opens the terminal and stores its settings. Changes nothing yet.
    pub(crate) fn open() -> Result<Tty, TtyError> {
        let file = open_terminal().map_err(TtyError::Open)?;
        let original = termios::tcgetattr(&file).map_err(|errno| TtyError::Settings(errno.into()))?;
        Ok(Tty { file, original })
    }

    /// The settings the terminal had when it was opened.
    pub(crate) fn settings(&self) -> &Termios {
        &self.original
    }

    /// Switches to raw mode, in which the kernel passes every key on unprocessed.
    pub(crate) fn enter_raw(&self) -> io::Result<()> {
        let mut raw = self.original.clone();
        termios::cfmakeraw(&mut raw);
        Ok(termios::tcsetattr(&self.file, termios::SetArg::TCSANOW, &raw)?)
    }

    /// Restores the settings. Errors are ignored: they mean that the terminal is gone.
    pub(crate) fn leave_raw(&self) {
        let _ = termios::tcsetattr(&self.file, termios::SetArg::TCSANOW, &self.original);
    }

    pub(crate) fn size(&self) -> WindowSize {
        window_size(self.file.as_fd()).unwrap_or_default()
    }

    /// Reads keys. Returns 0 if the terminal is gone, and `WouldBlock` if there are no keys.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.file).read(buffer)
    }

    /// Whether more keys can be read without waiting.
    pub(crate) fn has_more(&self) -> bool {
        self.has_keys_within(PollTimeout::ZERO)
    }

    /// Waits for keys. Returns whether there are some.
    pub(crate) fn has_keys_within(&self, patience: PollTimeout) -> bool {
        let mut waited = [PollFd::new(self.file.as_fd(), PollFlags::POLLIN)];
        poll(&mut waited, patience).is_ok_and(|count| count > 0)
    }

    /// Writes as many bytes as the terminal takes without blocking, or returns `WouldBlock` if it takes none.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.leave_raw();
    }
}
