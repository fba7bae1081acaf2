//! Runs the calls of a model. The tool describes a call, the guard judges it, the person may be asked, then it runs.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use tokio_util::sync::CancellationToken;

use super::front::{Approval, Decision};
use super::hooks::{CallHooks, HookedCall, RanCall};
use super::refusal::{INTERRUPTED, Refusal};
use super::{Kit, Turn, change, decided};
use crate::chat::{Call, CallDecision, Decider, Event, Outcome, Part, Shown};
use crate::guard::command::mentions_other_rights;
use crate::guard::{
    Applied, Confinement, Consent, GrantOffers, Intent, Judgement, PermissionMode, Surroundings, Verdict,
};
use crate::repository;
use crate::text;
use crate::tool::{ChangeScope, Context, Prepared, RunContext};

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
    /// Why a hook ends the answer after this call.
    pub(super) stop: Option<String>,
    /// Whether the person said no to it.
    pub(super) is_declined: bool,
}

impl CallResult {
    /// The result of a call that touched no file.
    fn new(id: String, outcome: Outcome) -> CallResult {
        CallResult { id, outcome, touched: Vec::new(), stop: None, is_declined: false }
    }
}

impl From<CallResult> for Part {
    fn from(CallResult { id, outcome, .. }: CallResult) -> Part {
        Part::Result { id, outcome }
    }
}

/// The results of calls that are not made.
fn unmade(calls: impl Iterator<Item = Call>, why: &'static str) -> impl Iterator<Item = CallResult> {
    calls.map(move |call| CallResult::new(call.id, Outcome::failed(why)))
}

impl StepCalls<'_> {
    /// Runs these calls: consecutive reads concurrently, everything else one by one. Returns one result per call, in order.
    pub(super) async fn perform(&self, mut calls: Vec<Call>) -> Vec<CallResult> {
        let excess = calls.split_off(calls.len().min(MOST_CALLS));
        let mut results = Vec::new();
        let mut reads: Vec<BoxFuture<'static, CallResult>> = Vec::new();
        let mut calls = calls.into_iter();
        while let Some(call) = calls.next() {
            let mut prepared = self.prepare(&call);
            if !self.turn.cancel.is_cancelled()
                && let Some(decision) = self.free_read(&call, &prepared)
            {
                reads.extend(prepared.ok().map(|prepared| self.start(call, prepared, decision)));
                continue;
            }
            if !reads.is_empty() {
                // A finished read may allow an edit, so the call is described again.
                results.extend(join_all(reads.drain(..)).await);
                prepared = self.prepare(&call);
            }
            let result = self.make(call, prepared).await;
            if result.stop.is_some() {
                results.push(result);
                results.extend(unmade(calls, "not made: a hook ended the answer"));
                return results;
            }
            let is_declined = result.is_declined;
            results.push(result);
            if is_declined && calls.len() > 0 {
                self.report_unmade(calls.len());
                results.extend(unmade(calls, "not made: the user said no to an earlier call of the same message"));
                break;
            }
        }
        results.extend(join_all(reads).await);
        results.extend(self.leave_out(excess));
        results
    }

    /// After a no to one call the others of the message are not asked about one by one.
    fn report_unmade(&self, count: usize) {
        let calls =
            if count == 1 { "the call after it was".to_owned() } else { format!("the {count} calls after it were") };
        let words = format!("{calls} not made either; what instead? `>` tells it");
        self.turn.front.hear(Event::Notice(words));
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

    /// Describes a call. Rejects calls whose arguments contain a redaction placeholder, because it would be used literally. In the text
    /// of a file it stands for the secret: the call that runs has it, the description for the person has the placeholder.
    fn prepare(&self, call: &Call) -> Result<Prepared, Refusal> {
        let Kit { toolbox, redactor, .. } = &*self.turn.kit;
        let prepared = toolbox.prepare(call, self.context).map_err(Refusal::Invalid)?;
        let Some(placeholder) = redactor.placeholder_in(&call.arguments) else { return Ok(prepared) };
        // A question to the person may mention a placeholder.
        if prepared.intent == Intent::Ask {
            return Ok(prepared);
        }
        // An error about the restored call is not told, because it could tell something about the secret.
        let restored = toolbox.restored(call, redactor);
        let restored = restored.and_then(|restored| toolbox.prepare(&restored.call, self.context).ok());
        restored.map(|restored| Prepared { run: restored.run, ..prepared }).ok_or(Refusal::Placeholder(placeholder))
    }

    /// The names of the masked secrets that a call puts into a file.
    fn secrets(&self, call: &Call) -> Vec<String> {
        let Kit { toolbox, redactor, .. } = &*self.turn.kit;
        let placeholder = redactor.placeholder_in(&call.arguments);
        placeholder.and_then(|_| toolbox.restored(call, redactor)).map(|restored| restored.names).unwrap_or_default()
    }

    /// The decision about a read that needs no question.
    fn free_read(&self, call: &Call, prepared: &Result<Prepared, Refusal>) -> Option<CallDecision> {
        // Only a read is judged here: what is asked below is judged once.
        if self.hooks().wait_for(call) {
            return None;
        }
        let prepared = prepared.as_ref().ok().filter(|prepared| prepared.intent.is_read())?;
        let Judgement { verdict, by } = self.judge(call, prepared);
        (verdict == Verdict::Allow).then(|| decided::allowed(&by))
    }

    fn hooks(&self) -> CallHooks<'_> {
        CallHooks { turn: self.turn, context: self.context }
    }

    /// Runs one call, if it is allowed.
    async fn make(&self, call: Call, prepared: Result<Prepared, Refusal>) -> CallResult {
        if self.turn.cancel.is_cancelled() {
            return CallResult::new(call.id, Refusal::Interrupted.outcome());
        }
        let mut said = HookedCall::default();
        match self.clear(call, prepared, &mut said).await {
            Ok(cleared) => self.carry_out(cleared, said).await,
            Err(declined) => {
                let DeclinedCall { call, title, refusal } = *declined;
                let is_declined = matches!(refusal, Refusal::Declined { .. });
                CallResult { stop: said.stop, is_declined, ..self.decline(call, title, refusal) }
            }
        }
    }

    /// Runs the hooks before a call, judges it and asks the person if needed. Returns the call as it may run.
    async fn clear(
        &self,
        call: Call,
        prepared: Result<Prepared, Refusal>,
        said: &mut HookedCall,
    ) -> Result<ClearedCall, Box<DeclinedCall>> {
        let (mut call, mut prepared) = described(call, prepared)?;
        if let Some(rewritten) = self.hooks().before(&call, self.hooks().see(&call, &prepared), said).await {
            let again = self.prepare(&rewritten);
            (call, prepared) = described(rewritten, again)?;
        }
        let mut judgement = self.judge_hooked(&call, &prepared, said);
        if judgement.verdict == Verdict::Ask && said.blocked.is_none() {
            if let Some(rewritten) = self.hooks().before_question(&call, self.hooks().see(&call, &prepared), said).await
            {
                let again = self.prepare(&rewritten);
                (call, prepared) = described(rewritten, again)?;
            }
            judgement = self.judge_hooked(&call, &prepared, said);
        }
        if let Some(why) = said.blocked.take() {
            return Err(Box::new(DeclinedCall { call, title: prepared.title, refusal: Refusal::Hook(why) }));
        }
        let is_asked = judgement.verdict == Verdict::Ask;
        let question = Approval {
            title: prepared.title.clone(),
            tool: call.name.clone(),
            intent: prepared.intent.clone(),
            preview: prepared.preview.clone().filter(|_| is_asked),
            offers: if is_asked { self.offers(&call, &prepared) } else { GrantOffers::default() },
            cwd: self.context.cwd.clone(),
            secrets: self.secrets(&call),
            weakness: self.turn.kit.weakness(&prepared.intent),
            is_contained: self.is_contained(&call, &prepared.intent),
        };
        if let Some(why) = said.asks.as_ref().filter(|_| is_asked) {
            self.turn.front.hear(Event::Notice(format!("a hook wants you to decide: {}", in_short(why))));
        }
        match self.allow(judgement, question).await {
            Ok(decision) => Ok(ClearedCall { call, prepared, decision }),
            Err(refusal) => Err(Box::new(DeclinedCall { call, title: prepared.title, refusal })),
        }
    }

    /// Judges a call, with what hooks have said.
    fn judge_hooked(&self, call: &Call, prepared: &Prepared, said: &HookedCall) -> Judgement {
        said.judge(self.judge(call, prepared), || !self.offers(call, prepared).exact.is_empty())
    }

    /// Runs a call, and the hooks after it.
    async fn carry_out(&self, cleared: ClearedCall, said: HookedCall) -> CallResult {
        let ClearedCall { call, prepared, decision } = cleared;
        let foreign = self.hooks().see(&call, &prepared);
        let (id, began) = (call.id.clone(), Instant::now());
        let result = self.start(call, prepared, decision).await;
        let Some(foreign) = foreign else { return result };
        if self.turn.cancel.is_cancelled() {
            return result;
        }
        let ran = RanCall { foreign, id, took: began.elapsed() };
        let (outcome, stop) = self.hooks().after(ran, result.outcome, said).await;
        CallResult { outcome, stop, ..result }
    }

    /// Checks whether a call is allowed, and asks the person if needed.
    async fn allow(&self, judgement: Judgement, question: Approval) -> Result<CallDecision, Refusal> {
        let Judgement { verdict, by } = judgement;
        match verdict {
            Verdict::Allow => return Ok(decided::allowed(&by)),
            Verdict::Deny(why) => return Err(Refusal::Forbidden { why, by }),
            Verdict::Ask => {}
        }
        let (offers, permissions) = (question.offers.clone(), &self.turn.kit.permissions);
        let decision = tokio::select! {
            biased;
            () = self.turn.cancel.cancelled() => return Err(Refusal::Interrupted),
            decision = self.turn.approver.approve(question) => decision,
        };
        let approved = decided::approved(&decision);
        match decision {
            Decision::Once | Decision::ByOption => {}
            Decision::Granted { width, scope } => {
                let kept = offers.find(width, scope).cloned().map_or(Ok(()), |offer| permissions.grants.add(offer));
                if let Err(error) = kept {
                    self.turn.front.hear(Event::Notice(format!("{error}, so this is approved once")));
                }
            }
            Decision::AutoMode => {
                permissions.choice.set(Some(PermissionMode::Auto));
                self.turn.front.hear(Event::Mode(PermissionMode::Auto.name().to_owned()));
            }
            Decision::No { why } => return Err(Refusal::Declined { why }),
            Decision::Unasked { why } => return Err(Refusal::Unasked(why)),
        }
        approved.ok_or(Refusal::Interrupted)
    }

    /// Judges a call. A secret is put into a file only with a yes to exactly that, whatever the rules, grants and the mode allow.
    fn judge(&self, call: &Call, prepared: &Prepared) -> Judgement {
        let (intent, permissions) = (&prepared.intent, &self.turn.kit.permissions);
        let judge = |around: &Surroundings<'_>| permissions.judge(&call.name, intent, around);
        let Judgement { verdict, by } = self.surroundings(intent, judge);
        let needs_yes = verdict == Verdict::Allow && !self.secrets(call).is_empty();
        Judgement { verdict: if needs_yes { Verdict::Ask } else { verdict }, by }
    }

    /// Whether a call is known to change nothing. A command that asks for more than the sandbox allows wants to change something.
    fn only_looks(&self, call: &Call, prepared: &Prepared) -> bool {
        let (intent, permissions) = (&prepared.intent, &self.turn.kit.permissions);
        let looks = |around: &Surroundings<'_>| permissions.only_looks(&call.name, intent, around);
        intent.exception().is_none() && self.surroundings(intent, looks)
    }

    /// The grants that may be given instead of a single yes.
    fn offers(&self, call: &Call, prepared: &Prepared) -> GrantOffers {
        if !self.secrets(call).is_empty() {
            return GrantOffers::default();
        }
        let intent = &prepared.intent;
        self.surroundings(intent, |around| self.turn.kit.permissions.offers(&call.name, intent, around))
    }

    /// Whether the sandbox holds a call and `/undo` can take it back.
    fn is_contained(&self, call: &Call, intent: &Intent) -> bool {
        let has_undo = self.turn.ports.changes.is_some() && self.secrets(call).is_empty();
        match intent {
            Intent::Ask | Intent::Suggest { .. } => true,
            Intent::Write { .. } => has_undo,
            Intent::Run { command, exception, .. } => {
                let is_confined = exception.is_none() && self.turn.kit.confines();
                let Context { cwd, .. } = self.context;
                let scope = ChangeScope::Project { cwd, home: self.context.home() };
                let is_kept = self.turn.ports.changes.as_ref().is_some_and(|changes| changes.keeps(scope));
                let is_whole = self.turn.kit.weakness(intent).is_none();
                has_undo && is_confined && is_kept && is_whole && !mentions_other_rights(command)
            }
            // What was read can't be unread, and the person's own shell has no walls.
            Intent::Read { .. } | Intent::OtherTerminals | Intent::RunInShell { .. } => false,
        }
    }

    fn surroundings<T>(&self, intent: &Intent, look: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let Context { cwd, .. } = self.context;
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
        let own = &self.turn.kit.places.own;
        let path = self.context.variable("PATH").unwrap_or_default();
        let (project, home) = (repository::root_or(&real), self.context.home());
        // Only a command asks what the kernel can enforce, because the first look takes a while.
        let confines = matches!(intent, Intent::Run { .. }) && self.turn.kit.confines();
        look(&Surroundings { cwd: &real, project, home, own, path, confines })
    }

    /// Reports a call that does not run.
    fn decline(&self, call: Call, title: String, refusal: Refusal) -> CallResult {
        let (id, outcome) = (call.id.clone(), refusal.outcome());
        let kind = self.turn.kit.toolbox.kind(&call.name);
        self.turn.front.hear(Event::CallStarted { call, kind, title });
        self.turn.front.hear(Event::CallDecided { id: id.clone(), decision: decided::refused(&refusal) });
        let (told, shown) = (outcome.clone(), refusal.shown());
        self.turn.front.hear(Event::CallFinished { id: id.clone(), outcome: told, shown, took: Duration::ZERO });
        CallResult::new(id, outcome)
    }

    /// Starts a call. The future returns its result, soon after a cancellation at the latest.
    fn start(&self, call: Call, prepared: Prepared, decision: CallDecision) -> BoxFuture<'static, CallResult> {
        // What the person, a rule or a grant has allowed may do more than what is silent by the mode or by a hook.
        let is_silent = matches!(decision.by, Decider::Mode | Decider::Hook);
        let consent = if is_silent { Consent::Silent } else { Consent::Given };
        let (front, cancel, id) = (Arc::clone(&self.turn.front), self.turn.cancel.clone(), call.id.clone());
        let (speaker, name) = (Arc::clone(&self.turn.front), call.id.clone());
        let output =
            Box::new(move |text: &str| speaker.hear(Event::CallOutput { id: name.clone(), text: text.to_owned() }));
        let (confinement, applied) = (self.turn.kit.confinement(consent), Arc::<OnceLock<Applied>>::default());
        let only_looks = self.only_looks(&call, &prepared);
        let confinement = if only_looks { confinement.for_looking() } else { confinement };
        let Confinement { level, network, .. } = confinement.clone().with(prepared.intent.exception());
        let run = RunContext { output, cancel: cancel.clone(), confinement, only_looks, applied: Arc::clone(&applied) };
        let run = (prepared.run)(run);
        let (preview, touched) = (prepared.preview, touched(prepared.intent));
        let kind = self.turn.kit.toolbox.kind(&call.name);
        front.hear(Event::CallStarted { call, kind, title: prepared.title });
        front.hear(Event::CallDecided { id: id.clone(), decision });
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
            if let Some(applied) = applied.get() {
                let sandbox = applied.words(level, network);
                front.hear(Event::CallConfined { id: id.clone(), sandbox });
            }
            front.hear(Event::CallFinished { id: id.clone(), outcome: told, shown, took });
            CallResult { touched, ..CallResult::new(id, outcome) }
        })
    }
}

/// A call that may run.
struct ClearedCall {
    call: Call,
    prepared: Prepared,
    decision: CallDecision,
}

/// A call that does not run.
struct DeclinedCall {
    call: Call,
    title: String,
    refusal: Refusal,
}

/// A call that the tool understands.
fn described(call: Call, prepared: Result<Prepared, Refusal>) -> Result<(Call, Prepared), Box<DeclinedCall>> {
    match prepared {
        Ok(prepared) => Ok((call, prepared)),
        Err(refusal) => Err(Box::new(DeclinedCall { title: in_short(&call.arguments), call, refusal })),
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
        Intent::Write { path, .. } => vec![path],
        Intent::Run { .. } | Intent::RunInShell { .. } | Intent::OtherTerminals => Vec::new(),
        Intent::Ask | Intent::Suggest { .. } => Vec::new(),
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
