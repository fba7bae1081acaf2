//! Events of a turn, painted.

use std::time::{Duration, Instant};

use super::look::Look;
use crate::chat::{Ending, Event};
use crate::text::{human, width, wrap};

use super::call::Calls;
use super::line::{Hang, StyledLine};
use super::markdown::Stream;
use super::region::{Final, Region};
use super::status::{Doing, Status};
use super::thought::Thought;
use super::unfold::Unfolding;
use super::{Mode, Options, Size};

/// Text that flows is sign enough of life; the status line comes back when it has stopped for this long.
const STALL: Duration = Duration::from_secs(1);

/// Turns what happens in a turn into bytes for the terminal. One serves turn after turn.
pub(crate) struct Painter {
    options: Options,
    region: Region,
    stream: Stream,
    calls: Calls,
    thought: Thought,
    /// None between turns.
    status: Option<Status>,
    finals: Vec<Final>,
    /// What was shown last.
    kind: Option<Kind>,
    /// When text came last.
    text_at: Option<Instant>,
    /// The last time we were told.
    now: Option<Instant>,
    /// Unfolded while a line was open.
    later: Vec<StyledLine>,
    /// A line said as it is has no end yet.
    open_part: bool,
    suspended: bool,
}

/// What stands together without a blank line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thought,
    Call,
    Note,
}

impl Painter {
    pub(crate) fn new(options: Options) -> Painter {
        Painter {
            region: Region::new(options.clone()),
            stream: Stream::new(options.clone()),
            calls: Calls::new(options.clone()),
            thought: Thought::default(),
            options,
            status: None,
            finals: Vec::new(),
            kind: None,
            text_at: None,
            now: None,
            later: Vec::new(),
            open_part: false,
            suspended: false,
        }
    }

    /// How it paints.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Appends the bytes that show what happened.
    pub(crate) fn event(&mut self, event: &Event, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        if self.status.is_none() && !matches!(event, Event::Notice(_) | Event::Steered(_) | Event::Finished(_)) {
            self.status = Some(Status::new(now));
        }
        match event {
            Event::StepStarted { .. } => {
                self.doing(Doing::Waiting);
                // Another answer follows at once where the person has said something meanwhile.
                if self.kind == Some(Kind::Text) {
                    self.close(now);
                    self.say(vec![StyledLine::new()]);
                }
            }
            Event::Model(name) => {
                if let Some(status) = &mut self.status {
                    status.model = Some(name.clone());
                }
            }
            Event::Thinking(text) => self.on_thinking(text, now),
            Event::Text(text) => self.on_text(text, now),
            Event::CallStarted { call, kind, title } => {
                self.doing(Doing::Working);
                self.begin(Kind::Call, now);
                let lines = self.calls.start(call, *kind, title, now);
                self.say(lines);
            }
            Event::CallOutput { id, text } => self.calls.output(id, text),
            Event::CallFinished { id, outcome, shown, took } => {
                self.begin(Kind::Call, now);
                let lines = self.calls.finish(id, outcome, shown, *took);
                self.say(lines);
                if !self.calls.is_running() {
                    self.doing(Doing::Waiting);
                }
            }
            Event::Retrying { attempt, after, why } => self.on_retrying(*attempt, *after, why, now),
            Event::Usage(usage) => {
                if let Some(status) = &mut self.status {
                    status.usage += *usage;
                    status.streamed = 0;
                }
            }
            Event::Notice(text) => {
                self.begin(Kind::Note, now);
                self.say(text.lines().map(|line| prose(Look::MUTED, line)).collect());
            }
            Event::Steered(text) => {
                let mark = |index: usize| if index == 0 { "> " } else { "  " };
                let line = |(index, line)| {
                    StyledLine::of(Look::ACCENT, mark(index)).with(Look::PLAIN, line).wrapped(Hang::below(2))
                };
                let lines: Vec<StyledLine> = text.lines().enumerate().map(line).collect();
                // It was said in the middle of a sentence, perhaps of a word.
                if self.kind == Some(Kind::Text) || self.open_part {
                    self.later.extend(lines);
                } else {
                    self.begin(Kind::Note, now);
                    self.say(lines);
                }
            }
            Event::Finished(ending) => self.on_finished(ending, now),
        }
        self.paint(out);
    }

    /// Moves the spinner and the elapsed time; to be called now and then while a turn runs.
    pub(crate) fn tick(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        if self.options.mode == Mode::Terminal {
            self.paint(out);
        }
    }

    /// The terminal has another size now.
    pub(crate) fn resize(&mut self, size: Size, out: &mut Vec<u8>) {
        self.options.resize(size);
        self.stream.resize(size);
        self.calls.resize(size.columns);
        if self.suspended {
            // What is on the screen now is not ours.
            return self.region.resize(size, &mut Vec::new());
        }
        self.region.resize(size, out);
        self.paint(out);
    }

    /// Removes the live region so that others may print; the cursor is left at the start of a fresh line.
    pub(crate) fn suspend(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.suspended, true) {
            self.region.lift(out);
        }
    }

    /// Makes final what was said so far and then lets others print: a question comes after the words that lead to it.
    pub(crate) fn make_way(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        self.begin(Kind::Call, now);
        let reads = self.calls.flush();
        self.say(reads);
        self.paint(out);
        self.suspend(out);
    }

    /// Paints the live region again, below what others printed; the cursor must be at the start of a fresh line.
    pub(crate) fn resume(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        self.suspended = false;
        self.paint(out);
    }

    /// From here on, thoughts are shown, and calls with everything they printed or returned.
    pub(crate) fn show_all(&mut self) {
        self.calls.shows_all = true;
        self.thought.unfolded = true;
    }

    /// From here on, folded lines say that this unfolds them.
    pub(crate) fn set_unfolding(&mut self, unfolding: Unfolding) {
        self.calls.unfolding = unfolding;
    }

    /// Unfolds or folds the output of the running call, or of the last one.
    pub(crate) fn toggle_output(&mut self, out: &mut Vec<u8>) {
        let lines = self.calls.toggle();
        self.unfold(lines, out);
    }

    /// Unfolds or folds what the model thinks.
    pub(crate) fn toggle_thinking(&mut self, out: &mut Vec<u8>) {
        let lines = self.thought.toggle();
        self.unfold(lines, out);
    }

    /// Ends the turn: no live region, the cursor at the start of a fresh line. Harmless when it has ended already.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.suspended = false;
        if let Some(now) = self.now {
            self.close(now);
        }
        let lines = self.calls.stop();
        self.say(lines);
        self.status = None;
        self.kind = None;
        self.text_at = None;
        self.paint(out);
        self.region.lift(out);
    }

    fn on_thinking(&mut self, text: &str, now: Instant) {
        self.doing(Doing::Thinking);
        self.streamed(text);
        self.begin(Kind::Thought, now);
        let fresh = self.thought.push(text, now).to_owned();
        self.verbatim(&fresh, Look::MUTED);
    }

    fn on_text(&mut self, text: &str, now: Instant) {
        // Some models begin with blank lines, or say nothing but blanks between calls.
        let text = if self.kind == Some(Kind::Text) { text } else { text.trim_start_matches(['\n', '\r']) };
        if text.is_empty() {
            return;
        }
        self.doing(Doing::Writing);
        self.streamed(text);
        self.begin(Kind::Text, now);
        self.text_at = Some(now);
        match self.options.mode {
            Mode::Terminal => self.stream.push(text),
            Mode::Dumb => self.verbatim(text, Look::PLAIN),
        }
    }

    fn on_retrying(&mut self, attempt: u32, after: Duration, why: &str, now: Instant) {
        self.doing(Doing::Retrying { attempt, until: now + after, why: why.to_owned() });
        if self.kind == Some(Kind::Text) {
            // What was said so far stays, and the next try begins anew below it.
            self.close(now);
            self.say(vec![prose(Look::MUTED, "(interrupted; asking again)"), StyledLine::new()]);
        }
        self.text_at = None;
        if self.options.mode == Mode::Dumb {
            self.begin(Kind::Note, now);
            self.say(vec![StyledLine::of(Look::PLAIN, &format!("{why}; try {attempt} in {}", human::duration(after)))]);
        }
    }

    fn on_finished(&mut self, ending: &Ending, now: Instant) {
        self.close(now);
        let stopped = self.calls.stop();
        self.say(stopped);
        match ending {
            Ending::Answered => {}
            Ending::Interrupted => self.say(vec![prose(Look::WARNING, "interrupted")]),
            Ending::StepLimit => self.say(vec![prose(Look::WARNING, "stopped at the step limit")]),
            Ending::Failed(failure) => {
                let mark = if self.options.unicode { "✗ " } else { "error: " };
                let line = StyledLine::of(Look::BAD, mark).with(Look::BAD, &failure.words);
                self.say(vec![line.wrapped(Hang::below(width::cells(mark)))]);
            }
        }
        if let Some(status) = self.status.take().filter(|status| status.has_footer(ending)) {
            self.say(vec![status.footer(now, &self.options).wrapped(Hang::default())]);
        }
        self.kind = None;
        self.text_at = None;
    }

    fn doing(&mut self, doing: Doing) {
        if let Some(status) = &mut self.status {
            status.doing = doing;
        }
    }

    fn streamed(&mut self, text: &str) {
        if let Some(status) = &mut self.status {
            status.streamed += text.len();
        }
    }

    /// Ends what is open if something else begins, with a blank line between an answer and the rest.
    fn begin(&mut self, kind: Kind, now: Instant) {
        if self.kind == Some(kind) {
            return;
        }
        let before = self.kind;
        self.close(now);
        if before.is_some() && (before == Some(Kind::Text)) != (kind == Kind::Text) {
            self.say(vec![StyledLine::new()]);
        }
        self.kind = Some(kind);
    }

    /// Ends what is open.
    fn close(&mut self, now: Instant) {
        match self.kind {
            None | Some(Kind::Note) => {}
            Some(Kind::Text) => match self.options.mode {
                Mode::Terminal => {
                    self.stream.end();
                    self.finals.extend(self.stream.take());
                }
                Mode::Dumb => self.end_part(),
            },
            Some(Kind::Thought) => {
                let line = self.thought.end(now, self.calls.unfolding, &self.options);
                self.end_part();
                self.say(vec![line]);
            }
            Some(Kind::Call) => {
                let lines = self.calls.flush();
                self.say(lines);
            }
        }
        self.kind = None;
        self.text_at = None;
        let later = std::mem::take(&mut self.later);
        self.say(later);
    }

    /// Says text as it is; a line may stay open.
    fn verbatim(&mut self, text: &str, style: Look) {
        for piece in text.split_inclusive('\n') {
            let line = piece.strip_suffix('\n');
            self.open_part = line.is_none();
            self.finals.push(match line {
                Some(line) => Final::Line(prose(style, line.strip_suffix('\r').unwrap_or(line))),
                None => Final::Part(prose(style, piece)),
            });
        }
    }

    fn end_part(&mut self) {
        if std::mem::take(&mut self.open_part) {
            self.say(vec![StyledLine::new()]);
        }
    }

    fn say(&mut self, lines: Vec<StyledLine>) {
        self.finals.extend(lines.into_iter().map(Final::Line));
    }

    fn unfold(&mut self, lines: Vec<StyledLine>, out: &mut Vec<u8>) {
        if self.kind == Some(Kind::Text) || self.open_part {
            self.later.extend(lines);
        } else {
            self.say(lines);
        }
        self.paint(out);
    }

    fn paint(&mut self, out: &mut Vec<u8>) {
        self.finals.extend(self.stream.take());
        if self.suspended {
            return;
        }
        let live = match (self.options.mode, self.now) {
            (Mode::Terminal, Some(now)) => self.live(now),
            (Mode::Terminal, None) | (Mode::Dumb, _) => self.open_part.then(StyledLine::new).into_iter().collect(),
        };
        self.region.paint(std::mem::take(&mut self.finals), live, out);
    }

    fn live(&self, now: Instant) -> Vec<StyledLine> {
        let mut lines = self.stream.live();
        if self.open_part {
            lines.push(StyledLine::new());
        }
        lines.extend(self.calls.live(now));
        let flowing = self.text_at.is_some_and(|at| now.saturating_duration_since(at) < STALL);
        if let Some(status) = self.status.as_ref().filter(|_| !flowing && !self.region.is_locked()) {
            lines.push(status.line(now, &self.options));
        }
        lines
    }
}

/// The rows of a text of our own: lines of words, each wrapped below its beginning.
pub(crate) fn wrapped(text: &str, options: &Options) -> Vec<String> {
    let rows = |line: &str| prose(Look::PLAIN, line).rows(options, None);
    text.lines().flat_map(rows).map(|row| row.line.text()).collect()
}

/// A line of words, wrapped below its beginning.
fn prose(style: Look, text: &str) -> StyledLine {
    StyledLine::of(style, text).wrapped(Hang { lead: 0, ..Hang::below(wrap::hang_of(text)) })
}
