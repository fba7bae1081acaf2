//! Anthropic's messages.

mod request;
mod stream;
mod thinking;

pub(super) use stream::Messages;

use serde_json::Value;

use super::ModelRequest;
use super::cache::CacheLifetime;
use super::catalog::Price;
use super::decode::AnswerReader;
use super::effort::Effort;
use super::protocol::Protocol;
use super::sign::KeyHeader;
use super::wire::{Recipient, Wire};

/// The header that carries a key.
pub(super) const KEY_HEADER: KeyHeader = KeyHeader::Named("x-api-key");

/// The messages API. Its paths have the version in them, so the base URL has none.
#[derive(Debug)]
pub(super) struct MessagesApi;

impl Wire for MessagesApi {
    fn protocol(&self) -> Protocol {
        Protocol::Messages
    }

    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value {
        request::body(request, to.traits.thinking)
    }

    fn reader(&self, _vendor: &str, model: &str) -> Box<dyn AnswerReader + Send> {
        Box::new(Messages::of(model))
    }

    fn efforts(&self, model: &str) -> Vec<Effort> {
        thinking::efforts(model)
    }

    fn models_path(&self) -> &'static str {
        "/v1/models?limit=1000"
    }

    fn base_url<'a>(&self, url: &'a str) -> &'a str {
        url.strip_suffix("/v1").unwrap_or(url)
    }

    /// The version of the protocol this is written against.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    /// To keep a block for an hour costs twice the price of its tokens.
    fn price(&self, price: Price, cache: CacheLifetime) -> Price {
        match cache {
            CacheLifetime::Long => Price { cache_written: price.input * 2.0, ..price },
            CacheLifetime::Short | CacheLifetime::Off => price,
        }
    }

    fn key_header(&self) -> KeyHeader {
        KEY_HEADER
    }
}

#[cfg(test)]
mod tests;
