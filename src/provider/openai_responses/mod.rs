//! OpenAI's responses, where its models think and use tools at once.
//!
//! Nothing is stored at the vendor (`store` is false): the model's thinking comes back encrypted and is sent along again.

mod request;
mod stream;

#[cfg(test)]
use request::body;
pub(super) use stream::Items;

use serde_json::Value;

use super::ModelRequest;
use super::decode::AnswerReader;
use super::effort::Effort;
use super::protocol::Protocol;
use super::vendors::openai;
use super::wire::{Recipient, Wire};

/// The responses API.
#[derive(Debug)]
pub(super) struct Responses;

impl Wire for Responses {
    fn protocol(&self) -> Protocol {
        Protocol::Responses
    }

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value {
        request::body(request, to)
    }

    fn reader(&self, vendor: &str, _model: &str) -> Box<dyn AnswerReader + Send> {
        Box::new(Items::of(vendor))
    }

    fn efforts(&self, model: &str) -> Vec<Effort> {
        openai::efforts(model)
    }

    /// Accounts that are not verified may not see summaries of a model's thinking.
    fn optional_field(&self) -> Option<&'static str> {
        Some("reasoning.summary")
    }
}

#[cfg(test)]
mod tests;
