//! What hooks say, read from their exit status and output.

use serde_json::{Map, Value};

use super::commands::HookCommand;
use super::event::HookEvent;
use crate::program::{FinishedProgram, ProgramEnd};
use crate::text;

/// The most bytes that one hook adds for the model, and that all hooks of an event add together.
const CONTEXT_CAP: usize = 10_000;
const CONTEXTS_CAP: usize = 30_000;
/// The most bytes of a result that a hook gives.
const RESULT_CAP: usize = 64 * 1024;
/// The most bytes of a reason, for the model and the person.
const REASON_CAP: usize = 4_000;
/// The most characters of a line for the person.
const LINE_CAP: usize = 400;
/// The most lines for the person about one event.
const MOST_LINES: usize = 8;

/// What a hook decides. A later one is stronger.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HookDecision {
    Allow,
    /// The person is asked. The words say why.
    Ask(String),
    /// The call, the question, the summary or the end of the answer is blocked. The words say why.
    Block(String),
}

impl HookDecision {
    fn strength(&self) -> u8 {
        match self {
            HookDecision::Allow => 0,
            HookDecision::Ask(_) => 1,
            HookDecision::Block(_) => 2,
        }
    }
}

/// What one hook, or several together, say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HookAnswer {
    pub decision: Option<HookDecision>,
    /// Text for the model.
    pub context: String,
    /// Replaces the input of the call, in the field names of other agents.
    pub input: Option<Map<String, Value>>,
    /// Replaces the result of the call.
    pub output: Option<String>,
    /// Why the answer is to end here.
    pub stop: Option<String>,
    /// Lines for the person.
    pub lines: Vec<String>,
}

impl HookAnswer {
    /// Both answers as one: the stronger decision, the later input and output, the context of both.
    pub(super) fn and(mut self, other: HookAnswer) -> HookAnswer {
        let strength = |decision: &Option<HookDecision>| decision.as_ref().map(HookDecision::strength);
        if strength(&other.decision) > strength(&self.decision) {
            self.decision = other.decision;
        }
        if !other.context.is_empty() && self.context.len() < CONTEXTS_CAP {
            let separator = if self.context.is_empty() { "" } else { "\n" };
            self.context = bounded(&format!("{}{separator}{}", self.context, other.context), CONTEXTS_CAP);
        }
        self.input = other.input.or(self.input);
        self.output = other.output.or(self.output);
        self.stop = self.stop.or(other.stop);
        self.lines.extend(other.lines);
        self.lines.truncate(MOST_LINES);
        self
    }

    /// Reads what a hook said. A hook that failed is reported to the person, and blocks if it is to fail closed.
    pub(super) fn read(event: HookEvent, hook: &HookCommand, finished: FinishedProgram) -> HookAnswer {
        let FinishedProgram { end, output, is_cut, errors } = finished;
        let mut answer = HookAnswer::default();
        let failure = match end {
            ProgramEnd::Exited(Some(0)) => match answer.take_output(event, &output, is_cut) {
                Ok(()) => return answer,
                Err(why) => why,
            },
            ProgramEnd::Exited(Some(2)) => return HookAnswer::blocked(event, hook, &errors),
            ProgramEnd::Exited(Some(code)) => with_errors(&format!("exited with {code}"), &errors),
            ProgramEnd::Exited(None) => with_errors("was killed", &errors),
            ProgramEnd::TimedOut => format!("took longer than {} s and was ended", hook.timeout.as_secs_f32()),
            ProgramEnd::NotStarted(error) => format!("could not be started: {error}"),
        };
        let words = format!("{} {failure}", hook.described(event));
        let lines = vec![line(&words, LINE_CAP)];
        let decision =
            (hook.fails_closed && event.can_block()).then(|| HookDecision::Block(bounded(&words, REASON_CAP)));
        answer.and(HookAnswer { decision, lines, ..HookAnswer::default() })
    }

    /// The answer of a hook that exited with 2. Its output does not count; its errors say why.
    fn blocked(event: HookEvent, hook: &HookCommand, errors: &str) -> HookAnswer {
        let reason = match errors.trim() {
            "" => format!("{} says no", hook.described(event)),
            errors => bounded(errors, REASON_CAP),
        };
        match event.can_block() {
            true => HookAnswer { decision: Some(HookDecision::Block(reason)), ..HookAnswer::default() },
            false => HookAnswer { lines: vec![line(&reason, LINE_CAP)], ..HookAnswer::default() },
        }
    }

    /// Takes the output of a hook that exited with 0. The error completes "the hook …"; what was understood counts nevertheless.
    fn take_output(&mut self, event: HookEvent, output: &str, is_cut: bool) -> Result<(), String> {
        let text = output.trim();
        let is_object = text.starts_with('{');
        match serde_json::from_str(text) {
            Ok(Value::Object(said)) => self.take_object(event, &said)?,
            _ if event.takes_plain_text() => self.context = bounded(text, CONTEXT_CAP),
            _ if is_object && is_cut => return Err("printed more than is read".to_owned()),
            Err(error) if is_object => return Err(format!("printed invalid JSON: {error}")),
            // Other events ignore plain text, which many hooks print for logs.
            Ok(_) | Err(_) => {}
        }
        Ok(())
    }

    fn take_object(&mut self, event: HookEvent, said: &Map<String, Value>) -> Result<(), String> {
        let reason = words(said, "reason").map(|reason| bounded(reason, REASON_CAP));
        if said.get("continue") == Some(&Value::Bool(false)) {
            let why = words(said, "stopReason").map(|why| bounded(why, REASON_CAP));
            self.stop = Some(why.or(reason.clone()).unwrap_or_else(|| "it gives no reason".to_owned()));
        }
        self.lines.extend(words(said, "systemMessage").map(|message| line(message, LINE_CAP)));
        match (words(said, "decision"), event) {
            (Some("block"), _) if event.can_block() => {
                self.decision = Some(HookDecision::Block(reason.unwrap_or_else(no_reason)));
            }
            (Some("approve"), HookEvent::PreToolUse) => self.decision = Some(HookDecision::Allow),
            (Some(_) | None, _) => {}
        }
        let Some(specific) = said.get("hookSpecificOutput").and_then(Value::as_object) else { return Ok(()) };
        if let Some(name) = words(specific, "hookEventName").filter(|name| *name != event.name()) {
            return Err(format!("answered for {}, which was left out", line(name, 40)));
        }
        self.context = words(specific, "additionalContext").map(|text| bounded(text, CONTEXT_CAP)).unwrap_or_default();
        match event {
            HookEvent::PreToolUse => self.read_permission(specific),
            HookEvent::PermissionRequest => self.read_request(specific),
            HookEvent::PostToolUse => {
                self.output = specific.get("updatedToolOutput").map(output);
                Ok(())
            }
            HookEvent::SessionStart
            | HookEvent::SessionEnd
            | HookEvent::UserPromptSubmit
            | HookEvent::PreCompact
            | HookEvent::Stop => Ok(()),
        }
    }

    fn read_permission(&mut self, specific: &Map<String, Value>) -> Result<(), String> {
        let reason = words(specific, "permissionDecisionReason").map(|reason| bounded(reason, REASON_CAP));
        let reason = || reason.unwrap_or_else(no_reason);
        match words(specific, "permissionDecision") {
            None => {}
            Some("allow") => self.decision = Some(HookDecision::Allow),
            Some("ask") => self.decision = Some(HookDecision::Ask(reason())),
            Some("deny") => self.decision = Some(HookDecision::Block(reason())),
            // The call is handled as if the hook had said nothing.
            Some("defer") => {}
            Some(other) => return Err(format!("decided {:?}, which is not allow, ask or deny", line(other, 40))),
        }
        self.input = specific.get("updatedInput").and_then(Value::as_object).cloned();
        Ok(())
    }

    fn read_request(&mut self, specific: &Map<String, Value>) -> Result<(), String> {
        let Some(decision) = specific.get("decision").and_then(Value::as_object) else { return Ok(()) };
        let message = words(decision, "message").map(|message| bounded(message, REASON_CAP)).unwrap_or_else(no_reason);
        match words(decision, "behavior") {
            Some("allow") => self.decision = Some(HookDecision::Allow),
            Some("deny") => {
                let interrupts = decision.get("interrupt") == Some(&Value::Bool(true));
                self.stop = self.stop.take().or(interrupts.then(|| message.clone()));
                self.decision = Some(HookDecision::Block(message));
            }
            other => {
                let other = line(other.unwrap_or_default(), 40);
                return Err(format!("decided {other:?}, which is neither allow nor deny"));
            }
        }
        self.input = decision.get("updatedInput").and_then(Value::as_object).cloned();
        Ok(())
    }
}

fn no_reason() -> String {
    "a hook refused without a reason".to_owned()
}

fn words<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str().map(str::trim).filter(|words| !words.is_empty())
}

/// A result that a hook gives: text as it is, anything else as JSON.
fn output(value: &Value) -> String {
    match value {
        Value::String(text) => bounded(text, RESULT_CAP),
        other => bounded(&other.to_string(), RESULT_CAP),
    }
}

/// The beginning of a text for the model, with a note if it was cut.
fn bounded(text: &str, cap: usize) -> String {
    match text::beginning(text, cap) {
        whole if whole.len() == text.len() => whole.to_owned(),
        cut => format!("{cut}\n[cut: the hook gave {} bytes]", text.len()),
    }
}

/// One line for the person.
pub(super) fn line(text: &str, cap: usize) -> String {
    let words = text::sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(cap) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words,
    }
}

fn with_errors(what: &str, errors: &str) -> String {
    match errors.trim() {
        "" => what.to_owned(),
        errors => format!("{what}: {errors}"),
    }
}
