//! Reads chunks of chat completions.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::super::decode::{AnswerEnd, AnswerProgress, AnswerReader, Sink, say};
use super::super::error::ErrorKind;
use super::super::error_response::ErrorResponse;
use super::super::json::{count, list, text};
use super::super::provenance::{self, Maker};
use super::super::think_tags::ThinkTags;
use super::super::vendors::gemini;
use super::super::{Delta, Stop};
use super::calls::CallPieces;
use super::details::ReasoningDetails;
use super::dialect::{REASONING, REASONING_CONTENT};
use crate::chat::Usage;

/// An answer that is still arriving.
#[derive(Debug)]
pub(in super::super) struct Chunks {
    calls: CallPieces,
    signed: bool,
    refusal: String,
    finish: Option<String>,
    usage: Option<Usage>,
    details: ReasoningDetails,
    tags: ThinkTags,
    /// Whether thinking came in the field that fewer servers have.
    has_reasoning: bool,
    /// The provider and the model that answer.
    maker: (String, String),
}

impl Default for Chunks {
    fn default() -> Chunks {
        // Ids that we make up must differ from those of earlier answers.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Chunks::with_ids(format!("call_{:x}", now.as_micros()))
    }
}

impl AnswerReader for Chunks {
    fn take(&mut self, chunk: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse> {
        self.chunk(chunk, deltas);
        Ok(if self.finish.is_some() { AnswerProgress::Complete } else { AnswerProgress::Open })
    }

    fn end(&mut self, deltas: Sink<'_>) -> Result<AnswerEnd, ErrorKind> {
        self.tags.end(deltas);
        self.calls.end(deltas);
        let (vendor, model) = &self.maker;
        match self.details.finish() {
            Some(details) => deltas(Delta::Signature(provenance::seal(Maker::Details { vendor, model }, &details))),
            None if self.has_reasoning => {
                deltas(Delta::Signature(provenance::seal(Maker::Field { vendor }, REASONING)));
            }
            None => {}
        }
        let stop = match self.finish.as_deref() {
            Some("length" | "max_tokens" | "model_length") => Stop::Length,
            Some("content_filter") => Stop::Filtered,
            // DeepSeek cuts an answer with this reason when it has no capacity.
            Some("insufficient_system_resource") => return Err(ErrorKind::Overloaded),
            Some("error") => return Err(ErrorKind::Server { status: None }),
            _ if !self.refusal.is_empty() => Stop::Refused(std::mem::take(&mut self.refusal)),
            _ if !self.calls.is_empty() => Stop::ToolUse,
            None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos") => Stop::End,
            Some(other) => Stop::Other(other.to_owned()),
        };
        Ok(AnswerEnd { usage: self.usage, stop })
    }
}

impl Chunks {
    /// Calls without an id get one that begins with `id`.
    pub(in super::super) fn with_ids(id: String) -> Chunks {
        Chunks {
            calls: CallPieces::new(id),
            signed: false,
            refusal: String::new(),
            finish: None,
            usage: None,
            details: ReasoningDetails::default(),
            tags: ThinkTags::default(),
            has_reasoning: false,
            maker: Default::default(),
        }
    }

    /// The same, for the answer of this provider's model.
    pub(super) fn of_model(self, vendor: &str, model: &str) -> Chunks {
        Chunks { maker: (vendor.to_owned(), model.to_owned()), ..self }
    }

    fn chunk(&mut self, chunk: &Value, deltas: Sink<'_>) {
        let usage = [chunk.get("usage"), chunk.pointer("/x_groq/usage")];
        if let Some(usage) = usage.into_iter().flatten().find(|usage| usage.is_object()) {
            self.usage = Some(read_usage(usage));
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return };
        // A server that does not stream sends a message instead of a delta.
        for said in ["delta", "message"].into_iter().filter_map(|name| choice.get(name)) {
            self.said(said, deltas);
        }
        // Some servers send an empty reason with each chunk.
        let reason = text(choice, "finish_reason");
        if !["", "null"].contains(&reason) {
            self.finish = Some(reason.to_owned());
        }
    }

    fn said(&mut self, said: &Value, deltas: Sink<'_>) {
        let thoughts = [REASONING_CONTENT, REASONING].map(|name| (name, text(said, name)));
        if let Some((name, thought)) = thoughts.into_iter().find(|(_, thought)| !thought.is_empty()) {
            self.has_reasoning |= name == REASONING;
            say(Delta::Thinking, thought, deltas);
        }
        self.details.take(said.get("reasoning_details").and_then(Value::as_array).map_or(&[], Vec::as_slice));
        match said.get("content") {
            Some(Value::String(text)) => self.tags.take(text, deltas),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| content_part(part, deltas)),
            // No content: absent or null.
            _ => {}
        }
        self.refusal.push_str(text(said, "refusal"));
        for call in list(said, "tool_calls") {
            if let Some(signature) = gemini::signature(call).filter(|_| !std::mem::replace(&mut self.signed, true)) {
                deltas(Delta::Signature(signature));
            }
            self.calls.take(call, deltas);
        }
        if let Some(function) = said.get("function_call").filter(|call| call.is_object()) {
            self.calls.take_only(function, deltas);
        }
    }
}

/// Mistral sends content in parts when it thinks.
fn content_part(part: &Value, deltas: Sink<'_>) {
    say(Delta::Text, text(part, "text"), deltas);
    for thought in list(part, "thinking") {
        say(Delta::Thinking, text(thought, "text"), deltas);
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &str| count(usage, path);
    Usage {
        input: count("/prompt_tokens").unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
        cached: count("/prompt_tokens_details/cached_tokens").or(count("/prompt_cache_hit_tokens")).unwrap_or(0),
        cache_written: count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
        cost: usage.get("cost").and_then(Value::as_f64),
    }
}
