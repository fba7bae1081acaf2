//! OpenAI's chat completions, and everyone who speaks them in a dialect.

mod calls;
mod dialect;
mod request;
mod stream;

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;

pub(super) use dialect::{Dialect, Thinks};

use super::http::{Endpoint, Http};
use super::notice::Notices;
use super::{Delta, Provider, ProviderError, Request};
use stream::Decoder;

/// A vendor that speaks chat completions.
#[derive(Debug)]
pub(super) struct OpenAiChat {
    http: Http,
    endpoint: Endpoint,
    dialect: Dialect,
    /// Azure has the model's name in the path.
    path: Path,
    notices: Notices,
}

/// Where the endpoint is, below the base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Plain,
    Deployment,
}

impl Path {
    fn of(self, model: &str) -> String {
        match self {
            Path::Plain => "/chat/completions".to_owned(),
            Path::Deployment => format!("/openai/deployments/{model}/chat/completions"),
        }
    }
}

impl OpenAiChat {
    pub(super) fn new(http: Http, endpoint: Endpoint, dialect: Dialect, path: Path) -> OpenAiChat {
        OpenAiChat { http, endpoint, dialect, path, notices: Notices::default() }
    }

    async fn answer(&self, request: &Request, deltas: &mut (dyn FnMut(Delta) + Send)) -> Result<(), ProviderError> {
        let body = request::body(request, self.dialect);
        let asked = self.endpoint.asked(&request.model);
        let mut answer = self.http.ask(&self.endpoint, &self.path.of(&request.model), &request.model, &body).await?;
        let known = self.dialect.efforts(&request.model);
        self.notices.clamped(request, &known, deltas);
        let mut decoder = Decoder::new(asked, fresh_id());
        while let Some(bytes) = answer.next(decoder.is_complete()).await? {
            decoder.feed(&bytes, deltas)?;
            if decoder.is_over() {
                answer.drain();
                return Ok(());
            }
        }
        decoder.finish(deltas)
    }
}

impl Provider for OpenAiChat {
    fn name(&self) -> &str {
        &self.endpoint.vendor
    }

    fn stream<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(self.answer(request, deltas))
    }
}

/// The beginning of the ids of calls to which the server gave none; they must differ from those of earlier answers.
fn fresh_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("call_{:x}", now.as_micros())
}

#[cfg(test)]
mod tests;
