//! Tool calls: one line each, except that consecutive reads share a line.

use std::time::{Duration, Instant};

use super::look::Look;
use crate::chat::{Call, Outcome, Shown, ToolKind};
use crate::text::human;
use crate::text::width;

use super::diff;
use super::line::StyledLine;
use super::output::{CallOutput, HEAD};
use super::status::{spinner, whole_seconds};
use super::unfold::Unfolding;
use super::{RenderOptions, TerminalMode};

/// How many lines of a failed command's output are shown.
const TAIL: usize = 20;
/// How many lines of a running command's output are shown when it is unfolded.
const UNFOLDED: usize = 12;
/// The most running calls that are shown at a time.
const MOST_RUNNING: usize = 5;
/// A read that takes longer than this has its duration shown.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// The calls of a turn.
pub(super) struct CallList {
    options: RenderOptions,
    started: usize,
    running: Vec<RunningCall>,
    /// Finished reads that are not on a final line yet.
    reads: Vec<ReadCall>,
    last: Option<UnfoldableCall>,
    /// Whether the output of calls is shown in full.
    pub(super) unfolded: bool,
    /// Whether every call is shown in full, its result included.
    pub(super) shows_all: bool,
    /// How the person unfolds folded output.
    pub(super) unfolding: Unfolding,
}

struct RunningCall {
    /// The number of the call, in order of their start.
    number: usize,
    id: String,
    kind: ToolKind,
    name: String,
    title: String,
    started: Instant,
    output: CallOutput,
}

struct ReadCall {
    number: usize,
    name: String,
    title: String,
    took: Duration,
}

/// The last call that has output to unfold.
struct UnfoldableCall {
    title: String,
    output: CallOutput,
    /// Whether the whole output is on the screen.
    is_whole: bool,
}

impl CallList {
    pub(super) fn new(options: RenderOptions) -> CallList {
        CallList {
            options,
            started: 0,
            running: Vec::new(),
            reads: Vec::new(),
            last: None,
            unfolded: false,
            shows_all: false,
            unfolding: Unfolding::default(),
        }
    }

    pub(super) fn resize(&mut self, columns: u16) {
        self.options.columns = columns;
    }

    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn start(&mut self, call: &Call, kind: ToolKind, title: &str, now: Instant) -> Vec<StyledLine> {
        // The question and its answer are already on the screen, unless a past request is being shown again.
        if kind == ToolKind::Ask && !self.shows_all {
            return Vec::new();
        }
        let reads = if is_read(kind) { Vec::new() } else { self.flush() };
        let (id, name, title) = (call.id.clone(), call.name.clone(), title.to_owned());
        self.started += 1;
        let number = self.started;
        self.running.push(RunningCall { number, id, kind, name, title, started: now, output: CallOutput::default() });
        reads
    }

    pub(super) fn output(&mut self, id: &str, text: &str) {
        if let Some(call) = self.running.iter_mut().find(|call| call.id == id) {
            call.output.push(text);
        }
    }

    /// Ends a call and returns the lines that are now final.
    pub(super) fn finish(&mut self, id: &str, outcome: &Outcome, shown: &Shown, took: Duration) -> Vec<StyledLine> {
        let Some(at) = self.running.iter().position(|call| call.id == id) else { return Vec::new() };
        let call = self.running.remove(at);
        if is_read(call.kind) && !outcome.is_failed() && !self.shows_all {
            let at = self.reads.partition_point(|read| read.number < call.number);
            self.reads.insert(at, ReadCall { number: call.number, name: call.name, title: call.title, took });
            return Vec::new();
        }
        let mut lines = self.flush();
        lines.push(self.ended(&call, outcome, shown, took));
        let output = match shown {
            _ if !call.output.is_empty() => call.output,
            Shown::Change { diff, .. } => CallOutput::of(diff),
            // The first line of a failure is part of the call's own line.
            Shown::Outcome if outcome.is_failed() => {
                CallOutput::of(outcome.text().split_once('\n').unwrap_or_default().1)
            }
            Shown::Outcome if self.shows_all => CallOutput::of(outcome.text()),
            Shown::Outcome | Shown::Declined { .. } | Shown::Refused { .. } | Shown::Stopped => return lines,
        };
        let is_whole = self.preview(&output, outcome, &mut lines);
        self.last = Some(UnfoldableCall { title: call.title, output, is_whole });
        lines
    }

    /// Ends all running calls, because the turn was stopped.
    pub(super) fn stop(&mut self) -> Vec<StyledLine> {
        let mut lines = self.flush();
        for call in std::mem::take(&mut self.running) {
            lines.push(self.line(&call, Look::MUTED, &StyledLine::of(Look::WARNING, "stopped")));
        }
        lines
    }

    /// Returns the line of the finished reads, which is now final.
    pub(super) fn flush(&mut self) -> Vec<StyledLine> {
        let reads = std::mem::take(&mut self.reads);
        if reads.is_empty() { Vec::new() } else { vec![self.reads_line(&reads, &[])] }
    }

    /// Unfolds or folds output. Returns the lines of the last call that are to be shown now.
    pub(super) fn toggle(&mut self) -> Vec<StyledLine> {
        if self.is_running() {
            self.unfolded = !self.unfolded;
            return Vec::new();
        }
        let Some(past) = self.last.as_mut().filter(|past| !past.is_whole) else { return Vec::new() };
        past.is_whole = true;
        let mut lines = vec![StyledLine::of(Look::MUTED, &past.title)];
        lines.extend(whole(&past.output));
        lines
    }

    /// The running calls, one row each.
    pub(super) fn live(&self, now: Instant) -> Vec<StyledLine> {
        let room = usize::from(self.options.columns).saturating_sub(1);
        let (reading, others): (Vec<&RunningCall>, Vec<&RunningCall>) =
            self.running.iter().partition(|call| is_read(call.kind));
        let mut lines = Vec::new();
        if !self.reads.is_empty() || !reading.is_empty() {
            lines.push(self.reads_line(&self.reads, &reading));
        }
        let more = others.len().saturating_sub(MOST_RUNNING);
        for call in others.into_iter().take(MOST_RUNNING) {
            let elapsed = now.saturating_duration_since(call.started);
            let end =
                StyledLine::of(Look::MUTED, &format!("{} {}", spinner(elapsed, &self.options), whole_seconds(elapsed)));
            lines.push(self.line(call, Look::ACCENT, &end));
            let most = if self.unfolded { UNFOLDED } else { HEAD };
            lines.extend(call.output.tail(most).iter().map(|line| indented(line)));
        }
        if more > 0 {
            lines.push(StyledLine::of(Look::MUTED, &format!("+{more} more")));
        }
        lines.iter().map(|line| line.clipped(room, &self.options)).collect()
    }

    /// Adds an excerpt of the output. Returns whether it is the whole output.
    fn preview(&self, output: &CallOutput, outcome: &Outcome, lines: &mut Vec<StyledLine>) -> bool {
        if self.unfolded || self.shows_all {
            lines.extend(whole(output));
            return true;
        }
        let total = output.lines();
        let room = usize::from(self.options.columns).saturating_sub(1);
        let most = if outcome.is_failed() { TAIL } else { HEAD };
        // One hidden line is shown instead of a notice that it is hidden.
        if total <= most + 1 {
            lines.extend(output.tail(total).iter().map(|line| indented(line)));
            return true;
        }
        let ellipsis = if self.options.has_signs() { "…" } else { "..." };
        let unfolding = self.unfolding.of_output(&self.options);
        let folded = |hidden: usize| indented(&format!("{ellipsis} {hidden} more lines{unfolding}"));
        if outcome.is_failed() {
            lines.push(folded(total - TAIL));
            lines.extend(output.tail(TAIL).iter().map(|line| indented(line)));
        } else {
            lines.extend(output.head().iter().map(|line| indented(line).clipped(room, &self.options)));
            lines.push(folded(total - HEAD));
        }
        false
    }

    fn ended(&self, call: &RunningCall, outcome: &Outcome, shown: &Shown, took: Duration) -> StyledLine {
        let [good, bad] = if self.options.has_signs() { ["✓", "✗"] } else { ["ok", "failed:"] };
        let took = format!(" {}", human::duration(took));
        let end = match (shown, shown.trouble(outcome)) {
            (Shown::Declined { .. } | Shown::Stopped, Some(why)) => self.reason(call, Look::WARNING, &why, ""),
            (_, Some(why)) => self.reason(call, Look::BAD, &format!("{bad} {why}"), &took),
            (_, None) if call.kind == ToolKind::Suggest => StyledLine::new(),
            (Shown::Change { added, removed, .. }, None) => diff::counts(StyledLine::new(), *added, *removed)
                .with(Look::GOOD, &format!("  {good}"))
                .with(Look::MUTED, &took),
            (_, None) => StyledLine::of(Look::GOOD, good).with(Look::MUTED, &took),
        };
        self.line(call, Look::MUTED, &end)
    }

    /// The line of a call that failed, with the reason. A long reason gets the cells that the title leaves, but at least half of the row.
    fn reason(&self, call: &RunningCall, look: Look, why: &str, took: &str) -> StyledLine {
        let columns = usize::from(self.options.columns);
        let title = self.line(call, look, &StyledLine::new()).cells();
        let room = columns.saturating_sub(3 + title + took.len()).max(columns / 2);
        StyledLine::of(look, why).clipped(room, &self.options).with(Look::MUTED, took)
    }

    /// The row of a call. The title is cut so that `end` fits on the row.
    fn line(&self, call: &RunningCall, mark: Look, end: &StyledLine) -> StyledLine {
        let label = Label::of(call.kind, &call.name, &self.options);
        let after = width::widest(label.after) + width::widest(&end.text());
        let room = usize::from(self.options.columns).saturating_sub(3 + after);
        let title = call.title.lines().next().unwrap_or_default();
        let line =
            StyledLine::of(mark, label.icon).with(Look::MUTED, &label.before).with(Look::PLAIN, &format!(" {title}"));
        let mut line = line.clipped(room, &self.options).with(Look::MUTED, label.after);
        if !end.is_empty() {
            line.push(Look::PLAIN, "  ");
            line.append(end);
        }
        line
    }

    fn reads_line(&self, reads: &[ReadCall], reading: &[&RunningCall]) -> StyledLine {
        let all = reads.iter().map(|read| (read.name.as_str(), read.title.as_str()));
        let all: Vec<(&str, &str)> =
            all.chain(reading.iter().map(|call| (call.name.as_str(), call.title.as_str()))).collect();
        let took = reads.iter().map(|read| read.took).max().unwrap_or_default();
        // Leaves room for the number of further reads and the duration.
        let room = usize::from(self.options.columns).saturating_sub(16);
        let mut line = StyledLine::of(Look::MUTED, Label::of(ToolKind::Read, "", &self.options).icon);
        let mut before = "";
        for (index, (name, title)) in all.iter().enumerate() {
            if index > 0 && line.cells() + width::widest(title) + name.len() > room {
                line.push(Look::MUTED, &format!(" +{} more", all.len() - index));
                break;
            }
            if *name == before {
                line.push(Look::MUTED, &format!(", {title}"));
            } else {
                let gap = if before.is_empty() { " " } else { "  " };
                line.push(Look::MUTED, &format!("{gap}{} {title}", name.trim_end_matches("_file")));
            }
            before = name;
        }
        if took >= WORTH_SAYING {
            line.push(Look::MUTED, &format!("  {}", human::duration(took)));
        }
        line.clipped(usize::from(self.options.columns).saturating_sub(1), &self.options)
    }
}

/// Whether calls of this kind share one line.
fn is_read(kind: ToolKind) -> bool {
    matches!(kind, ToolKind::Read | ToolKind::Search)
}

/// The text before and after the title of a call.
struct Label {
    icon: &'static str,
    before: String,
    after: &'static str,
}

impl Label {
    fn of(kind: ToolKind, name: &str, options: &RenderOptions) -> Label {
        let short = || format!(" {}", name.trim_end_matches("_file"));
        if options.mode == TerminalMode::Reader {
            return Label::in_words(kind, name);
        }
        let (unicode, ascii, before, after) = match kind {
            ToolKind::Run => ("$", "$", String::new(), ""),
            ToolKind::Shell => ("$", "$", String::new(), " (in your shell)"),
            ToolKind::Suggest => ("→", "->", " on your prompt:".to_owned(), ""),
            ToolKind::Read | ToolKind::Search => ("◆", "*", short(), ""),
            ToolKind::Edit => ("✎", "+", short(), ""),
            ToolKind::Fetch | ToolKind::Ask | ToolKind::Other => ("●", "*", short(), ""),
        };
        Label { icon: if options.unicode { unicode } else { ascii }, before, after }
    }

    /// The label for a screen reader.
    fn in_words(kind: ToolKind, name: &str) -> Label {
        let (icon, before, after) = match kind {
            ToolKind::Run => ("tool:", " run".to_owned(), ""),
            ToolKind::Shell => ("tool:", " run".to_owned(), " (in your shell)"),
            ToolKind::Suggest => ("on your prompt:", String::new(), ""),
            // The names of reads follow the icon on their common line.
            ToolKind::Read | ToolKind::Search if name.is_empty() => ("tool:", String::new(), ""),
            ToolKind::Read | ToolKind::Search | ToolKind::Edit | ToolKind::Fetch | ToolKind::Ask | ToolKind::Other => {
                ("tool:", format!(" {}", name.trim_end_matches("_file")), "")
            }
        };
        Label { icon, before, after }
    }
}

fn indented(line: &str) -> StyledLine {
    let style = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Look::MUTED,
        [b'+', ..] => Look::MUTED.and(Look::GOOD),
        [b'-', ..] => Look::MUTED.and(Look::BAD),
        _ => Look::MUTED,
    };
    StyledLine::of(style, &format!("  {line}"))
}

fn whole(output: &CallOutput) -> Vec<StyledLine> {
    let (dropped, all) = output.all();
    let notice = (dropped > 0).then(|| indented(&format!("({dropped} earlier lines were dropped)")));
    notice.into_iter().chain(all.iter().map(|line| indented(line))).collect()
}
