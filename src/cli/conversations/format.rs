//! The formats in which a conversation is shown and exported.

use std::io::Write;

use serde::Serialize;

use super::list::timestamp;
use crate::agent::RecordedEntry;
use crate::chat::{Ending, Message, Outcome, Part};
use crate::cli::json;
use crate::store::{ListedConversation, StoredEntry};
use crate::text::sanitize;

/// A format for whole conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// Markdown, to read.
    Md,
    /// One JSON object for each entry, as it is stored.
    Jsonl,
}

/// An entry as a line of JSON.
#[derive(Serialize)]
struct EntryJson {
    id: i64,
    exchange: Option<i64>,
    kind: &'static str,
    at: String,
    body: serde_json::Value,
}

impl ExportFormat {
    /// Writes a conversation. Text of models and programs can't control a terminal.
    pub(crate) fn write(
        self,
        listed: &ListedConversation,
        entries: &[StoredEntry],
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        match self {
            ExportFormat::Jsonl => entries.iter().try_for_each(|entry| line(entry, out)),
            ExportFormat::Md => markdown(listed, entries, out),
        }
    }
}

fn line(entry: &StoredEntry, out: &mut impl Write) -> anyhow::Result<()> {
    let StoredEntry { id, exchange, kind, at, body } = entry;
    let body = serde_json::from_str(body)?;
    json::print(&EntryJson { id: *id, exchange: *exchange, kind: kind.name(), at: timestamp(*at), body }, out)
}

fn markdown(listed: &ListedConversation, entries: &[StoredEntry], out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "# {}\n", sanitize(&listed.title()))?;
    writeln!(out, "Conversation {} in `{}`", listed.id, sanitize(&listed.repository.display().to_string()))?;
    for entry in entries {
        match RecordedEntry::read(entry) {
            Ok(RecordedEntry::Question { words, .. }) => {
                writeln!(out, "\n## {}\n\n{}", sanitize(&one_line(&words)), quoted(&words))?;
            }
            Ok(RecordedEntry::Message(message)) => said(&message, out)?,
            Ok(RecordedEntry::End(end)) => {
                writeln!(out, "\n*{}{}*", sanitize(&end.model), how(&end.ending))?;
            }
            Ok(RecordedEntry::Compaction(_)) => writeln!(out, "\n---\n\n*older parts were summarised here*")?,
            Ok(RecordedEntry::Other) => {}
            Err(error) => writeln!(out, "\n*entry {} cannot be read: {error}*", entry.id)?,
        }
    }
    Ok(())
}

/// The first line of a question, for a heading.
fn one_line(words: &str) -> String {
    words.lines().next().unwrap_or_default().chars().take(100).collect()
}

fn quoted(words: &str) -> String {
    sanitize(words).lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn how(ending: &Ending) -> String {
    match ending {
        Ending::Answered => String::new(),
        Ending::Interrupted => ", interrupted".to_owned(),
        Ending::StepLimit => ", stopped at the step limit".to_owned(),
        Ending::Failed(failure) => format!(", failed: {}", sanitize(&failure.words)),
    }
}

fn said(message: &Message, out: &mut impl Write) -> anyhow::Result<()> {
    for part in &message.parts {
        match part {
            Part::Text(text) => writeln!(out, "\n{}", sanitize(text))?,
            Part::Call(call) => writeln!(out, "\n**{}** `{}`", sanitize(&call.name), sanitize(&call.arguments))?,
            Part::Result { outcome, .. } => {
                let word = if matches!(outcome, Outcome::Failed { .. }) { "failed" } else { "result" };
                writeln!(out, "\n{word}:\n\n{}", fenced(&sanitize(outcome.text())))?;
            }
            Part::Image(image) => writeln!(out, "\n*picture ({})*", sanitize(&image.media_type))?,
            Part::Thinking(_) => {}
        }
    }
    Ok(())
}

/// A block of code with a fence that the text does not contain.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("```\nx\n```"), "````\n```\nx\n```\n````");
    }
}
