//! What became of the question whether a call may run.

use serde::{Deserialize, Serialize};

/// The decision about a call, and who or what made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallDecision {
    pub allowed: bool,
    pub by: Decider,
    /// One line with the particulars, such as the text of the rule. Empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Who or what decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decider {
    /// A denial that is part of the program.
    BuiltIn,
    /// A rule of the configuration or of the command line.
    Rule,
    /// An earlier approval that covers the call.
    Grant,
    /// The permission mode.
    Mode,
    /// The person, with a key.
    Person,
    /// The option `--yes`.
    Yes,
    /// A program of `hooks.json`.
    Hook,
    /// Nobody could be asked.
    Nobody,
    /// The call cannot be made as it is, so it was not judged.
    Check,
    /// A decider that a newer version writes.
    #[serde(other)]
    Other,
}
