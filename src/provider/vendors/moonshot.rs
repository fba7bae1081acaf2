//! Moonshot.

use super::super::catalog::ModelFacts;
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::{Usual, Vendor};

pub(super) const VENDOR: Vendor = Vendor {
    name: "moonshot",
    base_url: "https://api.moonshot.ai/v1",
    url_variables: &[],
    key_variables: &["MOONSHOT_API_KEY"],
    default_model: Some("kimi-latest"),
    models: MODELS,
    wire: &CHAT,
    quirks: &Usual,
};

static CHAT: ChatCompletions = ChatCompletions(&MoonshotDialect);

const MODELS: &[ModelFacts] = &[ModelFacts::new("kimi", 256_000)];

#[derive(Debug)]
struct MoonshotDialect;

impl ChatDialect for MoonshotDialect {
    fn echoes_reasoning(&self) -> bool {
        true
    }
}
