//! Paints the events of a turn.

use std::time::{Duration, Instant};

use super::ascii::ascii;
use super::look::Look;
use crate::chat::{Ending, Event};
use crate::text::{human, width, wrap};

use super::call::CallList;
use super::line::{Hang, StyledLine};
use super::markdown::Stream;
use super::region::{Final, Region};
use super::status::{Doing, Status};
use super::theme::Theme;
use super::thought::Thought;
use super::unfold::Unfolding;
use super::word::UnfinishedWord;
use super::{RenderOptions, ScreenSize, TerminalMode};

/// The status line is hidden while text arrives, and comes back after a pause of this length.
const STALL: Duration = Duration::from_secs(1);

/// Turns the events of a turn into bytes for the terminal. One painter is used for many turns.
pub(crate) struct Painter {
    options: RenderOptions,
    region: Region,
    stream: Stream,
    calls: CallList,
    thought: Thought,
    /// `None` between turns.
    status: Option<Status>,
    finals: Vec<Final>,
    /// The kind of the last output.
    kind: Option<OutputKind>,
    /// When the last text arrived.
    text_at: Option<Instant>,
    /// The time of the last call.
    now: Option<Instant>,
    /// Lines that were unfolded while a line was open. They are shown when it has ended.
    later: Vec<StyledLine>,
    part: OpenPart,
    /// The last word of verbatim text.
    last_word: UnfinishedWord,
    suspended: bool,
}

/// A verbatim line that has not ended yet.
#[derive(Default)]
struct OpenPart {
    /// Whether a part of the line is on the screen.
    is_open: bool,
    /// For a screen reader: the beginning of the line, which is not shown before its end.
    unread: String,
}

/// The kind of an output. Consecutive outputs of one kind have no blank line between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputKind {
    Text,
    Thought,
    Call,
    Note,
}

impl Painter {
    pub(crate) fn new(options: RenderOptions) -> Painter {
        Painter {
            region: Region::new(options.clone()),
            stream: Stream::new(options.clone()),
            calls: CallList::new(options.clone()),
            thought: Thought::default(),
            options,
            status: None,
            finals: Vec::new(),
            kind: None,
            text_at: None,
            now: None,
            later: Vec::new(),
            part: OpenPart::default(),
            last_word: UnfinishedWord::default(),
            suspended: false,
        }
    }

    /// The options for rendering.
    pub(crate) fn options(&self) -> &RenderOptions {
        &self.options
    }

    /// Appends the bytes that display an event.
    pub(crate) fn event(&mut self, event: &Event, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        if self.status.is_none() && !matches!(event, Event::Notice(_) | Event::Steered(_) | Event::Finished(_)) {
            self.status = Some(Status::new(now));
        }
        match event {
            Event::StepStarted { .. } => {
                self.doing(Doing::Waiting);
                // Another answer follows immediately if the person sent a message meanwhile.
                if self.kind == Some(OutputKind::Text) {
                    self.close(now);
                    self.say(vec![StyledLine::new()]);
                }
            }
            Event::Model(name) => {
                if let Some(status) = &mut self.status {
                    status.model = Some(name.clone());
                }
            }
            Event::Mode(name) => {
                if let Some(status) = &mut self.status {
                    status.mode = Some(name.clone());
                }
            }
            Event::Thinking(text) => self.on_thinking(text, now),
            Event::Text(text) => self.on_text(text, now),
            Event::CallStarted { call, kind, title } => {
                self.doing(Doing::Working);
                self.begin(OutputKind::Call, now);
                let lines = self.calls.start(call, *kind, title, now);
                self.say(lines);
            }
            Event::CallOutput { id, text } => self.calls.output(id, text),
            Event::CallFinished { id, outcome, shown, took } => {
                self.begin(OutputKind::Call, now);
                let lines = self.calls.finish(id, outcome, shown, *took);
                self.say(lines);
                if !self.calls.is_running() {
                    self.doing(Doing::Waiting);
                }
            }
            // For the record. What the person has to know of it is on the card and in the result.
            Event::RequestSent { .. } | Event::CallDecided { .. } | Event::CallConfined { .. } => {}
            Event::Retrying { attempt, after, why } => self.on_retrying(*attempt, *after, why, now),
            Event::Usage(usage) => {
                if let Some(status) = &mut self.status {
                    status.usage += *usage;
                    status.streamed = 0;
                }
            }
            Event::Compacted { before, after } => {
                self.begin(OutputKind::Note, now);
                self.say(vec![prose(Look::MUTED, &compaction(*before, *after))]);
            }
            Event::Notice(text) => {
                self.begin(OutputKind::Note, now);
                self.say(text.lines().map(|line| prose(Look::MUTED, line)).collect());
            }
            Event::Steered(text) => {
                let first = if self.options.mode == TerminalMode::Reader { "you: " } else { "> " };
                let mark = |index: usize| if index == 0 { first } else { "  " };
                let line = |(index, line)| {
                    StyledLine::of(Look::ACCENT, mark(index)).with(Look::PLAIN, line).wrapped(Hang::below(2))
                };
                let lines: Vec<StyledLine> = text.lines().enumerate().map(line).collect();
                // The notice arrived inside a line, so it is shown after the line.
                if self.kind == Some(OutputKind::Text) || self.part.is_open {
                    self.later.extend(lines);
                } else {
                    self.begin(OutputKind::Note, now);
                    self.say(lines);
                }
            }
            Event::Finished(ending) => self.on_finished(ending, now),
        }
        self.paint(out);
    }

    /// Updates the spinner and the elapsed time. Called regularly while a turn runs.
    pub(crate) fn tick(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        if self.options.mode == TerminalMode::Terminal {
            self.paint(out);
        }
    }

    /// Called after the terminal was resized.
    pub(crate) fn resize(&mut self, size: ScreenSize, out: &mut Vec<u8>) {
        self.options.resize(size);
        self.stream.resize(size);
        self.calls.resize(size.columns);
        if self.suspended {
            // The rows on the screen belong to another program.
            return self.region.resize(size, &mut Vec::new());
        }
        self.region.resize(size, out);
        self.paint(out);
    }

    /// Uses another theme from here on. Final lines keep their colours.
    pub(crate) fn set_theme(&mut self, theme: Theme) {
        self.options.theme = theme;
        self.region.set_theme(theme);
    }

    /// Erases the live region so that other output can be printed. The cursor is left at the start of an empty line.
    pub(crate) fn suspend(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.suspended, true) {
            self.region.lift(out);
        }
    }

    /// Makes all output so far final, then suspends. Used before a question, which must follow the text that leads to it.
    pub(crate) fn make_way(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        self.begin(OutputKind::Call, now);
        let reads = self.calls.flush();
        self.say(reads);
        self.paint(out);
        self.suspend(out);
    }

    /// Paints the live region again below other output. The cursor must be at the start of an empty line.
    pub(crate) fn resume(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.now = Some(now);
        self.suspended = false;
        self.paint(out);
    }

    /// Shows thoughts, and the full output and results of calls, from now on.
    pub(crate) fn show_all(&mut self) {
        self.calls.shows_all = true;
        self.thought.unfolded = true;
    }

    /// Sets the instructions for unfolding that folded lines show from now on.
    pub(crate) fn set_unfolding(&mut self, unfolding: Unfolding) {
        self.calls.unfolding = unfolding;
    }

    /// Unfolds or folds the output of the running call, or of the last one.
    pub(crate) fn toggle_output(&mut self, out: &mut Vec<u8>) {
        let lines = self.calls.toggle();
        self.unfold(lines, out);
    }

    /// Unfolds or folds the model's thinking.
    pub(crate) fn toggle_thinking(&mut self, out: &mut Vec<u8>) {
        let lines = self.thought.toggle();
        self.unfold(lines, out);
    }

    /// Ends the turn: erases the live region and leaves the cursor at the start of an empty line. Does nothing if the turn has already ended.
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
        self.begin(OutputKind::Thought, now);
        let fresh = self.thought.push(text, now).to_owned();
        self.verbatim(&fresh, Look::MUTED);
    }

    fn on_text(&mut self, text: &str, now: Instant) {
        // Some models begin an answer with blank lines, or send only blanks between calls.
        let text = if self.kind == Some(OutputKind::Text) { text } else { text.trim_start_matches(['\n', '\r']) };
        if text.is_empty() {
            return;
        }
        self.doing(Doing::Writing);
        self.streamed(text);
        let is_new = self.kind != Some(OutputKind::Text);
        self.begin(OutputKind::Text, now);
        if is_new && self.options.mode == TerminalMode::Reader {
            self.say(vec![StyledLine::of(Look::PLAIN, "answer:")]);
        }
        self.text_at = Some(now);
        match self.options.mode {
            TerminalMode::Terminal => self.stream.push(text),
            TerminalMode::Dumb | TerminalMode::Reader => self.verbatim(text, Look::PLAIN),
        }
    }

    fn on_retrying(&mut self, attempt: u32, after: Duration, why: &str, now: Instant) {
        self.doing(Doing::Retrying { attempt, until: now + after, why: why.to_owned() });
        if self.kind == Some(OutputKind::Text) {
            // The text so far stays on the screen, and the next attempt starts again below it.
            self.close(now);
            self.say(vec![prose(Look::MUTED, "(interrupted; retrying)"), StyledLine::new()]);
        }
        self.text_at = None;
        if self.options.mode != TerminalMode::Terminal {
            self.begin(OutputKind::Note, now);
            self.say(vec![StyledLine::of(Look::PLAIN, &format!("try {attempt} in {}: {why}", human::duration(after)))]);
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
                let mark = if self.options.has_signs() { "✗ " } else { "error: " };
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

    /// Closes the open output if another kind begins, with a blank line between an answer and other output.
    fn begin(&mut self, kind: OutputKind, now: Instant) {
        if self.kind == Some(kind) {
            return;
        }
        let before = self.kind;
        self.close(now);
        if before.is_some() && (before == Some(OutputKind::Text)) != (kind == OutputKind::Text) {
            self.say(vec![StyledLine::new()]);
        }
        self.kind = Some(kind);
    }

    /// Closes the open output.
    fn close(&mut self, now: Instant) {
        match self.kind {
            None | Some(OutputKind::Note) => {}
            Some(OutputKind::Text) => match self.options.mode {
                TerminalMode::Terminal => {
                    self.stream.end();
                    self.finals.extend(self.stream.take());
                }
                TerminalMode::Dumb | TerminalMode::Reader => self.end_part(Look::PLAIN),
            },
            Some(OutputKind::Thought) => {
                let line = self.thought.end(now, self.calls.unfolding, &self.options);
                self.end_part(Look::MUTED);
                self.say(vec![line]);
            }
            Some(OutputKind::Call) => {
                let lines = self.calls.flush();
                self.say(lines);
            }
        }
        self.kind = None;
        self.text_at = None;
        let later = std::mem::take(&mut self.later);
        self.say(later);
    }

    /// Prints text without Markdown. Its last line may be incomplete, so the rows of a line are not indented: how far would depend on how much
    /// of it has arrived.
    fn verbatim(&mut self, text: &str, style: Look) {
        if self.options.mode == TerminalMode::Reader {
            self.part.unread.push_str(text);
            let end = self.part.unread.rfind('\n').map_or(0, |at| at + 1);
            let whole: String = self.part.unread.drain(..end).collect();
            return self.say(whole.lines().map(|line| prose(style, line)).collect());
        }
        let words = |text: &str| StyledLine::of(style, text).wrapped(Hang::default());
        let text = self.last_word.push(text);
        for piece in text.split_inclusive('\n') {
            let line = piece.strip_suffix('\n');
            self.part.is_open = line.is_none();
            self.finals.push(match line {
                Some(line) => Final::Line(words(line.strip_suffix('\r').unwrap_or(line))),
                None => Final::Part(words(piece)),
            });
        }
    }

    fn end_part(&mut self, style: Look) {
        let rest = self.last_word.end();
        if std::mem::take(&mut self.part.is_open) || !rest.is_empty() {
            self.say(vec![StyledLine::of(style, &rest).wrapped(Hang::default())]);
        }
        let rest = std::mem::take(&mut self.part.unread);
        if !rest.is_empty() {
            self.say(vec![prose(style, &rest)]);
        }
    }

    fn say(&mut self, lines: Vec<StyledLine>) {
        self.finals.extend(lines.into_iter().map(Final::Line));
    }

    fn unfold(&mut self, lines: Vec<StyledLine>, out: &mut Vec<u8>) {
        if self.kind == Some(OutputKind::Text) || self.part.is_open {
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
        let (live, status) = match (self.options.mode, self.now) {
            (TerminalMode::Terminal, Some(now)) => (self.live(now), self.status_line(now)),
            (TerminalMode::Terminal, None) | (TerminalMode::Dumb | TerminalMode::Reader, _) => {
                (self.part.is_open.then(StyledLine::new).into_iter().collect(), None)
            }
        };
        self.region.paint(std::mem::take(&mut self.finals), live, status, out);
    }

    fn live(&self, now: Instant) -> Vec<StyledLine> {
        let mut lines = self.stream.live();
        if self.part.is_open {
            lines.push(StyledLine::new());
        }
        lines.extend(self.calls.live(now));
        lines
    }

    fn status_line(&self, now: Instant) -> Option<StyledLine> {
        let flowing = self.text_at.is_some_and(|at| now.saturating_duration_since(at) < STALL);
        self.status.as_ref().filter(|_| !flowing).map(|status| status.line(now, &self.options))
    }
}

/// Wraps one of shellmate's own texts into rows. Further rows of a line align with its text.
pub(crate) fn wrapped(text: &str, options: &RenderOptions) -> Vec<String> {
    let rows = |line: &str| prose(Look::PLAIN, line).rows(options, None);
    let shown = |text: String| if options.unicode { text } else { ascii(&text) };
    text.lines().flat_map(rows).map(|row| shown(row.line.text())).collect()
}

/// A line of prose whose further rows align with its text.
fn prose(style: Look, text: &str) -> StyledLine {
    StyledLine::of(style, text).wrapped(Hang { lead: 0, ..Hang::below(wrap::hang_of(text)) })
}

/// One line that says that older parts of the conversation are no longer sent as they were.
pub(crate) fn compaction(before: u64, after: u64) -> String {
    let (before, after) = (human::count(before), human::count(after));
    format!("older parts of the conversation are now summarised: {before} → {after} tokens")
}
