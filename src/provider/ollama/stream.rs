//! Reads the lines of an answer of Ollama.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::super::decode::{AnswerEnd, AnswerProgress, AnswerReader, Sink, say};
use super::super::error::ErrorKind;
use super::super::error_response::ErrorResponse;
use super::super::json::{count, list, text};
use super::super::think_tags::ThinkTags;
use super::super::{Delta, Stop};
use crate::chat::Usage;

/// An answer that is still arriving.
#[derive(Debug)]
pub(in super::super) struct ChatLines {
    /// The beginning of ids for calls that have none.
    id: String,
    calls: usize,
    reason: String,
    tags: ThinkTags,
    usage: Option<Usage>,
}

impl Default for ChatLines {
    fn default() -> ChatLines {
        // Ids that we make up must differ from those of earlier answers.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        ChatLines::with_ids(format!("call_{:x}", now.as_micros()))
    }
}

impl ChatLines {
    /// Calls without an id get one that begins with `id`.
    pub(in super::super) fn with_ids(id: String) -> ChatLines {
        ChatLines { id, calls: 0, reason: String::new(), tags: ThinkTags::default(), usage: None }
    }

    /// Takes a call, which always comes whole.
    fn call(&mut self, call: &Value, deltas: Sink<'_>) {
        let index = self.calls;
        self.calls += 1;
        let id = match text(call, "id") {
            "" => format!("{}_{index}", self.id),
            id => id.to_owned(),
        };
        let function = call.get("function").unwrap_or(&Value::Null);
        deltas(Delta::CallBegan { index, id, name: text(function, "name").to_owned() });
        let json = match function.get("arguments") {
            None | Some(Value::Null) => return,
            Some(Value::String(json)) => json.clone(),
            Some(object) => object.to_string(),
        };
        say(|json| Delta::CallArguments { index, json }, &json, deltas);
    }
}

impl AnswerReader for ChatLines {
    fn take(&mut self, line: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse> {
        let message = line.get("message").unwrap_or(&Value::Null);
        say(Delta::Thinking, text(message, "thinking"), deltas);
        self.tags.take(text(message, "content"), deltas);
        for call in list(message, "tool_calls") {
            self.call(call, deltas);
        }
        if line.get("done").and_then(Value::as_bool) != Some(true) {
            return Ok(AnswerProgress::Open);
        }
        self.reason = text(line, "done_reason").to_owned();
        let counts = ["/prompt_eval_count", "/eval_count"].map(|path| count(line, path));
        if let [input, output] = counts
            && input.or(output).is_some()
        {
            let [input, output] = [input, output].map(Option::unwrap_or_default);
            self.usage = Some(Usage { input, output, ..Usage::default() });
        }
        Ok(AnswerProgress::Over)
    }

    fn end(&mut self, deltas: Sink<'_>) -> Result<AnswerEnd, ErrorKind> {
        self.tags.end(deltas);
        let stop = match self.reason.as_str() {
            "length" => Stop::Length,
            _ if self.calls > 0 => Stop::ToolUse,
            "" | "stop" | "load" => Stop::End,
            other => Stop::Other(other.to_owned()),
        };
        Ok(AnswerEnd { usage: self.usage, stop })
    }
}
