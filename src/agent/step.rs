//! One request to the model, with retries.

use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::meter::Meter;
use super::stream::{AnswerDraft, LONGEST_ANSWER, ModelAnswer};
use super::{Turn, failure};
use crate::chat::{Event, Failure, FailureKind, Message, Part, Role};
use crate::provider::{Delta, ErrorKind, ModelRequest, NextTry, Stop};
use crate::text::human;

/// The result of a request.
pub(super) enum Step {
    Said(ModelAnswer),
    /// The person stopped it. Contains the part of the answer that had arrived.
    Interrupted(Message),
    /// The request is too long for the model, whose window is this large if the provider said so. Nothing was answered.
    TooLong {
        window: Option<u32>,
        failure: Failure,
    },
    /// The request failed. Contains the part of the answer that had arrived, and the reason.
    Failed(Option<Message>, Failure),
}

/// How often a model may pause in one answer.
const PAUSES: usize = 8;

/// Sends a request and passes the answer to the front as it arrives. An answer that pauses is continued by another request, which ends
/// with what was said. The tokens of every attempt are added to the meter.
pub(super) async fn ask(turn: &Turn, request: &ModelRequest, meter: &mut Meter) -> Step {
    let mut step = ask_once(turn, request, meter).await;
    for _ in 0..PAUSES {
        let said = match step {
            Step::Said(ModelAnswer { message, stop: Stop::Paused }) if !message.parts.is_empty() => message,
            ended => return ended,
        };
        let mut more = request.clone();
        more.messages.push(said.clone());
        step = after(said, ask_once(turn, &more, meter).await);
    }
    step
}

/// A step with what was said before its request.
fn after(said: Message, step: Step) -> Step {
    let joined = |more: Message| Message { parts: said.parts.iter().cloned().chain(more.parts).collect(), ..more };
    // An answer that ends without its end may not keep calls or thinking.
    let text_before = |more: Message| {
        let text = Part::Text(said.text());
        Message { parts: [text].into_iter().chain(more.parts).collect(), ..more }
    };
    match step {
        Step::Said(ModelAnswer { message, stop }) => Step::Said(ModelAnswer { message: joined(message), stop }),
        Step::Interrupted(message) => Step::Interrupted(text_before(message)),
        // What was said before stays, although the request after it brought nothing.
        Step::Failed(message, failure) => {
            let nothing = Message { role: Role::Assistant, parts: Vec::new() };
            Step::Failed(Some(text_before(message.unwrap_or(nothing))), failure)
        }
        Step::TooLong { window, failure } => Step::TooLong { window, failure },
    }
}

async fn ask_once(turn: &Turn, request: &ModelRequest, meter: &mut Meter) -> Step {
    let Turn { kit, front, cancel, .. } = turn;
    let mut tellings = 0;
    for attempt in 1.. {
        let mut draft = AnswerDraft::default();
        let too_long = CancellationToken::new();
        let mut take = |delta| {
            if is_said(&delta) {
                meter.token();
            }
            if let Some(event) = draft.take(delta) {
                front.hear(event);
            }
            if draft.is_too_long() {
                too_long.cancel();
            }
        };
        let streamed = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            () = too_long.cancelled() => Some(Ok(())),
            streamed = kit.model.provider.stream(request, &mut take) => Some(streamed),
        };
        meter.add(&draft);
        if draft.is_too_long() {
            let words = format!("the answer is longer than {}, so it was cut off", human::size(LONGEST_ANSWER as u64));
            return Step::Failed(draft.broken_off(), Failure::new(FailureKind::DamagedStream, words));
        }
        let error = match streamed {
            None => return Step::Interrupted(draft.interrupted()),
            Some(Ok(())) => return Step::Said(draft.finish()),
            Some(Err(error)) => error,
        };
        tellings += u32::from(draft.has_text());
        tracing::warn!(?error, "request failed");
        let failure = failure::of(&error);
        if let ErrorKind::ContextTooLong { window } = error.kind()
            && !draft.has_text()
        {
            return Step::TooLong { window: *window, failure };
        }
        let after = match kit.policy.decide(attempt, &error, chance()) {
            NextTry::Again(after) if tellings < kit.limits.tellings => after,
            NextTry::Again(_) | NextTry::GiveUp => return Step::Failed(draft.broken_off(), failure),
        };
        front.hear(Event::Retrying { attempt: attempt + 1, after, why: error.cause() });
        if is_cancelled_within(after, cancel).await {
            return Step::Interrupted(draft.interrupted());
        }
    }
    unreachable!("a retry policy gives up eventually")
}

/// Whether a delta is a piece of the model's answer.
fn is_said(delta: &Delta) -> bool {
    match delta {
        Delta::Thinking(_) | Delta::RedactedThinking(_) | Delta::Text(_) | Delta::CallBegan { .. } => true,
        Delta::Signature(_) | Delta::CallArguments { .. } | Delta::Usage(_) | Delta::Notice(_) | Delta::Stopped(_) => {
            false
        }
    }
}

async fn is_cancelled_within(wait: Duration, cancel: &CancellationToken) -> bool {
    tokio::time::timeout(wait, cancel.cancelled()).await.is_ok()
}

/// A number from 0 to 1, random enough that clients do not retry at the same time.
fn chance() -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    f64::from(now.subsec_nanos() % 1_000) / 1_000.0
}
