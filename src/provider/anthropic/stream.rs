//! Events of the messages API into deltas.

use serde_json::Value;

use super::super::body::Body;
use super::super::catalog;
use super::super::error::{ErrorKind, ProviderError};
use super::super::failure::{Asked, Failure};
use super::super::signature::{self, Signer};
use super::super::{Delta, Stop};
use crate::chat::Usage;

/// Reads an answer cut anywhere.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    asked: Asked<'a>,
    body: Body,
    /// For each call, the vendor's index, which counts blocks of every kind.
    calls: Vec<u64>,
    signature: String,
    stop: Option<Stop>,
    usage: Counts,
    is_over: bool,
}

/// Tokens; each event that names a count has the newest.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    fresh: Option<u64>,
    cached: Option<u64>,
    cache_written: Option<u64>,
    output: Option<u64>,
}

type Sink<'a> = &'a mut (dyn FnMut(Delta) + Send);

impl<'a> Decoder<'a> {
    pub(super) fn new(asked: Asked<'a>) -> Decoder<'a> {
        Decoder {
            asked,
            body: Body::new(),
            calls: Vec::new(),
            signature: String::new(),
            stop: None,
            usage: Counts::default(),
            is_over: false,
        }
    }

    /// Whether all of the answer is there; only the end of the stream may still come.
    pub(super) fn is_complete(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether the stream said that it is over.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn feed(&mut self, bytes: &[u8], deltas: Sink<'_>) -> Result<(), ProviderError> {
        let mut events = Vec::new();
        let fed = self.body.feed(bytes, &mut events);
        for event in &events {
            self.data(&event.data, ErrorKind::Malformed, deltas)?;
        }
        fed.map_err(|e| self.error(ErrorKind::Malformed).caused_by(e))
    }

    /// The connection has ended. An answer that has not is an error.
    pub(super) fn finish(mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        // An event that was cut off is no error of its own.
        let kind = if self.body.is_whole() { ErrorKind::Malformed } else { ErrorKind::BrokenOff };
        let last = self.body.finish().map_err(|e| self.error(ErrorKind::Malformed).caused_by(e))?;
        if let Some(event) = last {
            self.data(&event.data, kind.clone(), deltas)?;
        }
        if !self.is_over && self.stop.is_none() {
            return Err(self.error(kind));
        }
        self.end(deltas);
        Ok(())
    }

    fn error(&self, kind: ErrorKind) -> ProviderError {
        ProviderError::new(self.asked.vendor, kind)
    }

    fn data(&mut self, data: &str, unreadable: ErrorKind, deltas: Sink<'_>) -> Result<(), ProviderError> {
        if self.is_over {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|e| self.error(unreadable).caused_by(e))?;
        self.event(&event, deltas)
    }

    fn event(&mut self, event: &Value, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => self.usage.read(&event["message"]["usage"]),
            "content_block_start" => self.begin(index, part("content_block"), deltas),
            "content_block_delta" => self.more(index, part("delta"), deltas),
            "content_block_stop" => self.sign(deltas),
            "message_delta" => {
                self.usage.read(part("usage"));
                self.stopped(part("delta"));
            }
            "message_stop" => self.end(deltas),
            "error" => return Err(Failure::of_object(event).into_error(self.asked)),
            "message" => self.whole(event, deltas),
            _ if event.get("error").is_some() => return Err(Failure::of_object(event).into_error(self.asked)),
            // Pings, and events that are yet to be invented.
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: u64, block: &Value, deltas: Sink<'_>) {
        let words = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        match words("type") {
            "text" => say(Delta::Text, words("text"), deltas),
            "thinking" => {
                say(Delta::Thinking, words("thinking"), deltas);
                self.signature = words("signature").to_owned();
            }
            "redacted_thinking" => {
                deltas(Delta::RedactedThinking(signature::seal(Signer::Anthropic, words("data"))));
            }
            "tool_use" => {
                let place = self.calls.len();
                self.calls.push(index);
                deltas(Delta::CallBegan { index: place, id: words("id").to_owned(), name: words("name").to_owned() });
                // Usually empty, and told in pieces after this.
                if let Some(input) = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty()) {
                    deltas(Delta::CallArguments { index: place, json: Value::Object(input.clone()).to_string() });
                }
            }
            _ => {}
        }
    }

    fn more(&mut self, index: u64, delta: &Value, deltas: Sink<'_>) {
        let words = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match words("type") {
            "text_delta" => say(Delta::Text, words("text"), deltas),
            "thinking_delta" => say(Delta::Thinking, words("thinking"), deltas),
            "signature_delta" => self.signature.push_str(words("signature")),
            "input_json_delta" => {
                let place = self.calls.iter().rposition(|call| *call == index);
                if let Some(place) = place {
                    say(|json| Delta::CallArguments { index: place, json }, words("partial_json"), deltas);
                }
            }
            _ => {}
        }
    }

    /// The block is complete, and so is its signature.
    fn sign(&mut self, deltas: Sink<'_>) {
        let signature = std::mem::take(&mut self.signature);
        if !signature.is_empty() {
            deltas(Delta::Signature(signature::seal(Signer::Anthropic, &signature)));
        }
    }

    fn stopped(&mut self, delta: &Value) {
        let Some(reason) = delta.get("stop_reason").and_then(Value::as_str) else { return };
        self.stop = Some(match reason {
            "end_turn" | "stop_sequence" if self.calls.is_empty() => Stop::End,
            "tool_use" | "end_turn" | "stop_sequence" => Stop::ToolUse,
            "max_tokens" | "model_context_window_exceeded" => Stop::Length,
            "refusal" => {
                let why = delta.pointer("/stop_details/explanation").and_then(Value::as_str);
                Stop::Refused(why.unwrap_or_default().to_owned())
            }
            other => Stop::Other(other.to_owned()),
        });
    }

    /// An answer in one piece.
    fn whole(&mut self, message: &Value, deltas: Sink<'_>) {
        for (index, block) in message.get("content").and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.begin(index as u64, block, deltas);
            self.sign(deltas);
        }
        self.usage.read(&message["usage"]);
        self.stopped(message);
    }

    fn end(&mut self, deltas: Sink<'_>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        if let Some(usage) = self.usage.total() {
            deltas(Delta::Usage(catalog::with_cost(self.asked.vendor, self.asked.model, usage)));
        }
        let unsaid = if self.calls.is_empty() { Stop::End } else { Stop::ToolUse };
        deltas(Delta::Stopped(self.stop.take().unwrap_or(unsaid)));
    }
}

impl Counts {
    fn read(&mut self, usage: &Value) {
        let count = |name: &str, last: Option<u64>| usage.get(name).and_then(Value::as_u64).or(last);
        self.fresh = count("input_tokens", self.fresh);
        self.cached = count("cache_read_input_tokens", self.cached);
        self.cache_written = count("cache_creation_input_tokens", self.cache_written);
        self.output = count("output_tokens", self.output);
    }

    fn total(self) -> Option<Usage> {
        self.fresh.or(self.output)?;
        let [fresh, cached, cache_written] =
            [self.fresh, self.cached, self.cache_written].map(Option::unwrap_or_default);
        let output = self.output.unwrap_or_default();
        Some(Usage { input: fresh + cached + cache_written, output, cached, cache_written, cost: None })
    }
}

fn say(delta: impl FnOnce(String) -> Delta, words: &str, deltas: Sink<'_>) {
    if !words.is_empty() {
        deltas(delta(words.to_owned()));
    }
}
