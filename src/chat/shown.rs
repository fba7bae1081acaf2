//! How a finished call is displayed.

use serde::{Deserialize, Serialize};

use super::call::Outcome;

/// The end of a call as it is displayed to the person. The text for the model is in the [`Outcome`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shown {
    /// The output of the call, and the first line of the outcome if the call failed.
    Outcome,
    /// The changes that the call made to a file.
    Change { added: usize, removed: usize, diff: String },
    /// The person declined the call, so it did not run.
    Declined { why: Option<String> },
    /// The call did not run for another reason.
    Refused { why: String },
    /// The person stopped the call.
    Stopped,
}

impl Shown {
    /// One line that says why the call failed or did not run, or `None` if it succeeded.
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

    /// The number of bytes of text in this value.
    pub(crate) fn size(&self) -> usize {
        match self {
            Shown::Change { diff, .. } => diff.len(),
            Shown::Declined { why } => why.as_ref().map_or(0, String::len),
            Shown::Refused { why } => why.len(),
            Shown::Outcome | Shown::Stopped => 0,
        }
    }
}
