//! A terminal for tests: one end is the session's, at the other end the test types and reads.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use super::{Terminal, WindowSize};

/// The session's end.
pub(crate) struct ScriptedTerminal {
    stream: UnixStream,
    size: Rc<Cell<WindowSize>>,
}

/// The test's end.
pub(crate) struct Person {
    stream: UnixStream,
    size: Rc<Cell<WindowSize>>,
}

impl ScriptedTerminal {
    pub(crate) fn new() -> (ScriptedTerminal, Person) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        theirs.set_nonblocking(true).unwrap();
        let size = Rc::new(Cell::new(WindowSize::default()));
        (ScriptedTerminal { stream: ours, size: Rc::clone(&size) }, Person { stream: theirs, size })
    }
}

impl Person {
    pub(crate) fn types(&self, keys: &[u8]) {
        (&self.stream).write_all(keys).unwrap();
    }

    /// What was shown since this was last asked.
    pub(crate) fn sees(&self) -> String {
        let mut shown = Vec::new();
        let _ = (&self.stream).read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    }

    pub(crate) fn resizes(&self, rows: u16, cols: u16) {
        self.size.set(WindowSize { rows, cols, ..WindowSize::default() });
    }
}

impl Terminal for ScriptedTerminal {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.stream).read(buffer)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.stream).write(bytes)
    }

    fn size(&self) -> WindowSize {
        self.size.get()
    }

    fn has_more(&self) -> bool {
        false
    }

    fn enter_raw(&self) -> io::Result<()> {
        Ok(())
    }

    fn leave_raw(&self) {}
}

impl AsFd for ScriptedTerminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
