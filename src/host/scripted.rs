//! A shell for tests: a socket in place of its terminal, with the test at the other end.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::{Child, PtySize, Shell, ShellChange};

/// The session's end.
pub(crate) struct ScriptedShell {
    stream: UnixStream,
    state: Rc<RefCell<ScriptedState>>,
}

/// The test's end, where the shell's side of the script is written.
pub(crate) struct ScriptHandle {
    stream: UnixStream,
    state: Rc<RefCell<ScriptedState>>,
}

#[derive(Debug, Default)]
struct ScriptedState {
    /// The program that has the shell's terminal, if the shell itself has not.
    program: Option<Pid>,
    edits_lines: bool,
    signals: Vec<Signal>,
    sizes: Vec<(u16, u16)>,
}

impl ScriptedShell {
    pub(crate) fn new() -> (ScriptedShell, ScriptHandle) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        theirs.set_nonblocking(true).unwrap();
        let state = Rc::default();
        (ScriptedShell { stream: ours, state: Rc::clone(&state) }, ScriptHandle { stream: theirs, state })
    }
}

impl ScriptHandle {
    pub(crate) fn prints(&self, bytes: &[u8]) {
        (&self.stream).write_all(bytes).unwrap();
    }

    /// What the shell was sent since this was last asked.
    pub(crate) fn reads(&self) -> Vec<u8> {
        let mut sent = Vec::new();
        let _ = (&self.stream).read_to_end(&mut sent);
        sent
    }

    /// A program of the shell's gets the terminal.
    pub(crate) fn runs_program(&self, program: Pid) {
        self.state.borrow_mut().program = Some(program);
    }

    pub(crate) fn edits_lines(&self, edits: bool) {
        self.state.borrow_mut().edits_lines = edits;
    }

    pub(crate) fn signals(&self) -> Vec<Signal> {
        std::mem::take(&mut self.state.borrow_mut().signals)
    }

    /// The sizes that the shell's terminal was given, as rows and columns.
    pub(crate) fn sizes(&self) -> Vec<(u16, u16)> {
        std::mem::take(&mut self.state.borrow_mut().sizes)
    }
}

impl Shell for ScriptedShell {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.stream).read(buffer)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.stream).write(bytes)
    }

    fn take_back(&self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn resize(&self, size: PtySize) {
        self.state.borrow_mut().sizes.push((size.rows, size.cols));
    }

    fn terminal_name(&self) -> Option<PathBuf> {
        None
    }

    fn foreground(&self) -> Option<Pid> {
        self.state.borrow().program.or(Some(Pid::this()))
    }

    fn edits_lines_itself(&self) -> bool {
        self.state.borrow().edits_lines
    }

    fn lend_terminal(&mut self) {}

    fn reclaim_terminal(&mut self) {}

    /// This process, whose directory is as good as another.
    fn child(&self) -> Child {
        Child::new(Pid::this())
    }

    fn check(&self) -> ShellChange {
        ShellChange::None
    }

    fn signal(&self, signal: Signal) {
        self.state.borrow_mut().signals.push(signal);
    }

    fn signal_foreground(&self, signal: Signal) {
        self.signal(signal);
    }
}

impl AsFd for ScriptedShell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
