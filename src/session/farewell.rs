//! The end of a session: shows the last output and restores the terminal.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;
use nix::sys::signal::Signal;

use crate::host::{Child, ShellChange};

use super::floor::FloorEvent;
use super::requests::Request;
use super::wires::{PATIENCE, Signals, Wires, wait_for};
use super::{LoopEnd, Session};

/// How long to wait for more output after the shell has ended, because a background job may still have its terminal open.
const QUIET: Duration = Duration::from_millis(50);
/// How long the agent's processes may take to end.
const AGENT_PATIENCE: Duration = Duration::from_secs(1);
/// How long it may take to write the last commands to the disk.
const STORE_PATIENCE: Duration = Duration::from_secs(2);

/// How long it may take to start the hooks at the end of the session.
const HOOKS_PATIENCE: Duration = Duration::from_millis(300);

/// How long the terminal may take to answer its last question.
const REPLY_PATIENCE: Duration = Duration::from_millis(200);

/// The exit status for a failure of our own.
const FAILED: i32 = 125;

impl Session {
    /// Ends all parts and returns the exit status.
    pub(super) fn close(mut self, over: LoopEnd) -> i32 {
        let stopped = self.stopped_by_exit();
        self.requests.iter_mut().for_each(|request| request.cancel());
        self.hang_up_editor();
        self.on(FloorEvent::Abandon);
        self.rest_outer_terminal();
        self.stop_agent();
        let code = match over {
            LoopEnd::ShellEnded(ending) => {
                self.drain();
                if let Some(words) = stopped {
                    self.books.say(&words, &mut self.wires.to_screen);
                }
                ending.code()
            }
            LoopEnd::Told(signal) => 128 + signal,
            LoopEnd::HungUp => 128 + nix::libc::SIGHUP,
            LoopEnd::Broken => {
                self.books.say("shellmate failed again, so this session ends", &mut self.wires.to_screen);
                FAILED
            }
        };
        self.books.close(code, &mut self.wires.to_screen);
        if !matches!(over, LoopEnd::HungUp) {
            self.wires.show_rest();
            self.take_last_replies();
        }
        self.wires.terminal.leave_raw();
        self.hand_over();
        self.store.remember(&mut self.books);
        let is_clean = matches!(over, LoopEnd::ShellEnded(_));
        let Session { wires: Wires { terminal, shell, signals, .. }, store, hook, agent, .. } = self;
        if !matches!(over, LoopEnd::ShellEnded(_)) {
            let child = shell.child();
            child.signal(Signal::SIGHUP);
            child.signal(Signal::SIGCONT);
            drop(shell);
            reap(&child, signals);
        }
        agent.setup.conversations.close(is_clean, STORE_PATIENCE);
        store.close(STORE_PATIENCE);
        drop((hook, terminal));
        code
    }

    /// Waits for replies of the terminal, so that the program after this one does not read them as keys.
    fn take_last_replies(&mut self) {
        let (start, mut keys) = (Instant::now(), [0; 256]);
        while self.outer.reports.is_open() && start.elapsed() < REPLY_PATIENCE {
            let left = REPLY_PATIENCE.saturating_sub(start.elapsed());
            if !wait_for(&self.wires.terminal.as_fd(), PollFlags::POLLIN, left) {
                return;
            }
            match self.wires.terminal.read(&mut keys) {
                Ok(count) if count > 0 => {
                    self.outer.reports.take(&keys[..count], Instant::now(), &mut Vec::new());
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Names the requests that the end of the session stops. `exit` never waits for them, so that nobody is locked in.
    fn stopped_by_exit(&self) -> Option<String> {
        let running: Vec<&Request> = self.requests.iter().filter(|request| request.is_running()).collect();
        let first = running.first()?;
        let asked = first.query.lines().next().unwrap_or_default();
        Some(match running.len() {
            1 => format!("stopped request {}, which was still running (> {asked})", first.number),
            more => format!("stopped {more} requests that were still running (the first: > {asked})"),
        })
    }

    /// Waits until the agent's processes have ended.
    fn stop_agent(&mut self) {
        let Some(agent) = self.agent.link.take() else { return };
        let start = Instant::now();
        while start.elapsed() < AGENT_PATIENCE && agent.is_busy() {
            wait_for(&agent, PollFlags::POLLIN, AGENT_PATIENCE.saturating_sub(start.elapsed()));
            agent.news();
        }
        agent.end(HOOKS_PATIENCE);
    }

    /// Shows the last output of the shell.
    fn drain(&mut self) {
        let start = Instant::now();
        let mut chunk = vec![0; super::CHUNK];
        while self.wires.shell_is_open && start.elapsed() < PATIENCE {
            if !self.wires.to_screen.has_room() {
                self.wires.show_rest();
            }
            if !wait_for(&self.wires.shell.as_fd(), PollFlags::POLLIN, QUIET) {
                break;
            }
            let count = self.wires.gather(&mut chunk);
            self.on_output(&chunk[..count]);
        }
        if let Some(mut scanner) = self.books.scanner.take() {
            scanner.finish(|piece| self.on_piece(piece));
        }
    }
}

/// Waits for the shell after SIGHUP, but not for a shell that ignores it.
fn reap(child: &Child, mut signals: Signals) {
    let start = Instant::now();
    while !matches!(child.check(), ShellChange::Ended(_)) {
        let left = PATIENCE.saturating_sub(start.elapsed());
        if left.is_zero() {
            return;
        }
        wait_for(&signals, PollFlags::POLLIN, left);
        signals.pending().for_each(drop);
    }
}
