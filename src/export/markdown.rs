//! Markdown, as the model wrote it, with questions as headings and calls in code blocks.

use super::calls::{self, DocumentCall};
use super::{Document, DocumentExchange, ending};
use crate::chat::{Part, Role};
use crate::text::sanitize;

pub(super) fn text(document: &Document) -> String {
    let mut out = format!("# {}\n", one_line(&document.title));
    for fact in &document.facts {
        out += &format!("\n{}  ", one_line(fact));
    }
    document.exchanges.iter().for_each(|one| exchange(one, &mut out));
    out.trim_end().to_owned() + "\n"
}

fn exchange(exchange: &DocumentExchange, out: &mut String) {
    let question = sanitize(&exchange.question);
    let (first, rest) = question.trim().split_once('\n').unwrap_or((question.trim(), ""));
    *out += &format!("\n\n## {first}\n\n");
    if !rest.trim().is_empty() {
        *out += &format!("{}\n\n", rest.trim());
    }
    let about: Vec<&str> =
        [exchange.model.as_str(), &exchange.asked].into_iter().filter(|text| !text.is_empty()).collect();
    if !about.is_empty() {
        *out += &format!("*{}*\n\n", one_line(&about.join(", ")));
    }
    let results = calls::results(&exchange.messages);
    for message in exchange.messages.iter().filter(|message| message.role == Role::Assistant) {
        for part in &message.parts {
            match part {
                Part::Text(text) => *out += &format!("{}\n\n", sanitize(text).trim()),
                Part::Call(call) => {
                    one_call(&DocumentCall { call, outcome: results.get(call.id.as_str()).copied() }, out);
                }
                Part::Thinking(_) | Part::Image(_) | Part::Result { .. } => {}
            }
        }
    }
    if let Some(words) = ending(&exchange.ending) {
        *out += &format!("*{}*\n", one_line(&words));
    }
}

fn one_call(call: &DocumentCall<'_>, out: &mut String) {
    *out += &format!("**{}**\n\n{}", one_line(&call.call.name), fenced("json", &call.arguments()));
    if let Some(outcome) = call.outcome {
        *out += &fenced("", outcome.text());
    }
}

/// A code block. Its fence is longer than any run of backticks in the text.
fn fenced(language: &str, text: &str) -> String {
    let text = sanitize(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end_matches('\n'))
}

fn one_line(text: &str) -> String {
    sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
