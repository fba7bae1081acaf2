//! Messages of a conversation.

use serde::{Deserialize, Serialize};

use super::call::{Call, Outcome};

/// The author of a message. The system prompt is not a message. Results of calls have the role `Tool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    User,
    Assistant,
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    Text(String),
    Thinking(Thinking),
    Image(Image),
    /// A tool call by the assistant.
    Call(Call),
    /// The result of the call with this id.
    Result {
        id: String,
        outcome: Outcome,
    },
}

/// The model's thinking before its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thinking {
    pub text: String,
    /// The vendor's signature of the text. It must be sent back unchanged.
    pub signature: Option<String>,
    /// Encrypted thinking that the vendor does not show. It must be sent back unchanged.
    pub redacted: Option<String>,
}

/// An image, encoded as base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    pub base64: String,
}

impl Message {
    /// A message of the person.
    pub(crate) fn user(text: impl Into<String>) -> Message {
        Message { role: Role::User, parts: vec![Part::Text(text.into())] }
    }

    /// The calls in this message, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Thinking(_) | Part::Image(_) | Part::Result { .. } => None,
        })
    }

    /// The text parts of this message, joined.
    pub(crate) fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call(_) | Part::Thinking(_) | Part::Image(_) | Part::Result { .. } => None,
        });
        texts.collect()
    }
}
