//! The protocols by the names people give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalog::{Vendor, Wire};
use super::openai_chat::Dialect;
use super::openai_responses;

/// How a server is to be spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
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

impl Vendor {
    /// How this vendor is asked for this model.
    pub(super) fn wire_for(&self, model: Option<&str>, wished: Protocol) -> Wire {
        match (wished, self.wire) {
            (Protocol::Responses, _) => Wire::OpenAiResponses,
            (Protocol::Messages, _) => Wire::Anthropic,
            (Protocol::Chat, chat @ Wire::OpenAiChat(_)) => chat,
            (Protocol::Chat, Wire::OpenAiResponses | Wire::Anthropic) => Wire::OpenAiChat(Dialect::PLAIN),
            (Protocol::Auto, _) if self.name == "openai" && model.is_some_and(openai_responses::suits) => {
                Wire::OpenAiResponses
            }
            (Protocol::Auto, own) => own,
        }
    }
}
