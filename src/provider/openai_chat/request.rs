//! A request in the words of chat completions.

use serde_json::{Map, Value, json};

use super::super::signature::{self, Signer};
use super::super::{Effort, Request, json as words};
use super::dialect::Dialect;
use crate::chat::{Call, Image, Message, Outcome, Part, Role};

/// Google's own stand-in for the signature of a call that another model made.
const UNSIGNED: &str = "skip_thought_signature_validator";
/// The length of an id where ids are short.
const SHORT_ID: usize = 9;

/// The whole body of a request.
pub(in super::super) fn body(request: &Request, dialect: Dialect) -> Value {
    let dialect = dialect.with(&request.model);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("stream".to_owned(), json!(true));
    if dialect.usage_option {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    let limit = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    let effort = request.effort.nearest(&dialect.efforts(&request.model)).unwrap_or(Effort::Off);
    body.insert(limit.to_owned(), json!(request.max_output.saturating_add(effort.headroom())));
    dialect.think(&request.model, request.effort, &mut body);
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
            })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    body.insert("messages".to_owned(), messages(request, dialect));
    Value::Object(body)
}

fn messages(request: &Request, dialect: Dialect) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => messages.push(json!({ "role": "user", "content": user_content(message) })),
            Role::Assistant => messages.push(assistant(message, dialect)),
            Role::Tool => results(message, dialect, &mut messages),
        }
    }
    Value::Array(messages)
}

/// A string where that is enough: not every server takes a list.
fn user_content(message: &Message) -> Value {
    if message.parts.iter().all(|part| matches!(part, Part::Text(_))) {
        return json!(message.text());
    }
    let parts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(json!({ "type": "text", "text": text })),
        Part::Image(image) => Some(image_part(image)),
        Part::Thinking(_) | Part::Call(_) | Part::Result { .. } => None,
    });
    parts.collect()
}

fn image_part(image: &Image) -> Value {
    let url = format!("data:{};base64,{}", image.media_type, image.base64);
    json!({ "type": "image_url", "image_url": { "url": url } })
}

fn assistant(message: &Message, dialect: Dialect) -> Value {
    let mut said = Map::new();
    said.insert("role".to_owned(), json!("assistant"));
    let text = message.text();
    let mut calls: Vec<Value> = message.calls().map(|call| tool_call(call, dialect)).collect();
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { json!(text) };
    said.insert("content".to_owned(), content);
    if calls.is_empty() {
        return Value::Object(said);
    }
    if dialect.google_signatures {
        let ours = message.parts.iter().find_map(|part| match part {
            Part::Thinking(thinking) => signature::open(Signer::Google, thinking.signature.as_deref()?),
            Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
        });
        calls[0]["extra_content"] = json!({ "google": { "thought_signature": ours.unwrap_or(UNSIGNED) } });
    }
    if dialect.echoes_reasoning {
        let thoughts = message.parts.iter().filter_map(|part| match part {
            Part::Thinking(thinking) => Some(thinking.text.as_str()),
            Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
        });
        said.insert("reasoning_content".to_owned(), json!(thoughts.collect::<String>()));
    }
    said.insert("tool_calls".to_owned(), Value::Array(calls));
    Value::Object(said)
}

fn tool_call(call: &Call, dialect: Dialect) -> Value {
    let arguments = words::arguments(&call.arguments).to_string();
    json!({
        "id": call_id(&call.id, dialect),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

/// Each result is a message of its own; pictures follow them all as the user's, for a tool cannot show any.
fn results(message: &Message, dialect: Dialect, messages: &mut Vec<Value>) {
    let mut pictures = Vec::new();
    for part in &message.parts {
        let Part::Result { id, outcome } = part else { continue };
        let content = match outcome {
            Outcome::Done { text, images } => {
                pictures.extend(images.iter().map(image_part));
                text.clone()
            }
            Outcome::Failed { message } => format!("error: {message}"),
        };
        messages.push(json!({ "role": "tool", "tool_call_id": call_id(id, dialect), "content": content }));
    }
    if !pictures.is_empty() {
        messages.push(json!({ "role": "user", "content": pictures }));
    }
}

/// An id as the vendor takes it. The same id always becomes the same.
fn call_id(id: &str, dialect: Dialect) -> String {
    let fits = id.len() == SHORT_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !dialect.short_ids || fits {
        return id.to_owned();
    }
    // FNV-1a: a conversation has too few calls for two of them to meet.
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let digit =
        |place: u32| char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(hash / 36_u64.pow(place) % 36) as usize]);
    (0..SHORT_ID as u32).map(digit).collect()
}
