//! The conductor: owns the user's terminal, the hosted shell and everything between them.
//!
//! One loop on one thread moves bytes both ways. Each source is read only while the queue it fills has room; nothing else
//! stands between keyboard, shell and screen: the store and the spill files are written by threads of their own, and trouble of
//! theirs is one line above the next prompt. Imported by `cli` only.

mod agent_link;
mod announce;
mod background;
mod books;
mod build;
mod directives;
mod farewell;
mod follow;
mod grammars;
mod hint;
mod hooks;
mod hotkey;
mod inquiry;
mod line;
mod memory;
mod nested;
mod outbox;
mod plain;
mod privacy;
mod probe;
mod prompt;
mod ready;
mod recent;
#[cfg(test)]
mod recorded;
mod requests;
mod signals;
mod stage;
mod steering;
mod transcript;
mod turn;
mod workspace;

use std::cell::{LazyCell, OnceCell};
use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use nix::poll::PollTimeout;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::termios::Termios;
use nix::unistd::{getpid, getsid};

use crate::capture;
use crate::host::{self, Change, Child, Ending, HostError, Kind, Pty};
use crate::render::{self, Theme, Wrapping};
use crate::store::{HandedOver, Record, Store};
use crate::track::Scanner;
use crate::tty::{self, Tty, TtyError};

use agent_link::{AgentLink, AgentSetup};
use directives::Directives;
pub(crate) use grammars::Grammars;
use outbox::Outbox;
use ready::{Ready, is_later};
use recent::Recent;
use requests::Requests;
use signals::{Event, Signals};
use stage::Stage;
use turn::{TICK, Turn};
use workspace::Workspace;

pub(crate) use build::{Start, run};
pub(crate) use inquiry::{Inquired, Look, inquire};
pub(crate) use prompt::Asked;
pub(crate) use workspace::hosts;

/// Why no session could be started; the user's shell can still be had without one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
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

/// A pty hands over at most a page at a time, and takes two. Two at once cost fewer writes than one; with more, each write would be
/// taken in part only, and whoever draws would wait for whoever reads.
const CHUNK: usize = 8 * 1024;

/// Why the loop is over.
enum Over {
    ShellEnded(Ending),
    /// The terminal is gone.
    HungUp,
    /// A signal told us to end.
    Told(i32),
    /// Not even a plain pipe works.
    Broken,
}

/// When nothing has happened for so long, nobody waits for the shell or for us.
const CALM: Duration = Duration::from_millis(100);

/// Output of this size leaves holes in the heap.
const MUCH: usize = 64 * 1024;

type Chores = Box<dyn FnOnce() -> (Store, Receiver<()>)>;

/// A running shell and the terminal it is shown on.
struct Session {
    tty: Tty,
    pty: Pty,
    child: Child,
    signals: Signals,
    scanner: Scanner,
    stage: Stage,
    to_shell: Outbox,
    /// The agent's thread, once there was a query.
    agent: Option<AgentLink>,
    turn: Option<Turn>,
    /// Words to the agent itself that are not obeyed yet and that nobody waits for any more.
    abandoned: usize,
    /// All that was asked, whether it has the floor or not.
    requests: Requests,
    grammars: Grammars,
    /// A conversation that is open.
    talk: Option<line::Talk>,
    wishes: line::Wishes,
    /// What the shell exports, as far as it was told.
    exported: Option<Vec<(OsString, OsString)>>,
    recent: Recent,
    /// Commands that have ended, until the screen has shown it.
    handed_over: Vec<HandedOver>,
    /// A command to put on the next prompt.
    suggestion: Option<String>,
    setup: AgentSetup,
    /// The default until it is asked for: reading it takes memory that a tab without questions does not need.
    theme: OnceCell<Theme>,
    /// Who breaks lines of prose.
    wrap: Wrapping,
    kind: Kind,
    host: String,
    /// Who we are, once it is asked for: the answer may be a network away.
    user: LazyCell<String>,
    /// Typed while the shell was not to have it; sent at its next prompt.
    held: Outbox,
    /// When they last did while the agent was at work.
    typed_at: Option<Instant>,
    /// How often the keyboard was read.
    reads: u64,
    burst: hotkey::Burst,
    store: Store,
    /// What can wait until a command has ended or all is calm at the first prompt, so that it does not compete with the shell's start:
    /// opening the history, tidying up.
    chores: Option<Chores>,
    /// Whether a large output has ended and its memory was not given back yet.
    had_much: bool,
    /// Closed when tidying up is done.
    tidied: Option<Receiver<()>>,
    workspace: Workspace,
    directives: Directives,
    /// Whether it was said that the private directory is gone for good.
    is_cut_off: bool,
    /// How the shell's editor had set its terminal, while a command of the agent's has it.
    editors_terminal: Option<Termios>,
    secrets: Vec<std::path::PathBuf>,
    hooked: hooks::Hooked,
    nested: nested::NestedShells,
    /// Whether hooks are expected and their absence was not mentioned yet.
    expects_hooks: bool,
    pty_open: bool,
    /// Whether the shell's output is followed or only passed on.
    tracking: bool,
}

impl Session {
    fn conduct(&mut self) -> Over {
        let mut keys = vec![0; 4096];
        let mut chunk = vec![0; CHUNK];
        loop {
            let is_ticking = self.turn.is_some() && !self.shell_has_the_keyboard();
            let is_undecided = self.line_is_undecided();
            let has_chores = self.chores.is_some() && self.stage.has_prompted() || self.had_much;
            let patience = [
                is_ticking.then_some(TICK),
                is_undecided.then_some(line::ESC_PATIENCE),
                has_chores.then_some(CALM),
                self.directives.due().map(|due| due.saturating_duration_since(Instant::now())),
            ];
            let patience = patience.into_iter().flatten().min();
            let timeout = patience.and_then(|patience| PollTimeout::try_from(patience).ok());
            let ready = self.wait(timeout.unwrap_or(PollTimeout::NONE));
            self.remind_hook();
            if has_chores && ready == Ready::default() {
                self.do_chores();
                if std::mem::take(&mut self.had_much) {
                    memory::give_back();
                }
            }
            // What we owe goes out before we take more; the only endless source comes last.
            // A signal that came while we were being woken is older than the key that woke us: a resize must not come after it.
            if ready.signals || ready.keys {
                for event in self.signals.pending() {
                    if let Some(over) = self.on_signal(event) {
                        return over;
                    }
                }
            }
            if ready.news {
                self.hear();
            } else if is_ticking {
                self.tick();
            }
            if is_undecided && !ready.keys {
                self.settle_line();
            }
            if ready.shell_takes {
                match self.pty.write(self.to_shell.front()) {
                    Ok(count) => self.to_shell.consume(count),
                    Err(error) if is_later(&error) => {}
                    // Nobody will read it any more; the shell's end is on its way.
                    Err(_) => self.to_shell = Outbox::default(),
                }
            }
            if ready.terminal_gone || ready.screen_takes && self.flush().is_err() {
                return Over::HungUp;
            }
            if ready.keys {
                match self.tty.read(&mut keys) {
                    Ok(count) if count > 0 => self.on_keys(&keys[..count]),
                    Err(error) if is_later(&error) => {}
                    Ok(_) | Err(_) => return Over::HungUp,
                }
            }
            if is_ticking {
                // After the keys: those that waited meanwhile were typed before.
                self.open_prompt();
            }
            if ready.output {
                let count = self.gather(&mut chunk);
                if count > 0 {
                    probe::record(&chunk[..count]);
                    self.on_output(&chunk[..count]);
                    probe::fault_at("loop", &chunk[..count]);
                }
            }
        }
    }

    /// Takes what was read from the keyboard at once.
    fn on_keys(&mut self, keys: &[u8]) {
        self.reads += 1;
        self.burst.note(keys, Instant::now());
        if !self.take_hotkey(keys) {
            self.route(keys);
        }
    }

    fn route(&mut self, keys: &[u8]) {
        if self.tracking && !self.shell_has_the_keyboard() && !self.editor_took_over() {
            if self.turn.is_some() {
                self.on_turn_keys(keys);
            } else if self.line_is_open() {
                self.on_line_keys(keys);
            } else {
                self.hold(keys);
            }
            return;
        }
        if self.expects_hooks && keys.contains(&b'\r') {
            self.miss_hooks();
        }
        if self.turn.is_some() {
            self.typed_at = Some(Instant::now());
        }
        self.send(keys);
    }

    fn shell_has_the_keyboard(&self) -> bool {
        self.stage.shell_has_the_keyboard() && !self.is_covered()
    }

    /// Passes bytes to the shell: at once if it takes them, else from the queue.
    fn send(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.stage.touch(bytes);
        }
        let sent = if self.to_shell.is_empty() { self.pty.write(bytes).unwrap_or(0) } else { 0 };
        self.to_shell.push(&bytes[sent..]);
    }

    /// Shows what the shell printed, then keeps the books. If keeping them ever panics, we are a plain pipe from there on.
    fn on_output(&mut self, bytes: &[u8]) {
        if !self.tracking {
            self.stage.to_screen.push(bytes);
            return self.show();
        }
        let shown = self.stage.to_screen.front().len();
        let (pty, child, stage, scanner) = (&self.pty, &self.child, &mut self.stage, &mut self.scanner);
        let (hooked, nested) = (&mut self.hooked, &mut self.nested);
        hooked.expect(bytes);
        let read = AssertUnwindSafe(|| {
            probe::fault_at("marks", bytes);
            scanner.scan(bytes, |piece| {
                hooked.miss(&piece, stage, pty, child);
                nested.see(&piece, stage, pty, child);
                stage.take(piece, || pty.foreground() == Some(child.pid()));
            });
        });
        if catch_unwind(read).is_err() {
            self.stage.to_screen.truncate(shown);
            self.stage.to_screen.push(bytes);
            self.become_plain();
            return self.show();
        }
        self.hand_over();
        self.show();
        self.follow_up();
    }

    /// Shows what the terminal takes right now; an error means that it is gone.
    fn flush(&mut self) -> io::Result<()> {
        let front = self.stage.to_screen.front();
        if !front.is_empty() {
            match self.tty.write(front) {
                Ok(count) => self.stage.to_screen.consume(count),
                Err(error) if is_later(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Shows what comes while output is handled. A terminal that is gone is noticed by the loop.
    fn show(&mut self) {
        let _ = self.flush();
    }

    /// Does what the output asked for, after it was shown.
    fn follow_up(&mut self) {
        for heard in std::mem::take(&mut self.stage.heard) {
            self.heed(heard);
        }
        self.renew_nonce();
        if self.stage.take_announced() {
            self.on_announced();
        }
        self.announce_here();
        if let Some(ended) = self.stage.ran.take() {
            self.on_ran(ended);
        }
        if let Some((number, line)) = self.stage.waiting.take() {
            self.begin_turn(number, &line);
        }
        if self.turn.is_some() && !self.stage.agent_works() && !self.is_covered() {
            // The shell went on without being told: its hook was interrupted.
            self.abandon_turn();
        }
        if self.talk.is_some() && !self.stage.agent_works() && !self.is_covered() {
            self.abandon_talk();
        }
        self.show_aside();
        if let Some(text) = self.stage.to_place.take() {
            self.suggestion = Some(String::from_utf8_lossy(&text).into_owned());
        }
        if self.stage.shell_is_free() {
            self.place_suggestion();
        }
        if !self.held.is_empty() && self.stage.shell_is_free() {
            let held = std::mem::take(&mut self.held);
            self.send(held.front());
            self.typed_at = None;
        }
        self.remember();
        self.meet_hooks();
    }

    fn do_chores(&mut self) {
        if let Some(chores) = self.chores.take() {
            let (store, tidied) = chores();
            self.store = store;
            self.tidied = Some(tidied);
        }
    }

    /// Puts the commands that have ended where they are safe even if we are killed, before the screen shows that they have ended.
    /// That is a copy to memory: no disk is involved.
    fn hand_over(&mut self) {
        if self.stage.finished.is_empty() {
            return;
        }
        self.do_chores();
        let tty::Size { rows, cols, .. } = self.tty.size();
        let size = capture::Size::new(rows, cols);
        for stage::Finished { command, output } in self.stage.finished.drain(..) {
            self.handed_over.push(self.store.hand_over(Record { command, output, size }));
        }
    }

    /// Remembers the commands that have ended.
    fn remember(&mut self) {
        self.hand_over();
        if self.handed_over.is_empty() {
            return;
        }
        for handed_over in std::mem::take(&mut self.handed_over) {
            let Record { command, output, size } = handed_over.record.clone();
            self.had_much |= output.head.len() + output.tail.len() >= MUCH;
            let ticket = self.store.write(handed_over);
            self.recent.push(ticket, command, Arc::new(output), size);
        }
        if let Some(trouble) = self.store.trouble() {
            self.stage.notice(trouble);
        }
    }

    fn on_signal(&mut self, event: Event) -> Option<Over> {
        match event {
            Event::Resized => {
                let size = self.tty.size();
                self.pty.resize(pty_size(size));
                self.stage.hints_at = self.stage.hints_at.map(|_| capture::Size::new(size.rows, size.cols));
                self.repaint(render::Size { columns: size.cols, rows: size.rows });
                self.announce();
                self.resize_line();
            }
            Event::Child => match self.child.check() {
                Change::None => {}
                Change::Stopped => self.follow_suspended_shell(),
                Change::Ended(ending) => return Some(Over::ShellEnded(ending)),
            },
            Event::Suspend => self.suspend(),
            Event::ForShell(Signal::SIGINT) if !self.stage.shell_has_the_keyboard() => {}
            Event::ForShell(signal) => self.child.signal(signal),
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
