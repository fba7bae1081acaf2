//! Bytes and descriptors, without meaning: the user's terminal, the hosted shell, the signals and the queues between them.

mod outbox;
mod ready;
mod signals;

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::getpid;

use crate::host::{self, Shell};
use crate::tty::{self, Terminal};

pub(super) use outbox::Outbox;
pub(super) use ready::{Interest, Ready, is_later};
pub(super) use signals::{SignalEvent, Signals};

/// How long to wait at the end for a terminal that accepts nothing.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// The terminal, the shell, and the queues between them.
pub(super) struct Wires {
    pub(super) terminal: Box<dyn Terminal>,
    pub(super) shell: Box<dyn Shell>,
    pub(super) signals: Signals,
    pub(super) to_screen: Outbox,
    pub(super) to_shell: Outbox,
    /// Whether a process still has the shell's terminal open.
    pub(super) shell_is_open: bool,
    /// Whether the person's editor has the terminal: the session neither reads nor writes it.
    pub(super) is_lent: bool,
}

impl Wires {
    pub(super) fn new(terminal: Box<dyn Terminal>, shell: Box<dyn Shell>, signals: Signals) -> Wires {
        let (to_screen, to_shell) = (Outbox::default(), Outbox::default());
        Wires { terminal, shell, signals, to_screen, to_shell, shell_is_open: true, is_lent: false }
    }

    /// Sends bytes to the shell. Bytes that it does not accept at once wait in the queue.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        let sent = if self.to_shell.is_empty() { self.shell.write(bytes).unwrap_or(0) } else { 0 };
        self.to_shell.push(&bytes[sent..]);
    }

    /// Sends queued bytes to the shell, as many as it accepts now.
    pub(super) fn send_waiting(&mut self) {
        match self.shell.write(self.to_shell.front()) {
            Ok(count) => self.to_shell.consume(count),
            Err(error) if is_later(&error) => {}
            // The shell will not read them any more; its end will be noticed soon.
            Err(_) => self.to_shell = Outbox::default(),
        }
    }

    /// Writes queued bytes to the terminal, as many as it accepts now. An error means that the terminal is gone.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let front = self.to_screen.front();
        if !front.is_empty() && !self.is_lent {
            match self.terminal.write(front) {
                Ok(count) => self.to_screen.consume(count),
                Err(error) if is_later(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes queued bytes to the terminal, as many as it accepts now. The loop itself notices that a terminal is gone.
    pub(super) fn show(&mut self) {
        let _ = self.flush();
    }

    /// Waits until the terminal has accepted all bytes, or accepts no more.
    pub(super) fn show_rest(&mut self) {
        while !self.to_screen.is_empty() {
            if !wait_for(&self.terminal.as_fd(), PollFlags::POLLOUT, PATIENCE) || self.flush().is_err() {
                break;
            }
        }
    }

    /// Reads as long as full pages arrive, so that a large output needs few writes. After a short read a program may be waiting
    /// for an echo.
    pub(super) fn gather(&mut self, chunk: &mut [u8]) -> usize {
        const PAGE: usize = 4000;
        let mut count = 0;
        loop {
            match self.shell.read(&mut chunk[count..]) {
                Ok(more) if more > 0 => {
                    count += more;
                    if more < PAGE || count + PAGE > chunk.len() {
                        return count;
                    }
                }
                Err(error) if is_later(&error) => return count,
                Ok(_) | Err(_) => {
                    self.shell_is_open = false;
                    return count;
                }
            }
        }
    }

    /// Gives the shell's terminal the size of the user's.
    pub(super) fn resize_shell(&self) {
        self.shell.resize(shell_size(self.terminal.size()));
    }

    /// Stops this process until it is continued.
    pub(super) fn suspend(&self) {
        self.terminal.leave_raw();
        let _ = kill(getpid(), Signal::SIGSTOP);
        // The terminal may have another size now, and shows output of other programs.
        if let Err(error) = self.terminal.enter_raw() {
            tracing::warn!(%error, "raw mode was not entered again");
        }
        self.resize_shell();
        self.shell.signal_foreground(Signal::SIGWINCH);
    }
}

/// The size of the shell's terminal, for a user's terminal of this size.
pub(super) fn shell_size(size: tty::WindowSize) -> host::PtySize {
    let tty::WindowSize { rows, cols, pixel_width, pixel_height } = size;
    host::PtySize { rows, cols, pixel_width, pixel_height }
}

/// Waits until a descriptor is ready or closed. Returns false if that takes longer than `patience`.
pub(super) fn wait_for(source: &impl AsFd, flags: PollFlags, patience: Duration) -> bool {
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut [PollFd::new(source.as_fd(), flags)], timeout).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{ScriptHandle, ScriptedShell};
    use crate::tty::{Person, ScriptedTerminal};

    fn wires() -> (Wires, Person, ScriptHandle) {
        let ((terminal, person), (shell, script)) = (ScriptedTerminal::new(), ScriptedShell::new());
        (Wires::new(Box::new(terminal), Box::new(shell), Signals::none().unwrap()), person, script)
    }

    const ALL: Interest = Interest { keys: true, output: true, news: false };

    #[test]
    fn bytes_pass_both_ways_in_order() {
        let (mut wires, person, script) = wires();
        wires.send(b"ls");
        wires.send(b"\r");
        assert_eq!(script.reads(), b"ls\r");
        wires.to_screen.push(b"file");
        wires.to_screen.push(b"\r\n");
        wires.show();
        assert_eq!(person.sees(), "file\r\n");
    }

    #[test]
    fn bytes_that_the_shell_does_not_accept_wait_for_it() {
        let (mut wires, _person, script) = wires();
        let flood = vec![b'x'; 4 * 1024 * 1024];
        wires.send(&flood);
        assert!(!wires.to_shell.is_empty());
        assert!(!wires.to_shell.has_room());
        wires.send(b"!");
        let mut taken = 0;
        while taken <= flood.len() {
            taken += script.reads().len();
            wires.send_waiting();
        }
        assert!(wires.to_shell.is_empty());
        assert_eq!(taken, flood.len() + 1);
    }

    #[test]
    fn a_descriptor_is_read_only_while_there_is_room_for_its_bytes() {
        let (mut wires, person, script) = wires();
        person.types(b"k");
        script.prints(b"o");
        let ready = wires.wait(None, None, ALL, PollTimeout::ZERO);
        assert!(ready.keys && ready.output && !ready.screen_takes && !ready.shell_takes);
        let ready = wires.wait(None, None, Interest { keys: false, output: false, news: false }, PollTimeout::ZERO);
        assert_eq!(ready, Ready::default());
        wires.to_screen.push(b"x");
        wires.to_shell.push(b"y");
        let ready = wires.wait(None, None, ALL, PollTimeout::ZERO);
        assert!(ready.screen_takes && ready.shell_takes);
    }

    #[test]
    fn a_closed_shell_is_read_to_its_end_and_then_no_longer() {
        let (mut wires, _person, script) = wires();
        script.prints(b"bye");
        drop(script);
        let mut chunk = [0; 16];
        assert_eq!(wires.gather(&mut chunk), 3);
        assert_eq!(wires.gather(&mut chunk), 0);
        assert!(!wires.shell_is_open);
        assert_eq!(wires.wait(None, None, ALL, PollTimeout::ZERO), Ready::default());
    }

    #[test]
    fn a_terminal_that_is_gone_is_an_error() {
        let (mut wires, person, _script) = wires();
        drop(person);
        assert!(wires.wait(None, None, ALL, PollTimeout::ZERO).terminal_gone);
        wires.to_screen.push(b"x");
        assert!(wires.flush().is_err());
    }

    #[test]
    fn the_shell_gets_the_terminals_size() {
        let (wires, person, script) = wires();
        person.resizes(50, 132);
        wires.resize_shell();
        assert_eq!(script.sizes(), [(50, 132)]);
    }
}
