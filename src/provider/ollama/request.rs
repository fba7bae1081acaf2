//! Writes a request for Ollama.

use serde_json::{Map, Value, json};

use super::super::wire::{Recipient, Wire};
use super::super::{Effort, ModelRequest, json as words};
use super::{OllamaChat, context, has_levels};
use crate::chat::{Call, Image, Message, Outcome, Part, Role};

/// The fewest tokens that an answer is given.
const SHORTEST_ANSWER: u32 = 256;

/// The whole body of a request.
pub(super) fn body(request: &ModelRequest, to: Recipient<'_>) -> Value {
    let effort = request.effort.nearest(&OllamaChat.efforts(&request.model)).unwrap_or(Effort::Off);
    let thinks = to.thinks == Some(true);
    let headroom = if thinks { effort.headroom() } else { 0 };
    let mut limit = request.max_output.saturating_add(headroom);
    let mut options = Map::new();
    if let Some(window) = to.context {
        // Beyond the window the server would drop the beginning of the conversation.
        limit = limit.min(window.saturating_sub(context::size(request))).max(SHORTEST_ANSWER);
        options.insert("num_ctx".to_owned(), json!(window));
    }
    options.insert("num_predict".to_owned(), json!(limit));
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "truncate": false,
        "options": options,
        "messages": messages(request),
    });
    if thinks {
        // A model that cannot think refuses this field.
        body["think"] = if has_levels(&request.model) { json!(effort.name()) } else { json!(effort != Effort::Off) };
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
            })
        });
        body["tools"] = tools.collect();
    }
    body
}

fn messages(request: &ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for (place, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => messages.push(user(message)),
            Role::Assistant => messages.push(assistant(message)),
            Role::Tool => results(message, &request.messages[..place], &mut messages),
        }
    }
    Value::Array(messages)
}

fn user(message: &Message) -> Value {
    let images = message.parts.iter().filter_map(|part| match part {
        Part::Image(image) => Some(image),
        Part::Text(_) | Part::Thinking(_) | Part::Call(_) | Part::Result { .. } => None,
    });
    with_images(json!({ "role": "user", "content": message.text() }), images.collect())
}

fn with_images(mut message: Value, images: Vec<&Image>) -> Value {
    if !images.is_empty() {
        message["images"] = images.iter().map(|image| json!(image.base64)).collect();
    }
    message
}

/// A message of the model. Thinking that led to calls is sent back with them: some models go on from it.
fn assistant(message: &Message) -> Value {
    let mut said = json!({ "role": "assistant", "content": message.text() });
    let calls: Vec<Value> = message.calls().map(tool_call).collect();
    if calls.is_empty() {
        return said;
    }
    said["tool_calls"] = Value::Array(calls);
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Thinking(thinking) => Some(thinking.text.as_str()),
        Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
    });
    let thoughts: String = thoughts.collect();
    if !thoughts.is_empty() {
        said["thinking"] = json!(thoughts);
    }
    said
}

/// A call, with its arguments as an object.
fn tool_call(call: &Call) -> Value {
    json!({ "id": call.id, "function": { "name": call.name, "arguments": words::arguments(&call.arguments) } })
}

/// Each result is a message of its own, which names its tool. Pictures follow in a message of the user.
fn results(message: &Message, before: &[Message], messages: &mut Vec<Value>) {
    let mut pictures: Vec<&Image> = Vec::new();
    for part in &message.parts {
        let Part::Result { id, outcome } = part else { continue };
        let content = match outcome {
            Outcome::Done { text, images } => {
                pictures.extend(images);
                text.clone()
            }
            Outcome::Failed { message } => format!("error: {message}"),
        };
        let mut result = json!({ "role": "tool", "content": content, "tool_call_id": id });
        let call = before.iter().rev().flat_map(Message::calls).find(|call| call.id == *id);
        if let Some(call) = call {
            result["tool_name"] = json!(call.name);
        }
        messages.push(result);
    }
    if !pictures.is_empty() {
        messages.push(with_images(json!({ "role": "user", "content": "" }), pictures));
    }
}
