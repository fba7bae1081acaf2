//! Why a call did not run, worded for the model and for the person.

use super::mask;
use crate::chat::{Outcome, Shown};
use crate::guard::DecidedBy;

/// The result of a call that the person stopped.
pub(super) const INTERRUPTED: &str = "interrupted by the user";

/// Why a call did not run.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The arguments are invalid, or the tool cannot do what they ask for. Contains the tool's message.
    Invalid(String),
    /// The arguments contain this placeholder of a masked secret.
    Placeholder(String),
    /// A denial, a rule or the mode forbids it.
    Forbidden { why: String, by: DecidedBy },
    /// A hook forbids it.
    Hook(String),
    /// The person said no.
    Declined { why: Option<String> },
    /// Nobody could be asked. The reason is for the model.
    Unasked(String),
    /// The person stopped the answer.
    Interrupted,
}

impl Refusal {
    /// The outcome for the model.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome::failed(match self {
            Refusal::Invalid(message) => message.clone(),
            Refusal::Placeholder(placeholder) => mask::refusal(placeholder),
            Refusal::Forbidden { why, .. } => format!("not allowed: {why}"),
            Refusal::Hook(why) => format!("a hook of the user blocked this call: {why}"),
            Refusal::Declined { why: Some(why) } => format!("the user said no: {why}"),
            Refusal::Declined { why: None } => {
                "the user said no; do not try it another way, ask what they want".to_owned()
            }
            Refusal::Unasked(why) => format!("not allowed: {why}"),
            Refusal::Interrupted => INTERRUPTED.to_owned(),
        })
    }

    /// The reason as it is shown to the person.
    pub(super) fn shown(self) -> Shown {
        match self {
            Refusal::Invalid(_) | Refusal::Forbidden { .. } | Refusal::Hook(_) => Shown::Outcome,
            Refusal::Placeholder(_) => Shown::Refused { why: "it contains a masked secret".to_owned() },
            Refusal::Declined { why } => Shown::Declined { why },
            Refusal::Unasked(_) => Shown::Refused { why: "nobody here to approve it".to_owned() },
            Refusal::Interrupted => Shown::Stopped,
        }
    }
}
