//! The conductor: owns the user's terminal, the hosted shell and everything between them.
//!
//! One loop on one thread moves bytes both ways. Each source is read only while the queue it fills has room; nothing else
//! stands between keyboard, shell and screen: the store and the spill files are written by threads of their own, and trouble of
//! theirs is one line above the next prompt. Imported by `cli` only.

mod announce;
mod build;
mod farewell;
mod outbox;
mod privacy;
mod signals;
mod stage;
mod workspace;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{getpid, getsid};

use crate::capture;
use crate::host::{self, Change, Child, Ending, HostError, Pty};
use crate::store::{Record, Store};
use crate::track::{Hooks, Scanner};
use crate::tty::{self, Tty, TtyError};

use outbox::Outbox;
use signals::{Event, Signals};
use stage::Stage;
use workspace::Workspace;

pub use build::{Start, run};
pub use workspace::hosts;

/// Why no session could be started; the user's shell can still be had without one.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("cannot start the event loop")]
    EventLoop(#[source] io::Error),
    #[error(transparent)]
    Tty(#[from] TtyError),
    #[error("cannot make a private directory for this session below {}", root.display())]
    Workspace {
        root: std::path::PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Host(#[from] HostError),
}

/// A pty hands over at most a page at a time; several are gathered while they come without waiting.
const CHUNK: usize = 64 * 1024;

/// Why the loop is over.
enum Over {
    ShellEnded(Ending),
    /// The terminal is gone.
    HungUp,
    /// A signal told us to end.
    Told(i32),
}

/// A running shell and the terminal it is shown on.
struct Session {
    tty: Tty,
    pty: Pty,
    child: Child,
    signals: Signals,
    scanner: Scanner,
    stage: Stage,
    to_shell: Outbox,
    /// Typed while the shell was not to have it; sent at its next prompt.
    held: Outbox,
    store: Store,
    workspace: Workspace,
    secrets: Vec<std::path::PathBuf>,
    /// Whether hooks are expected and their absence was not mentioned yet.
    expects_hooks: bool,
    pty_open: bool,
    /// Whether the shell's output is followed or only passed on.
    tracking: bool,
}

impl Session {
    async fn conduct(&mut self) -> Over {
        let mut keys = vec![0; 4096];
        let mut chunk = vec![0; CHUNK];
        loop {
            // What we owe goes out before we take more; the only endless source comes last.
            tokio::select! {
                biased;
                event = self.signals.next() => {
                    if let Some(over) = self.on_signal(event) {
                        return over;
                    }
                }
                sent = self.pty.write(self.to_shell.front()), if !self.to_shell.is_empty() => match sent {
                    Ok(count) => self.to_shell.consume(count),
                    // Nobody will read it any more; the shell's end is on its way.
                    Err(_) => self.to_shell = Outbox::default(),
                },
                sent = self.tty.write(self.stage.to_screen.front()), if !self.stage.to_screen.is_empty() => match sent {
                    Ok(count) => self.stage.to_screen.consume(count),
                    Err(_) => return Over::HungUp,
                },
                read = self.tty.read(&mut keys), if self.to_shell.has_room() && self.held.has_room() => match read {
                    Ok(0) | Err(_) => return Over::HungUp,
                    Ok(count) => self.on_keys(&keys[..count]),
                },
                read = self.pty.read(&mut chunk), if self.pty_open && self.stage.to_screen.has_room() => match read {
                    Ok(0) | Err(_) => self.pty_open = false,
                    Ok(count) => {
                        let count = self.gather(&mut chunk, count);
                        self.on_output(&chunk[..count]);
                    }
                },
            }
        }
    }

    /// Reads on while full pages come, so that a flood costs few writes; a short read is somebody waiting for an echo.
    fn gather(&self, chunk: &mut [u8], mut count: usize) -> usize {
        const PAGE: usize = 4000;
        let mut last = count;
        while last >= PAGE && count + PAGE <= chunk.len() {
            match self.pty.try_read(&mut chunk[count..]) {
                Ok(0) | Err(_) => break,
                Ok(more) => {
                    count += more;
                    last = more;
                }
            }
        }
        count
    }

    fn on_keys(&mut self, keys: &[u8]) {
        if self.tracking && !self.stage.shell_has_the_keyboard() {
            self.held.push(keys);
            return;
        }
        if self.expects_hooks && keys.contains(&b'\r') {
            self.miss_hooks();
        }
        self.send(keys);
    }

    /// Passes bytes to the shell: at once if it takes them, else from the queue.
    fn send(&mut self, bytes: &[u8]) {
        let sent = if self.to_shell.is_empty() { self.pty.try_write(bytes).unwrap_or(0) } else { 0 };
        self.to_shell.push(&bytes[sent..]);
    }

    /// Shows what the shell printed, then keeps the books. If keeping them ever panics, we are a plain pipe from there on.
    fn on_output(&mut self, bytes: &[u8]) {
        if !self.tracking {
            self.stage.to_screen.push(bytes);
            return self.flush();
        }
        let shown = self.stage.to_screen.front().len();
        let (pty, child, stage, scanner) = (&self.pty, &self.child, &mut self.stage, &mut self.scanner);
        let read = AssertUnwindSafe(|| {
            scanner.scan(bytes, |piece| stage.take(piece, || pty.foreground() == Some(child.pid())));
        });
        if catch_unwind(read).is_err() {
            self.tracking = false;
            self.stage.to_screen.truncate(shown);
            self.stage.to_screen.push(bytes);
            self.stage.say("following commands failed, so nothing more is recorded; your shell goes on");
            self.workspace.withdraw();
            let held = std::mem::take(&mut self.held);
            self.send(held.front());
            return self.flush();
        }
        self.flush();
        self.follow_up();
    }

    /// Shows what the terminal takes right now.
    fn flush(&mut self) {
        let front = self.stage.to_screen.front();
        if !front.is_empty()
            && let Ok(count) = self.tty.try_write(front)
        {
            self.stage.to_screen.consume(count);
        }
    }

    /// Does what the output asked for, after it was shown.
    fn follow_up(&mut self) {
        for directive in self.stage.directives.drain(..) {
            self.workspace.direct(&directive);
        }
        if !self.held.is_empty() && self.stage.shell_has_the_keyboard() {
            let held = std::mem::take(&mut self.held);
            self.send(held.front());
        }
        if !self.stage.finished.is_empty() {
            self.remember();
        }
        if !self.secrets.is_empty() && *self.stage.hooks() != Hooks::Silent {
            self.expects_hooks = false;
            for secret in self.secrets.drain(..) {
                let _ = std::fs::remove_file(secret);
            }
        }
    }

    fn remember(&mut self) {
        let tty::Size { rows, cols, .. } = self.tty.size();
        let size = capture::Size::new(rows, cols);
        for stage::Finished { command, output } in self.stage.finished.drain(..) {
            self.store.record(Record { command, output, size });
        }
        if let Some(trouble) = self.store.trouble() {
            self.stage.notice(trouble);
        }
    }

    /// Enter was pressed at a line editor, and the hooks should have spoken before its first prompt.
    fn miss_hooks(&mut self) {
        if self.pty.foreground() == Some(self.child.pid()) && self.pty.edits_lines_itself() {
            self.expects_hooks = false;
            self.stage.say("this shell did not load our hooks, so commands are not recorded; see `shellmate doctor`");
            self.flush();
        }
    }

    fn on_signal(&mut self, event: Event) -> Option<Over> {
        match event {
            Event::Resized => self.pty.resize(pty_size(self.tty.size())),
            Event::Child => match self.child.check() {
                Change::None => {}
                Change::Stopped => self.follow_suspended_shell(),
                Change::Ended(ending) => return Some(Over::ShellEnded(ending)),
            },
            Event::Suspend => self.suspend(),
            Event::End(signal) => return Some(Over::Told(signal)),
        }
        None
    }

    /// The shell has suspended itself, as it would to return to the shell that started it; so do we.
    fn follow_suspended_shell(&mut self) {
        // As leader of our session there is nobody to return to.
        if getsid(None) != Ok(getpid()) {
            self.suspend();
        }
        self.child.signal(Signal::SIGCONT);
    }

    fn suspend(&mut self) {
        self.tty.leave_raw();
        let _ = kill(getpid(), Signal::SIGSTOP);
        // Continued: the terminal may have another size by now and shows somebody else's lines.
        if let Err(error) = self.tty.enter_raw() {
            tracing::warn!(%error, "raw mode was not entered again");
        }
        self.pty.resize(pty_size(self.tty.size()));
        if let Some(group) = self.pty.foreground() {
            let _ = killpg(group, Signal::SIGWINCH);
        }
    }
}

fn pty_size(size: tty::Size) -> host::Size {
    let tty::Size { rows, cols, pixel_width, pixel_height } = size;
    host::Size { rows, cols, pixel_width, pixel_height }
}
