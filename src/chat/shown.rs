//! What a person sees of a call that is over.

use serde::{Deserialize, Serialize};

use super::call::Outcome;

/// The end of a call in the person's words. The model's words are in the [`Outcome`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shown {
    /// The first line of the outcome, where the call failed, and what it printed.
    Outcome,
    /// The lines of a file that the call changed.
    Change { added: usize, removed: usize, diff: String },
    /// The call was not made: the person said no.
    Declined { why: Option<String> },
    /// The call was not made for another reason.
    Refused { why: String },
    /// The person stopped it.
    Stopped,
}

impl Shown {
    /// One line that says why the call did not do what it should; none if it did.
    pub(crate) fn trouble(&self, outcome: &Outcome) -> Option<String> {
        match self {
            Shown::Declined { why: None } => Some("you said no".to_owned()),
            Shown::Declined { why: Some(why) } => Some(format!("you said no: {why}")),
            Shown::Refused { why } => Some(why.clone()),
            Shown::Stopped => Some("stopped".to_owned()),
            Shown::Outcome | Shown::Change { .. } if outcome.is_failed() => {
                Some(outcome.text().lines().next().unwrap_or_default().to_owned())
            }
            Shown::Outcome | Shown::Change { .. } => None,
        }
    }

    /// Bytes of text in it.
    pub(crate) fn size(&self) -> usize {
        match self {
            Shown::Change { diff, .. } => diff.len(),
            Shown::Declined { why } => why.as_ref().map_or(0, String::len),
            Shown::Refused { why } => why.len(),
            Shown::Outcome | Shown::Stopped => 0,
        }
    }
}
