//! Chunks of chat completions into deltas.

use serde_json::Value;

use super::super::body::Body;
use super::super::catalog;
use super::super::error::{ErrorKind, ProviderError};
use super::super::failure::{Asked, Failure};
use super::super::signature::{self, Signer};
use super::super::sse::Event;
use super::super::{Delta, Stop};
use super::calls::Calls;
use crate::chat::Usage;

/// Reads an answer cut anywhere.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    asked: Asked<'a>,
    body: Body,
    calls: Calls,
    signed: bool,
    refusal: String,
    finish: Option<String>,
    usage: Option<Usage>,
    is_over: bool,
}

type Sink<'a> = &'a mut (dyn FnMut(Delta) + Send);

impl<'a> Decoder<'a> {
    /// Calls without an id get one that begins with `id`.
    pub(super) fn new(asked: Asked<'a>, id: String) -> Decoder<'a> {
        Decoder {
            asked,
            body: Body::new(),
            calls: Calls::new(id),
            signed: false,
            refusal: String::new(),
            finish: None,
            usage: None,
            is_over: false,
        }
    }

    /// Whether all of the answer is there; only its usage and the end of the stream may still come.
    pub(super) fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether the stream said that it is over.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn feed(&mut self, bytes: &[u8], deltas: Sink<'_>) -> Result<(), ProviderError> {
        let mut events = Vec::new();
        let fed = self.body.feed(bytes, &mut events);
        for event in &events {
            let chunk = parse(&event.data);
            self.event(event, chunk.map_err(|e| self.error(ErrorKind::Malformed).caused_by(e)), deltas)?;
        }
        fed.map_err(|e| self.error(ErrorKind::Malformed).caused_by(e))
    }

    /// The connection has ended. An answer that has not is an error.
    pub(super) fn finish(mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let is_whole = self.body.is_whole();
        let last = self.body.finish().map_err(|e| self.error(ErrorKind::Malformed).caused_by(e))?;
        if let Some(event) = last {
            // An event that was cut off is no error of its own.
            let kind = if is_whole { ErrorKind::Malformed } else { ErrorKind::BrokenOff };
            let chunk = parse(&event.data).map_err(|e| self.error(kind).caused_by(e));
            self.event(&event, chunk, deltas)?;
        }
        if !self.is_over && self.finish.is_none() {
            let kind = if is_whole { ErrorKind::Malformed } else { ErrorKind::BrokenOff };
            return Err(self.error(kind));
        }
        self.end(deltas)
    }

    fn error(&self, kind: ErrorKind) -> ProviderError {
        ProviderError::new(self.asked.vendor, kind)
    }

    fn event(
        &mut self,
        event: &Event,
        chunk: Result<Option<Value>, ProviderError>,
        deltas: Sink<'_>,
    ) -> Result<(), ProviderError> {
        if self.is_over {
            return Ok(());
        }
        match chunk? {
            None => self.end(deltas),
            Some(chunk) if event.name == "error" || chunk.get("error").is_some_and(|error| !error.is_null()) => {
                Err(Failure::of_object(&chunk).into_error(self.asked))
            }
            Some(chunk) => {
                self.chunk(&chunk, deltas);
                Ok(())
            }
        }
    }

    fn chunk(&mut self, chunk: &Value, deltas: Sink<'_>) {
        let usage = [chunk.get("usage"), chunk.pointer("/x_groq/usage")];
        if let Some(usage) = usage.into_iter().flatten().find(|usage| usage.is_object()) {
            self.usage = Some(read_usage(usage));
        }
        let Some(choice) = chunk.pointer("/choices/0") else { return };
        // A server that does not stream gives a message where the others give a delta.
        for said in ["delta", "message"].into_iter().filter_map(|name| choice.get(name)) {
            self.said(said, deltas);
        }
        // Some say with each chunk that there is no reason yet.
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !["", "null"].contains(reason)) {
            self.finish = Some(reason.to_owned());
        }
    }

    fn said(&mut self, said: &Value, deltas: Sink<'_>) {
        let thoughts = ["reasoning_content", "reasoning"].into_iter().filter_map(|name| said.get(name)?.as_str());
        if let Some(thought) = thoughts.into_iter().find(|thought| !thought.is_empty()) {
            deltas(Delta::Thinking(thought.to_owned()));
        }
        match said.get("content") {
            Some(Value::String(text)) if !text.is_empty() => deltas(Delta::Text(text.clone())),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| content_part(part, deltas)),
            _ => {}
        }
        if let Some(refusal) = said.get("refusal").and_then(Value::as_str) {
            self.refusal.push_str(refusal);
        }
        for call in said.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let signature = call.pointer("/extra_content/google/thought_signature").and_then(Value::as_str);
            if let Some(signature) = signature.filter(|_| !std::mem::replace(&mut self.signed, true)) {
                deltas(Delta::Signature(signature::seal(Signer::Google, signature)));
            }
            self.calls.take(call, deltas);
        }
        if let Some(function) = said.get("function_call").filter(|call| call.is_object()) {
            self.calls.take_only(function, deltas);
        }
    }

    /// The answer is complete: says the rest.
    fn end(&mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        if std::mem::replace(&mut self.is_over, true) {
            return Ok(());
        }
        self.calls.end(deltas);
        let stop = match self.finish.as_deref() {
            Some("length" | "max_tokens" | "model_length") => Stop::Length,
            Some("content_filter") => Stop::Filtered,
            // DeepSeek's way to say that it cut the answer for want of machines.
            Some("insufficient_system_resource") => return Err(self.error(ErrorKind::Overloaded)),
            Some("error") => return Err(self.error(ErrorKind::Server { status: None })),
            _ if !self.refusal.is_empty() => Stop::Refused(std::mem::take(&mut self.refusal)),
            _ if !self.calls.is_empty() => Stop::ToolUse,
            None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos") => Stop::End,
            Some(other) => Stop::Other(other.to_owned()),
        };
        if let Some(usage) = self.usage {
            deltas(Delta::Usage(catalog::with_cost(self.asked.vendor, self.asked.model, usage)));
        }
        deltas(Delta::Stopped(stop));
        Ok(())
    }
}

/// A chunk; `None` is the word that the stream is over.
fn parse(data: &str) -> Result<Option<Value>, serde_json::Error> {
    if data.trim() == "[DONE]" { Ok(None) } else { serde_json::from_str(data).map(Some) }
}

/// Mistral gives content in parts once it thinks.
fn content_part(part: &Value, deltas: Sink<'_>) {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    if let Some(text) = part.get("text").and_then(text) {
        deltas(Delta::Text(text));
    }
    for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
        if let Some(text) = thought.get("text").and_then(text) {
            deltas(Delta::Thinking(text));
        }
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64);
    Usage {
        input: count("/prompt_tokens").unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
        cached: count("/prompt_tokens_details/cached_tokens").or(count("/prompt_cache_hit_tokens")).unwrap_or(0),
        cache_written: count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
        cost: usage.get("cost").and_then(Value::as_f64),
    }
}
