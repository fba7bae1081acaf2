//! The signals that the session handles.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::libc::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use nix::sys::signal::Signal;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// The meaning of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum SignalEvent {
    Resized,
    /// The shell changed state.
    Child,
    /// The process should suspend itself.
    Suspend,
    /// The signal is meant for the shell; the sender knows only this process.
    ForShell(Signal),
    /// The process should end, as this signal ends a process.
    End(i32),
}

/// The signals that have arrived, with one descriptor to wait on.
pub(in crate::session) struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
}

impl Signals {
    pub(in crate::session) fn new() -> io::Result<Signals> {
        Signals::of(&[SIGWINCH, SIGCHLD, SIGTSTP, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGUSR1, SIGUSR2])
    }

    /// Handles no signals, for tests.
    #[cfg(test)]
    pub(in crate::session) fn none() -> io::Result<Signals> {
        Signals::of(&[])
    }

    fn of(wanted: &[i32]) -> io::Result<Signals> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        Ok(Signals { delivery: SignalDelivery::with_pipe(read, write, SignalOnly, wanted)? })
    }

    /// The signals since the last call.
    pub(in crate::session) fn pending(&mut self) -> impl Iterator<Item = SignalEvent> + use<> {
        self.delivery.pending().map(|signal| match signal {
            SIGWINCH => SignalEvent::Resized,
            SIGCHLD => SignalEvent::Child,
            SIGTSTP => SignalEvent::Suspend,
            // In raw mode Ctrl-C is a key, so another process has sent this signal.
            SIGINT => SignalEvent::ForShell(Signal::SIGINT),
            SIGUSR1 => SignalEvent::ForShell(Signal::SIGUSR1),
            SIGUSR2 => SignalEvent::ForShell(Signal::SIGUSR2),
            other => SignalEvent::End(other),
        })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}
