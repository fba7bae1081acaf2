//! OpenAI's chat completions, which many vendors offer with small differences (dialects).

mod calls;
mod details;
mod dialect;
mod request;
mod stream;

pub(super) use dialect::{ChatDialect, REASONING};
#[cfg(test)]
use request::body;
pub(super) use stream::Chunks;

use serde_json::Value;

use super::ModelRequest;
use super::decode::AnswerReader;
use super::effort::Effort;
use super::protocol::Protocol;
use super::wire::{Recipient, Wire};

/// Chat completions in a vendor's dialect.
#[derive(Debug)]
pub(super) struct ChatCompletions(pub(super) &'static dyn ChatDialect);

/// For an unknown server.
pub(super) static PLAIN: ChatCompletions = ChatCompletions(&dialect::Plain);

impl Wire for ChatCompletions {
    fn protocol(&self) -> Protocol {
        Protocol::Chat
    }

    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value {
        let mut body = request::body(request, self.0, to);
        if let Value::Object(fields) = &mut body {
            self.0.cache(request, to, fields);
        }
        body
    }

    fn reader(&self, vendor: &str, model: &str) -> Box<dyn AnswerReader + Send> {
        Box::new(Chunks::default().of_model(vendor, model))
    }

    fn efforts(&self, model: &str) -> Vec<Effort> {
        self.0.efforts(model)
    }
}

#[cfg(test)]
mod tests;
