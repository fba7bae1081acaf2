//! Reads events of the responses API.

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
pub(in super::super) struct Items {
    /// The vendor of the answer: only this vendor can read its encrypted thinking again.
    vendor: String,
    /// The items that have started, in order.
    items: Vec<OutputItem>,
    /// How many of them are calls.
    calls: usize,
    refusal: String,
    stop: Option<Stop>,
    usage: Option<Usage>,
}

/// An item that has started.
#[derive(Debug)]
struct OutputItem {
    /// Its place in the answer. llama.cpp does not number its items.
    output_index: Option<u64>,
    /// Its id, which some translating servers change from one event to the next.
    id: String,
    /// Its place among the calls, if it is one.
    call: Option<usize>,
    /// Whether any of its text came in pieces. The event that ends it repeats all of its text.
    has_spoken: bool,
    /// The number of the summary part that came last.
    part: u64,
}

impl Items {
    pub(in super::super) fn of(vendor: &str) -> Items {
        Items {
            vendor: vendor.to_owned(),
            items: Vec::new(),
            calls: 0,
            refusal: String::new(),
            stop: None,
            usage: None,
        }
    }

    /// The item that an event belongs to. An item that was not announced starts now.
    fn item(&mut self, event: &Value) -> &mut OutputItem {
        let output_index = count(event, "/output_index");
        let id = match text(event, "item_id") {
            "" => event.get("item").map(|item| text(item, "id")).unwrap_or_default(),
            id => id,
        };
        let is_it = |item: &OutputItem| match output_index {
            Some(_) => item.output_index == output_index,
            None => item.id == id,
        };
        let place = self.items.iter().rposition(is_it).unwrap_or_else(|| {
            self.items.push(OutputItem { output_index, id: id.to_owned(), call: None, has_spoken: false, part: 0 });
            self.items.len() - 1
        });
        &mut self.items[place]
    }

    fn more(&mut self, delta: impl FnOnce(String) -> Delta, event: &Value, deltas: Sink<'_>) {
        let words = text(event, "delta");
        self.item(event).has_spoken |= !words.is_empty();
        say(delta, words, deltas);
    }

    /// Takes more thinking. The parts of a summary are paragraphs.
    fn think(&mut self, event: &Value, part: u64, deltas: Sink<'_>) {
        let item = self.item(event);
        if item.has_spoken && item.part != part {
            deltas(Delta::Thinking("\n\n".to_owned()));
        }
        item.part = part;
        self.more(Delta::Thinking, event, deltas);
    }

    /// The place of a call among the calls. A call that was not announced starts now.
    fn call(&mut self, event: &Value, item: &Value, deltas: Sink<'_>) -> usize {
        let next = self.calls;
        let place = *self.item(event).call.get_or_insert(next);
        if place == next {
            self.calls += 1;
            let id = [text(item, "call_id"), text(item, "id")].into_iter().find(|id| !id.is_empty());
            let id = id.map_or_else(|| format!("call_{place}"), str::to_owned);
            deltas(Delta::CallBegan { index: place, id, name: text(item, "name").to_owned() });
        }
        place
    }

    /// An item is complete: passes on the text that did not come in pieces.
    fn done(&mut self, event: &Value, item: &Value, deltas: Sink<'_>) {
        match text(item, "type") {
            "message" => {
                let has_spoken = std::mem::replace(&mut self.item(event).has_spoken, true);
                for part in list(item, "content").filter(|_| !has_spoken) {
                    say(Delta::Text, text(part, "text"), deltas);
                    self.refusal.push_str(text(part, "refusal"));
                }
            }
            "reasoning" => {
                let has_spoken = std::mem::replace(&mut self.item(event).has_spoken, true);
                let parts = list(item, "summary").chain(list(item, "content")).map(|part| text(part, "text"));
                if !has_spoken {
                    say(Delta::Thinking, &parts.collect::<Vec<_>>().join("\n\n"), deltas);
                }
                let (id, encrypted) = (text(item, "id"), text(item, "encrypted_content"));
                if !encrypted.is_empty() {
                    let maker = Maker::OpenAi { vendor: &self.vendor };
                    deltas(Delta::Signature(provenance::seal(maker, &format!("{id} {encrypted}"))));
                }
            }
            "function_call" => {
                let index = self.call(event, item, deltas);
                if !std::mem::replace(&mut self.item(event).has_spoken, true) {
                    say(|json| Delta::CallArguments { index, json }, text(item, "arguments"), deltas);
                }
            }
            // Items of tools that run at the provider, and kinds that the API may add.
            _ => {}
        }
    }

    /// The answer is complete: reads its usage and why it ended.
    fn completed(&mut self, response: &Value, deltas: Sink<'_>) -> Result<(), ErrorResponse> {
        // Some servers send all items with the last event.
        if self.items.is_empty() {
            for (index, item) in list(response, "output").enumerate() {
                self.done(&serde_json::json!({ "output_index": index }), item, deltas);
            }
        }
        if response.get("usage").is_some_and(Value::is_object) {
            self.usage = Some(Usage {
                input: count(response, "/usage/input_tokens").unwrap_or(0),
                output: count(response, "/usage/output_tokens").unwrap_or(0),
                cached: count(response, "/usage/input_tokens_details/cached_tokens").unwrap_or(0),
                cache_written: count(response, "/usage/input_tokens_details/cache_write_tokens").unwrap_or(0),
                cost: response.pointer("/usage/cost").and_then(Value::as_f64),
            });
        }
        let reason = response.get("incomplete_details").map(|details| text(details, "reason")).unwrap_or_default();
        self.stop = Some(match (text(response, "status"), reason) {
            ("failed" | "cancelled", _) => return Err(ErrorResponse::of_object(response)),
            // Some servers give no reason; the limit is the most likely one.
            (_, "max_output_tokens") | ("incomplete", "") => Stop::Length,
            (_, "content_filter") => Stop::Filtered,
            ("incomplete", reason) => Stop::Other(reason.to_owned()),
            _ if !self.refusal.is_empty() => Stop::Refused(std::mem::take(&mut self.refusal)),
            _ if self.calls > 0 => Stop::ToolUse,
            _ => Stop::End,
        });
        Ok(())
    }
}

impl AnswerReader for Items {
    fn take(&mut self, event: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse> {
        let part = |name: &str| event.get(name).unwrap_or(&Value::Null);
        match text(event, "type") {
            "response.output_text.delta" => self.more(Delta::Text, event, deltas),
            "response.refusal.delta" => {
                self.item(event).has_spoken = true;
                self.refusal.push_str(text(event, "delta"));
            }
            "response.reasoning_summary_text.delta" => {
                self.think(event, count(event, "/summary_index").unwrap_or(0), deltas);
            }
            "response.reasoning_text.delta" => self.think(event, count(event, "/content_index").unwrap_or(0), deltas),
            "response.output_item.added" if text(part("item"), "type") == "function_call" => {
                self.call(event, part("item"), deltas);
            }
            "response.function_call_arguments.delta" => {
                if let Some(index) = self.item(event).call {
                    self.more(|json| Delta::CallArguments { index, json }, event, deltas);
                }
            }
            "response.output_item.done" => self.done(event, part("item"), deltas),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.completed(part("response"), deltas)?;
                return Ok(AnswerProgress::Over);
            }
            // An answer that was not streamed.
            _ if text(event, "object") == "response" => {
                self.completed(event, deltas)?;
                return Ok(AnswerProgress::Over);
            }
            // Beginnings and ends of parts, and events that we do not know.
            _ => {}
        }
        Ok(AnswerProgress::Open)
    }

    fn end(&mut self, _: Sink<'_>) -> Result<AnswerEnd, ErrorKind> {
        // Only translating servers end the stream without an event that says how the answer ended.
        let unsaid = if self.calls > 0 { Stop::ToolUse } else { Stop::End };
        Ok(AnswerEnd { usage: self.usage, stop: self.stop.take().unwrap_or(unsaid) })
    }
}
