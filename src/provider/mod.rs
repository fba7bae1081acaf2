//! Models over HTTP.
//!
//! A [`ModelRequest`] in the types of `chat` is sent as JSON of a vendor's protocol, and its answer comes back as [`Delta`]s as the bytes
//! arrive. `wire` is a protocol, `vendors` has the vendors, `choose`, `find` and `resolve` decide which model is asked. `facts` asks its
//! server about it. An answer that breaks off is an error, never a shorter answer. Nothing is built or sent before the first request, and a key is never part of an
//! error, a log or a debug print.
//!
//! Touches chat and text. Never tools, permissions, screens or the store.

mod anthropic;
mod api_key;
mod cache;
mod call_ids;
mod catalog;
mod choose;
mod connection;
mod consent;
mod decode;
mod effort;
mod error;
mod error_response;
mod facts;
mod find;
mod framing;
mod http;
mod json;
mod keys;
mod list;
mod meant;
mod model_traits;
mod notice;
mod ollama;
mod openai_chat;
mod openai_responses;
mod outline;
mod overflow;
mod overview;
mod pictures;
mod policy;
mod private_file;
mod protocol;
mod provenance;
mod remote;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod replay;
mod resolve;
mod retry;
mod server;
mod sign;
pub(crate) mod sse;
mod table;
#[cfg(test)]
mod testing;
mod think_tags;
mod value_origin;
mod vendors;
mod wire;

use futures_util::future::BoxFuture;

pub(crate) use cache::CacheLifetime;
pub(crate) use catalog::Price;
pub(crate) use choose::{Env, ModelPreference, ModelRoles, ResolveError, full_name, known_names};
pub(crate) use consent::Consents;
pub(crate) use effort::{Effort, UnknownEffort};
pub(crate) use error::{Distrust, ErrorKind, ProviderError};
pub(crate) use facts::WindowSource;
pub(crate) use find::Finder;
pub(crate) use http::{Http, HttpTimeouts, is_base_url};
pub(crate) use keys::{Keys, WithKeys};
pub(crate) use list::{ListedModel, ModelList};
pub(crate) use meant::MeantModel;
pub(crate) use model_traits::{ModelTraits, ThinkingFormat};
pub(crate) use outline::ModelOutline;
pub(crate) use overview::{ModelEntry, ModelOverview};
pub(crate) use policy::{ModelScope, ModelScopes};
pub(crate) use protocol::Protocol;
pub(crate) use resolve::{LocalServer, Resolved};
pub(crate) use retry::{NextTry, Policy};
pub(crate) use server::{Listener, Server};
pub(crate) use table::{ClientIdentity, Credential, ModelTable, ProviderTable, ProviderTables};
pub(crate) use value_origin::{ValueOrigin, is_variable};
pub(crate) use vendors::{VENDORS, Vendor};
#[cfg(test)]
pub(crate) use wire::rules::assert_accepted;

use crate::chat;

/// A model that can be asked, whatever its protocol.
pub(crate) trait Provider: Send + Sync {
    /// Sends a request and passes on its answer piece by piece. `Ok` means that the answer is complete: [`Delta::Stopped`] was its last
    /// piece. Dropping the future drops the connection at once.
    fn stream<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>>;
}

/// One request to a model, with everything that the model is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelRequest {
    /// As the vendor spells it, without provider and effort.
    pub model: String,
    pub system: String,
    pub messages: Vec<chat::Message>,
    pub tools: Vec<chat::ToolSpec>,
    pub effort: Effort,
    /// The most tokens of the answer, without thinking.
    pub max_output: u32,
    pub cache: CacheLifetime,
    /// The model's context window in tokens, if it is known. Ollama is told how much of it to use.
    pub window: Option<u32>,
}

/// A piece of an answer, to be appended to the pieces before it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Delta {
    /// More of the current thinking.
    Thinking(String),
    /// The vendor's signature of the thinking before it, which ends there. A signature without thinking is kept as a thinking part of
    /// its own.
    Signature(String),
    /// A complete thinking part that the vendor has encrypted.
    RedactedThinking(String),
    Text(String),
    /// A call begins. The index is its place among the calls of this answer, from 0.
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
    /// The tokens of the whole answer; at most once.
    Usage(chat::Usage),
    /// One line for the person. Said once for each model and effort.
    Notice(String),
    /// Why the answer ended. It is the last piece.
    Stopped(Stop),
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The answer is finished.
    End,
    /// It waits for the results of its calls.
    ToolUse,
    /// It reached `max_output` or the end of its window.
    Length,
    /// The vendor's filter cut it off.
    Filtered,
    /// It refused to answer, with its reason if it gave one.
    Refused(String),
    /// It wants to go on in another request that ends with what it has said.
    Paused,
    /// A reason that we do not know, as the vendor names it.
    Other(String),
}
