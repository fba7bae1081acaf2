//! Waits until there is something to do.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Wires;

/// What can be done without waiting.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Ready {
    pub(in crate::session) signals: bool,
    pub(in crate::session) news: bool,
    pub(in crate::session) errands: bool,
    pub(in crate::session) terminal_gone: bool,
    pub(in crate::session) screen_takes: bool,
    pub(in crate::session) keys: bool,
    pub(in crate::session) shell_takes: bool,
    pub(in crate::session) output: bool,
}

/// Which sources may be read: those with room for their bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct Interest {
    pub(in crate::session) keys: bool,
    pub(in crate::session) output: bool,
    pub(in crate::session) news: bool,
}

impl Wires {
    /// Sleeps until there is something to do. `news` is readable when the agent has sent news, `errands` when another thread has
    /// a result.
    pub(in crate::session) fn wait(
        &self,
        news: Option<BorrowedFd<'_>>,
        errands: Option<BorrowedFd<'_>>,
        wanted: Interest,
        timeout: PollTimeout,
    ) -> Ready {
        let flags = |reads: bool, writes: bool| {
            let reads = if reads { PollFlags::POLLIN } else { PollFlags::empty() };
            reads | if writes { PollFlags::POLLOUT } else { PollFlags::empty() }
        };
        let has_terminal = !self.is_lent;
        let takes_news = news.is_some() && wanted.news && has_terminal;
        let takes_output = self.shell_is_open && wanted.output && has_terminal;
        let shows = !self.to_screen.is_empty() && has_terminal;
        let mut waited = [
            PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.terminal.as_fd(), flags(wanted.keys && has_terminal, shows)),
            PollFd::new(news.unwrap_or(self.signals.as_fd()), flags(takes_news, false)),
            PollFd::new(errands.unwrap_or(self.signals.as_fd()), flags(errands.is_some(), false)),
            PollFd::new(self.shell.as_fd(), flags(takes_output, !self.to_shell.is_empty())),
        ];
        // After the shell has closed its terminal, its descriptor would wake the loop all the time.
        let is_heard = self.shell_is_open && (takes_output || !self.to_shell.is_empty());
        let count = if is_heard { 5 } else { 4 };
        if poll(&mut waited[..count], timeout).is_err() {
            return Ready::default();
        }
        let [signals, terminal, news, done, shell] = waited.map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
        Ready {
            signals: signals.contains(PollFlags::POLLIN),
            news: takes_news && news.intersects(PollFlags::POLLIN | gone),
            errands: errands.is_some() && done.contains(PollFlags::POLLIN),
            terminal_gone: terminal.intersects(gone),
            screen_takes: terminal.contains(PollFlags::POLLOUT),
            keys: terminal.contains(PollFlags::POLLIN),
            shell_takes: shell.contains(PollFlags::POLLOUT),
            output: takes_output && shell.intersects(PollFlags::POLLIN | gone),
        }
    }
}

/// Whether the same call may succeed later.
pub(in crate::session) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
