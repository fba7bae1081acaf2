//! Anthropic's messages.

mod request;
mod stream;
mod thinking;

use futures_util::future::BoxFuture;

pub(super) use thinking::efforts;

use super::http::{Endpoint, Http};
use super::notice::Notices;
use super::{Delta, Provider, ProviderError, Request};
use stream::Decoder;

/// Below the base URL, which has no version in it.
const PATH: &str = "/v1/messages";

/// The version of the protocol this is written against.
pub(super) const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

/// Anthropic, or someone who speaks as they do.
#[derive(Debug)]
pub(super) struct Anthropic {
    http: Http,
    endpoint: Endpoint,
    notices: Notices,
}

impl Anthropic {
    pub(super) fn new(http: Http, endpoint: Endpoint) -> Anthropic {
        Anthropic { http, endpoint, notices: Notices::default() }
    }

    async fn answer(&self, request: &Request, deltas: &mut (dyn FnMut(Delta) + Send)) -> Result<(), ProviderError> {
        let body = request::body(request);
        let mut answer = self.http.ask(&self.endpoint, PATH, &request.model, &body).await?;
        self.notices.clamped(request, &efforts(&request.model), deltas);
        let mut decoder = Decoder::new(self.endpoint.asked(&request.model));
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

impl Provider for Anthropic {
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

#[cfg(test)]
mod tests;
