//! One HTML page without scripts, and without anything that is loaded from elsewhere.

use similar::{ChangeTag, TextDiff};

use super::calls::{self, DocumentCall};
use super::prose::{code_block, escaped, rendered};
use super::{Document, DocumentExchange, ending};
use crate::chat::{Image, Message, Outcome, Part, Role};

const STYLE: &str = include_str!("page.css");
/// Forbids a browser to load or run anything.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// The pictures that a page may contain. A picture in SVG could contain a script.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

pub(super) fn page(document: &Document) -> String {
    let title = escaped(&document.title);
    let facts: String = document.facts.iter().map(|fact| format!("<p>{}</p>\n", escaped(fact))).collect();
    let exchanges: String = document.exchanges.iter().map(exchange).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"shellmate\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{facts}</header>\n\
         <main>\n{exchanges}</main>\n</body>\n</html>\n"
    )
}

fn exchange(exchange: &DocumentExchange) -> String {
    let results = calls::results(&exchange.messages);
    let mut out = format!("<article>\n<h2>{}</h2>\n", escaped(exchange.question.trim()));
    let about: Vec<String> = [&exchange.model, &exchange.asked]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| escaped(text))
        .collect();
    if !about.is_empty() {
        out += &format!("<p class=\"muted\">{}</p>\n", about.join(" · "));
    }
    let mut is_first = true;
    for message in &exchange.messages {
        match message.role {
            Role::User => {
                out += &asked(message, is_first);
                is_first = false;
            }
            Role::Assistant => {
                for part in &message.parts {
                    out += &match part {
                        Part::Text(text) => rendered(text),
                        Part::Thinking(thinking) if thinking.text.trim().is_empty() => String::new(),
                        Part::Thinking(thinking) => folded("thinking", "", &rendered(&thinking.text)),
                        Part::Image(image) => picture(image),
                        Part::Call(call) => {
                            one_call(&DocumentCall { call, outcome: results.get(call.id.as_str()).copied() })
                        }
                        Part::Result { .. } => String::new(),
                    };
                }
            }
            // Results are shown with their calls.
            Role::Tool => {}
        }
    }
    if let Some(words) = ending(&exchange.ending) {
        out += &format!("<p class=\"bad\">{}</p>\n", escaped(&words));
    }
    out + "</article>\n"
}

/// What was sent for the person. The first message contains the question, which the heading shows, and what the shell did.
fn asked(message: &Message, is_first: bool) -> String {
    let pictures: String = message
        .parts
        .iter()
        .map(|part| if let Part::Image(image) = part { picture(image) } else { String::new() })
        .collect();
    let text = message.text();
    let summary = if is_first { "sent with the question" } else { "you said meanwhile" };
    folded(summary, "", &code_block("", &text)) + &pictures
}

fn one_call(call: &DocumentCall<'_>) -> String {
    let state = match call.outcome {
        Some(Outcome::Done { .. }) => "",
        Some(Outcome::Failed { .. }) => " <span class=\"bad\">failed</span>",
        None => " <span class=\"bad\">no result</span>",
    };
    let summary = format!("<b>{}</b> <code>{}</code>{state}", escaped(&call.call.name), escaped(&call.title()));
    let edits = call.edits();
    let mut body = match edits.is_empty() {
        true => code_block("json", &call.arguments()),
        false => edits.iter().map(|(old, new)| difference(old, new)).collect(),
    };
    match call.outcome {
        Some(Outcome::Done { text, images }) => {
            body += &code_block("", text);
            body.extend(images.iter().map(picture));
        }
        Some(Outcome::Failed { message }) => body += &code_block("", message),
        None => {}
    }
    format!("<details class=\"call\"><summary>{summary}</summary>\n{body}</details>\n")
}

/// The lines that an edit removes and adds.
fn difference(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let line = |tag: ChangeTag, text: &str| {
        let (class, sign) = match tag {
            ChangeTag::Delete => ("deleted", '-'),
            ChangeTag::Insert => ("inserted", '+'),
            ChangeTag::Equal => ("same", ' '),
        };
        format!("<span class=\"{class}\">{sign}{}</span>\n", escaped(text.trim_end_matches('\n')))
    };
    let lines: String = diff.iter_all_changes().map(|change| line(change.tag(), change.value())).collect();
    format!("<pre class=\"diff\"><code>{lines}</code></pre>\n")
}

/// A part that is closed until the reader opens it.
fn folded(summary: &str, class: &str, body: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<details{class}><summary>{summary}</summary>\n{body}</details>\n")
}

fn picture(image: &Image) -> String {
    let is_base64 = image.base64.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    match PICTURES.iter().find(|kind| **kind == image.media_type).filter(|_| is_base64) {
        Some(kind) => format!("<img alt=\"picture\" src=\"data:{kind};base64,{}\">\n", image.base64),
        None => format!("<p class=\"muted\">a picture ({})</p>\n", escaped(&image.media_type)),
    }
}
