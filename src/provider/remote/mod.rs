//! A model of a vendor, asked over HTTP.

mod refused;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::catalog::Price;
use super::decode::{AnswerDecoder, AnswerProgress, Sink};
use super::error::ErrorKind;
use super::facts::{FactFinder, ServerFacts};
use super::http::{Endpoint, Http, ResponseStream};
use super::list;
use super::model_traits::ModelTraits;
use super::notice::Notices;
use super::pictures;
use super::vendors::{Route, Vendor};
use super::wire::{Recipient, Wire};
use super::{ModelRequest, Provider, ProviderError};
use refused::RefusedThinking;

/// A model of a vendor, with its protocol.
#[derive(Debug)]
pub(super) struct Remote {
    http: Http,
    path: ServerPath,
    /// The way that is used instead, once the server has shown that it does not know the first.
    detour: OnceLock<ServerPath>,
    /// What the model costs, where that is known.
    price: Option<Price>,
    /// Asks the server about the model.
    facts: Option<Arc<FactFinder>>,
    traits: ModelTraits,
    /// Whether the server has refused pictures.
    is_blind: AtomicBool,
    /// Whether the server has refused the field in which thinking is sent back.
    refuses_echo: AtomicBool,
    refused: RefusedThinking,
    notices: Notices,
    /// Whether the account may use the wire's optional field.
    takes_optional: AtomicBool,
    /// The largest context window that was asked for.
    context: AtomicU32,
}

/// Where a server is and which protocol it speaks there.
#[derive(Debug)]
struct ServerPath {
    endpoint: Endpoint,
    wire: &'static dyn Wire,
}

/// How long to wait for the names of other models when one is not known.
const LIST: Duration = Duration::from_secs(3);

impl Remote {
    pub(super) fn new(http: Http, endpoint: Endpoint, wire: &'static dyn Wire, price: Option<Price>) -> Remote {
        Remote {
            http,
            path: ServerPath { endpoint, wire },
            detour: OnceLock::new(),
            price,
            facts: None,
            traits: ModelTraits::default(),
            is_blind: AtomicBool::new(false),
            refuses_echo: AtomicBool::new(false),
            refused: RefusedThinking::default(),
            notices: Notices::default(),
            takes_optional: AtomicBool::new(true),
            context: AtomicU32::new(0),
        }
    }

    /// The same model, with a way to ask its server about it.
    pub(super) fn with_facts(self, facts: Arc<FactFinder>) -> Remote {
        Remote { facts: Some(facts), ..self }
    }

    /// The same model, with what it can do.
    pub(super) fn with_traits(self, traits: ModelTraits) -> Remote {
        Remote { traits, ..self }
    }

    /// The way to the server, as far as it is known.
    fn path(&self) -> &ServerPath {
        self.detour.get().unwrap_or(&self.path)
    }

    async fn answer(&self, request: &ModelRequest, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let facts = match &self.facts {
            // Only such a wire needs to know more than the question.
            Some(finder) if self.path().wire.context(request, 0).is_some() => finder.facts().await,
            _ => ServerFacts::default(),
        };
        self.context.fetch_max(facts.loaded.unwrap_or(0), Ordering::Relaxed);
        loop {
            let cannot_see = self.traits.sees == Some(false) || self.is_blind.load(Ordering::Relaxed);
            let told = cannot_see.then(|| pictures::in_words(request)).flatten();
            let sent = told.as_ref().map_or(request, |(told, _)| told);
            let unsigned = self.refused.without(sent);
            let sent = unsigned.as_ref().unwrap_or(sent);
            let error = match self.ask(sent, facts).await {
                Ok(response) => {
                    if let Some((_, count)) = told {
                        self.notices.unseen(&request.model, count, deltas);
                    }
                    self.notices.clamped(request, &self.traits.efforts(self.path().wire, &request.model), deltas);
                    return self.read(response, request, deltas).await;
                }
                Err(error) => error,
            };
            if !self.can_avoid(&error, request) {
                return Err(self.with_names(error, request).await);
            }
        }
    }

    async fn ask(&self, request: &ModelRequest, facts: ServerFacts) -> Result<ResponseStream<'_>, ProviderError> {
        let ServerPath { endpoint, wire } = self.path();
        let context = wire.context(request, self.context.load(Ordering::Relaxed));
        self.context.fetch_max(context.unwrap_or(0), Ordering::Relaxed);
        let to = Recipient {
            vendor: &endpoint.vendor,
            kind: endpoint.kind.name,
            is_official: Vendor::at(&endpoint.base_url) == Some(endpoint.kind),
            takes_optional: self.takes_optional.load(Ordering::Relaxed),
            context,
            thinks: facts.thinks,
            traits: self.traits_now(),
        };
        let mut body = wire.body(request, to);
        endpoint.extras.add_to(&mut body);
        self.http.ask(endpoint, wire.path(), &request.model, &body).await
    }

    /// What is known of the model, with what its server has refused.
    fn traits_now(&self) -> ModelTraits {
        let echoes = if self.refuses_echo.load(Ordering::Relaxed) { Some(false) } else { self.traits.echoes };
        ModelTraits { echoes, ..self.traits }
    }

    /// Whether a request that failed with this error is worth another try, because it will be sent differently. Each difference is
    /// tried once, and stays for later requests.
    fn can_avoid(&self, error: &ProviderError, request: &ModelRequest) -> bool {
        let ServerPath { endpoint, wire } = self.path();
        if wire.optional_field().is_some_and(|field| error.is_about(field)) {
            // The account may not use the field.
            return self.takes_optional.swap(false, Ordering::Relaxed);
        }
        if let Some(detour) = wire.detour().filter(|_| error.is_about_path(&request.model)) {
            let (vendor, path) = (&endpoint.vendor, wire.path());
            tracing::warn!(vendor, path, "the server does not know this path, using {} instead", detour.prefix);
            let route = Route { prefix: detour.prefix.to_owned(), ..endpoint.route.clone() };
            let path = ServerPath { endpoint: Endpoint { route, ..endpoint.clone() }, wire: detour.wire };
            return self.detour.set(path).is_ok();
        }
        if error.is_about_pictures() && pictures::in_words(request).is_some() {
            return self.traits.sees != Some(false) && !self.is_blind.swap(true, Ordering::Relaxed);
        }
        if error.is_about_echo() {
            return !self.refuses_echo.swap(true, Ordering::Relaxed);
        }
        if error.is_about_signatures() {
            return self.refused.refuse(request);
        }
        if matches!(error.kind(), ErrorKind::ContextTooLong { .. }) {
            return self.enlarge_context(request);
        }
        false
    }

    /// Asks for a larger context window from now on. Returns whether there is one.
    fn enlarge_context(&self, request: &ModelRequest) -> bool {
        let before = self.path().wire.context(request, self.context.load(Ordering::Relaxed));
        let Some(before) = before else { return false };
        self.context.fetch_max(before.saturating_mul(2), Ordering::Relaxed);
        self.path().wire.context(request, self.context.load(Ordering::Relaxed)) > Some(before)
    }

    /// Adds to an error about an unknown model the names of similar ones.
    async fn with_names(&self, error: ProviderError, request: &ModelRequest) -> ProviderError {
        if !matches!(error.kind(), ErrorKind::ModelNotFound { .. }) {
            return error;
        }
        let ServerPath { endpoint, wire } = self.path();
        let models = list::at(endpoint, *wire, &self.http, LIST).await.unwrap_or_default();
        error.did_you_mean(list::like(&request.model, &models))
    }

    async fn read(
        &self,
        mut response: ResponseStream<'_>,
        request: &ModelRequest,
        deltas: Sink<'_>,
    ) -> Result<(), ProviderError> {
        let ServerPath { endpoint, wire } = self.path();
        let price = self.price.map(|price| wire.price(price, request.cache));
        let mut decoder = AnswerDecoder::new(*wire, endpoint.asked(&request.model), price);
        while let Some(bytes) = response.next(decoder.progress() != AnswerProgress::Open).await? {
            decoder.feed(&bytes, deltas)?;
            if decoder.progress() == AnswerProgress::Over {
                response.drain();
                return Ok(());
            }
        }
        decoder.finish(deltas)
    }
}

impl Provider for Remote {
    fn stream<'a>(&'a self, request: &'a ModelRequest, deltas: Sink<'a>) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(self.answer(request, deltas))
    }
}

#[cfg(test)]
mod tests;
