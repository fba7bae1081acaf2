//! Runs the calls of a model. The tool describes a call, the guard judges it, the person may be asked, then it runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use tokio_util::sync::CancellationToken;

use super::front::{Approval, Decision};
use super::refusal::{INTERRUPTED, Refusal};
use super::{Turn, change};
use crate::chat::{Call, Event, Outcome, Part, Shown};
use crate::guard::{self, Grant, Intent, Surroundings, Verdict};
use crate::text;
use crate::tool::{Context, Prepared, RunContext};

/// The most calls of one message that are run. The model is told about the others.
const MOST_CALLS: usize = 64;
/// How long a cancelled call may take to return its outcome.
const FAREWELL: Duration = Duration::from_millis(60);
/// The most characters in the title of an invalid call.
const TITLE_CAP: usize = 120;

/// The calls of one step.
pub(super) struct StepCalls<'a> {
    pub(super) turn: &'a Turn,
    /// The environment that they run in.
    pub(super) context: &'a Context,
}

/// The result of one call.
pub(super) struct CallResult {
    pub(super) id: String,
    pub(super) outcome: Outcome,
    /// The files and directories that it read or changed.
    pub(super) touched: Vec<PathBuf>,
}

impl CallResult {
    /// The result of a call that touched no file.
    fn new(id: String, outcome: Outcome) -> CallResult {
        CallResult { id, outcome, touched: Vec::new() }
    }
}

impl From<CallResult> for Part {
    fn from(CallResult { id, outcome, .. }: CallResult) -> Part {
        Part::Result { id, outcome }
    }
}

impl StepCalls<'_> {
    /// Runs these calls: consecutive reads concurrently, everything else one by one. Returns one result per call, in order.
    pub(super) async fn perform(&self, mut calls: Vec<Call>) -> Vec<CallResult> {
        let excess = calls.split_off(calls.len().min(MOST_CALLS));
        let mut results = Vec::new();
        let mut reads: Vec<BoxFuture<'static, CallResult>> = Vec::new();
        for call in calls {
            let mut prepared = self.prepare(&call);
            if self.is_free_read(&prepared) && !self.turn.cancel.is_cancelled() {
                reads.extend(prepared.ok().map(|prepared| self.start(call, prepared)));
                continue;
            }
            if !reads.is_empty() {
                // A finished read may allow an edit, so the call is described again.
                results.extend(join_all(reads.drain(..)).await);
                prepared = self.prepare(&call);
            }
            results.push(self.make(call, prepared).await);
        }
        results.extend(join_all(reads).await);
        results.extend(self.leave_out(excess));
        results
    }

    /// The results of calls beyond the limit, which are not run.
    fn leave_out(&self, excess: Vec<Call>) -> Vec<CallResult> {
        if !excess.is_empty() {
            let words = format!("left out {} calls: one message may hold at most {MOST_CALLS}", excess.len());
            self.turn.front.hear(Event::Notice(words));
        }
        let message = format!("not made: one message may hold at most {MOST_CALLS} calls");
        excess.into_iter().map(|call| CallResult::new(call.id, Outcome::failed(message.clone()))).collect()
    }

    /// Describes a call. Rejects calls whose arguments contain a redaction placeholder, because it would be used literally.
    fn prepare(&self, call: &Call) -> Result<Prepared, Refusal> {
        let prepared = self.turn.kit.toolbox.prepare(call, self.context).map_err(Refusal::Invalid)?;
        match self.turn.kit.redactor.placeholder_in(&call.arguments) {
            // A question to the person may mention a placeholder.
            Some(placeholder) if prepared.intent != Intent::Ask => Err(Refusal::Placeholder(placeholder)),
            Some(_) | None => Ok(prepared),
        }
    }

    fn is_free_read(&self, prepared: &Result<Prepared, Refusal>) -> bool {
        prepared.as_ref().is_ok_and(|call| call.intent.is_read() && self.judge(call).0 == Verdict::Allow)
    }

    /// Runs one call, if it is allowed.
    async fn make(&self, call: Call, prepared: Result<Prepared, Refusal>) -> CallResult {
        if self.turn.cancel.is_cancelled() {
            return CallResult::new(call.id, Refusal::Interrupted.outcome());
        }
        let mut prepared = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => {
                let title = in_short(&call.arguments);
                return self.decline(call, title, refusal);
            }
        };
        let (verdict, lasting) = self.judge(&prepared);
        let question = Approval {
            title: prepared.title.clone(),
            tool: call.name.clone(),
            intent: prepared.intent.clone(),
            // A change that the person has approved is not shown again.
            preview: if verdict == Verdict::Ask { prepared.preview.take() } else { None },
            lasting,
            cwd: self.context.cwd.clone(),
        };
        match self.allow(verdict, question).await {
            Ok(()) => self.start(call, prepared).await,
            Err(refusal) => self.decline(call, prepared.title, refusal),
        }
    }

    /// Checks whether a call is allowed, and asks the person if needed.
    async fn allow(&self, verdict: Verdict, question: Approval) -> Result<(), Refusal> {
        match verdict {
            Verdict::Allow => return Ok(()),
            Verdict::Deny(why) => return Err(Refusal::Forbidden(why.to_string())),
            Verdict::Ask => {}
        }
        let lasting = question.lasting.clone();
        let decision = tokio::select! {
            biased;
            () = self.turn.cancel.cancelled() => return Err(Refusal::Interrupted),
            decision = self.turn.approver.approve(question) => decision,
        };
        match decision {
            Decision::Once => Ok(()),
            Decision::ForSession => {
                lasting.into_iter().for_each(|grant| self.turn.kit.grants.add(grant));
                Ok(())
            }
            Decision::No { why } => Err(Refusal::Declined { why }),
            Decision::Unasked { why } => Err(Refusal::Unasked(why)),
        }
    }

    /// The verdict, and the grant that an approval for the session would add.
    fn judge(&self, prepared: &Prepared) -> (Verdict, Option<Grant>) {
        let (home, kit) = (self.context.home(), &self.turn.kit);
        let around =
            Surroundings { project: &self.context.cwd, home, private: &kit.places.private, grants: &kit.grants };
        (guard::judge(&prepared.intent, &around), Grant::offered(&prepared.intent, &around))
    }

    /// Reports a call that does not run.
    fn decline(&self, call: Call, title: String, refusal: Refusal) -> CallResult {
        let (id, outcome) = (call.id.clone(), refusal.outcome());
        let kind = self.turn.kit.toolbox.kind(&call.name);
        self.turn.front.hear(Event::CallStarted { call, kind, title });
        let (told, shown) = (outcome.clone(), refusal.shown());
        self.turn.front.hear(Event::CallFinished { id: id.clone(), outcome: told, shown, took: Duration::ZERO });
        CallResult::new(id, outcome)
    }

    /// Starts a call. The future returns its result, soon after a cancellation at the latest.
    fn start(&self, call: Call, prepared: Prepared) -> BoxFuture<'static, CallResult> {
        let (front, cancel, id) = (Arc::clone(&self.turn.front), self.turn.cancel.clone(), call.id.clone());
        let (speaker, name) = (Arc::clone(&self.turn.front), call.id.clone());
        let output =
            Box::new(move |text: &str| speaker.hear(Event::CallOutput { id: name.clone(), text: text.to_owned() }));
        let run = (prepared.run)(RunContext { output, cancel: cancel.clone() });
        let (preview, touched) = (prepared.preview, touched(prepared.intent));
        let kind = self.turn.kit.toolbox.kind(&call.name);
        front.hear(Event::CallStarted { call, kind, title: prepared.title });
        Box::pin(async move {
            let began = Instant::now();
            let (outcome, shown) = match until_cancelled(run, &cancel).await {
                CallEnd::ToItsEnd(outcome) => {
                    let change = preview.filter(|_| !outcome.is_failed()).and_then(|preview| change::of(&preview));
                    (outcome, change.unwrap_or(Shown::Outcome))
                }
                CallEnd::Stopped(outcome) => (outcome, Shown::Stopped),
            };
            let (took, told) = (began.elapsed(), outcome.clone());
            front.hear(Event::CallFinished { id: id.clone(), outcome: told, shown, took });
            CallResult { id, outcome, touched }
        })
    }
}

/// Runs a call to its end, or until shortly after the person stops it. Dropping the future stops the call.
async fn until_cancelled(mut run: BoxFuture<'static, Outcome>, cancel: &CancellationToken) -> CallEnd {
    if cancel.is_cancelled() {
        return CallEnd::Stopped(Outcome::failed(INTERRUPTED));
    }
    tokio::select! {
        biased;
        () = cancel.cancelled() => {}
        outcome = &mut run => return CallEnd::ToItsEnd(outcome),
    }
    CallEnd::Stopped(Outcome::failed(match tokio::time::timeout(FAREWELL, run).await {
        Ok(outcome) => format!("{INTERRUPTED}\n{}", outcome.text()),
        Err(_) => INTERRUPTED.to_owned(),
    }))
}

/// How a call ended.
enum CallEnd {
    ToItsEnd(Outcome),
    /// The person stopped it.
    Stopped(Outcome),
}

/// The files and directories that a call reads or changes.
fn touched(intent: Intent) -> Vec<PathBuf> {
    match intent {
        Intent::Read { paths } => paths,
        Intent::Write { path } => vec![path],
        Intent::Run { .. } | Intent::RunInShell { .. } | Intent::Ask | Intent::Suggest { .. } => Vec::new(),
    }
}

/// One line that describes a call from its JSON: a well-known argument if there is one, else the JSON itself.
fn in_short(arguments: &str) -> String {
    let object: Option<serde_json::Value> = serde_json::from_str(arguments).ok();
    let usual = ["path", "command", "pattern", "question"];
    let subject = object.as_ref().and_then(|object| usual.iter().find_map(|name| object.get(name)?.as_str()));
    let line: String = text::sanitize(subject.unwrap_or(arguments)).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CAP) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
