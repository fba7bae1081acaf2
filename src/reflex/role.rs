//! How the rules and the model work together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the rules answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RulesRole {
    /// Before the model, while it is asked. Alone if there is no model.
    #[default]
    First,
    /// Alone. A model is never asked.
    Only,
    /// Never.
    Off,
}
