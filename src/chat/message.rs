//! What was said.

use serde::{Deserialize, Serialize};

use super::call::{Call, Outcome};

/// Who says it. The system prompt is not a message; results of calls are said by the tools' role.
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
    /// The assistant asks for a tool.
    Call(Call),
    /// What the tool with this call's id answered.
    Result {
        id: String,
        outcome: Outcome,
    },
}

/// What a model thought before it spoke.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thinking {
    pub text: String,
    /// A vendor's proof that it is unaltered; it must be sent back as it came.
    pub signature: Option<String>,
    /// Thinking the vendor does not show, opaque, to be sent back as it came.
    pub redacted: Option<String>,
}

/// A picture, base64-encoded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    pub base64: String,
}

impl Message {
    #[cfg(test)]
    pub(crate) fn user(text: impl Into<String>) -> Message {
        Message { role: Role::User, parts: vec![Part::Text(text.into())] }
    }

    /// The calls it makes, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Thinking(_) | Part::Image(_) | Part::Result { .. } => None,
        })
    }

    /// Its text, joined.
    pub(crate) fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call(_) | Part::Thinking(_) | Part::Image(_) | Part::Result { .. } => None,
        });
        texts.collect()
    }
}
