//! What part the rules have beside a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the rules speak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// First, while a model is asked; and alone where there is none.
    #[default]
    First,
    /// Alone: no model is ever asked.
    Only,
    /// Never.
    Off,
}
