//! OpenAI's responses, where its models think and use tools at once.
//!
//! Nothing is stored at the vendor (`store` is false): what the model thought comes back encrypted and is sent along again.

mod request;
mod stream;

pub(super) use request::{Summaries, body};
pub(super) use stream::Items;

/// Below the base URL.
pub(super) const PATH: &str = "/responses";

/// Whether a model of OpenAI's is to be asked here: those that think, and their kin that exist nowhere else.
pub(super) fn suits(model: &str) -> bool {
    !super::openai::efforts(model).is_empty()
}

#[cfg(test)]
mod tests;
