//! Anthropic's messages.

mod request;
mod stream;
mod thinking;

pub(super) use request::body;
pub(super) use stream::Messages;
pub(super) use thinking::efforts;

/// Below the base URL, which has no version in it.
pub(super) const PATH: &str = "/v1/messages";

/// The version of the protocol this is written against.
pub(super) const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

#[cfg(test)]
mod tests;
