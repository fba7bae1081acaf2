//! The signals a wrapper lives with.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use nix::libc::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use nix::sys::signal::Signal;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

/// What the world wants of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
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

/// All of them, behind one descriptor to wait on.
pub(super) struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
}

impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        let wanted = [SIGWINCH, SIGCHLD, SIGTSTP, SIGTERM, SIGHUP, SIGQUIT, SIGINT, SIGUSR1, SIGUSR2];
        Ok(Signals { delivery: SignalDelivery::with_pipe(read, write, SignalOnly, wanted)? })
    }

    /// What came since this was last asked.
    pub(super) fn pending(&mut self) -> impl Iterator<Item = Event> + use<> {
        self.delivery.pending().map(|signal| match signal {
            SIGWINCH => Event::Resized,
            SIGCHLD => Event::Child,
            SIGTSTP => Event::Suspend,
            // With the terminal in raw mode Ctrl-C is a key: this one was sent.
            SIGINT => Event::ForShell(Signal::SIGINT),
            SIGUSR1 => Event::ForShell(Signal::SIGUSR1),
            SIGUSR2 => Event::ForShell(Signal::SIGUSR2),
            other => Event::End(other),
        })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}
