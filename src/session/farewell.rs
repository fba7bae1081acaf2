//! The end of a session: nothing printed is lost, and the terminal is given back.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::host::{Change, Ending};

use super::{Over, Session};

/// How long the last output may keep coming after the shell itself is gone (a background job may hold its terminal).
const QUIET: Duration = Duration::from_millis(50);
/// How long a terminal that takes nothing is waited for, and a shell that was hung up.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the last commands may take to reach the disk.
const STORE_PATIENCE: Duration = Duration::from_secs(2);

impl Session {
    /// Ends everything and returns the exit status.
    pub(super) async fn close(mut self, over: Over) -> i32 {
        let code = match over {
            Over::ShellEnded(ending) => {
                self.drain().await;
                self.stage.close(ending.code());
                self.show_rest().await;
                ending.code()
            }
            Over::Told(signal) => {
                self.stage.close(128 + signal);
                self.show_rest().await;
                128 + signal
            }
            Over::HungUp => {
                self.stage.close(128 + nix::libc::SIGHUP);
                128 + nix::libc::SIGHUP
            }
        };
        self.tty.leave_raw();
        self.remember();
        let Session { tty, pty, child, signals, store, workspace, .. } = self;
        if !matches!(over, Over::ShellEnded(_)) {
            child.signal(Signal::SIGHUP);
            child.signal(Signal::SIGCONT);
            drop(pty);
            reap(child, signals).await;
        }
        store.close(STORE_PATIENCE);
        drop(workspace);
        drop(tty);
        code
    }

    /// Takes what the shell printed last.
    async fn drain(&mut self) {
        let start = Instant::now();
        let mut chunk = vec![0; super::CHUNK];
        while self.pty_open && start.elapsed() < PATIENCE {
            if !self.stage.to_screen.has_room() {
                self.show_rest().await;
            }
            match tokio::time::timeout(QUIET, self.pty.read(&mut chunk)).await {
                Ok(Ok(count)) if count > 0 => self.on_output(&chunk[..count]),
                _ => break,
            }
        }
        let (stage, pty, child) = (&mut self.stage, &self.pty, &self.child);
        self.scanner.finish(|piece| stage.take(piece, || pty.foreground() == Some(child.pid())));
    }

    /// Waits until the terminal has taken everything, or takes nothing any more.
    async fn show_rest(&mut self) {
        while !self.stage.to_screen.is_empty() {
            match tokio::time::timeout(PATIENCE, self.tty.write(self.stage.to_screen.front())).await {
                Ok(Ok(count)) => self.stage.to_screen.consume(count),
                _ => break,
            }
        }
    }
}

/// Waits for a shell that was hung up, but not for one that ignores it.
async fn reap(child: crate::host::Child, mut signals: super::Signals) -> Option<Ending> {
    let ended = async {
        loop {
            if let Change::Ended(ending) = child.check() {
                return ending;
            }
            signals.next().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.ok()
}
