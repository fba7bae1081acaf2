//! Anthropic.

use super::super::anthropic::{KEY_HEADER, MessagesApi};
use super::super::api_key::ApiKey;
use super::super::catalog::ModelFacts;
use super::super::sign::Signer;
use super::super::wire::Wire;
use super::{Quirks, Vendor};
use std::sync::Arc;

pub(super) const VENDOR: Vendor = Vendor {
    name: "anthropic",
    base_url: "https://api.anthropic.com",
    url_variables: &["ANTHROPIC_BASE_URL"],
    key_variables: &["ANTHROPIC_API_KEY"],
    default_model: Some("claude-sonnet-5-5"),
    models: MODELS,
    wire: &MessagesApi,
    quirks: &Anthropic,
};

const MODELS: &[ModelFacts] = &[
    ModelFacts::new("claude-fable-5", 1_000_000).price(10.0, 50.0, 1.0, 12.5),
    ModelFacts::new("claude-fable-5-1", 1_000_000).price(10.0, 50.0, 0.25, 12.5),
    ModelFacts::new("claude-mythos-5", 1_000_000).price(10.0, 50.0, 1.0, 12.5),
    ModelFacts::new("claude-mythos-5-1", 1_000_000).price(10.0, 50.0, 0.25, 12.5),
    ModelFacts::new("claude-opus-5-5", 1_000_000).price(4.0, 20.0, 0.2, 5.0),
    ModelFacts::new("claude-opus-5", 1_000_000).price(5.0, 25.0, 0.5, 6.25),
    ModelFacts::new("claude-opus-4-8", 1_000_000).price(5.0, 25.0, 0.5, 6.25),
    ModelFacts::new("claude-opus-4-7", 1_000_000).price(5.0, 25.0, 0.5, 6.25),
    ModelFacts::new("claude-opus-4-6", 200_000).price(5.0, 25.0, 0.5, 6.25),
    ModelFacts::new("claude-opus-4-5", 200_000).price(5.0, 25.0, 0.5, 6.25),
    ModelFacts::new("claude-opus-4", 200_000).price(15.0, 75.0, 1.5, 18.75),
    ModelFacts::new("claude-sonnet-5", 1_000_000).price(2.0, 10.0, 0.2, 2.5),
    ModelFacts::new("claude-sonnet-5-5", 1_000_000).price(2.0, 10.0, 0.2, 2.5),
    ModelFacts::new("claude-sonnet-4", 200_000).price(3.0, 15.0, 0.3, 3.75),
    ModelFacts::new("claude-3-7-sonnet", 200_000).price(3.0, 15.0, 0.3, 3.75),
    ModelFacts::new("claude-haiku-5-5", 1_000_000),
    ModelFacts::new("claude-haiku-4-5", 200_000).price(1.0, 5.0, 0.1, 1.25),
    ModelFacts::new("claude-3-5-haiku", 200_000).price(0.8, 4.0, 0.08, 1.0),
    ModelFacts::new("claude", 200_000),
];

#[derive(Debug)]
struct Anthropic;

impl Quirks for Anthropic {
    /// The key has the same header on every wire.
    fn signer(&self, key: &ApiKey, _wire: &dyn Wire) -> Arc<dyn Signer> {
        KEY_HEADER.signer(key)
    }
}
