//! The companion's side of the pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nix::fcntl::OFlag;
use nix::sys::termios::{InputFlags, LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, tcgetpgrp};
use portable_pty::{MasterPty, PtySize};

/// Rows, columns and pixels.
pub(crate) type Size = PtySize;

/// Moves bytes to and from the shell. Closing it hangs the shell up.
pub(crate) struct Pty {
    master: Box<dyn MasterPty + Send>,
    file: File,
}

impl Pty {
    /// `file` is the same open master, non-blocking.
    pub(super) fn new(master: Box<dyn MasterPty + Send>, file: File) -> Pty {
        Pty { master, file }
    }

    /// Reads what the shell and its programs print; 0 when nobody holds their side any more, `WouldBlock` when nothing is there.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match (&self.file).read(buffer) {
            // Linux says so on the master once the last holder of the other side is gone.
            Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(0),
            other => other,
        }
    }

    /// Writes what fits right now; `WouldBlock` when nothing does.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    /// Takes back what was written and nobody on the shell's side has read yet: what its terminal's queue holds, a few KiB at most.
    pub(crate) fn take_back(&self) -> io::Result<Vec<u8>> {
        let name = self.name().ok_or(io::ErrorKind::NotFound)?;
        let flags = (OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits();
        let mut side = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name)?;
        let settings = tcgetattr(&side)?;
        // A terminal that gathers lines hands over whole ones only.
        let mut by_bytes = settings.clone();
        by_bytes.local_flags.remove(LocalFlags::ICANON);
        tcsetattr(&side, SetArg::TCSANOW, &by_bytes)?;
        let mut taken = Vec::new();
        let read = side.read_to_end(&mut taken);
        tcsetattr(&side, SetArg::TCSANOW, &settings)?;
        match read {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            Ok(_) | Err(_) => Ok(taken),
        }
    }

    /// Tells the shell's side its new size, which sends SIGWINCH to whoever is in front.
    pub(crate) fn resize(&self, size: Size) {
        if let Err(error) = self.master.resize(size) {
            tracing::debug!(%error, "the pty was not resized");
        }
    }

    /// The path of the shell's side.
    pub(crate) fn name(&self) -> Option<PathBuf> {
        self.master.tty_name()
    }

    /// The process group that owns the terminal: the shell's own at its prompt, a job's while one runs.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.file).ok()
    }

    /// Sets the terminal as programs expect it, from the settings the shell was started with; returns those it had. What a person
    /// has changed with `stty` stays changed where a line editor keeps it: flow control, output, the line's speed and size of a byte.
    pub(crate) fn lend(&self, started_with: &Termios) -> Option<Termios> {
        let now = tcgetattr(&self.file).ok()?;
        let mut lent = started_with.clone();
        lent.output_flags = now.output_flags;
        lent.control_flags = now.control_flags;
        let flow = InputFlags::IXON | InputFlags::IXOFF | InputFlags::IXANY | InputFlags::IUTF8;
        lent.input_flags = (lent.input_flags - flow) | (now.input_flags & flow);
        self.set(&lent);
        Some(now)
    }

    /// Sets the shell's side of the terminal.
    pub(crate) fn set(&self, settings: &Termios) {
        if let Err(error) = tcsetattr(&self.file, SetArg::TCSANOW, settings) {
            tracing::debug!(%error, "the terminal was not set");
        }
    }

    /// Whether somebody reads keys one by one, as a line editor does.
    pub(crate) fn edits_lines_itself(&self) -> bool {
        tcgetattr(&self.file).is_ok_and(|settings| !settings.local_flags.contains(LocalFlags::ICANON))
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
