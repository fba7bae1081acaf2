//! What a turn says, on stdout and stderr.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::super::report::{self, Surface};
use super::brush::Brush;
use crate::agent::Front;
use crate::chat::{Call, Ending, Event, Outcome, Shown, Usage};
use crate::text::human;

/// What stdout is for.
pub(super) enum Form {
    /// The answer as it comes, byte for byte: data for a file or a pipe.
    Text,
    /// The answer as it comes, for a person at a terminal, which it must not steer.
    Painted(Box<Brush>),
    /// One object, at the end.
    Json,
}

/// Looks for the answer of the built-in rules and the record.
pub(super) type Rules = Box<dyn FnOnce() -> Option<String> + Send>;

/// Says what it hears. Behind a lock, for calls that run at the same time are heard at the same time.
pub(super) struct Voice {
    /// How often it can say the same.
    tellings: u32,
    /// Stops the turn once nobody reads.
    cancel: CancellationToken,
    said: Mutex<Said>,
    /// Asked once, when the model turns out to be in trouble or slow.
    rules: Mutex<Option<Rules>>,
}

struct Said {
    form: Form,
    /// The text of this step.
    answer: String,
    /// The text of the last step that had any.
    last: String,
    calls: Vec<Made>,
    /// Whether the last text is the rules' own.
    is_by_rules: bool,
    /// What stdout ends with.
    cursor: Cursor,
    lost_reader: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Nowhere,
    WithinLine,
    /// After a line, with more of the same step to come.
    AfterLine,
    /// Something else happened since; what comes next is a new paragraph.
    AfterParagraph,
}

/// A call, as others read it.
#[derive(Serialize)]
struct Made {
    #[serde(skip)]
    id: String,
    tool: String,
    title: String,
    /// JSON, or the text that should have been some.
    arguments: Value,
    /// `running` only if the turn was stopped.
    status: &'static str,
    took_ms: u128,
}

/// All of it, as others read it.
#[derive(Serialize)]
struct Object<'a> {
    answer: &'a str,
    calls: &'a [Made],
    usage: Usage,
    model: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl Voice {
    pub(super) fn new(form: Form, cancel: CancellationToken) -> Voice {
        // What is on stdout stays there, but an object is printed once, at the end.
        let tellings = match form {
            Form::Text | Form::Painted(_) => 1,
            Form::Json => 2,
        };
        let (answer, last, calls) = (String::new(), String::new(), Vec::new());
        let said = Said { form, answer, last, calls, is_by_rules: false, cursor: Cursor::Nowhere, lost_reader: false };
        Voice { tellings, cancel, said: Mutex::new(said), rules: Mutex::new(None) }
    }

    /// Lets the rules answer where the model does not.
    pub(super) fn fall_back_on(&self, rules: Rules) {
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = Some(rules);
    }

    /// Says the answer of the rules, once, unless the model has begun to answer. Whether it was said.
    pub(super) fn say_rules(&self) -> bool {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).take();
        let words = rules.filter(|_| self.has_said_nothing()).and_then(|rules| rules());
        let Some(words) = words else { return false };
        let said = &mut *self.lock();
        self.text(said, &words);
        self.end_line(said);
        said.last = std::mem::take(&mut said.answer);
        said.is_by_rules = true;
        if said.cursor == Cursor::AfterLine {
            said.cursor = Cursor::AfterParagraph;
        }
        true
    }

    pub(super) fn tellings(&self) -> u32 {
        self.tellings
    }

    /// Whether whoever read stdout went away.
    pub(super) fn lost_its_reader(&self) -> bool {
        self.lock().lost_reader
    }

    /// Whether the rules have answered and the model has not.
    pub(super) fn rules_have_answered(&self) -> bool {
        let said = self.lock();
        said.is_by_rules && said.answer.is_empty() && said.calls.is_empty()
    }

    /// Whether a person watches the answer as it comes.
    pub(super) fn is_painted(&self) -> bool {
        matches!(self.lock().form, Form::Painted(_))
    }

    /// Whether neither words nor calls have come.
    pub(super) fn has_said_nothing(&self) -> bool {
        let said = self.lock();
        said.answer.is_empty() && said.last.is_empty() && said.calls.is_empty()
    }

    /// Ends the last line, or prints the object.
    pub(super) fn finish(&self, ending: &Ending, usage: Usage, model: Option<&str>) -> anyhow::Result<()> {
        let mut said = self.lock();
        if !matches!(said.form, Form::Json) {
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
        let object = Object { answer, calls: &said.calls, usage, model, status, error };
        crate::cli::json::print(&object, &mut io::stdout().lock())
    }

    /// Ends an open line, so that a question can stand below it.
    pub(super) fn make_way(&self) {
        self.end_line(&mut self.lock());
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, said: &mut Said, text: &str) {
        said.answer.push_str(text);
        let (shown, is_open) = match &mut said.form {
            Form::Text => (text.as_bytes().to_vec(), !text.is_empty()),
            // Text whose look is not clear yet is not shown yet, but it is there.
            Form::Painted(brush) => (brush.text(text), brush.is_open()),
            Form::Json => return,
        };
        if !is_open {
            return;
        }
        if said.cursor == Cursor::AfterParagraph {
            self.print(said, b"\n");
        }
        self.print(said, &shown);
        // A painted line is open until it is said to be over.
        let is_over = matches!(said.form, Form::Text) && text.ends_with('\n');
        said.cursor = if is_over { Cursor::AfterLine } else { Cursor::WithinLine };
    }

    fn print(&self, said: &mut Said, bytes: &[u8]) {
        let mut out = io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            said.lost_reader = true;
            self.cancel.cancel();
        }
    }

    fn end_line(&self, said: &mut Said) {
        if said.cursor == Cursor::WithinLine {
            let end = match &mut said.form {
                Form::Text | Form::Json => b"\n".to_vec(),
                Form::Painted(brush) => brush.end(),
            };
            self.print(said, &end);
            said.cursor = Cursor::AfterLine;
        }
    }

    /// One dim line on stderr.
    fn aside(&self, said: &mut Said, words: &str) {
        self.end_line(said);
        let mut stderr = io::stderr().lock();
        let surface = Surface::of(&stderr);
        // There is nowhere left to complain about a stderr that is gone.
        let _ = report::aside(&mut stderr, surface, words);
    }

    fn started(&self, said: &mut Said, call: Call, title: String) {
        self.aside(said, &format!("· {} {title}", call.name));
        if said.cursor == Cursor::AfterLine {
            said.cursor = Cursor::AfterParagraph;
        }
        let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::String(call.arguments));
        said.calls.push(Made { id: call.id, tool: call.name, title, arguments, status: "running", took_ms: 0 });
    }

    fn finished(&self, said: &mut Said, id: &str, outcome: &Outcome, shown: &Shown, took: Duration) {
        if let Some(why) = shown.trouble(outcome) {
            self.aside(said, &format!("  not done: {why}"));
        }
        if let Some(made) = said.calls.iter_mut().rev().find(|made| made.id == id) {
            made.status = if outcome.is_failed() { "failed" } else { "done" };
            made.took_ms = took.as_millis();
        }
    }
}

impl Front for Voice {
    fn hear(&self, event: Event) {
        // Nobody waits for a second try to hear what is known already.
        if matches!(event, Event::Retrying { .. }) {
            self.say_rules();
        }
        let said = &mut *self.lock();
        match event {
            Event::Text(text) => self.text(said, &text),
            Event::CallStarted { call, title, .. } => self.started(said, call, title),
            Event::CallFinished { id, outcome, shown, took } => self.finished(said, &id, &outcome, &shown, took),
            Event::Notice(words) | Event::Steered(words) => self.aside(said, &words),
            Event::Retrying { after, why, .. } => {
                said.answer.clear();
                self.aside(said, &format!("asking again in {}: {why}", human::duration(after)));
            }
            Event::StepStarted { .. } if !said.answer.is_empty() => said.last = std::mem::take(&mut said.answer),
            Event::StepStarted { .. }
            | Event::Model(_)
            | Event::Thinking(_)
            | Event::CallOutput { .. }
            | Event::Usage(_)
            | Event::Finished(_) => {}
        }
    }
}
