//! The events that a front receives while a turn runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call::{Call, Outcome, ToolKind};
use super::decision::CallDecision;
use super::shown::Shown;
use super::usage::Usage;

/// An event of a turn. Events arrive in order. `Thinking`, `Text` and `CallOutput` carry deltas, to be appended to earlier ones.
///
/// As JSON an event is `{"type": …, "data": …}`. The names are stable: transcripts and other programs read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "data")]
pub(crate) enum Event {
    /// A request is being sent to the model.
    StepStarted { step: u32 },
    /// A request was sent to this model. `bytes` and `tokens` are estimates of its size.
    RequestSent { model: String, messages: usize, bytes: usize, tokens: u64 },
    /// The model that answers. Sent when the person has not seen its name yet.
    Model(String),
    /// How much the agent may do without a question, if that is not the usual. Shown in the status line.
    Mode(String),
    /// More of the model's thinking.
    Thinking(String),
    /// More of the answer, in Markdown.
    Text(String),
    /// A call is about to run. `title` is one line for the person, such as a path or a command.
    CallStarted { call: Call, kind: ToolKind, title: String },
    /// Whether the call may run. Follows `CallStarted` and comes before everything that the call does.
    CallDecided { id: String, decision: CallDecision },
    /// More output of a running call.
    CallOutput { id: String, text: String },
    /// How the command of a call was confined, in words. Comes before `CallFinished`.
    CallConfined { id: String, sandbox: String },
    /// A call has finished. `outcome` is for the model, `shown` for the person.
    CallFinished {
        id: String,
        outcome: Outcome,
        shown: Shown,
        #[serde(rename = "took_ms", with = "millis")]
        took: Duration,
    },
    /// The request failed and will be sent again. `attempt` is the number of the next attempt.
    Retrying {
        attempt: u32,
        #[serde(rename = "after_ms", with = "millis")]
        after: Duration,
        why: String,
    },
    /// The token usage of this step.
    Usage(Usage),
    /// Older parts of the conversation were left out or summarised; the tokens of a request before and after.
    Compacted { before: u64, after: u64 },
    /// The person sent a message while the turn was running. The model reads it in its next step.
    Steered(String),
    /// A one-line notice for the person.
    Notice(String),
    /// The turn is over.
    Finished(Ending),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub(crate) enum Ending {
    Answered,
    /// The person stopped it.
    Interrupted,
    /// The step limit was reached and not extended.
    StepLimit,
    /// The turn could not continue.
    Failed(Failure),
}

/// Why a turn could not continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub kind: FailureKind,
    /// One line for a person.
    pub words: String,
}

/// The kind of a failure, for code that reacts to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureKind {
    /// No model could be selected, because a setting, a key file or a name is wrong.
    Setup,
    /// The key was rejected or lacks a permission.
    Auth,
    /// The account has no credit or quota left.
    Quota,
    ModelNotFound,
    /// A limit of the configuration on costs is reached.
    CostLimit,
    /// The conversation is longer than the model's context window.
    ContextOverflow,
    RateLimit,
    Overloaded,
    /// The server reported an internal error.
    Server,
    /// The server did not understand the request.
    BadRequest,
    /// The connection could not be made, was not trusted, or timed out.
    Network,
    /// The answer ended early or could not be decoded.
    DamagedStream,
    /// The model or the vendor's filter refused to answer.
    Refused,
    /// The model stopped without an answer.
    NoAnswer,
    /// A hook of the person refused the question or ended the answer.
    Hook,
    /// A bug in this program.
    Crash,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, words: impl Into<String>) -> Failure {
        Failure { kind, words: words.into() }
    }
}

/// Serialises durations as whole milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Decider, Image};

    fn every_event() -> Vec<Event> {
        let call = Call { id: "c1".into(), name: "bash".into(), arguments: "{}".into() };
        let images = vec![Image { media_type: "image/png".into(), base64: "QQ==".into() }];
        let finished = |outcome, shown| Event::CallFinished {
            id: "c1".into(),
            outcome,
            shown,
            took: Duration::from_millis(1_250),
        };
        let decided = |decision| Event::CallDecided { id: "c1".into(), decision };
        let failure = Failure::new(FailureKind::ContextOverflow, "too long");
        vec![
            Event::StepStarted { step: 1 },
            Event::RequestSent { model: "openai/x".into(), messages: 2, bytes: 3_000, tokens: 834 },
            Event::Model("openai/x".into()),
            Event::Mode("auto".into()),
            Event::Thinking("hm".into()),
            Event::Text("Yes.".into()),
            Event::CallStarted { call, kind: ToolKind::Run, title: "make".into() },
            decided(CallDecision { allowed: true, by: Decider::Person, reason: "".into() }),
            decided(CallDecision { allowed: false, by: Decider::Rule, reason: "deny command \"rm *\"".into() }),
            Event::CallOutput { id: "c1".into(), text: "ok".into() },
            Event::CallConfined { id: "c1".into(), sandbox: "workspace".into() },
            finished(Outcome::Done { text: "ok".into(), images }, Shown::Outcome),
            finished(Outcome::done("ok"), Shown::Change { added: 1, removed: 0, diff: "+a".into() }),
            finished(Outcome::failed("no"), Shown::Declined { why: Some("use make".into()) }),
            finished(Outcome::failed("no"), Shown::Refused { why: "nobody here to approve it".into() }),
            finished(Outcome::failed("no"), Shown::Stopped),
            Event::Retrying { attempt: 2, after: Duration::from_secs(4), why: "overloaded".into() },
            Event::Usage(Usage { input: 5, output: 4, cached: 3, cache_written: 2, cost: Some(0.5) }),
            Event::Compacted { before: 30_000, after: 12_000 },
            Event::Steered("stop".into()),
            Event::Notice("careful".into()),
            Event::Finished(Ending::Answered),
            Event::Finished(Ending::Interrupted),
            Event::Finished(Ending::StepLimit),
            Event::Finished(Ending::Failed(failure)),
        ]
    }

    #[test]
    fn the_json_of_every_event_is_stable_and_reads_back() {
        let lines: Vec<String> = every_event().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let read: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, every_event());
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn the_json_names_of_deciders_are_stable() {
        use Decider::{BuiltIn, Check, Grant, Hook, Mode, Nobody, Other, Person, Rule, Yes};
        let all = [BuiltIn, Rule, Grant, Mode, Person, Yes, Hook, Nobody, Check, Other];
        let names = r#"["built_in","rule","grant","mode","person","yes","hook","nobody","check","other"]"#;
        assert_eq!(serde_json::to_string(&all).unwrap(), names);
        assert_eq!(serde_json::from_str::<Decider>(r#""from_the_future""#).unwrap(), Other);
    }

    #[test]
    fn the_json_names_of_tool_kinds_are_stable() {
        use ToolKind::{Ask, Edit, Fetch, Other, Read, Run, Search, Shell, Suggest};
        let kinds = serde_json::to_string(&[Read, Search, Edit, Run, Shell, Fetch, Suggest, Ask, Other]).unwrap();
        assert_eq!(kinds, r#"["read","search","edit","run","shell","fetch","suggest","ask","other"]"#);
        assert_eq!(serde_json::from_str::<ToolKind>(r#""from_the_future""#).unwrap(), Other);
    }
}
