//! Writes a request for the messages API.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::cache::CacheLifetime;
use super::super::call_ids;
use super::super::model_traits::ThinkingFormat;
use super::super::provenance::{self, Maker};
use super::super::{ModelRequest, json as words};
use super::thinking;
use crate::chat::{Call, Image, Message, Outcome, Part, Role, Thinking};

/// The whole body of a request.
pub(super) fn body(request: &ModelRequest, format: ThinkingFormat) -> Value {
    let mut messages = messages(&request.messages, &request.model);
    mark_turns(&mut messages, request.cache);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("stream".to_owned(), json!(true));
    if format == ThinkingFormat::None {
        body.insert("max_tokens".to_owned(), json!(request.max_output));
    } else {
        let may_begin = may_begin(&request.messages, &request.model);
        thinking::think(&request.model, request.effort, request.max_output, may_begin, &mut body);
    }
    if !request.system.is_empty() {
        let mut system = json!({ "type": "text", "text": request.system });
        request.cache.mark_block(&mut system);
        body.insert("system".to_owned(), json!([system]));
    }
    if !request.tools.is_empty() {
        let tool = |tool: &crate::chat::ToolSpec| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema });
        let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
        tools.iter_mut().rev().take(1).for_each(|tool| request.cache.mark_block(tool));
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    Value::Object(body)
}

/// Marks the last two messages of the user. The older mark finds what the last request wrote to the cache, the newer one writes. With
/// those of the system prompt and the tools these are the four marks that a request may have.
fn mark_turns(messages: &mut [Value], cache: CacheLifetime) {
    for message in messages.iter_mut().rev().filter(|message| message["role"] == "user").take(2) {
        let last = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut());
        last.into_iter().for_each(|block| cache.mark_block(block));
    }
}

/// Whether thinking within a budget is possible. The message whose calls were just answered must begin with thinking of this model, and
/// has none if another model wrote it.
fn may_begin(messages: &[Message], model: &str) -> bool {
    let is_answered = messages.last().is_some_and(|message| message.role == Role::Tool);
    let last = messages.iter().rev().find(|message| message.role == Role::Assistant);
    match last {
        Some(last) if is_answered => last.parts.iter().find_map(|part| block(part, model)).is_some_and(|first| {
            let kind = first["type"].as_str().unwrap_or_default();
            matches!(kind, "thinking" | "redacted_thinking")
        }),
        _ => true,
    }
}

/// Roles must alternate: results belong to the user, and messages of one role in a row become one.
fn messages(messages: &[Message], model: &str) -> Vec<Value> {
    let mut merged: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut ids = HashMap::new();
    for message in messages {
        let role = match message.role {
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        let mut blocks: Vec<Value> = message.parts.iter().filter_map(|part| block(part, model)).collect();
        blocks.iter_mut().for_each(|block| tell_apart(block, &mut ids));
        match merged.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, earlier)) if *last == role => earlier.extend(blocks),
            _ => merged.push((role, blocks)),
        }
    }
    merged.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// Gives a call whose id came before another one, and its result the same. Some servers number the calls of each answer from 0.
fn tell_apart(block: &mut Value, ids: &mut HashMap<String, usize>) {
    let (field, is_call) = match block["type"].as_str() {
        Some("tool_use") => ("id", true),
        Some("tool_result") => ("tool_use_id", false),
        Some(_) | None => return,
    };
    let Some(id) = block[field].as_str().map(str::to_owned) else { return };
    let count = ids.entry(id.clone()).or_insert(0);
    *count += usize::from(is_call);
    if *count > 1 {
        block[field] = json!(format!("{id}_{count}"));
    }
}

/// A part as a block. A part that would be refused is left out.
fn block(part: &Part, model: &str) -> Option<Value> {
    match part {
        Part::Text(text) => text_block(text),
        Part::Thinking(thinking) => thinking_block(thinking, model),
        Part::Image(image) => Some(image_block(image)),
        Part::Call(Call { id, name, arguments }) => {
            let input = words::arguments(arguments);
            Some(json!({ "type": "tool_use", "id": call_id(id), "name": name, "input": input }))
        }
        Part::Result { id, outcome } => Some(result_block(id, outcome)),
    }
}

/// A block of text. An empty one would be refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

/// Thinking with this model's signature. Thinking of another model, or interrupted thinking, has none and is left out.
fn thinking_block(thinking: &Thinking, model: &str) -> Option<Value> {
    let maker = Maker::Anthropic { model };
    if let Some(data) = &thinking.redacted {
        let data = provenance::open(maker, data)?;
        return Some(json!({ "type": "redacted_thinking", "data": data }));
    }
    let signature = provenance::open(maker, thinking.signature.as_deref()?)?;
    Some(json!({ "type": "thinking", "thinking": thinking.text, "signature": signature }))
}

fn image_block(image: &Image) -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": image.media_type, "data": image.base64 } })
}

fn result_block(id: &str, outcome: &Outcome) -> Value {
    let images = match outcome {
        Outcome::Done { images, .. } => images.as_slice(),
        Outcome::Failed { .. } => &[],
    };
    let content: Vec<Value> = text_block(outcome.text()).into_iter().chain(images.iter().map(image_block)).collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": call_id(id), "content": content });
    if outcome.is_failed() {
        block["is_error"] = json!(true);
    }
    block
}

/// A call's id. Characters of other vendors' ids that would be refused are replaced, and clouds that serve these models take no long ones.
fn call_id(id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    call_ids::at_most(id, 60).chars().map(|c| if fits(c) { c } else { '_' }).collect()
}
