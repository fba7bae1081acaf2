//! Writes a request for chat completions.

use serde_json::{Map, Value, json};

use super::super::model_traits::ThinkingFormat;
use super::super::provenance::{self, Maker};
use super::super::wire::Recipient;
use super::super::{Effort, ModelRequest, json as words};
use super::dialect::{ChatDialect, REASONING};
use crate::chat::{Call, Image, Message, Outcome, Part, Role};

/// The whole body of a request.
pub(super) fn body(request: &ModelRequest, dialect: &dyn ChatDialect, to: Recipient<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("stream".to_owned(), json!(true));
    if dialect.takes_usage_option() {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    let format = to.traits.thinking;
    let levels = format.efforts().unwrap_or_else(|| dialect.efforts(&request.model));
    let effort = request.effort.nearest(&levels);
    let limit = request.max_output.saturating_add(effort.unwrap_or(Effort::Off).headroom());
    body.insert(dialect.limit_field(&request.model).to_owned(), json!(limit));
    if let Some(effort) = effort {
        format.ask(effort, &mut body);
    }
    if let Some(effort) = effort.filter(|_| format == ThinkingFormat::Auto) {
        dialect.think(&request.model, effort, &mut body);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
            })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    body.insert("messages".to_owned(), messages(request, dialect, to));
    Value::Object(body)
}

fn messages(request: &ModelRequest, dialect: &dyn ChatDialect, to: Recipient<'_>) -> Value {
    let echoes = to.traits.echoes.unwrap_or_else(|| dialect.echoes_reasoning());
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => messages.push(json!({ "role": "user", "content": user_content(message) })),
            Role::Assistant => messages.push(assistant(message, &request.model, dialect, echoes, to.vendor)),
            Role::Tool => results(message, &request.model, dialect, &mut messages),
        }
    }
    Value::Array(messages)
}

/// A string where there is only text, because not every server takes a list.
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

fn assistant(message: &Message, model: &str, dialect: &dyn ChatDialect, echoes: bool, vendor: &str) -> Value {
    let mut said = Map::new();
    said.insert("role".to_owned(), json!("assistant"));
    let text = message.text();
    let mut calls: Vec<Value> = message.calls().map(|call| tool_call(call, model, dialect)).collect();
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { json!(text) };
    said.insert("content".to_owned(), content);
    let details = details(message, Maker::Details { vendor, model });
    let has_details = details.is_some();
    if let Some(details) = details {
        said.insert("reasoning_details".to_owned(), details);
    }
    if calls.is_empty() {
        return Value::Object(said);
    }
    dialect.finish_calls(message, &mut calls);
    if echoes && !has_details {
        let thoughts = message.parts.iter().filter_map(|part| match part {
            Part::Thinking(thinking) => Some(thinking.text.as_str()),
            Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
        });
        let thoughts: String = thoughts.collect();
        said.insert(reasoning_field(message, dialect, vendor).to_owned(), json!(thoughts));
    }
    said.insert("tool_calls".to_owned(), Value::Array(calls));
    Value::Object(said)
}

/// The thinking that this provider's model has sent in a form of its own.
fn details(message: &Message, maker: Maker<'_>) -> Option<Value> {
    serde_json::from_str(opened(message, maker)?).ok()
}

/// The field in which this provider has sent the thinking of the message.
fn reasoning_field(message: &Message, dialect: &dyn ChatDialect, vendor: &str) -> &'static str {
    match opened(message, Maker::Field { vendor }) {
        Some(REASONING) => REASONING,
        Some(_) | None => dialect.reasoning_field(),
    }
}

/// The first signature of the message that is from this maker.
fn opened<'a>(message: &'a Message, maker: Maker<'_>) -> Option<&'a str> {
    let mut sealed = message.parts.iter().filter_map(|part| match part {
        Part::Thinking(thinking) => thinking.signature.as_deref(),
        Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
    });
    sealed.find_map(|sealed| provenance::open(maker, sealed))
}

fn tool_call(call: &Call, model: &str, dialect: &dyn ChatDialect) -> Value {
    let arguments = words::arguments(&call.arguments).to_string();
    json!({
        "id": dialect.call_id(model, &call.id),
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

/// Each result is a message of its own. A result cannot hold pictures, so they follow in a message of the user.
fn results(message: &Message, model: &str, dialect: &dyn ChatDialect, messages: &mut Vec<Value>) {
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
        messages.push(json!({ "role": "tool", "tool_call_id": dialect.call_id(model, id), "content": content }));
    }
    if !pictures.is_empty() {
        messages.push(json!({ "role": "user", "content": pictures }));
    }
}
