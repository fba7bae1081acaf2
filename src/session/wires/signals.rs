//! The signals a wrapper lives with.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::libc::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use nix::sys::signal::Signal;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// What a signal asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum SignalEvent {
    Resized,
    /// The shell changed state.
    Child,
    /// Somebody asks us to suspend.
    Suspend,
    /// Somebody who knows our process only means the shell.
    ForShell(Signal),
    /// End, as this signal ends a process.
    End(i32),
}

/// The signals that have come, behind one descriptor to wait on.
pub(in crate::session) struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
}

impl Signals {
    pub(in crate::session) fn new() -> io::Result<Signals> {
        Signals::of(&[SIGWINCH, SIGCHLD, SIGTSTP, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGUSR1, SIGUSR2])
    }

    /// Listens to no signal, for tests.
    #[cfg(test)]
    pub(in crate::session) fn none() -> io::Result<Signals> {
        Signals::of(&[])
    }

    fn of(wanted: &[i32]) -> io::Result<Signals> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        Ok(Signals { delivery: SignalDelivery::with_pipe(read, write, SignalOnly, wanted)? })
    }

    /// What came since this was last asked.
    pub(in crate::session) fn pending(&mut self) -> impl Iterator<Item = SignalEvent> + use<> {
        self.delivery.pending().map(|signal| match signal {
            SIGWINCH => SignalEvent::Resized,
            SIGCHLD => SignalEvent::Child,
            SIGTSTP => SignalEvent::Suspend,
            // With the terminal in raw mode Ctrl-C is a key: this one was sent.
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
