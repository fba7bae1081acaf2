//! Writes a request for the responses API.

use serde_json::{Map, Value, json};

use super::super::call_ids;
use super::super::model_traits::ThinkingFormat;
use super::super::provenance::{self, Maker};
use super::super::vendors::openai;
use super::super::wire::Recipient;
use super::super::{Effort, ModelRequest, json as words};
use crate::chat::{Image, Message, Outcome, Part, Role, Thinking};

/// The whole body of a request.
pub(super) fn body(request: &ModelRequest, to: Recipient<'_>) -> Value {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("stream".to_owned(), json!(true));
    body.insert("store".to_owned(), json!(false));
    let levels = if to.traits.thinking == ThinkingFormat::None { Vec::new() } else { openai::efforts(&request.model) };
    let effort = request.effort.nearest(&levels);
    let headroom = effort.unwrap_or(Effort::Off).headroom();
    body.insert("max_output_tokens".to_owned(), json!(request.max_output.saturating_add(headroom)));
    if let Some(effort) = effort {
        think(effort, to, &mut body);
    }
    if !request.system.is_empty() {
        body.insert("instructions".to_owned(), json!(request.system));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            // Without this field a schema is strict: every property would be required.
            json!({
                "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.schema, "strict": false,
            })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if to.is_official && to.kind == openai::NAME {
        openai::cache(request, &mut body);
    }
    let items = request.messages.iter().flat_map(|message| items(message, to.vendor));
    body.insert("input".to_owned(), items.collect());
    Value::Object(body)
}

/// Asks for this level of thinking, and for a summary of it where the account may have one.
fn think(effort: Effort, to: Recipient<'_>, body: &mut Map<String, Value>) {
    let mut reasoning = json!({ "effort": effort.api_name() });
    if to.takes_optional && effort != Effort::Off {
        reasoning["summary"] = json!("auto");
    }
    body.insert("reasoning".to_owned(), reasoning);
    body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
}

/// A message as items. Thinking, text, calls and results are items of their own, in order.
fn items(message: &Message, vendor: &str) -> Vec<Value> {
    match message.role {
        Role::User => vec![json!({ "role": "user", "content": content(message) })],
        Role::Assistant => message.parts.iter().filter_map(|part| assistant(part, vendor)).collect(),
        Role::Tool => message.parts.iter().filter_map(result).collect(),
    }
}

/// A string where there is only text, because not every server takes a list.
fn content(message: &Message) -> Value {
    if message.parts.iter().all(|part| matches!(part, Part::Text(_))) {
        return json!(message.text());
    }
    let parts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text_part(text)),
        Part::Image(image) => Some(image_part(image)),
        Part::Thinking(_) | Part::Call(_) | Part::Result { .. } => None,
    });
    parts.collect()
}

fn text_part(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn image_part(image: &Image) -> Value {
    let url = format!("data:{};base64,{}", image.media_type, image.base64);
    json!({ "type": "input_image", "detail": "auto", "image_url": url })
}

fn assistant(part: &Part, vendor: &str) -> Option<Value> {
    match part {
        Part::Text(text) if text.trim().is_empty() => None,
        Part::Text(text) => Some(json!({ "role": "assistant", "content": text })),
        Part::Thinking(thinking) => reasoning(thinking, vendor),
        Part::Call(call) => {
            let arguments = words::arguments(&call.arguments).to_string();
            Some(
                json!({ "type": "function_call", "call_id": call_id(&call.id), "name": call.name, "arguments": arguments }),
            )
        }
        Part::Image(_) | Part::Result { .. } => None,
    }
}

/// Encrypted thinking, which only the vendor that made it can read. Another vendor's is left out.
fn reasoning(thinking: &Thinking, vendor: &str) -> Option<Value> {
    let sealed = provenance::open(Maker::OpenAi { vendor }, thinking.signature.as_deref()?)?;
    let (id, encrypted) = sealed.split_once(' ')?;
    let summary = match thinking.text.as_str() {
        "" => json!([]),
        text => json!([{ "type": "summary_text", "text": text }]),
    };
    Some(json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted }))
}

/// The longest id that is accepted has 64 bytes.
fn call_id(id: &str) -> String {
    call_ids::at_most(id, 64)
}

fn result(part: &Part) -> Option<Value> {
    let Part::Result { id, outcome } = part else { return None };
    let output = match outcome {
        Outcome::Done { text, images } if images.is_empty() => json!(text),
        Outcome::Done { text, images } => {
            let text = (!text.is_empty()).then(|| text_part(text));
            text.into_iter().chain(images.iter().map(image_part)).collect()
        }
        Outcome::Failed { message } => json!(format!("error: {message}")),
    };
    Some(json!({ "type": "function_call_output", "call_id": call_id(id), "output": output }))
}
