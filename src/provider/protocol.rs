//! The names of the protocols in the configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The protocol of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Protocol {
    /// The usual protocol of the server. OpenAI has two, chosen by model.
    #[default]
    Auto,
    /// OpenAI's chat completions, which most servers support.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
    /// Ollama's own.
    Ollama,
}
