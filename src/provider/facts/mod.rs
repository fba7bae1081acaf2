//! What a server says about its model: the size of its window, and whether it can think.
//!
//! A server on this machine is asked over its own interface. Any other server is asked only for its list of models. Nothing is asked
//! before the person has agreed to the server.

mod read;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::choose::ModelChoice;
use super::http::{self, Endpoint, Http, is_loopback};
use super::list;
use super::protocol::Protocol;
use super::vendors::{LLAMA_CPP, LM_STUDIO, OLLAMA, Route, VLLM};
use crate::text::percent_encode;

/// How long to wait for a server on this machine.
const LOCAL: Duration = Duration::from_secs(1);
/// How long to wait for the list of another server.
const REMOTE: Duration = Duration::from_secs(3);

/// At most this many models are remembered.
const MOST: usize = 32;

/// The window of an Ollama model of which nothing is known.
const OLLAMA_WINDOW: u32 = 4_096;

/// Where the size of a model's window comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WindowSource {
    /// The configuration.
    Configured,
    /// The built-in list of models.
    Catalogue,
    /// The provider's list of models.
    ModelList,
    /// A server on this machine.
    Server,
    /// An error, or a count that shows that the server cut a request.
    Overflow,
    /// Nobody knows it, so a small one is assumed.
    #[default]
    Assumed,
}

/// The answers of a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ServerFacts {
    /// The model's window, and who says so.
    pub(super) window: Option<(u32, WindowSource)>,
    /// The window with which the server has loaded the model. A request for a larger one makes it load the model again.
    pub(super) loaded: Option<u32>,
    /// Whether the model can think.
    pub(super) thinks: Option<bool>,
}

/// Asks a server about one of its models, once.
#[derive(Debug)]
pub(crate) struct FactFinder {
    http: Http,
    choice: ModelChoice,
    model: String,
    facts: OnceCell<ServerFacts>,
}

/// The finders of a session, so that each server is asked once about each model.
#[derive(Debug, Default)]
pub(super) struct FactFinders(Mutex<Vec<Arc<FactFinder>>>);

impl FactFinders {
    /// The finder for a model of a server.
    pub(super) fn of(&self, http: &Http, choice: &ModelChoice, model: &str) -> Arc<FactFinder> {
        let fresh = || Arc::new(FactFinder::new(http.clone(), choice.clone(), model.to_owned()));
        let Ok(mut known) = self.0.lock() else { return fresh() };
        let is_same = |one: &&Arc<FactFinder>| one.choice == *choice && one.model == model;
        if let Some(finder) = known.iter().find(is_same) {
            return Arc::clone(finder);
        }
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(fresh());
        known.last().map_or_else(fresh, Arc::clone)
    }
}

impl FactFinder {
    fn new(http: Http, choice: ModelChoice, model: String) -> FactFinder {
        FactFinder { http, choice, model, facts: OnceCell::new() }
    }

    /// The facts. The first call asks for them; a server that does not answer has none.
    pub(super) async fn facts(&self) -> ServerFacts {
        *self.facts.get_or_init(|| self.ask()).await
    }

    /// The window of a model of which no source knows it. Ollama's default is small.
    pub(super) fn assumed(&self) -> Option<u32> {
        (self.choice.provider.vendor == &OLLAMA).then_some(OLLAMA_WINDOW)
    }

    async fn ask(&self) -> ServerFacts {
        if !is_loopback(&self.choice.base_url) {
            return self.listed(REMOTE).await;
        }
        let facts = match self.choice.provider.vendor {
            vendor if vendor == &OLLAMA || self.choice.wire.protocol() == Protocol::Ollama => self.ollama().await,
            vendor if vendor == &LM_STUDIO => self.lm_studio().await,
            vendor if vendor == &VLLM => self.listed(LOCAL).await,
            vendor if vendor == &LLAMA_CPP => first(self.llama_cpp().await, self.listed(LOCAL).await),
            _ => {
                let (listed, llama_cpp, lm_studio) =
                    tokio::join!(self.listed(LOCAL), self.llama_cpp(), self.lm_studio());
                first(first(llama_cpp, lm_studio), listed)
            }
        };
        tracing::debug!(?facts, model = self.model, "asked the server about its model");
        facts
    }

    /// The window in the server's list of models.
    async fn listed(&self, limit: Duration) -> ServerFacts {
        let models = list::models(&self.choice, &self.http, limit).await.unwrap_or_default();
        let window = models.into_iter().find(|listed| listed.model == self.model).and_then(|it| it.context_window);
        ServerFacts { window: window.map(|window| (window, WindowSource::ModelList)), ..ServerFacts::default() }
    }

    async fn ollama(&self) -> ServerFacts {
        let named = json!({ "model": self.model });
        let (shown, running) = tokio::join!(self.fetch("/api/show", Some(&named)), self.fetch("/api/ps", None));
        let is_native = self.choice.wire.protocol() == Protocol::Ollama;
        read::ollama(&self.model, &shown, &running, is_native)
    }

    async fn llama_cpp(&self) -> ServerFacts {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let model = percent_encode(self.model.as_bytes(), is_plain);
        read::llama_cpp(&self.fetch(&format!("/props?model={model}&autoload=false"), None).await)
    }

    async fn lm_studio(&self) -> ServerFacts {
        let (newer, older) = tokio::join!(self.fetch("/api/v1/models", None), self.fetch("/api/v0/models", None));
        first(read::lm_studio(&self.model, &newer), read::lm_studio_v0(&self.model, &older))
    }

    /// A document at the root of the server; null if there is none.
    async fn fetch(&self, path: &str, body: Option<&Value>) -> Value {
        let endpoint = self.choice.endpoint();
        let root = endpoint.base_url.len() - http::path(&endpoint.base_url).len();
        let base_url = endpoint.base_url[..root].to_owned();
        let endpoint = Endpoint { base_url, route: Route::default(), ..endpoint };
        self.http.fetch(&endpoint, path, body, LOCAL).await.unwrap_or_default()
    }
}

/// The facts of the first server that knows the window.
fn first(one: ServerFacts, other: ServerFacts) -> ServerFacts {
    if one.window.is_some() { one } else { other }
}

#[cfg(test)]
mod tests;
