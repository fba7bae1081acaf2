//! Reasons for not making a call, in the model's words and in the person's.

use super::mask;
use crate::chat::{Outcome, Shown};

/// What a call is told that the person stopped.
pub(super) const INTERRUPTED: &str = "interrupted by the user";

/// Why a call was not made.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The tool does not understand the arguments, or can't do what they ask for; the words are the tool's.
    Invalid(String),
    /// The arguments contain this placeholder of a masked secret.
    Placeholder(String),
    /// A rule forbids it.
    Forbidden(String),
    /// The person said no.
    Declined { why: Option<String> },
    /// Nobody could be asked; the words are for the model.
    Unasked(String),
    /// The person stopped the answer.
    Interrupted,
}

impl Refusal {
    /// What the model reads.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome::failed(match self {
            Refusal::Invalid(message) => message.clone(),
            Refusal::Placeholder(placeholder) => mask::refusal(placeholder),
            Refusal::Forbidden(why) => format!("not allowed: {why}"),
            Refusal::Declined { why: Some(why) } => format!("the user said no: {why}"),
            Refusal::Declined { why: None } => {
                "the user said no; do not try it another way, ask what they want".to_owned()
            }
            Refusal::Unasked(why) => format!("not allowed: {why}"),
            Refusal::Interrupted => INTERRUPTED.to_owned(),
        })
    }

    /// What the person sees.
    pub(super) fn shown(self) -> Shown {
        match self {
            Refusal::Invalid(_) | Refusal::Forbidden(_) => Shown::Outcome,
            Refusal::Placeholder(_) => Shown::Refused { why: "it contains a masked secret".to_owned() },
            Refusal::Declined { why } => Shown::Declined { why },
            Refusal::Unasked(_) => Shown::Refused { why: "nobody here to approve it".to_owned() },
            Refusal::Interrupted => Shown::Stopped,
        }
    }
}
