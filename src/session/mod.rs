//! The session: owns the user's terminal, the hosted shell and everything between them.
//!
//! A session has wires (bytes and descriptors), books (facts about the shell) and a floor (who may paint, and who gets the keys).
//! One loop on one thread moves bytes both ways. Each source is read only while the queue that it fills has room. Nothing else is
//! between keyboard, shell and screen: other threads write the store and the spill files, and their errors become one line above
//! the next prompt. Imported by `cli` only.

mod agent_link;
mod agent_news;
mod background;
mod books;
mod build;
mod command_store;
mod cut_off;
mod directives;
mod effects;
mod errands;
mod farewell;
mod floor;
mod follow;
mod grammars;
mod hint;
mod hooks;
mod inquiry;
mod key_list;
mod keyboard;
mod line;
mod live;
mod memory;
mod nested;
mod outer_abilities;
mod outer_terminal;
mod plain;
mod privacy;
mod probe;
mod profile;
mod prompt;
mod prompt_door;
#[cfg(test)]
mod recorded;
mod reports;
mod requests;
#[cfg(test)]
mod scripted_tests;
mod system;
mod terminal_id;
mod transcript;
mod welcome;
mod wires;
mod worker;
mod workspace;

use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use nix::poll::PollTimeout;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, getsid};

use crate::capture;
use crate::host::{HostError, ShellChange, ShellEnding};
use crate::text;
use crate::track::{Mark, Piece, Zone};
use crate::tty::TtyError;

use agent_news::AgentHandle;
use books::Books;
use command_store::CommandStore;
use errands::Errands;
use floor::{Floor, FloorEvent, LoopEvent};
use hooks::HookLink;
use keyboard::{ESC_PATIENCE, Keyboard, discards_output};
use line::Editor;
use nested::NestedShells;
use outer_terminal::OuterTerminal;
use profile::Profile;
use requests::Requests;
use wires::{Interest, Ready, SignalEvent, Wires, is_later};

pub(crate) use agent_link::{is_built_in, refusal_outside};
pub(crate) use agent_link::{model_facts, model_list, needs_key};
pub(crate) use build::{Start, run};
pub(crate) use grammars::Grammars;
pub(crate) use inquiry::{Inquired, QuestionLook, inquire};
pub(crate) use prompt::Asked;
pub(crate) use prompt_door::hand_to_prompt;
pub(crate) use workspace::hosts;

/// Why no session could be started. The user's shell can still be started without one.
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

/// A pty delivers at most one page at a time, and accepts two. Two at once need fewer writes than one. With more, each write
/// would be accepted only in part, and the program that draws would wait for the one that reads.
const CHUNK: usize = 8 * 1024;

/// Why the loop has ended.
enum LoopEnd {
    ShellEnded(ShellEnding),
    /// The terminal is gone.
    HungUp,
    /// A signal asked the process to end.
    Told(i32),
    /// Even a plain pipe does not work.
    Broken,
}

/// After this time without events, neither the shell nor the person is waiting.
const CALM: Duration = Duration::from_millis(100);

/// How often the status line moves while a turn runs. There are no ticks at other times.
const TICK: Duration = Duration::from_millis(80);

/// A running shell and the terminal it is shown on.
struct Session {
    wires: Wires,
    books: Books,
    floor: Floor,
    keyboard: Keyboard,
    hook: HookLink,
    agent: AgentHandle,
    /// All requests, in the foreground and in the background.
    requests: Requests,
    store: CommandStore,
    profile: Profile,
    nested: NestedShells,
    outer: OuterTerminal,
    /// Work that other threads do.
    errands: Errands,
    /// The person's own editor, while it is waiting for the terminal or has it.
    editor: Option<Editor>,
    /// Text to put on the prompt as soon as the shell has the floor.
    suggestion: Option<String>,
    /// Whether the shell's output is only passed on, because command tracking has failed.
    is_plain: bool,
}

impl Session {
    fn conduct(&mut self) -> LoopEnd {
        let mut keys = vec![0; 4096];
        let mut chunk = vec![0; CHUNK];
        loop {
            if let Some(over) = self.turn_once(&mut keys, &mut chunk) {
                return over;
            }
        }
    }

    /// Waits for something to do and does it. Queued bytes are written before more are read; the shell's output, the only endless
    /// source, comes last.
    fn turn_once(&mut self, keys: &mut [u8], chunk: &mut [u8]) -> Option<LoopEnd> {
        let (ticks, is_undecided) = (self.floor.ticks(), self.floor.is_undecided());
        let has_chores = self.store.has_chores(self.books.has_prompted) || self.wants_to_look_back();
        let ready = self.wait(ticks, is_undecided, has_chores);
        self.remind_hook(Instant::now());
        if has_chores && ready == Ready::default() {
            self.store.do_chores();
            self.look_back();
        }
        // A signal that arrived at the same time is older than the key: a resize must be handled before the key.
        if ready.signals || ready.keys {
            for event in self.wires.signals.pending() {
                if let Some(over) = self.on_signal(event) {
                    return Some(over);
                }
            }
        }
        if ready.news {
            self.hear();
        } else if ticks {
            self.on(LoopEvent::Tick);
        }
        if ready.errands {
            self.take_errands();
        }
        if is_undecided && !ready.keys {
            self.on(LoopEvent::Settle);
        }
        if ready.shell_takes {
            self.wires.send_waiting();
        }
        let has_painted = ready.signals || ready.news || ticks || is_undecided;
        if ready.terminal_gone || (ready.screen_takes || has_painted) && self.wires.flush().is_err() {
            return Some(LoopEnd::HungUp);
        }
        self.start_editor();
        self.release_keys(ready.keys);
        if ready.keys {
            match self.wires.terminal.read(keys) {
                Ok(count) if count > 0 => {
                    if discards_output(&keys[..count]) && self.wires.to_screen.has_room() && self.floor.has_room() {
                        self.take_output(chunk);
                    }
                    self.on_keys(&keys[..count], Instant::now());
                }
                Err(error) if is_later(&error) => {}
                Ok(_) | Err(_) => return Some(LoopEnd::HungUp),
            }
        }
        if ready.output {
            self.take_output(chunk);
        }
        // Last of all, because keys that were waiting were typed before what was drawn now, and because a question that is on the screen
        // must not have to wait for the next event until it gets the keys.
        if self.floor.ticks() && !self.wires.terminal.has_more() {
            self.on(LoopEvent::KeysRead);
            self.wires.show();
        }
        None
    }

    /// Reads and handles the output of the shell that is ready.
    fn take_output(&mut self, chunk: &mut [u8]) {
        let count = self.wires.gather(chunk);
        if count > 0 {
            probe::record(&chunk[..count]);
            self.on_output(&chunk[..count]);
            probe::fault_at("loop", &chunk[..count]);
        }
    }

    /// Sleeps until there is something to do.
    fn wait(&mut self, ticks: bool, is_undecided: bool, has_chores: bool) -> Ready {
        let patience = [
            ticks.then_some(TICK),
            is_undecided.then_some(ESC_PATIENCE),
            has_chores.then_some(CALM),
            self.hook.due().map(|due| due.saturating_duration_since(Instant::now())),
            self.outer.reports.due().map(|due| due.saturating_duration_since(Instant::now())),
        ];
        let patience = patience.into_iter().flatten().min();
        let timeout = patience.and_then(|patience| PollTimeout::try_from(patience).ok());
        let screen_has_room = self.wires.to_screen.has_room();
        let wanted = Interest {
            keys: self.wires.to_shell.has_room() && self.keyboard.held.has_room(),
            output: screen_has_room && self.floor.has_room(),
            news: screen_has_room,
        };
        let news = self.agent.link.as_ref().map(AsFd::as_fd);
        self.wires.wait(news, Some(self.errands.as_fd()), wanted, timeout.unwrap_or(PollTimeout::NONE))
    }

    /// Handles keys that were read at once.
    fn on_keys(&mut self, read: &[u8], now: Instant) {
        let mut heard = Vec::new();
        let keys = self.outer.reports.take(read, now, &mut heard);
        self.heed_reports(&heard);
        if keys.is_empty() {
            return;
        }
        self.pass_keys(&keys, now);
    }

    /// Passes on held bytes that turned out to be keys, unless the next read may complete them.
    fn release_keys(&mut self, is_read_next: bool) {
        let now = Instant::now();
        if !is_read_next && let Some(keys) = self.outer.reports.release(now) {
            self.pass_keys(&keys, now);
        }
    }

    /// Handles keys without the replies of the terminal.
    fn pass_keys(&mut self, keys: &[u8], now: Instant) {
        let is_hotkey = self.keyboard.read(keys, now) && !self.is_plain && self.floor.takes_hotkey();
        if is_hotkey && !self.wires.terminal.has_more() {
            self.on(FloorEvent::Hotkey(keys));
        } else if self.floor.shell_has_keyboard() {
            self.miss_hooks(keys);
            if !self.floor.is_shell() {
                self.keyboard.typed_at = Some(now);
            }
            // The path of every key at the prompt: no effects and no copy.
            self.send(keys);
        } else {
            self.on(FloorEvent::Keys(keys));
        }
        self.wires.show();
    }

    /// Passes bytes to the shell.
    fn send(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.books.sent(bytes);
            self.wires.send(bytes);
        }
    }

    /// Shows the shell's output, then does what its marks ask for. If tracking panics, the session is a plain pipe from there on.
    fn on_output(&mut self, bytes: &[u8]) {
        let Some(mut scanner) = self.books.scanner.take() else {
            self.wires.to_screen.push(bytes);
            return self.wires.show();
        };
        let waiting = self.wires.to_screen.front().len();
        self.hook.expect(bytes);
        let read = AssertUnwindSafe(|| {
            probe::fault_at("marks", bytes);
            scanner.scan(bytes, |piece| self.on_piece(piece));
        });
        if catch_unwind(read).is_err() {
            self.wires.to_screen.truncate(waiting);
            self.wires.to_screen.push(bytes);
            self.become_plain();
            return self.wires.show();
        }
        self.books.scanner = Some(scanner);
        self.hand_over();
        self.wires.show();
        self.follow_up();
        self.wires.show();
    }

    /// Handles the next piece of the shell's output.
    fn on_piece(&mut self, piece: Piece<'_>) {
        self.hook.watch(&piece, &mut self.books, &mut self.wires);
        self.nested.see(&piece, &mut self.books, &mut self.wires);
        match piece {
            Piece::Bytes(bytes) => self.on_bytes(bytes),
            Piece::Mark(mark) => self.on_mark(&mark),
            Piece::ForeignPrompt => self.books.foreign_prompt(),
            Piece::Switch(switch) => {
                let screen = self.books.switch(switch);
                if let (Floor::Lent(lent), Some(is_full_screen)) = (&mut self.floor, screen) {
                    lent.switch_screen(is_full_screen);
                }
            }
        }
    }

    fn on_mark(&mut self, mark: &Mark) {
        let is_hidden = self.floor.hides();
        // Between the query and the hook, the line editor redraws its prompt together with the mark.
        if is_hidden && *mark == Mark::Input || self.books.hides(mark, &mut self.wires.to_screen) {
            return;
        }
        let is_new_prompt = *mark == Mark::Input && self.books.zone() == Zone::Prompt;
        let standard = self.books.enter(mark, is_hidden, &mut self.wires.to_screen);
        self.heed(mark);
        self.on(FloorEvent::Mark(mark));
        if matches!(mark, Mark::Prompt { .. }) {
            self.books.open_prompt(&standard, &mut self.wires.to_screen);
        }
        if is_new_prompt && let Some(text) = self.books.next_prompt.text.take() {
            self.suggestion = Some(String::from_utf8_lossy(&text).into_owned());
        }
    }

    /// Does the work that can wait until the output is shown.
    fn follow_up(&mut self) {
        self.renew_nonce();
        self.note_announced();
        self.announce_here();
        if self.floor.has_jobs() {
            self.on(LoopEvent::OutputEnded);
        }
        if self.floor.is_shell() {
            self.place_suggestion();
            let held = self.keyboard.take_held();
            if !held.is_empty() {
                self.send(&held);
                self.keyboard.typed_at = None;
            }
        }
        self.store.remember(&mut self.books);
        self.meet_hooks();
    }

    /// Puts a proposed command on the prompt, as a paste that does not run. A program in front of the shell does not get it.
    fn place_suggestion(&mut self) {
        if self.books.zone() == Zone::Input
            && let Some(command) = self.suggestion.take()
        {
            self.send(format!("\x1b[200~{}\x1b[201~", text::without_controls(&command)).as_bytes());
        }
    }

    fn hand_over(&mut self) {
        let finished = &mut self.books.recorder.finished;
        if !finished.is_empty() {
            let size = self.wires.terminal.size();
            let size = capture::Size::new(size.rows, size.cols);
            finished.iter().for_each(|finished| self.books.recorder.hints.look(finished, size, &self.errands));
            self.store.hand_over(finished, size);
        }
    }

    fn on_signal(&mut self, event: SignalEvent) -> Option<LoopEnd> {
        match event {
            SignalEvent::Resized => {
                self.wires.resize_shell();
                self.books.set_columns(self.wires.terminal.size().cols);
                self.on(FloorEvent::Resized);
                self.announce();
            }
            SignalEvent::Child => match self.wires.shell.check() {
                ShellChange::None => {}
                ShellChange::Stopped => self.follow_suspended_shell(),
                ShellChange::Ended(ending) => return Some(LoopEnd::ShellEnded(ending)),
            },
            // While the person's editor has the terminal, its keys send these signals to the whole foreground group.
            SignalEvent::Suspend | SignalEvent::ForShell(Signal::SIGINT) if self.wires.is_lent => {}
            SignalEvent::Suspend => {
                self.rest_outer_terminal();
                self.wires.show();
                self.wires.suspend();
            }
            SignalEvent::ForShell(Signal::SIGINT) => self.on(FloorEvent::Interrupt),
            SignalEvent::ForShell(signal) => self.wires.shell.signal(signal),
            SignalEvent::End(signal) => return Some(LoopEnd::Told(signal)),
        }
        None
    }

    /// The shell has suspended itself to return to the shell that started it, so this process suspends itself too.
    fn follow_suspended_shell(&mut self) {
        // The leader of a session has no shell to return to.
        if getsid(None) != Ok(getpid()) {
            self.wires.suspend();
        }
        self.wires.shell.signal(Signal::SIGCONT);
    }
}
