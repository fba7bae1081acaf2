//! Tool calls: a line each, reads together on one.

use std::time::{Duration, Instant};

use super::look::Look;
use crate::chat::{Call, Outcome, ToolKind};
use crate::text::human;
use crate::text::width;

use super::Options;
use super::line::Line;
use super::output::{HEAD, Output};
use super::status::{spinner, whole_seconds};

/// Lines shown of a command that failed.
const TAIL: usize = 20;
/// Lines shown of a running command, unfolded.
const UNFOLDED: usize = 12;
/// Running calls shown at a time.
const MOST_RUNNING: usize = 5;
/// Running longer than this is worth a number on a line of reads.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// The calls of a turn.
pub(super) struct Calls {
    options: Options,
    started: usize,
    running: Vec<Running>,
    /// Reads that are over and not yet on a final line.
    reads: Vec<Read>,
    last: Option<Past>,
    /// Whether output is shown whole.
    pub(super) unfolded: bool,
    /// Whether every call is, what it returned included.
    pub(super) shows_all: bool,
}

struct Running {
    /// Calls are numbered as they start.
    number: usize,
    id: String,
    kind: ToolKind,
    name: String,
    title: String,
    started: Instant,
    output: Output,
}

struct Read {
    number: usize,
    name: String,
    title: String,
    took: Duration,
}

/// The last call that had something to unfold.
struct Past {
    title: String,
    output: Output,
    shown: bool,
}

impl Calls {
    pub(super) fn new(options: Options) -> Calls {
        Calls {
            options,
            started: 0,
            running: Vec::new(),
            reads: Vec::new(),
            last: None,
            unfolded: false,
            shows_all: false,
        }
    }

    pub(super) fn resize(&mut self, columns: u16) {
        self.options.columns = columns;
    }

    pub(super) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn start(&mut self, call: &Call, kind: ToolKind, title: &str, now: Instant) -> Vec<Line> {
        let reads = if is_read(kind) { Vec::new() } else { self.flush() };
        let (id, name, title) = (call.id.clone(), call.name.clone(), title.to_owned());
        self.started += 1;
        let number = self.started;
        self.running.push(Running { number, id, kind, name, title, started: now, output: Output::default() });
        reads
    }

    pub(super) fn output(&mut self, id: &str, text: &str) {
        if let Some(call) = self.running.iter_mut().find(|call| call.id == id) {
            call.output.push(text);
        }
    }

    /// Ends a call; returns the lines that are final.
    pub(super) fn finish(&mut self, id: &str, outcome: &Outcome, detail: Option<&str>, took: Duration) -> Vec<Line> {
        let Some(at) = self.running.iter().position(|call| call.id == id) else { return Vec::new() };
        let call = self.running.remove(at);
        if is_read(call.kind) && !outcome.is_failed() && !self.shows_all {
            let at = self.reads.partition_point(|read| read.number < call.number);
            self.reads.insert(at, Read { number: call.number, name: call.name, title: call.title, took });
            return Vec::new();
        }
        let mut lines = self.flush();
        lines.push(self.ended(&call, outcome, took));
        let output = match detail {
            _ if !call.output.is_empty() => call.output,
            Some(detail) => Output::of(detail),
            // The first line of a failure is on the call's own.
            None if outcome.is_failed() => Output::of(outcome.text().split_once('\n').unwrap_or_default().1),
            None if self.shows_all => Output::of(outcome.text()),
            None => return lines,
        };
        let shown = self.preview(&output, outcome, &mut lines);
        self.last = Some(Past { title: call.title, output, shown });
        lines
    }

    /// The turn is over: what runs has been stopped.
    pub(super) fn stop(&mut self) -> Vec<Line> {
        let mut lines = self.flush();
        for call in std::mem::take(&mut self.running) {
            let line = self.heading(call.kind, &call.name, &call.title, Look::MUTED);
            lines.push(self.with_end(line, Line::of(Look::WARNING, "stopped")));
        }
        lines
    }

    /// Makes the reads final.
    pub(super) fn flush(&mut self) -> Vec<Line> {
        let reads = std::mem::take(&mut self.reads);
        if reads.is_empty() { Vec::new() } else { vec![self.reads_line(&reads, &[])] }
    }

    /// Unfolds or folds; returns what is to be shown of the last call now.
    pub(super) fn toggle(&mut self) -> Vec<Line> {
        if self.is_running() {
            self.unfolded = !self.unfolded;
            return Vec::new();
        }
        let Some(past) = self.last.as_mut().filter(|past| !past.shown) else { return Vec::new() };
        past.shown = true;
        let mut lines = vec![Line::of(Look::MUTED, &past.title)];
        lines.extend(whole(&past.output));
        lines
    }

    /// The calls that run, a row each.
    pub(super) fn live(&self, now: Instant) -> Vec<Line> {
        let room = usize::from(self.options.columns).saturating_sub(1);
        let (reading, others): (Vec<&Running>, Vec<&Running>) =
            self.running.iter().partition(|call| is_read(call.kind));
        let mut lines = Vec::new();
        if !self.reads.is_empty() || !reading.is_empty() {
            lines.push(self.reads_line(&self.reads, &reading));
        }
        let more = others.len().saturating_sub(MOST_RUNNING);
        for call in others.into_iter().take(MOST_RUNNING) {
            let elapsed = now.saturating_duration_since(call.started);
            let line = self.heading(call.kind, &call.name, &call.title, Look::ACCENT);
            let end = Line::of(Look::MUTED, &format!("{} {}", spinner(elapsed, &self.options), whole_seconds(elapsed)));
            lines.push(self.with_end(line, end));
            let most = if self.unfolded { UNFOLDED } else { HEAD };
            lines.extend(call.output.tail(most).iter().map(|line| indented(line)));
        }
        if more > 0 {
            lines.push(Line::of(Look::MUTED, &format!("+{more} more")));
        }
        lines.iter().map(|line| line.clipped(room, &self.options)).collect()
    }

    /// Adds the lines of output that are worth showing; returns whether that is all of it.
    fn preview(&self, output: &Output, outcome: &Outcome, lines: &mut Vec<Line>) -> bool {
        if self.unfolded || self.shows_all {
            lines.extend(whole(output));
            return true;
        }
        let total = output.lines();
        let room = usize::from(self.options.columns).saturating_sub(1);
        let most = if outcome.is_failed() { TAIL } else { HEAD };
        // A line that says one more is hidden would be as long as the line.
        if total <= most + 1 {
            lines.extend(output.tail(total).iter().map(|line| indented(line)));
            return true;
        }
        let ellipsis = if self.options.unicode { "…" } else { "..." };
        let folded = |hidden: usize| indented(&format!("{ellipsis} {hidden} more lines (Ctrl-O)"));
        if outcome.is_failed() {
            lines.push(folded(total - TAIL));
            lines.extend(output.tail(TAIL).iter().map(|line| indented(line)));
        } else {
            lines.extend(output.head().iter().map(|line| indented(line).clipped(room, &self.options)));
            lines.push(folded(total - HEAD));
        }
        false
    }

    fn ended(&self, call: &Running, outcome: &Outcome, took: Duration) -> Line {
        let [good, bad] = if self.options.unicode { ["✓", "✗"] } else { ["ok", "failed:"] };
        let took = human::duration(took);
        let mut end = Line::new();
        if outcome.is_failed() {
            let why = outcome.text().lines().next().unwrap_or_default();
            let why = width::fit(why, usize::from(self.options.columns) / 2);
            end.push(Look::BAD, &format!("{bad} {why}"));
            end.push(Look::MUTED, &format!(" {took}"));
        } else {
            end.push(Look::GOOD, good);
            end.push(Look::MUTED, &format!(" {took}"));
        }
        self.with_end(self.heading(call.kind, &call.name, &call.title, Look::MUTED), end)
    }

    fn heading(&self, kind: ToolKind, name: &str, title: &str, mark: Look) -> Line {
        let (icon, named) = icon(kind, &self.options);
        let mut line = Line::of(mark, icon);
        if named {
            line.push(Look::MUTED, &format!(" {}", name.trim_end_matches("_file")));
        }
        line.with(Look::PLAIN, &format!(" {}", title.lines().next().unwrap_or_default()))
    }

    /// Puts the end behind the line, which is cut to leave it room on the row.
    fn with_end(&self, line: Line, end: Line) -> Line {
        let room = usize::from(self.options.columns).saturating_sub(3 + width::widest(&end.text()));
        let mut line = line.clipped(room, &self.options);
        line.push(Look::PLAIN, "  ");
        line.append(&end);
        line
    }

    fn reads_line(&self, reads: &[Read], reading: &[&Running]) -> Line {
        let all = reads.iter().map(|read| (read.name.as_str(), read.title.as_str()));
        let all: Vec<(&str, &str)> =
            all.chain(reading.iter().map(|call| (call.name.as_str(), call.title.as_str()))).collect();
        let took = reads.iter().map(|read| read.took).max().unwrap_or_default();
        // Room for a count of the others and the time.
        let room = usize::from(self.options.columns).saturating_sub(16);
        let mut line = Line::of(Look::MUTED, icon(ToolKind::Read, &self.options).0);
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

/// The icon of a kind of tool, and whether the tool's name is shown beside it.
fn icon(kind: ToolKind, options: &Options) -> (&'static str, bool) {
    let (unicode, ascii, named) = match kind {
        ToolKind::Run => ("$", "$", false),
        ToolKind::Shell => ("$", "$", true),
        ToolKind::Read | ToolKind::Search => ("◆", "*", true),
        ToolKind::Edit => ("✎", "+", true),
        ToolKind::Fetch | ToolKind::Ask | ToolKind::Other => ("●", "*", true),
    };
    (if options.unicode { unicode } else { ascii }, named)
}

fn indented(line: &str) -> Line {
    let style = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Look::MUTED,
        [b'+', ..] => Look::MUTED.and(Look::GOOD),
        [b'-', ..] => Look::MUTED.and(Look::BAD),
        _ => Look::MUTED,
    };
    Line::of(style, &format!("  {line}"))
}

fn whole(output: &Output) -> Vec<Line> {
    let (dropped, all) = output.all();
    let notice = (dropped > 0).then(|| indented(&format!("({dropped} earlier lines are not kept)")));
    notice.into_iter().chain(all.iter().map(|line| indented(line))).collect()
}
