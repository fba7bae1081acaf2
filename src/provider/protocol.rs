//! The protocols by the names people give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a server is to be spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Protocol {
    /// The server's own. OpenAI has two, and each of its models one that suits it.
    #[default]
    Auto,
    /// OpenAI's chat completions, which nearly everyone understands.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
}
