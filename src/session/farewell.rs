//! The end of a session: nothing printed is lost, and the terminal is given back.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;

use crate::host::{Change, Child};

use super::requests::Request;
use super::signals::Signals;
use super::{Over, Session};

/// How long the last output may keep coming after the shell itself is gone (a background job may hold its terminal).
const QUIET: Duration = Duration::from_millis(50);
/// How long a terminal that takes nothing is waited for, and a shell that was hung up.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long an agent's processes may take to end.
const AGENT_PATIENCE: Duration = Duration::from_secs(1);
/// How long the last commands may take to reach the disk.
const STORE_PATIENCE: Duration = Duration::from_secs(2);

/// The exit status for a failure of our own.
const FAILED: i32 = 125;

impl Session {
    /// Ends everything and returns the exit status.
    pub(super) fn close(mut self, over: Over) -> i32 {
        let stopped = self.stopped_by_exit();
        self.stop_agent();
        self.abandon_talk();
        let code = match over {
            Over::ShellEnded(ending) => {
                self.drain();
                if let Some(words) = stopped {
                    self.stage.say(&words);
                }
                self.stage.close(ending.code());
                self.show_rest();
                ending.code()
            }
            Over::Told(signal) => {
                self.stage.close(128 + signal);
                self.show_rest();
                128 + signal
            }
            Over::Broken => {
                self.stage.say("something of ours failed again, so this session ends");
                self.stage.close(FAILED);
                self.show_rest();
                FAILED
            }
            Over::HungUp => {
                self.stage.close(128 + nix::libc::SIGHUP);
                128 + nix::libc::SIGHUP
            }
        };
        self.tty.leave_raw();
        self.remember();
        let Session { tty, pty, child, signals, store, tidied, workspace, .. } = self;
        if !matches!(over, Over::ShellEnded(_)) {
            child.signal(Signal::SIGHUP);
            child.signal(Signal::SIGCONT);
            drop(pty);
            reap(&child, signals);
        }
        store.close(STORE_PATIENCE);
        if let Some(tidied) = tidied {
            let _ = tidied.recv_timeout(PATIENCE);
        }
        drop((workspace, tty));
        code
    }

    /// Names the requests that the end of the session stops. `exit` is never held up for them: nobody can be locked in.
    fn stopped_by_exit(&self) -> Option<String> {
        let running: Vec<&Request> = self.requests.iter().filter(|request| request.is_running()).collect();
        let first = running.first()?;
        let asked = first.query.lines().next().unwrap_or_default();
        Some(match running.len() {
            1 => format!("stopped request {}, which was still running (> {asked})", first.number),
            more => format!("stopped {more} requests that were still running (the first: > {asked})"),
        })
    }

    /// Stops what the agent is doing; its processes get the time to be told.
    fn stop_agent(&mut self) {
        self.requests.iter_mut().for_each(|request| request.cancel());
        self.abandon_turn();
        let Some(agent) = self.agent.take() else { return };
        let start = Instant::now();
        while start.elapsed() < AGENT_PATIENCE && agent.is_busy() {
            wait_for(&agent, PollFlags::POLLIN, AGENT_PATIENCE.saturating_sub(start.elapsed()));
            agent.news();
        }
    }

    /// Takes what the shell printed last.
    fn drain(&mut self) {
        let start = Instant::now();
        let mut chunk = vec![0; super::CHUNK];
        while self.pty_open && start.elapsed() < PATIENCE {
            if !self.stage.to_screen.has_room() {
                self.show_rest();
            }
            if !wait_for(&self.pty, PollFlags::POLLIN, QUIET) {
                break;
            }
            let count = self.gather(&mut chunk);
            self.on_output(&chunk[..count]);
        }
        let (stage, pty, child) = (&mut self.stage, &self.pty, &self.child);
        self.scanner.finish(|piece| stage.take(piece, || pty.foreground() == Some(child.pid())));
    }

    /// Waits until the terminal has taken everything, or takes nothing any more.
    pub(super) fn show_rest(&mut self) {
        while !self.stage.to_screen.is_empty() {
            if !wait_for(&self.tty, PollFlags::POLLOUT, PATIENCE) || self.flush().is_err() {
                break;
            }
        }
    }
}

/// Whether one of these, or an end, comes in time.
fn wait_for(source: &impl AsFd, flags: PollFlags, patience: Duration) -> bool {
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut [PollFd::new(source.as_fd(), flags)], timeout).is_ok_and(|ready| ready > 0)
}

/// Waits for a shell that was hung up, but not for one that ignores it.
fn reap(child: &Child, mut signals: Signals) {
    let start = Instant::now();
    while !matches!(child.check(), Change::Ended(_)) {
        let left = PATIENCE.saturating_sub(start.elapsed());
        if left.is_zero() {
            return;
        }
        wait_for(&signals, PollFlags::POLLIN, left);
        signals.pending().for_each(drop);
    }
}
