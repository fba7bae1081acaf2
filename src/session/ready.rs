//! Waiting, and reading what came.

use std::io;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Session;

/// What can be done without waiting.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ready {
    pub(super) signals: bool,
    pub(super) news: bool,
    pub(super) terminal_gone: bool,
    pub(super) screen_takes: bool,
    pub(super) keys: bool,
    pub(super) shell_takes: bool,
    pub(super) output: bool,
}

impl Session {
    /// Sleeps until there is something to do. Every source is listened to only while the queue it fills has room.
    pub(super) fn wait(&self, timeout: PollTimeout) -> Ready {
        let takes_keys = self.to_shell.has_room() && self.held.has_room();
        // Below a conversation a program waits.
        let is_covered = self.is_covered();
        let takes_output = self.pty_open && self.stage.has_room() && !is_covered;
        let interest = |reads: bool, writes: bool| {
            let reads = if reads { PollFlags::POLLIN } else { PollFlags::empty() };
            reads | if writes { PollFlags::POLLOUT } else { PollFlags::empty() }
        };
        let (news, takes_news) = match &self.agent {
            Some(agent) => (agent.as_fd(), self.stage.to_screen.has_room()),
            None => (self.signals.as_fd(), false),
        };
        let mut waited = [
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.tty.as_fd(), interest(takes_keys, !self.stage.to_screen.is_empty())),
            PollFd::new(news, interest(takes_news, false)),
            PollFd::new(self.pty.as_fd(), interest(takes_output, !self.to_shell.is_empty())),
        ];
        // A shell that has let go of its terminal would wake us for ever.
        let is_heard = self.pty_open && !(is_covered && self.to_shell.is_empty());
        let count = if is_heard { 4 } else { 3 };
        if poll(&mut waited[..count], timeout).is_err() {
            return Ready::default();
        }
        let [signals, tty, news, pty] = waited.map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
        Ready {
            signals: signals.contains(PollFlags::POLLIN),
            news: takes_news && news.intersects(PollFlags::POLLIN | gone),
            terminal_gone: tty.intersects(gone),
            screen_takes: tty.contains(PollFlags::POLLOUT),
            keys: tty.contains(PollFlags::POLLIN),
            shell_takes: pty.contains(PollFlags::POLLOUT),
            output: takes_output && pty.intersects(PollFlags::POLLIN | gone),
        }
    }

    /// Reads on while full pages come, so that a flood costs few writes; a short read is somebody waiting for an echo.
    pub(super) fn gather(&mut self, chunk: &mut [u8]) -> usize {
        const PAGE: usize = 4000;
        let mut count = 0;
        loop {
            match self.pty.read(&mut chunk[count..]) {
                Ok(more) if more > 0 => {
                    count += more;
                    if more < PAGE || count + PAGE > chunk.len() {
                        return count;
                    }
                }
                Err(error) if is_later(&error) => return count,
                Ok(_) | Err(_) => {
                    self.pty_open = false;
                    return count;
                }
            }
        }
    }
}

/// Whether the same call may succeed at another time.
pub(super) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
