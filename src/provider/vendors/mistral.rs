//! Mistral.

use super::super::call_ids;
use super::super::catalog::ModelFacts;
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::{Usual, Vendor};

pub(super) const VENDOR: Vendor = Vendor {
    name: "mistral",
    base_url: "https://api.mistral.ai/v1",
    url_variables: &[],
    key_variables: &["MISTRAL_API_KEY"],
    default_model: Some("mistral-medium-latest"),
    models: MODELS,
    wire: &CHAT,
    quirks: &Usual,
};

static CHAT: ChatCompletions = ChatCompletions(&MistralDialect);

const MODELS: &[ModelFacts] =
    &[ModelFacts::new("mistral", 128_000), ModelFacts::new("devstral", 128_000), ModelFacts::new("codestral", 256_000)];

#[derive(Debug)]
struct MistralDialect;

impl ChatDialect for MistralDialect {
    fn takes_usage_option(&self) -> bool {
        false
    }

    fn call_id(&self, _model: &str, id: &str) -> String {
        call_ids::for_mistral(id)
    }
}
