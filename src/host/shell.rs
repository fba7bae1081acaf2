//! The hosted shell as the session uses it, so that a test can put another in its place.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use nix::sys::signal::{Signal, killpg};
use nix::sys::termios::Termios;
use nix::unistd::Pid;

use super::{Child, Pty, PtySize, ShellChange};

/// A shell behind a terminal of its own. `HostedShell` is the real one.
pub(crate) trait Shell: AsFd {
    /// Reads what the shell and its programs print; 0 when nobody holds their side any more, `WouldBlock` when nothing is there.
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes what fits right now; `WouldBlock` when nothing does.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Takes back what was written and not read yet.
    fn take_back(&self) -> io::Result<Vec<u8>>;

    /// Tells the shell's side its new size.
    fn resize(&self, size: PtySize);

    /// The path of the shell's terminal.
    fn terminal_name(&self) -> Option<PathBuf>;

    /// The process group that owns the shell's terminal.
    fn foreground(&self) -> Option<Pid>;

    /// Whether somebody reads keys one by one, as a line editor does.
    fn edits_lines_itself(&self) -> bool;

    /// Gives a command the terminal with the settings it would find at the prompt.
    fn lend_terminal(&mut self);

    /// Gives the terminal back with the settings that the shell's line editor had made.
    fn reclaim_terminal(&mut self);

    /// The shell's process.
    fn child(&self) -> Child;

    fn check(&self) -> ShellChange {
        self.child().check()
    }

    /// Sends a signal to the shell alone.
    fn signal(&self, signal: Signal) {
        self.child().signal(signal);
    }

    /// Sends a signal to whoever is in front.
    fn signal_foreground(&self, signal: Signal) {
        if let Some(group) = self.foreground() {
            let _ = killpg(group, signal);
        }
    }

    /// Whether the shell itself owns its terminal: it is at its prompt, or runs a hook or a builtin.
    fn is_in_front(&self) -> bool {
        self.foreground() == Some(self.child().pid())
    }

    /// Whether the shell itself is in front and edits a line.
    fn edits_a_line(&self) -> bool {
        self.is_in_front() && self.edits_lines_itself()
    }
}

/// The real shell: its process and our side of its terminal.
pub(crate) struct HostedShell {
    pty: Pty,
    child: Child,
    /// The settings that its terminal had at the start.
    started_with: Termios,
    /// The settings of its line editor, while a command has the terminal.
    of_editor: Option<Termios>,
}

impl HostedShell {
    pub(super) fn new(pty: Pty, child: Child, started_with: Termios) -> HostedShell {
        HostedShell { pty, child, started_with, of_editor: None }
    }
}

impl Shell for HostedShell {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pty.read(buffer)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.pty.write(bytes)
    }

    fn take_back(&self) -> io::Result<Vec<u8>> {
        self.pty.take_back()
    }

    fn resize(&self, size: PtySize) {
        self.pty.resize(size);
    }

    fn terminal_name(&self) -> Option<PathBuf> {
        self.pty.name()
    }

    fn foreground(&self) -> Option<Pid> {
        self.pty.foreground()
    }

    fn edits_lines_itself(&self) -> bool {
        self.pty.edits_lines_itself()
    }

    fn lend_terminal(&mut self) {
        if self.of_editor.is_none() {
            self.of_editor = self.pty.lend(&self.started_with);
        }
    }

    fn reclaim_terminal(&mut self) {
        if let Some(settings) = self.of_editor.take() {
            self.pty.set(&settings);
        }
    }

    fn child(&self) -> Child {
        self.child
    }
}

impl AsFd for HostedShell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pty.as_fd()
    }
}
