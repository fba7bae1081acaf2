//! A model at the other end of a wire.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::anthropic;
use super::catalog::Wire;
use super::decode::{Decoder, Progress, Reader, Sink};
use super::error::ErrorKind;
use super::http::{Answer, Endpoint, Http};
use super::list;
use super::notice::Notices;
use super::openai_chat::{self, Path};
use super::openai_responses::{self, Summaries};
use super::{Provider, ProviderError, Request};

/// A vendor, spoken to in its own protocol.
#[derive(Debug)]
pub(super) struct Remote {
    http: Http,
    endpoint: Endpoint,
    wire: Wire,
    /// Azure has the model's name in the path.
    path: Path,
    notices: Notices,
    /// The account may not see what models think.
    no_summaries: AtomicBool,
}

/// How long the names of other models are waited for, once one is not known.
const LIST: Duration = Duration::from_secs(3);

/// The field of a request that asks for it.
const SUMMARY: &str = "reasoning.summary";

impl Remote {
    pub(super) fn new(http: Http, endpoint: Endpoint, wire: Wire, path: Path) -> Remote {
        Remote { http, endpoint, wire, path, notices: Notices::default(), no_summaries: AtomicBool::new(false) }
    }

    async fn answer(&self, request: &Request, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let model = &request.model;
        let answer = match self.ask(request).await {
            // An account that may not see what models think is told so, and need not hear it twice.
            Err(error) if error.is_about(SUMMARY) && !self.no_summaries.swap(true, Ordering::Relaxed) => {
                self.ask(request).await?
            }
            Err(error) if matches!(error.kind(), ErrorKind::ModelNotFound { .. }) => {
                let models = list::at(&self.endpoint, self.wire, &self.http, LIST).await.unwrap_or_default();
                return Err(error.did_you_mean(list::like(model, &models)));
            }
            asked => asked?,
        };
        self.notices.clamped(request, &self.wire.efforts(model), deltas);
        match self.wire {
            Wire::Anthropic => self.read(answer, model, anthropic::Messages::of(model), deltas).await,
            Wire::OpenAiChat(_) => self.read(answer, model, openai_chat::Chunks::default(), deltas).await,
            Wire::OpenAiResponses => {
                self.read(answer, model, openai_responses::Items::of(&self.endpoint.vendor), deltas).await
            }
        }
    }

    async fn ask(&self, request: &Request) -> Result<Answer<'_>, ProviderError> {
        let (path, body) = match self.wire {
            Wire::Anthropic => (anthropic::PATH.to_owned(), anthropic::body(request)),
            Wire::OpenAiChat(dialect) => (self.path.of(&request.model), openai_chat::body(request, dialect)),
            Wire::OpenAiResponses => {
                let refused = self.no_summaries.load(Ordering::Relaxed);
                let summaries = if refused { Summaries::Refused } else { Summaries::Wanted };
                let body = openai_responses::body(request, &self.endpoint.vendor, summaries);
                (openai_responses::PATH.to_owned(), body)
            }
        };
        self.http.ask(&self.endpoint, &path, &request.model, &body).await
    }

    async fn read(
        &self,
        mut answer: Answer<'_>,
        model: &str,
        reader: impl Reader,
        deltas: Sink<'_>,
    ) -> Result<(), ProviderError> {
        let mut decoder = Decoder::new(self.endpoint.asked(model), reader);
        while let Some(bytes) = answer.next(decoder.progress() != Progress::Open).await? {
            decoder.feed(&bytes, deltas)?;
            if decoder.progress() == Progress::Over {
                answer.drain();
                return Ok(());
            }
        }
        decoder.finish(deltas)
    }
}

impl Provider for Remote {
    fn name(&self) -> &str {
        &self.endpoint.vendor
    }

    fn stream<'a>(&'a self, request: &'a Request, deltas: Sink<'a>) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(self.answer(request, deltas))
    }
}

#[cfg(test)]
mod tests;
