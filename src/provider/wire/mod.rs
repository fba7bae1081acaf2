//! The protocols for requests to models.

use std::fmt::Debug;

use serde_json::Value;

use super::cache::CacheLifetime;
use super::catalog::Price;
use super::decode::AnswerReader;
use super::effort::Effort;
use super::framing::{EventsOrJson, Framing};
use super::model_traits::ModelTraits;
use super::protocol::Protocol;
use super::sign::KeyHeader;
use super::{ModelRequest, anthropic, ollama, openai_chat, openai_responses};

/// One protocol: how a request is written and how its answer is read. A trait, so that a protocol is a folder of its own and nothing
/// outside it knows its JSON.
pub(super) trait Wire: Debug + Send + Sync {
    /// The name by which people choose it. Two wires of the same protocol are equal.
    fn protocol(&self) -> Protocol;

    /// Where requests go, below the base URL.
    fn path(&self) -> &'static str;

    /// The body of a request.
    fn body(&self, request: &ModelRequest, to: Recipient<'_>) -> Value;

    /// Reads the events of an answer from this vendor's model.
    fn reader(&self, vendor: &str, model: &str) -> Box<dyn AnswerReader + Send>;

    /// Cuts the bytes of an answer into events.
    fn framing(&self) -> Box<dyn Framing + Send> {
        Box::new(EventsOrJson::default())
    }

    /// The levels of thinking that a model can be asked for. None for a model that cannot be told how hard to think.
    fn efforts(&self, model: &str) -> Vec<Effort>;

    /// Where the list of models is, below the base URL.
    fn models_path(&self) -> &'static str {
        "/models"
    }

    /// The base URL as this wire wants it: some people write the version at its end, and some wires have it in their paths.
    fn base_url<'a>(&self, url: &'a str) -> &'a str {
        url
    }

    /// Headers of every request.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The header that carries the key, unless the vendor has one of its own.
    fn key_header(&self) -> KeyHeader {
        KeyHeader::Bearer
    }

    /// The context window that a request asks its server for, at least `floor`. `None` where a request cannot choose it.
    fn context(&self, _request: &ModelRequest, _floor: u32) -> Option<u32> {
        None
    }

    /// Another way to the same server, if it does not know this wire's path.
    fn detour(&self) -> Option<Detour> {
        None
    }

    /// What a model costs if its requests are kept in the vendor's cache for this long.
    fn price(&self, price: Price, _cache: CacheLifetime) -> Price {
        price
    }

    /// A field of the request that some accounts may not use, as errors name it. After such an error the request is sent again
    /// without it.
    fn optional_field(&self) -> Option<&'static str> {
        None
    }
}

impl PartialEq for dyn Wire {
    fn eq(&self, other: &dyn Wire) -> bool {
        self.protocol() == other.protocol()
    }
}

/// Another way to a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detour {
    /// Between the base URL and the paths of the wire.
    pub(super) prefix: &'static str,
    pub(super) wire: &'static dyn Wire,
}

/// The recipient of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recipient<'a> {
    /// The name of the provider.
    pub(super) vendor: &'a str,
    /// The vendor whose rules it follows.
    pub(super) kind: &'a str,
    /// Whether the server is the vendor's own, not a proxy. Others may refuse fields that they do not know.
    pub(super) is_official: bool,
    /// Whether the account may use the wire's optional field.
    pub(super) takes_optional: bool,
    /// The context window to ask for, where a request can choose it.
    pub(super) context: Option<u32>,
    /// Whether the model can think, if its server says so.
    pub(super) thinks: Option<bool>,
    pub(super) traits: ModelTraits,
}

/// The wire of a protocol, for a server of which nothing else is known.
pub(super) fn of(protocol: Protocol) -> &'static dyn Wire {
    match protocol {
        Protocol::Auto | Protocol::Chat => &openai_chat::PLAIN,
        Protocol::Responses => &openai_responses::Responses,
        Protocol::Messages => &anthropic::MessagesApi,
        Protocol::Ollama => &ollama::OllamaChat,
    }
}

#[cfg(test)]
pub(super) mod rules;
#[cfg(test)]
mod tests;
