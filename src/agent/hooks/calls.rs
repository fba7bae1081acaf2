//! Hooks before and after a call.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::super::Turn;
use super::super::context::escape;
use crate::chat::{Call, Outcome};
use crate::guard::{DecidedBy, Intent, Judgement, Verdict};
use crate::hook::{CallFacts, ForeignCall, HookAnswer, HookDecision, HookEvent};
use crate::tool::{Context, Prepared};

/// Runs the hooks of calls.
#[derive(Clone, Copy)]
pub(in crate::agent) struct CallHooks<'a> {
    pub(in crate::agent) turn: &'a Turn,
    pub(in crate::agent) context: &'a Context,
}

/// What hooks have said about a call so far.
#[derive(Debug, Default)]
pub(in crate::agent) struct HookedCall {
    /// Whether a hook allows the call.
    pub(in crate::agent) is_allowed: bool,
    /// Why the person is to be asked.
    pub(in crate::agent) asks: Option<String>,
    /// Why the call is blocked.
    pub(in crate::agent) blocked: Option<String>,
    /// Why the answer is to end after this call.
    pub(in crate::agent) stop: Option<String>,
    /// Text for the model, which is added to the result.
    context: String,
}

impl HookedCall {
    /// Takes what the hooks of an event say. Returns the call with the input that they have rewritten.
    fn take(&mut self, answer: HookAnswer, call: &Call) -> Option<Call> {
        let HookAnswer { decision, context, input, stop, .. } = answer;
        match decision {
            Some(HookDecision::Allow) => self.is_allowed = true,
            Some(HookDecision::Ask(why)) => self.asks = Some(why),
            Some(HookDecision::Block(why)) => self.blocked = Some(why),
            None => {}
        }
        // A call that ends the answer does not run.
        self.blocked = self.blocked.take().or(stop.clone());
        self.stop = self.stop.take().or(stop);
        self.context.push_str(&context);
        let arguments = Value::Object(ForeignCall::arguments(&call.name, input?)).to_string();
        Some(Call { arguments, ..call.clone() })
    }

    /// The judgement with what the hooks say. A hook can ask about anything and forbid anything. It can allow what the person could have
    /// approved for the session; a denial, a question that a rule wants, and calls that always need a question stay.
    pub(in crate::agent) fn judge(&self, judgement: Judgement, can_be_approved: impl FnOnce() -> bool) -> Judgement {
        let Judgement { verdict, by } = judgement;
        let is_default = matches!(by, DecidedBy::Mode(..));
        match verdict {
            Verdict::Allow if self.asks.is_some() => Judgement { verdict: Verdict::Ask, by: DecidedBy::Hook },
            Verdict::Ask if self.asks.is_none() && self.is_allowed && is_default && can_be_approved() => {
                Judgement { verdict: Verdict::Allow, by: DecidedBy::Hook }
            }
            Verdict::Allow | Verdict::Ask | Verdict::Deny(_) => Judgement { verdict, by },
        }
    }
}

impl CallHooks<'_> {
    /// Whether hooks wait for this call, before or after it.
    pub(in crate::agent) fn wait_for(&self, call: &Call) -> bool {
        let foreign = ForeignCall::of(&call.name, &Map::new(), CallFacts::default());
        let waits = |event| self.turn.hooks_waiting(event, &foreign.subject(), self.context).is_some();
        waits(HookEvent::PreToolUse) || waits(HookEvent::PostToolUse)
    }

    /// The call as hooks see it. `None` if there are no hooks.
    pub(in crate::agent) fn see(&self, call: &Call, prepared: &Prepared) -> Option<ForeignCall> {
        self.turn.kit.session_hooks().map(|_| foreign(call, prepared))
    }

    /// Runs the hooks before a call is judged. Returns the call with another input if they have rewritten it.
    pub(in crate::agent) async fn before(
        &self,
        call: &Call,
        foreign: Option<ForeignCall>,
        said: &mut HookedCall,
    ) -> Option<Call> {
        let id = json!({ "tool_use_id": call.id });
        let answer = self.run(HookEvent::PreToolUse, &foreign?, id).await?;
        said.take(answer, call)
    }

    /// Runs the hooks before the person is asked. Returns the call with another input if they have rewritten it.
    pub(in crate::agent) async fn before_question(
        &self,
        call: &Call,
        foreign: Option<ForeignCall>,
        said: &mut HookedCall,
    ) -> Option<Call> {
        let answer = self.run(HookEvent::PermissionRequest, &foreign?, json!({})).await?;
        said.take(answer, call)
    }

    /// Runs the hooks after a call. Returns the result as the model reads it, and why the answer is to end.
    pub(in crate::agent) async fn after(
        &self,
        ran: RanCall,
        outcome: Outcome,
        said: HookedCall,
    ) -> (Outcome, Option<String>) {
        let RanCall { foreign, id, took } = ran;
        let fields = json!({
            "tool_response": response(&foreign, &outcome),
            "tool_use_id": id,
            "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
        let answer = self.run(HookEvent::PostToolUse, &foreign, fields).await.unwrap_or_default();
        let mut added = Vec::new();
        if !said.context.is_empty() {
            added.push(("PreToolUse", said.context));
        }
        if let Some(HookDecision::Block(why)) = answer.decision {
            added.push(("PostToolUse", why));
        }
        if !answer.context.is_empty() {
            added.push(("PostToolUse", answer.context));
        }
        (told(outcome, answer.output, &added), said.stop.or(answer.stop))
    }

    async fn run(&self, event: HookEvent, foreign: &ForeignCall, fields: Value) -> Option<HookAnswer> {
        let subject = foreign.subject();
        let place = self.turn.hooks_waiting(event, &subject, self.context)?;
        let mut all = json!({ "tool_name": foreign.name, "tool_input": foreign.input });
        if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
            all.extend(fields);
        }
        Some(self.turn.run_hooks(event, &subject, &place, all).await)
    }
}

/// A call that has run.
pub(in crate::agent) struct RanCall {
    pub(in crate::agent) foreign: ForeignCall,
    pub(in crate::agent) id: String,
    pub(in crate::agent) took: Duration,
}

/// The call as hooks see it.
fn foreign(call: &Call, prepared: &Prepared) -> ForeignCall {
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) | Err(_) => Map::new(),
    };
    let facts = match &prepared.intent {
        Intent::Run { command, .. } | Intent::RunInShell { command, .. } | Intent::Suggest { command } => {
            CallFacts { command: Some(command), file: None }
        }
        Intent::Write { path, .. } => CallFacts { command: None, file: Some(path) },
        Intent::Read { paths } => CallFacts { command: None, file: paths.first().map(std::path::PathBuf::as_path) },
        Intent::OtherTerminals | Intent::Ask => CallFacts::default(),
    };
    ForeignCall::of(&call.name, &arguments, facts)
}

/// The result of a call in a form that existing hooks read.
fn response(foreign: &ForeignCall, outcome: &Outcome) -> Value {
    let (text, success) = (outcome.text(), !outcome.is_failed());
    match foreign.name.as_str() {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false, "success": success }),
        _ => match foreign.input.get("file_path") {
            Some(file) => json!({ "filePath": file, "content": text, "success": success }),
            None => json!({ "content": text, "success": success }),
        },
    }
}

/// The result with what hooks have replaced and added.
fn told(outcome: Outcome, replaced: Option<String>, added: &[(&str, String)]) -> Outcome {
    let notes: String =
        added.iter().map(|(event, text)| format!("\n<hook event=\"{event}\">\n{}\n</hook>", escape(text))).collect();
    match outcome {
        Outcome::Done { text, images } => Outcome::Done { text: replaced.unwrap_or(text) + &notes, images },
        Outcome::Failed { message } => Outcome::Failed { message: replaced.unwrap_or(message) + &notes },
    }
}
