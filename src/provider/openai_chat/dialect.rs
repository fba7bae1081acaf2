//! Differences between vendors with chat completions.

use std::fmt::Debug;

use serde_json::{Map, Value, json};

use super::super::call_ids;
use super::super::vendors::openai;
use super::super::wire::Recipient;
use super::super::{Effort, ModelRequest};
use crate::chat::Message;
use Effort::{High, Low, Medium};

/// The field of thinking that most servers have, and the one that some have in its place: vLLM, OpenRouter, Groq, Cerebras.
pub(in super::super) const REASONING_CONTENT: &str = "reasoning_content";
pub(in super::super) const REASONING: &str = "reasoning";

/// How one vendor's requests differ from the rest. A trait with a default for everything: a vendor's module states the differences.
/// The defaults suit a server of which nothing is known. It may be a proxy, behind which OpenAI's own models keep their rules.
pub(in super::super) trait ChatDialect: Debug + Send + Sync {
    /// The field that limits the length of the answer.
    fn limit_field(&self, model: &str) -> &'static str {
        if openai::chat_efforts(model).is_empty() { "max_tokens" } else { "max_completion_tokens" }
    }

    /// Whether `stream_options` asks for usage. Other servers send it without being asked.
    fn takes_usage_option(&self) -> bool {
        true
    }

    /// Whether the thinking that led to calls must be sent back with them.
    fn echoes_reasoning(&self) -> bool {
        false
    }

    /// The field in which thinking is sent back, where the vendor's answer did not name another. Several vendors refuse unknown ones.
    fn reasoning_field(&self) -> &'static str {
        REASONING_CONTENT
    }

    /// A call's id in the vendor's form. The same id always gives the same result.
    fn call_id(&self, model: &str, id: &str) -> String {
        call_ids::for_model(model, id)
    }

    /// Adds the vendor's own fields to the calls of a message.
    fn finish_calls(&self, _message: &Message, _calls: &mut [Value]) {}

    /// The levels of thinking that a model knows; none where it cannot be told. Many servers refuse a field they do not know, so only
    /// models that are known to take one are told.
    fn efforts(&self, model: &str) -> Vec<Effort> {
        match openai::chat_efforts(model) {
            none if none.is_empty() && model.contains("gpt-oss") => vec![Low, Medium, High],
            levels => levels,
        }
    }

    /// Adds the fields that ask for this level, which is one that the model knows.
    fn think(&self, _model: &str, effort: Effort, body: &mut Map<String, Value>) {
        body.insert("reasoning_effort".to_owned(), json!(effort.api_name()));
    }

    /// Says in the finished body how long the vendor should keep its beginning. Most vendors decide that themselves.
    fn cache(&self, _request: &ModelRequest, _to: Recipient<'_>, _body: &mut Map<String, Value>) {}
}

/// An unknown server.
#[derive(Debug)]
pub(super) struct Plain;

impl ChatDialect for Plain {}
