//! shellmate's side (the master) of the pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nix::fcntl::OFlag;
use nix::sys::termios::{InputFlags, LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, tcgetpgrp};
use portable_pty::MasterPty;
pub(crate) use portable_pty::PtySize;

/// Moves bytes to and from the shell. Closing it sends SIGHUP to the shell.
pub(crate) struct Pty {
    master: Box<dyn MasterPty + Send>,
    file: File,
}

impl Pty {
    /// `file` is a non-blocking descriptor of the same master.
    pub(super) fn new(master: Box<dyn MasterPty + Send>, file: File) -> Pty {
        Pty { master, file }
    }

    /// Reads the output of the shell and its programs. Returns 0 when no process has the other side open, and `WouldBlock` when there is
    /// no output.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match (&self.file).read(buffer) {
            // Linux returns EIO once no process has the other side open.
            Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(0),
            other => other,
        }
    }

    /// Writes as many bytes as the pty takes without blocking, or returns `WouldBlock` if it takes none.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    /// Reads back the bytes that were written and that no program has read yet. The terminal's queue holds a few KiB at most.
    pub(crate) fn take_back(&self) -> io::Result<Vec<u8>> {
        let name = self.name().ok_or(io::ErrorKind::NotFound)?;
        let flags = (OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits();
        let mut side = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name)?;
        let settings = tcgetattr(&side)?;
        // In canonical mode the terminal returns only whole lines.
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

    /// Sets the size of the pty. The kernel then sends SIGWINCH to the foreground process group.
    pub(crate) fn resize(&self, size: PtySize) {
        if let Err(error) = self.master.resize(size) {
            tracing::debug!(%error, "cannot resize the pty");
        }
    }

    /// The path of the shell's side of the pty.
    pub(crate) fn name(&self) -> Option<PathBuf> {
        self.master.tty_name()
    }

    /// The foreground process group: the shell's own at its prompt, a job's while the job runs.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.file).ok()
    }

    /// Restores the terminal settings that the shell was started with, for a program to run, and returns the settings before. Changes made
    /// with `stty` that line editors preserve are kept: flow control, output flags, speed and character size.
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

    /// Changes the terminal settings of the pty.
    pub(crate) fn set(&self, settings: &Termios) {
        if let Err(error) = tcsetattr(&self.file, SetArg::TCSANOW, settings) {
            tracing::debug!(%error, "cannot change the pty's settings");
        }
    }

    /// Whether a program reads keys one by one, as a line editor does.
    pub(crate) fn edits_lines_itself(&self) -> bool {
        tcgetattr(&self.file).is_ok_and(|settings| !settings.local_flags.contains(LocalFlags::ICANON))
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
