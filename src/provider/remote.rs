//! A model at the other end of a wire.

use futures_util::future::BoxFuture;

use super::anthropic;
use super::catalog::Wire;
use super::decode::{Decoder, Progress, Reader, Sink};
use super::http::{Answer, Endpoint, Http};
use super::notice::Notices;
use super::openai_chat::{self, Path};
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
}

impl Remote {
    pub(super) fn new(http: Http, endpoint: Endpoint, wire: Wire, path: Path) -> Remote {
        Remote { http, endpoint, wire, path, notices: Notices::default() }
    }

    async fn answer(&self, request: &Request, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let model = &request.model;
        let (path, body) = match self.wire {
            Wire::Anthropic => (anthropic::PATH.to_owned(), anthropic::body(request)),
            Wire::OpenAiChat(dialect) => (self.path.of(model), openai_chat::body(request, dialect)),
        };
        let answer = self.http.ask(&self.endpoint, &path, model, &body).await?;
        self.notices.clamped(request, &self.wire.efforts(model), deltas);
        match self.wire {
            Wire::Anthropic => self.read(answer, model, anthropic::Messages::default(), deltas).await,
            Wire::OpenAiChat(_) => self.read(answer, model, openai_chat::Chunks::default(), deltas).await,
        }
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
