//! Writes an answer to stdout and its tool calls to stderr.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::super::report::{self, Surface};
use super::painter::AnswerPainter;
use crate::agent::Front;
use crate::chat::{Call, Ending, Event, Outcome, Shown, Usage};
use crate::render;
use crate::text::human;

/// What is written to stdout.
pub(super) enum OutputForm {
    /// The answer as it arrives, unchanged, for a file or a pipe.
    Text,
    /// The answer as it arrives, painted for a terminal, without control characters.
    Painted(Box<AnswerPainter>),
    /// One JSON object at the end.
    Json,
}

/// Computes the answer of the built-in rules and the history.
pub(super) type Rules = Box<dyn FnOnce() -> Option<String> + Send>;

/// Writes the events of a turn. The state is behind a lock, because concurrent calls send events from several threads.
pub(super) struct AnswerWriter {
    /// How often an answer may be started: text on stdout cannot be taken back.
    tellings: u32,
    /// Cancels the turn when stdout is closed.
    cancel: CancellationToken,
    said: Mutex<WriterState>,
    /// Taken once, when the model fails or is slow.
    rules: Mutex<Option<Rules>>,
}

struct WriterState {
    form: OutputForm,
    /// The text of this step.
    answer: String,
    /// The text of the last step that had any.
    last: String,
    calls: Vec<CallSummary>,
    /// Whether the last text is from the rules.
    is_by_rules: bool,
    /// Where stdout stands.
    cursor: OutputPosition,
    reader_is_gone: bool,
    /// The notices that wait for the end of a question, while one is on the terminal.
    held: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputPosition {
    Start,
    WithinLine,
    /// After a line of the same step.
    AfterLine,
    /// After a line that was followed by something on stderr. The next text starts a new paragraph.
    AfterParagraph,
}

/// A tool call in the JSON answer.
#[derive(Serialize)]
struct CallSummary {
    #[serde(skip)]
    id: String,
    tool: String,
    title: String,
    /// JSON, or a string if the model sent invalid JSON.
    arguments: Value,
    /// `done`, `failed`, or `running` if the turn was stopped.
    status: &'static str,
    took_ms: u128,
}

/// The answer of `--json`.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    answer: &'a str,
    calls: &'a [CallSummary],
    usage: Usage,
    model: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl AnswerWriter {
    pub(super) fn new(form: OutputForm, cancel: CancellationToken) -> AnswerWriter {
        // Text on stdout cannot be taken back, but JSON is printed at the end.
        let tellings = match form {
            OutputForm::Text | OutputForm::Painted(_) => 1,
            OutputForm::Json => 2,
        };
        let (answer, last, calls) = (String::new(), String::new(), Vec::new());
        let said = WriterState {
            form,
            answer,
            last,
            calls,
            is_by_rules: false,
            cursor: OutputPosition::Start,
            reader_is_gone: false,
            held: None,
        };
        AnswerWriter { tellings, cancel, said: Mutex::new(said), rules: Mutex::new(None) }
    }

    /// Sets the rules that answer if the model does not.
    pub(super) fn set_rules(&self, rules: Rules) {
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = Some(rules);
    }

    /// Writes the answer of the rules, once, unless the model has started to answer. Returns whether it was written.
    pub(super) fn write_rules(&self) -> bool {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).take();
        let words = rules.filter(|_| self.is_empty()).and_then(|rules| rules());
        let Some(words) = words else { return false };
        let said = &mut *self.lock();
        self.text(said, &words);
        self.end_line(said);
        said.last = std::mem::take(&mut said.answer);
        said.is_by_rules = true;
        if said.cursor == OutputPosition::AfterLine {
            said.cursor = OutputPosition::AfterParagraph;
        }
        true
    }

    pub(super) fn tellings(&self) -> u32 {
        self.tellings
    }

    /// Whether stdout was closed.
    pub(super) fn reader_is_gone(&self) -> bool {
        self.lock().reader_is_gone
    }

    /// Whether the rules have answered and the model has not.
    pub(super) fn rules_have_answered(&self) -> bool {
        let said = self.lock();
        said.is_by_rules && said.answer.is_empty() && said.calls.is_empty()
    }

    /// Whether the answer is painted on a terminal.
    pub(super) fn is_painted(&self) -> bool {
        matches!(self.lock().form, OutputForm::Painted(_))
    }

    /// Whether there is neither text nor a call yet.
    pub(super) fn is_empty(&self) -> bool {
        let said = self.lock();
        said.answer.is_empty() && said.last.is_empty() && said.calls.is_empty()
    }

    /// Ends the last line, or prints the JSON object.
    pub(super) fn finish(&self, ending: &Ending, usage: Usage, model: Option<&str>) -> anyhow::Result<()> {
        let mut said = self.lock();
        if !matches!(said.form, OutputForm::Json) {
            self.end_line(&mut said);
            return Ok(());
        }
        let (status, error) = match ending {
            Ending::Answered => ("answered", None),
            Ending::Interrupted => ("interrupted", None),
            Ending::StepLimit => ("step_limit", None),
            Ending::Failed(failure) => ("failed", Some(failure.words.as_str())),
        };
        let answer = if said.answer.is_empty() { &said.last } else { &said.answer };
        let object = JsonAnswer { answer, calls: &said.calls, usage, model, status, error };
        crate::cli::json::print(&object, &mut io::stdout().lock())
    }

    /// Leaves the terminal to a question: ends an unfinished line, and holds notices back until `resume`.
    pub(super) fn suspend(&self) {
        let said = &mut *self.lock();
        self.end_line(said);
        said.held = Some(Vec::new());
    }

    /// Writes the notices that came while a question was on the terminal.
    pub(super) fn resume(&self) {
        let said = &mut *self.lock();
        for words in said.held.take().unwrap_or_default() {
            self.write_notice(said, &words);
        }
    }

    fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, said: &mut WriterState, text: &str) {
        said.answer.push_str(text);
        let (shown, is_open) = match &mut said.form {
            OutputForm::Text => (text.as_bytes().to_vec(), !text.is_empty()),
            // The painter may hold back text whose style is not known yet.
            OutputForm::Painted(painter) => (painter.text(text), painter.is_open()),
            OutputForm::Json => return,
        };
        if !is_open {
            return;
        }
        if said.cursor == OutputPosition::AfterParagraph {
            self.print(said, b"\n");
        }
        self.print(said, &shown);
        // A painted line stays unfinished until `end_line`.
        let is_over = matches!(said.form, OutputForm::Text) && text.ends_with('\n');
        said.cursor = if is_over { OutputPosition::AfterLine } else { OutputPosition::WithinLine };
    }

    fn print(&self, said: &mut WriterState, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            said.reader_is_gone = true;
            self.cancel.cancel();
        }
    }

    fn end_line(&self, said: &mut WriterState) {
        if said.cursor == OutputPosition::WithinLine {
            let end = match &mut said.form {
                OutputForm::Text | OutputForm::Json => b"\n".to_vec(),
                OutputForm::Painted(painter) => painter.end(),
            };
            self.print(said, &end);
            said.cursor = OutputPosition::AfterLine;
        }
    }

    /// One dim line on stderr.
    fn write_notice(&self, said: &mut WriterState, words: &str) {
        if let Some(held) = &mut said.held {
            return held.push(words.to_owned());
        }
        self.end_line(said);
        let mut stderr = io::stderr().lock();
        let surface = Surface::of(&stderr);
        // If stderr is closed, the notice cannot be shown.
        let _ = report::aside(&mut stderr, surface, words);
    }

    fn started(&self, said: &mut WriterState, call: Call, title: String) {
        self.write_notice(said, &format!("· {} {title}", call.name));
        if said.cursor == OutputPosition::AfterLine {
            said.cursor = OutputPosition::AfterParagraph;
        }
        let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::String(call.arguments));
        said.calls.push(CallSummary { id: call.id, tool: call.name, title, arguments, status: "running", took_ms: 0 });
    }

    fn finished(&self, said: &mut WriterState, id: &str, outcome: &Outcome, shown: &Shown, took: Duration) {
        if let Some(why) = shown.trouble(outcome) {
            self.write_notice(said, &format!("  not done: {why}"));
        }
        if let Some(made) = said.calls.iter_mut().rev().find(|made| made.id == id) {
            made.status = if outcome.is_failed() { "failed" } else { "done" };
            made.took_ms = took.as_millis();
        }
    }
}

impl Front for AnswerWriter {
    fn hear(&self, event: Event) {
        // What the rules know is shown before the model is asked again.
        if matches!(event, Event::Retrying { .. }) {
            self.write_rules();
        }
        let said = &mut *self.lock();
        match event {
            Event::Text(text) => self.text(said, &text),
            Event::CallStarted { call, title, .. } => self.started(said, call, title),
            Event::CallFinished { id, outcome, shown, took } => self.finished(said, &id, &outcome, &shown, took),
            Event::Notice(words) | Event::Steered(words) => self.write_notice(said, &words),
            Event::Compacted { before, after } => self.write_notice(said, &render::compaction(before, after)),
            Event::Retrying { after, why, .. } => {
                said.answer.clear();
                self.write_notice(said, &format!("retrying in {}: {why}", human::duration(after)));
            }
            Event::StepStarted { .. } if !said.answer.is_empty() => said.last = std::mem::take(&mut said.answer),
            Event::StepStarted { .. }
            | Event::RequestSent { .. }
            | Event::Model(_)
            | Event::Mode(_)
            | Event::Thinking(_)
            | Event::CallDecided { .. }
            | Event::CallOutput { .. }
            | Event::CallConfined { .. }
            | Event::Usage(_)
            | Event::Finished(_) => {}
        }
    }
}
