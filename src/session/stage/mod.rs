//! What the shell's output moves: the screen, the tracker, the capture, and who may paint.

mod accepted;
mod announcement;
mod greeting;
mod nonce;
mod wiped;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::capture::{Capture, Limits, Output, Size, Spiller};
use crate::track::{self, Command, Hooks, LineOnScreen, Mark, Modes, Moment, Piece, Screen, Tracker, Zone};

use super::announce::Announcer;
use super::books::WipeFilter;
use super::directives::Heard;
use super::follow::Follower;
use super::hint::hint;
use super::outbox::Outbox;
use super::privacy::Privacy;
use nonce::Nonce;

/// A redraw of one line is a few hundred bytes; if this much comes after a query, it is no redraw and is shown.
const HIDDEN_CAP: usize = 64 * 1024;

/// What jobs may print while a question stands; after that they wait for the answer too.
const ASIDE_CAP: usize = 64 * 1024;

/// The status of a command that Ctrl-C has ended.
const INTERRUPTED: i32 = 130;

/// What a shell prints after a command of its own accord is shorter: a mark and a line of blanks.
const DRESS_CAP: usize = 4096;

/// Who may paint, and whose keys they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Floor {
    Shell,
    /// A query was accepted; until the hook waits, the line editor's redraw is hidden.
    Accepted {
        hidden: usize,
    },
    /// The hook waits and the agent works.
    Agent,
    /// The agent has the shell run something: the shell paints and has the keyboard, until that is over.
    Lent,
    /// The query is answered and the shell is on its way back to its prompt.
    Returning,
}

/// One command with what it printed.
pub(super) struct Finished {
    pub(super) command: Command,
    pub(super) output: Output,
}

/// A command that the shell ran for the agent, with what it printed.
pub(super) struct Ended {
    pub(super) status: i32,
    pub(super) capture: Capture,
    /// Whether the hook still waits; if not, the shell is at its prompt.
    pub(super) hook_waits: bool,
}

/// The receiving end of the shell's output.
pub(super) struct Stage {
    pub(super) to_screen: Outbox,
    /// What the hook has said about its wait, in this order.
    pub(super) heard: Vec<Heard>,
    /// Commands to be remembered.
    pub(super) finished: Vec<Finished>,
    /// A hook that waits: its counter, and the line it waits for.
    pub(super) waiting: Option<(u64, Vec<u8>)>,
    /// A command of the agent's that has ended.
    pub(super) ran: Option<Ended>,
    /// Text for the prompt that has just been drawn.
    pub(super) to_place: Option<Vec<u8>>,
    /// Text for the next prompt.
    later: Option<Vec<u8>>,
    /// The line of the query that was accepted last, and when.
    line: Vec<u8>,
    accepted_at: Option<Instant>,
    /// What was printed while the agent had the floor.
    aside: Vec<u8>,
    tracker: Tracker,
    modes: Modes,
    screen: Screen,
    /// A conversation lies over what the shell shows: what is drawn now is none of the shell's.
    is_covered: bool,
    announcer: Announcer,
    capture: Option<Capture>,
    limits: Limits,
    spiller: Spiller,
    privacy: Privacy,
    follower: Follower,
    floor: Floor,
    notices: Vec<String>,
    /// The terminal's size, where failed commands get a hint.
    pub(super) hints_at: Option<Size>,
    /// What is to be shown above the next prompt.
    announcement: Vec<u8>,
    /// Whether it has been.
    announced: bool,
    has_prompted: bool,
    /// Whether nothing was sent to the shell since it drew its prompt.
    is_untouched: bool,
    wipe_filter: WipeFilter,
    nonce: Nonce,
}

impl Stage {
    pub(super) fn new(
        announcer: Announcer,
        limits: Limits,
        spiller: Spiller,
        privacy: Privacy,
        follower: Follower,
    ) -> Self {
        Stage {
            to_screen: Outbox::default(),
            heard: Vec::new(),
            finished: Vec::new(),
            waiting: None,
            ran: None,
            to_place: None,
            later: None,
            line: Vec::new(),
            accepted_at: None,
            aside: Vec::new(),
            tracker: Tracker::default(),
            modes: Modes::default(),
            screen: Screen::default(),
            is_covered: false,
            announcer,
            capture: None,
            limits,
            spiller,
            privacy,
            follower,
            floor: Floor::Shell,
            notices: Vec::new(),
            hints_at: None,
            announcement: Vec::new(),
            announced: false,
            has_prompted: false,
            is_untouched: false,
            wipe_filter: WipeFilter::default(),
            nonce: Nonce::default(),
        }
    }

    /// Whether keys go to the shell now; otherwise they wait for its next prompt.
    pub(super) fn shell_has_the_keyboard(&self) -> bool {
        matches!(self.floor, Floor::Shell | Floor::Lent)
    }

    /// The line editor is reading: its prompt is drawn, whether our hook could say so or not. False if there is no prompt yet.
    pub(super) fn resume_editor(&mut self) -> bool {
        let is_drawn = self.floor == Floor::Returning && self.zone() == Zone::Prompt;
        is_drawn.then(|| self.floor = Floor::Shell).is_some()
    }

    /// Whether a query is being answered.
    pub(super) fn agent_works(&self) -> bool {
        matches!(self.floor, Floor::Agent | Floor::Lent)
    }

    /// Where the shell is.
    pub(super) fn cwd(&self) -> Option<PathBuf> {
        self.tracker.cwd().map(Path::to_owned)
    }

    /// The whole lines that were printed beside the agent's work since this was last asked.
    pub(super) fn take_aside(&mut self) -> Option<Vec<u8>> {
        if self.aside.len() >= ASIDE_CAP / 2 && !self.aside.contains(&b'\n') {
            // A line without an end must not keep everything after it waiting.
            self.aside.extend_from_slice(b"\r\n");
        }
        let end = memchr::memrchr(b'\n', &self.aside)? + 1;
        let rest = self.aside.split_off(end);
        Some(std::mem::replace(&mut self.aside, rest))
    }

    fn show_aside(&mut self) {
        let aside = std::mem::take(&mut self.aside);
        self.show(&aside);
    }

    /// Whether more of the shell's output can be taken.
    pub(super) fn has_room(&self) -> bool {
        self.to_screen.has_room() && self.aside.len() < ASIDE_CAP
    }

    /// The shell runs something for the agent from here on.
    pub(super) fn lend_floor(&mut self) {
        self.show_aside();
        self.floor = Floor::Lent;
        self.capture = Some(Capture::new(self.limits, self.spiller.clone()));
    }

    /// The query is answered; the shell draws its prompt next.
    pub(super) fn return_floor(&mut self) {
        self.show_aside();
        self.floor = Floor::Returning;
    }

    /// What the programs have switched on.
    pub(super) fn modes(&self) -> &Modes {
        &self.modes
    }

    /// What is on the screen.
    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Whether a line of ours can stand where the cursor is without touching anything.
    pub(super) fn is_on_empty_row(&self) -> bool {
        self.tracker.is_on_empty_row()
    }

    pub(super) fn zone(&self) -> Zone {
        self.tracker.zone()
    }

    /// From here on, or no more, what is drawn lies over what the shell shows.
    pub(super) fn cover(&mut self, is_covered: bool) {
        self.show_redraw();
        self.is_covered = is_covered;
    }

    /// Tells the terminal that what comes is an answer.
    pub(super) fn answer(&mut self) {
        self.to_screen.push(self.announcer.answer());
    }

    /// Tells the terminal that the prompt comes again.
    pub(super) fn prompt_again(&mut self) {
        self.to_screen.push(self.announcer.prompt_again());
    }

    pub(super) fn hooks(&self) -> &Hooks {
        self.tracker.hooks()
    }

    /// Whether the shell has the floor for itself.
    pub(super) fn shell_is_free(&self) -> bool {
        self.floor == Floor::Shell
    }

    /// Whether the first prompt has been drawn.
    pub(super) fn has_prompted(&self) -> bool {
        self.has_prompted
    }

    /// Keeps a line for the next prompt, above which it can stand undisturbed.
    pub(super) fn notice(&mut self, line: String) {
        self.notices.push(line);
    }

    /// The shell gets this to read.
    pub(super) fn touch(&mut self, keys: &[u8]) {
        self.is_untouched = false;
        self.wipe_filter.sent(keys);
    }

    /// Takes the next piece of the stream. `in_front` says whether the shell itself owns its terminal.
    pub(super) fn take(&mut self, piece: Piece<'_>, in_front: impl Fn() -> bool) {
        match piece {
            Piece::Bytes(bytes) => self.pass(bytes),
            Piece::Mark(mark) => self.obey(mark, in_front),
            // What a command prints is not the shell's: it may be another one's, on another machine.
            Piece::ForeignPrompt if self.zone() == Zone::Output => {}
            Piece::ForeignPrompt => self.announcer.fall_silent(),
            Piece::Switch(switch) if !switch.changes_screen() => self.modes.apply(switch),
            Piece::Switch(switch) => {
                let before = self.modes.full_screen();
                self.modes.apply(switch);
                if let Some(capture) = &mut self.capture {
                    match (before, self.modes.full_screen()) {
                        (false, true) => capture.enter_full_screen(),
                        (true, false) => capture.leave_full_screen(),
                        _ => {}
                    }
                }
            }
        }
    }

    /// The shell is gone: ends what it was running and undoes what it left switched on.
    pub(super) fn close(&mut self, status: i32) {
        self.show_redraw();
        if let Some(command) = self.tracker.finish(status, Moment::now()) {
            self.remember(command, b"");
        }
        self.to_screen.push(&self.modes.undo());
    }

    /// Says one line of ours, now.
    pub(super) fn say(&mut self, line: &str) {
        if !self.is_covered && !self.tracker.at_line_start() {
            self.show(b"\r\n");
        }
        self.say_here(line);
    }

    /// Says one line of ours where the cursor is, which is at the start of a line.
    pub(super) fn say_here(&mut self, line: &str) {
        self.show(self.aside(&format!("shellmate: {line}")).as_bytes());
    }

    /// One line of ours, as this terminal can show it.
    pub(super) fn aside(&self, line: &str) -> String {
        self.announcer.aside(line)
    }

    /// Queues bytes that leave the shell's line as it is.
    pub(super) fn draw(&mut self, bytes: &[u8]) {
        self.to_screen.push(bytes);
        if !self.is_covered {
            self.screen.push(bytes);
        }
    }

    /// Queues bytes for the screen.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        self.draw(bytes);
        if !self.is_covered {
            self.tracker.passed(bytes);
        }
    }

    fn pass(&mut self, bytes: &[u8]) {
        if let Floor::Accepted { hidden } = &mut self.floor {
            *hidden += bytes.len();
            if *hidden <= HIDDEN_CAP {
                return;
            }
            self.floor = Floor::Shell;
        }
        if self.floor == Floor::Agent {
            self.aside.extend_from_slice(bytes);
            return;
        }
        let is_edited = self.floor == Floor::Shell && self.tracker.zone() == Zone::Input && !self.is_covered;
        let (filter, mut canvas) = self.filter();
        let bytes = filter.pass(bytes, is_edited, &mut canvas);
        if bytes.is_empty() {
            return;
        }
        self.show(bytes);
        let is_output = self.tracker.zone() == Zone::Output || self.floor == Floor::Lent;
        if let Some(capture) = self.capture.as_mut().filter(|_| is_output) {
            capture.push(&self.nonce.mask(bytes));
        }
    }

    fn obey(&mut self, mark: Mark, in_front: impl Fn() -> bool) {
        let is_hidden = matches!(self.floor, Floor::Accepted { .. });
        // The line editor redraws its prompt, mark and all, on the way from the query to the hook.
        if is_hidden && mark == Mark::Input {
            return;
        }
        let (filter, mut canvas) = self.filter();
        if filter.hides(&mark, &mut canvas) {
            return;
        }
        let is_at_prompt =
            matches!(mark, Mark::End { .. } | Mark::Prompt { .. } | Mark::Start { .. } | Mark::Query { .. });
        if self.floor == Floor::Lent && is_at_prompt {
            // The shell has gone on to its prompt from within the command: an interrupt does that in fish.
            self.floor = Floor::Shell;
            self.command_ended(INTERRUPTED, false);
        }
        let is_new_prompt = self.tracker.zone() == Zone::Prompt;
        let was_refused = matches!(self.tracker.hooks(), Hooks::Refused(_));
        let ended = self.tracker.mark(&mark, Moment::now());
        let is_told = !is_hidden || matches!(mark, Mark::Prompt { .. } | Mark::Start { .. });
        let standard = if is_told { self.announcer.translate(&mark, ended.is_some()) } else { Vec::new() };
        if !matches!(mark, Mark::Prompt { .. }) {
            self.to_screen.push(&standard);
        }
        if let Some(command) = ended {
            let eol_mark = if let Mark::End { eol_mark, .. } = &mark { eol_mark } else { &Vec::new() };
            self.remember(command, eol_mark);
        }
        match &mark {
            Mark::Prompt { cwd } | Mark::Wait { cwd, .. } => self.follower.follow(cwd),
            Mark::Start { text, .. } => self.follower.make_way(text),
            _ => {}
        }
        match mark {
            Mark::Hello { problem, .. } if !was_refused => self.greet(problem),
            Mark::Hello { .. } => {}
            Mark::End { .. } => {}
            Mark::Prompt { .. } => {
                self.heard.push(Heard::Prompts);
                self.screen.prompt();
                if is_hidden {
                    self.show(b"\r\n");
                    self.say("the shell's hook did not wait, so nothing was asked; press Enter to ask again");
                    self.later = Some(std::mem::take(&mut self.line));
                    self.floor = Floor::Returning;
                }
                for notice in std::mem::take(&mut self.notices) {
                    self.say(&notice);
                }
                self.show_announcement();
                self.to_screen.push(&standard);
            }
            Mark::Input => {
                if self.floor == Floor::Returning {
                    self.heard.push(Heard::Prompts); // bash does not say so behind an interrupt
                }
                self.floor = Floor::Shell;
                self.has_prompted = true;
                if is_new_prompt {
                    self.to_place = self.later.take();
                    self.is_untouched = true;
                }
            }
            Mark::Later { text } => self.later = Some(text),
            Mark::Start { text, .. } => {
                self.floor = Floor::Shell;
                let is_private = self.privacy.covers(&text);
                self.capture = (!is_private).then(|| Capture::new(self.limits, self.spiller.clone()));
            }
            Mark::Ran { status } => {
                if self.floor == Floor::Lent {
                    self.floor = Floor::Agent;
                    self.command_ended(status, true);
                }
            }
            Mark::Wiped { .. } => {
                let (filter, mut canvas) = self.filter();
                filter.wiped(&mut canvas);
            }
            Mark::Query { line, screen } => {
                self.wipe_filter.expect_no_redraw();
                if in_front() {
                    if screen == LineOnScreen::Erased {
                        self.filter().1.repaint(&line);
                    }
                    self.floor = Floor::Accepted { hidden: 0 };
                    self.accepted_at = Some(Instant::now());
                    self.line = line;
                    self.heard.push(Heard::Accepts);
                }
            }
            Mark::Wait { turn, .. } => {
                if is_hidden {
                    self.show(b"\r\n");
                    self.answer();
                    self.floor = Floor::Agent;
                    self.waiting = Some((turn, std::mem::take(&mut self.line)));
                } else {
                    self.heard.push(Heard::WaitsInVain);
                }
            }
            Mark::Renew { nonce } => {
                self.keep_secret(&nonce);
                self.heard.push(Heard::Renews(nonce));
            }
            Mark::Listen { token } => self.heard.push(Heard::Listens(token)),
            Mark::Read { token, command } => self.heard.push(Heard::HasRead(token, command)),
            Mark::Go => self.heard.push(Heard::Runs),
        }
    }

    fn command_ended(&mut self, status: i32, hook_waits: bool) {
        self.ran = self.capture.take().map(|capture| Ended { status, capture, hook_waits });
    }

    fn remember(&mut self, command: Command, eol_mark: &[u8]) {
        // No capture was started for a private command.
        if let Some(mut capture) = self.capture.take() {
            capture.drop_end(track::closing(&capture.last(DRESS_CAP)));
            if !eol_mark.is_empty() {
                capture.drop_end(track::epilogue(&capture.last(DRESS_CAP), eol_mark));
            }
            let mut output = capture.finish();
            output.trim_start(track::prologue(&output.head));
            if output.is_whole_in_head() && !track::is_visible(&output.head) {
                output.trim_start(output.head.len());
            }
            self.nonce.mask_whole(&mut output);
            if let Some(size) = self.hints_at {
                self.notices.extend(hint(&command, &output, size));
            }
            self.finished.push(Finished { command, output });
        }
    }
}
