//! Ollama's own chat interface. Unlike its OpenAI-compatible one, it lets a request choose the context window, and refuses a request
//! that is longer instead of cutting it.

mod context;
mod lines;
mod request;
mod stream;

pub(super) use stream::ChatLines;

use serde_json::Value;

use super::ModelRequest;
use super::decode::AnswerReader;
use super::effort::Effort;
use super::framing::Framing;
use super::openai_chat;
use super::protocol::Protocol;
use super::wire::{Detour, Recipient, Wire};
use Effort::{High, Low, Medium, Off};

/// The chat interface below `/api`.
#[derive(Debug)]
pub(super) struct OllamaChat;

impl Wire for OllamaChat {
    fn protocol(&self) -> Protocol {
        Protocol::Ollama
    }

    fn path(&self) -> &'static str {
        "/api/chat"
    }

    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value {
        request::body(request, to)
    }

    fn reader(&self, _vendor: &str, _model: &str) -> Box<dyn AnswerReader + Send> {
        Box::new(ChatLines::default())
    }

    fn framing(&self) -> Box<dyn Framing + Send> {
        Box::new(lines::JsonLines::default())
    }

    /// Most models either think or do not. Only some have levels.
    fn efforts(&self, model: &str) -> Vec<Effort> {
        if has_levels(model) { vec![Low, Medium, High] } else { vec![Off, Medium] }
    }

    /// Ollama lists its models as OpenAI does, too.
    fn models_path(&self) -> &'static str {
        "/v1/models"
    }

    fn base_url<'a>(&self, url: &'a str) -> &'a str {
        url.strip_suffix("/v1").unwrap_or(url)
    }

    fn context(&self, request: &ModelRequest, floor: u32) -> Option<u32> {
        context::tokens(request, floor)
    }

    /// Proxies often pass on only the OpenAI-compatible interface.
    fn detour(&self) -> Option<Detour> {
        Some(Detour { prefix: "/v1", wire: &openai_chat::PLAIN })
    }
}

fn has_levels(model: &str) -> bool {
    model.contains("gpt-oss")
}

#[cfg(test)]
mod tests;
