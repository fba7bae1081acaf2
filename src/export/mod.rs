//! A conversation as a document for people and other programs: Markdown, JSON lines, or an HTML page.
//!
//! Pure: takes what was said and returns text. A model, a file or a tool may have written any part of a conversation, so nothing of it
//! can become code of a page, and a page loads nothing from anywhere.

mod calls;
mod html;
mod jsonl;
mod markdown;
mod prose;
mod recorded;

use serde::Serialize;

use crate::chat::{Ending, Message};

pub(crate) use recorded::recorded;

/// A conversation to be written down.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub title: String,
    /// Facts about the conversation for people, such as its directory and its date.
    pub facts: Vec<String>,
    pub exchanges: Vec<DocumentExchange>,
}

/// A question with everything that was said until its answer ended.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DocumentExchange {
    /// The person's own words.
    pub question: String,
    /// When it was asked, for people; empty if that is not known.
    pub asked: String,
    pub model: String,
    pub messages: Vec<Message>,
    pub ending: Ending,
}

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DocumentFormat {
    #[default]
    Markdown,
    JsonLines,
    Html,
}

impl DocumentFormat {
    pub(crate) const NAMES: [&'static str; 3] = ["md", "jsonl", "html"];

    /// The format with this name, which is also the extension of its files.
    pub(crate) fn named(name: &str) -> Option<DocumentFormat> {
        match name {
            "md" | "markdown" => Some(DocumentFormat::Markdown),
            "jsonl" => Some(DocumentFormat::JsonLines),
            "html" | "htm" => Some(DocumentFormat::Html),
            _ => None,
        }
    }

    /// The extension of files in this format.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            DocumentFormat::Markdown => "md",
            DocumentFormat::JsonLines => "jsonl",
            DocumentFormat::Html => "html",
        }
    }
}

/// Writes a conversation down.
pub(crate) fn document(document: &Document, format: DocumentFormat) -> String {
    match format {
        DocumentFormat::Markdown => markdown::text(document),
        DocumentFormat::JsonLines => jsonl::lines(document),
        DocumentFormat::Html => html::page(document),
    }
}

/// How an exchange ended, if that needs a word.
fn ending(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Answered => None,
        Ending::Interrupted => Some("The answer was interrupted.".to_owned()),
        Ending::StepLimit => Some("The answer stopped at the step limit.".to_owned()),
        Ending::Failed(failure) => Some(format!("The answer failed: {}", failure.words)),
    }
}

#[cfg(test)]
mod tests;
