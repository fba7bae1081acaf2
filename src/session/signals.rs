//! The signals a wrapper lives with.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the world wants of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Resized,
    /// The shell changed state.
    Child,
    /// Somebody asks us to suspend.
    Suspend,
    /// End, as this signal ends a process.
    End(i32),
}

/// All of them, as one stream.
pub(super) struct Signals {
    resized: Signal,
    child: Signal,
    suspend: Signal,
    terminate: Signal,
    hangup: Signal,
    quit: Signal,
    /// Taken and dropped: with the terminal in raw mode Ctrl-C is a key, and a stray SIGINT must not end the shell.
    _interrupt: Signal,
}

impl Signals {
    /// Needs a running event loop.
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals {
            resized: signal(SignalKind::window_change())?,
            child: signal(SignalKind::child())?,
            suspend: signal(SignalKind::from_raw(nix::libc::SIGTSTP))?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            _interrupt: signal(SignalKind::interrupt())?,
        })
    }

    pub(super) async fn next(&mut self) -> Event {
        tokio::select! {
            _ = self.resized.recv() => Event::Resized,
            _ = self.child.recv() => Event::Child,
            _ = self.suspend.recv() => Event::Suspend,
            _ = self.terminate.recv() => Event::End(nix::libc::SIGTERM),
            _ = self.hangup.recv() => Event::End(nix::libc::SIGHUP),
            _ = self.quit.recv() => Event::End(nix::libc::SIGQUIT),
        }
    }
}
