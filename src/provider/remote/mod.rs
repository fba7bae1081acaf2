//! A model of a vendor, asked over HTTP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::catalog::Price;
use super::decode::{AnswerDecoder, AnswerProgress, Sink};
use super::error::ErrorKind;
use super::http::{Endpoint, Http, ResponseStream};
use super::list;
use super::notice::Notices;
use super::vendors::Vendor;
use super::wire::{Recipient, Wire};
use super::{ModelRequest, Provider, ProviderError};

/// A model of a vendor, with its protocol.
#[derive(Debug)]
pub(super) struct Remote {
    http: Http,
    endpoint: Endpoint,
    wire: &'static dyn Wire,
    /// What the model costs, where that is known.
    price: Option<Price>,
    notices: Notices,
    /// Whether the account may use the wire's optional field.
    takes_optional: AtomicBool,
}

/// How long to wait for the names of other models when one is not known.
const LIST: Duration = Duration::from_secs(3);

impl Remote {
    pub(super) fn new(http: Http, endpoint: Endpoint, wire: &'static dyn Wire, price: Option<Price>) -> Remote {
        Remote { http, endpoint, wire, price, notices: Notices::default(), takes_optional: AtomicBool::new(true) }
    }

    async fn answer(&self, request: &ModelRequest, deltas: Sink<'_>) -> Result<(), ProviderError> {
        let model = &request.model;
        let is_about_the_optional_field =
            |error: &ProviderError| self.wire.optional_field().is_some_and(|field| error.is_about(field));
        let response = match self.ask(request).await {
            // The account may not use the field, so it is left out from now on.
            Err(error) if is_about_the_optional_field(&error) && self.takes_optional.swap(false, Ordering::Relaxed) => {
                self.ask(request).await?
            }
            Err(error) if matches!(error.kind(), ErrorKind::ModelNotFound { .. }) => {
                let models = list::at(&self.endpoint, self.wire, &self.http, LIST).await.unwrap_or_default();
                return Err(error.did_you_mean(list::like(model, &models)));
            }
            asked => asked?,
        };
        self.notices.clamped(request, &self.wire.efforts(model), deltas);
        self.read(response, request, deltas).await
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ResponseStream<'_>, ProviderError> {
        let takes_optional = self.takes_optional.load(Ordering::Relaxed);
        let is_official = Vendor::at(&self.endpoint.base_url).is_some_and(|vendor| vendor.name == self.endpoint.vendor);
        let body = self.wire.body(request, Recipient { vendor: &self.endpoint.vendor, is_official, takes_optional });
        self.http.ask(&self.endpoint, self.wire.path(), &request.model, &body).await
    }

    async fn read(
        &self,
        mut response: ResponseStream<'_>,
        request: &ModelRequest,
        deltas: Sink<'_>,
    ) -> Result<(), ProviderError> {
        let price = self.price.map(|price| self.wire.price(price, request.cache));
        let mut decoder = AnswerDecoder::new(self.wire, self.endpoint.asked(&request.model), price);
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
