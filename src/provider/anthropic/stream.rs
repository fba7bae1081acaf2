//! Reads events of the messages API.

use serde_json::Value;

use super::super::decode::{AnswerEnd, AnswerProgress, AnswerReader, Sink, say};
use super::super::error::ErrorKind;
use super::super::error_response::ErrorResponse;
use super::super::json::{count, list, text};
use super::super::provenance::{self, Maker};
use super::super::{Delta, Stop};
use crate::chat::Usage;

/// An answer that is still arriving.
#[derive(Debug)]
pub(in super::super) struct Messages {
    /// The model of the answer: only this model can read its signed thinking again.
    model: String,
    /// The vendor's index of each call. It counts blocks of every kind.
    calls: Vec<u64>,
    signature: String,
    stop: Option<Stop>,
    usage: TokenCounts,
}

/// Counts of tokens. A later event replaces the counts that it names.
#[derive(Debug, Default, Clone, Copy)]
struct TokenCounts {
    fresh: Option<u64>,
    cached: Option<u64>,
    cache_written: Option<u64>,
    output: Option<u64>,
}

impl AnswerReader for Messages {
    fn take(&mut self, event: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse> {
        let index = count(event, "/index").unwrap_or(0);
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        match text(event, "type") {
            "message_start" => self.usage.read(&event["message"]["usage"]),
            "content_block_start" => self.begin(index, part("content_block"), deltas),
            "content_block_delta" => self.more(index, part("delta"), deltas),
            "content_block_stop" => self.sign(deltas),
            "message_delta" => {
                self.usage.read(part("usage"));
                self.stopped(part("delta"));
            }
            "message_stop" => return Ok(AnswerProgress::Over),
            "message" => self.whole(event, deltas),
            // Pings, and events that we do not know.
            _ => {}
        }
        Ok(if self.stop.is_some() { AnswerProgress::Complete } else { AnswerProgress::Open })
    }

    fn end(&mut self, _: Sink<'_>) -> Result<AnswerEnd, ErrorKind> {
        let unsaid = if self.calls.is_empty() { Stop::End } else { Stop::ToolUse };
        Ok(AnswerEnd { usage: self.usage.total(), stop: self.stop.take().unwrap_or(unsaid) })
    }
}

impl Messages {
    pub(in super::super) fn of(model: &str) -> Messages {
        Messages {
            model: model.to_owned(),
            calls: Vec::new(),
            signature: String::new(),
            stop: None,
            usage: TokenCounts::default(),
        }
    }

    fn seal(&self, signature: &str) -> String {
        provenance::seal(Maker::Anthropic { model: &self.model }, signature)
    }

    fn begin(&mut self, index: u64, block: &Value, deltas: Sink<'_>) {
        let words = |name: &str| text(block, name);
        match words("type") {
            "text" => say(Delta::Text, words("text"), deltas),
            "thinking" => {
                say(Delta::Thinking, words("thinking"), deltas);
                self.signature = words("signature").to_owned();
            }
            "redacted_thinking" => {
                deltas(Delta::RedactedThinking(self.seal(words("data"))));
            }
            "tool_use" => {
                let place = self.calls.len();
                self.calls.push(index);
                deltas(Delta::CallBegan { index: place, id: words("id").to_owned(), name: words("name").to_owned() });
                // Usually empty: the arguments follow in pieces.
                if let Some(input) = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty()) {
                    deltas(Delta::CallArguments { index: place, json: Value::Object(input.clone()).to_string() });
                }
            }
            // Kinds of blocks that the API may add.
            _ => {}
        }
    }

    fn more(&mut self, index: u64, delta: &Value, deltas: Sink<'_>) {
        let words = |name: &str| text(delta, name);
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
            // Kinds of deltas that the API may add, such as citations.
            _ => {}
        }
    }

    /// The block is complete, and so is its signature.
    fn sign(&mut self, deltas: Sink<'_>) {
        let signature = std::mem::take(&mut self.signature);
        if !signature.is_empty() {
            deltas(Delta::Signature(self.seal(&signature)));
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
            "pause_turn" => Stop::Paused,
            other => Stop::Other(other.to_owned()),
        });
    }

    /// Takes an answer that was not streamed.
    fn whole(&mut self, message: &Value, deltas: Sink<'_>) {
        for (index, block) in list(message, "content").enumerate() {
            self.begin(index as u64, block, deltas);
            self.sign(deltas);
        }
        self.usage.read(&message["usage"]);
        self.stopped(message);
    }
}

impl TokenCounts {
    fn read(&mut self, usage: &Value) {
        self.fresh = count(usage, "/input_tokens").or(self.fresh);
        self.cached = count(usage, "/cache_read_input_tokens").or(self.cached);
        self.cache_written = count(usage, "/cache_creation_input_tokens").or(self.cache_written);
        self.output = count(usage, "/output_tokens").or(self.output);
    }

    fn total(self) -> Option<Usage> {
        self.fresh.or(self.output)?;
        let [fresh, cached, cache_written] =
            [self.fresh, self.cached, self.cache_written].map(Option::unwrap_or_default);
        let output = self.output.unwrap_or_default();
        Some(Usage { input: fresh + cached + cache_written, output, cached, cache_written, cost: None })
    }
}
