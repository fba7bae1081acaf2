//! Tools as a model sees them.

use serde::{Deserialize, Serialize};

use super::message::Image;

/// The description of a tool that is sent to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToolSpec {
    pub name: String,
    pub description: String,
    /// The JSON schema of the tool's arguments.
    pub schema: serde_json::Value,
}

/// The kind of a tool, for fronts that display or group calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolKind {
    /// Reads a file, a directory or recorded output.
    Read,
    /// Searches files.
    Search,
    /// Changes a file.
    Edit,
    /// Runs a command in a process of its own.
    Run,
    /// Runs a command in the person's live shell.
    Shell,
    /// Reads something from the network.
    Fetch,
    /// Puts a command on the person's prompt.
    Suggest,
    /// Asks the person a question.
    Ask,
    /// A tool that does not exist, or a kind that a newer version writes.
    #[serde(other)]
    Other,
}

/// A tool call as the model requested it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The vendor's id, or a generated one if the vendor gave none.
    pub id: String,
    pub name: String,
    /// JSON as the model wrote it. It may be invalid.
    pub arguments: String,
}

/// The result of a call, for the model to read. A failed tool is not an error of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Done { text: String, images: Vec<Image> },
    Failed { message: String },
}

impl Outcome {
    pub(crate) fn done(text: impl Into<String>) -> Outcome {
        Outcome::Done { text: text.into(), images: Vec::new() }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Outcome {
        Outcome::Failed { message: message.into() }
    }

    pub(crate) fn is_failed(&self) -> bool {
        matches!(self, Outcome::Failed { .. })
    }

    /// The text or the failure message.
    pub(crate) fn text(&self) -> &str {
        match self {
            Outcome::Done { text, .. } => text,
            Outcome::Failed { message } => message,
        }
    }
}
