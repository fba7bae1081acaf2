//! Models over HTTP.
//!
//! A [`Request`] in the words of `chat` goes out in a vendor's JSON, its answer comes back as [`Delta`]s the moment each byte
//! arrives. A vendor's names never leave its own folder. An answer that breaks off is an error, never a shorter answer. Nothing
//! is built or sent before the first request, and a key is never part of an error, a log or a debug print.
//!
//! Touches chat and text. Never tools, permissions, screens or the store.

mod anthropic;
mod api_key;
mod catalog;
mod choose;
mod consent;
mod decode;
mod effort;
mod error;
mod find;
mod framing;
mod http;
mod json;
mod keys;
mod list;
mod notice;
mod openai_chat;
mod openai_responses;
mod private_file;
mod protocol;
mod provenance;
mod refusal;
mod remote;
mod replay;
mod resolve;
mod retry;
mod server;
mod sign;
pub mod sse;
#[cfg(test)]
mod testing;
mod trouble;
mod vendors;
mod wire;

use futures_util::future::BoxFuture;

pub use api_key::ApiKey;
pub use catalog::Price;
pub use choose::{Env, ModelChoice, ResolveError, Variables, Wish, choose, full_name, known_names};
pub use consent::Consents;
pub use effort::{Effort, UnknownEffort};
pub use error::{Distrust, ErrorKind, ProviderError};
pub use find::Finder;
pub use http::{Http, Patience};
pub use keys::{Keys, WithKeys};
pub use list::{Listed, Listing, list_models};
pub use private_file::PrivateFileError;
pub use protocol::Protocol;
pub use replay::replay;
pub use resolve::Resolved;
pub use retry::{Decision, Policy, Retry};
pub use server::Server;
pub use vendors::{VENDORS, Vendor};

use crate::chat;

/// A model somewhere, spoken to in its own protocol.
pub trait Provider: Send + Sync {
    /// The vendor's short name, such as `openai`.
    fn name(&self) -> &str;

    /// Asks and hands over the answer piece by piece. An `Ok` means that the answer is whole; [`Delta::Stopped`] was its last
    /// piece. Dropping the future drops the connection at once.
    fn stream<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>>;
}

/// One question to a model: everything it is to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// As the vendor spells it, without provider and effort.
    pub model: String,
    pub system: String,
    pub messages: Vec<chat::Message>,
    pub tools: Vec<chat::ToolSpec>,
    pub effort: Effort,
    /// Tokens of the answer at most, thinking apart.
    pub max_output: u32,
}

/// A piece of an answer, to be appended to those before it.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// More of the current thinking.
    Thinking(String),
    /// The vendor's proof of the thinking before it, which ends with it. It may come without any thinking, and is to be kept as a
    /// thinking part of its own then.
    Signature(String),
    /// A thinking part that is not shown, whole.
    RedactedThinking(String),
    Text(String),
    /// A call; the index is its place among the calls of this answer, counted from 0.
    CallBegan {
        index: usize,
        id: String,
        name: String,
    },
    /// More of that call's arguments.
    CallArguments {
        index: usize,
        json: String,
    },
    /// What the answer took in all; once at most.
    Usage(chat::Usage),
    /// One line for the person. Said once for each model and effort.
    Notice(String),
    /// Why the answer ended; once, the last of all.
    Stopped(Stop),
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It had said what it wanted to say.
    End,
    /// It waits for the results of its calls.
    ToolUse,
    /// It reached `max_output` or the end of its window.
    Length,
    /// The vendor's filter cut it off.
    Filtered,
    /// It would not answer, and this is why, if it said so.
    Refused(String),
    /// A reason we do not know, as the vendor named it.
    Other(String),
}
