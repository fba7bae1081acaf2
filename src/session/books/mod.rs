//! Facts about the shell, collected from its output: its directory, its commands, and what is on the screen.
//!
//! The books see every byte that goes to the screen and every mark. They decide what is recorded and what the outer terminal is
//! told, but not who has the floor. Bytes for the screen go into the outbox that each method is given.

mod canvas;
mod next_prompt;
mod nonce;
mod outer_marks;
mod recent;
mod recorder;
mod wipe_filter;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use crate::capture::Size;
use crate::input::are_replies;
use crate::track::{HookProblem, Hooks, Mark, Modes, Moment, Scanner, Screen, Switch, Tracker, Zone};

use super::follow::Follower;
use super::keyboard::CTRL_C;
use super::wires::Outbox;

pub(super) use canvas::Canvas;
pub(super) use next_prompt::NextPrompt;
pub(super) use nonce::NonceMask;
pub(super) use outer_marks::OuterMarks;
pub(super) use recent::Recent;
pub(super) use recorder::{Finished, Recorder, switch_screen};
pub(super) use wipe_filter::WipeFilter;

/// All facts about the shell.
pub(super) struct Books {
    /// Finds marks in the shell's output. `None` after a failure: from then on the session is a plain pipe.
    pub(super) scanner: Option<Box<Scanner>>,
    pub(super) tracker: Tracker,
    pub(super) modes: Modes,
    pub(super) screen: Screen,
    pub(super) recorder: Recorder,
    /// Commands for the next query.
    pub(super) recent: Recent,
    pub(super) next_prompt: NextPrompt,
    wipe_filter: WipeFilter,
    outer: OuterMarks,
    follower: Follower,
    /// Whether the first prompt was drawn.
    pub(super) has_prompted: bool,
    /// Whether the shell has received no keys since it drew its prompt, except replies of the terminal.
    is_untouched: bool,
    /// When the shell last received Ctrl-C, if no key that accepts a line has followed.
    pub(super) interrupted_at: Option<Instant>,
}

impl Books {
    pub(super) fn new(scanner: Scanner, outer: OuterMarks, recorder: Recorder, follower: Follower) -> Books {
        Books {
            scanner: Some(Box::new(scanner)),
            tracker: Tracker::default(),
            modes: Modes::default(),
            screen: Screen::default(),
            recorder,
            recent: Recent::default(),
            next_prompt: NextPrompt::default(),
            wipe_filter: WipeFilter::default(),
            outer,
            follower,
            has_prompted: false,
            is_untouched: false,
            interrupted_at: None,
        }
    }

    pub(super) fn zone(&self) -> Zone {
        self.tracker.zone()
    }

    /// The shell's directory.
    pub(super) fn cwd(&self) -> Option<&Path> {
        self.tracker.cwd()
    }

    /// Notes that the shell gets these keys.
    pub(super) fn sent(&mut self, keys: &[u8]) {
        self.is_untouched = self.is_untouched && are_replies(keys);
        self.wipe_filter.sent(keys);
        if let Some(last) = keys.iter().rfind(|key| b"\x03\r\n\x0F".contains(key)) {
            self.interrupted_at = (*last == CTRL_C).then(Instant::now);
        }
    }

    fn filter<'a>(&'a mut self, out: &'a mut Outbox) -> (&'a mut WipeFilter, Canvas<'a>) {
        let Books { wipe_filter, tracker, screen, .. } = self;
        (wipe_filter, Canvas { tracker, screen, out })
    }

    /// Queues bytes that change the screen and the cursor's line.
    pub(super) fn show(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.filter(out).1.show(bytes);
    }

    /// Queues bytes that change the screen but not the shell's line.
    pub(super) fn draw(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.filter(out).1.draw(bytes);
    }

    /// Draws an accepted line again after the line editor has erased it.
    pub(super) fn repaint(&mut self, line: &[u8], out: &mut Outbox) {
        self.filter(out).1.repaint(line);
    }

    /// Shows the bytes that the wipe filter holds back.
    pub(super) fn show_redraw(&mut self, out: &mut Outbox) {
        let (filter, mut canvas) = self.filter(out);
        filter.give_up(&mut canvas);
    }

    /// Shows bytes of the shell or its programs, and records those of a command. Returns the bytes that are shown now.
    pub(super) fn pass<'a>(&mut self, bytes: &'a [u8], is_edited: bool, out: &mut Outbox) -> &'a [u8] {
        let is_edited = is_edited && self.zone() == Zone::Input;
        let (filter, mut canvas) = self.filter(out);
        let shown = filter.pass(bytes, is_edited, &mut canvas);
        if !shown.is_empty() {
            canvas.show(shown);
            if self.zone() == Zone::Output {
                self.recorder.push(shown);
            }
        }
        shown
    }

    /// Notes that a mode was switched. If a program has entered or left the alternate screen, returns which.
    pub(super) fn switch(&mut self, switch: Switch) -> Option<bool> {
        let before = self.modes.full_screen();
        self.modes.apply(switch);
        let after = self.modes.full_screen();
        (before != after).then(|| {
            self.recorder.switch_screen(after);
            after
        })
    }

    /// The shell or a program has printed a standard prompt mark.
    pub(super) fn foreign_prompt(&mut self) {
        // In the output of a command the mark may come from another shell, on another machine.
        if self.zone() != Zone::Output {
            self.outer.fall_silent();
        }
    }

    /// Whether the mark belongs to a redraw that is hidden.
    pub(super) fn hides(&mut self, mark: &Mark, out: &mut Outbox) -> bool {
        let (filter, mut canvas) = self.filter(out);
        filter.hides(mark, &mut canvas)
    }

    /// Records a mark. `is_hidden` says that the screen does not show what the shell draws now. Returns the standard marks of a
    /// prompt for the outer terminal, which `open_prompt` sends.
    pub(super) fn enter(&mut self, mark: &Mark, is_hidden: bool, out: &mut Outbox) -> Vec<u8> {
        let is_new_prompt = self.zone() == Zone::Prompt;
        let was_refused = matches!(self.tracker.hooks(), Hooks::Refused(_));
        let ended = self.tracker.mark(mark, Moment::now());
        let is_told = !is_hidden || matches!(mark, Mark::Prompt { .. } | Mark::Start { .. });
        let standard = if is_told { self.outer.translate(mark, ended.is_some()) } else { Vec::new() };
        if !matches!(mark, Mark::Prompt { .. }) {
            out.push(&standard);
        }
        if let Some(command) = ended {
            let eol_mark = if let Mark::End { eol_mark, .. } = mark { eol_mark } else { &Vec::new() };
            self.recorder.end(command, eol_mark);
        }
        match mark {
            Mark::Hello { problem, .. } if !was_refused => self.greet(*problem, out),
            Mark::Prompt { cwd } => {
                self.follower.follow(cwd);
                self.screen.prompt();
                return standard;
            }
            Mark::Input => {
                self.has_prompted = true;
                self.is_untouched |= is_new_prompt;
            }
            Mark::Start { text, .. } => {
                self.follower.make_way(text);
                self.recorder.start(text);
            }
            Mark::Wait { cwd, .. } => self.follower.follow(cwd),
            Mark::Wiped { .. } => {
                let (filter, mut canvas) = self.filter(out);
                filter.wiped(&mut canvas);
            }
            Mark::Query { .. } => self.wipe_filter.expect_no_redraw(),
            Mark::Later { text } => self.next_prompt.text = Some(text.clone()),
            Mark::Renew { nonce } => self.recorder.nonce = NonceMask::new(nonce),
            Mark::Hello { .. }
            | Mark::End { .. }
            | Mark::Listen { .. }
            | Mark::Read { .. }
            | Mark::Go
            | Mark::Ran { .. } => {}
        }
        Vec::new()
    }

    /// Shows the lines that were kept for this prompt, which the shell draws next, and sends the outer terminal the marks of the
    /// prompt.
    pub(super) fn open_prompt(&mut self, standard: &[u8], out: &mut Outbox) {
        let settings = self.next_prompt.settings.take();
        for notice in std::mem::take(&mut self.next_prompt.notices).into_iter().chain(settings) {
            self.say(&notice, out);
        }
        let lines = self.next_prompt.take_announcement();
        if !lines.is_empty() {
            self.start_line(out);
            self.show(&lines, out);
        }
        out.push(standard);
    }

    /// Whether something is kept for the next prompt and this prompt is idle. A line that is being edited, or a prompt that does
    /// not start in the first column, is left alone.
    pub(super) fn can_announce_here(&self) -> bool {
        let is_idle = self.is_untouched && self.zone() == Zone::Input;
        let is_alone = !self.modes.full_screen() && self.tracker.before_prompt().is_empty();
        !self.next_prompt.announcement.is_empty() && is_idle && is_alone
    }

    /// Draws the lines for the next prompt in place of this prompt, and this prompt again below them.
    pub(super) fn announce_here(&mut self, Size { rows, cols }: Size, out: &mut Outbox) {
        let shown = self.screen.shown(rows.get(), cols.get(), true);
        self.draw(b"\x1b[0m\r", out);
        if shown.above > 0 {
            self.draw(format!("\x1b[{}A", shown.above).as_bytes(), out);
        }
        self.draw(b"\x1b[J", out);
        let lines = self.next_prompt.take_announcement();
        self.draw(&lines, out);
        let [start, end] = self.outer.prompt_again();
        out.push(start);
        self.screen.prompt();
        self.draw(&shown.lines, out);
        out.push(end);
    }

    /// Tells the outer terminal that an answer follows.
    pub(super) fn answer(&mut self, out: &mut Outbox) {
        out.push(self.outer.answer());
    }

    /// Draws the prompt and the line that is edited again. The screen model has them already.
    pub(super) fn prompt_again(&mut self, prompt: &[u8], out: &mut Outbox) {
        let [start, end] = self.outer.prompt_again();
        out.push(start);
        out.push(prompt);
        // Otherwise the shell is still drawing its prompt, and its own mark follows.
        if self.zone() == Zone::Input {
            out.push(end);
        }
    }

    /// Keeps a line that is shown above the next prompt.
    pub(super) fn notice(&mut self, line: String) {
        self.next_prompt.notices.push(line);
    }

    /// Shows one line of shellmate now, on a row of its own.
    pub(super) fn say(&mut self, line: &str, out: &mut Outbox) {
        self.start_line(out);
        self.say_here(line, out);
    }

    /// Shows one line of shellmate at the cursor, which is at the start of a row.
    pub(super) fn say_here(&mut self, line: &str, out: &mut Outbox) {
        let line = self.words(line);
        self.show(&line, out);
    }

    /// One line of shellmate as this terminal can show it.
    pub(super) fn words(&self, line: &str) -> Vec<u8> {
        self.dim(&format!("shellmate: {line}"))
    }

    /// The terminal has this many columns now.
    pub(super) fn set_columns(&mut self, columns: u16) {
        self.outer.set_columns(columns);
    }

    /// One dim line, as this terminal can show it.
    pub(super) fn dim(&self, line: &str) -> Vec<u8> {
        self.outer.aside(line).into_bytes()
    }

    fn start_line(&mut self, out: &mut Outbox) {
        if !self.tracker.at_line_start() {
            self.show(b"\r\n", out);
        }
    }

    /// The shell has ended: ends its running command and resets the modes that it left on.
    pub(super) fn close(&mut self, status: i32, out: &mut Outbox) {
        self.show_redraw(out);
        if let Some(command) = self.tracker.finish(status, Moment::now()) {
            self.recorder.end(command, b"");
        }
        out.push(&self.modes.undo());
    }

    /// Shows why the hooks could not be installed.
    fn greet(&mut self, problem: Option<HookProblem>, out: &mut Outbox) {
        let line = match problem {
            None => return,
            Some(HookProblem::TooOld) => "this shell is too old for its hooks, so commands are not recorded",
            Some(HookProblem::ReadOnly) => {
                "a read-only prompt variable blocks shellmate's hooks, so commands are not recorded"
            }
            Some(HookProblem::ForeignEditor) => {
                "shellmate cannot hook this line editor; lines that start with `> ` will run as shell commands"
            }
        };
        self.say(&format!("{line}; `shellmate doctor` says more"), out);
    }
}
