//! DeepSeek.

use serde_json::{Map, Value, json};

use super::super::catalog::ModelFacts;
use super::super::effort::Effort;
use super::super::effort::Effort::{High, Low, Off, XHigh};
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::{Usual, Vendor};

pub(super) const VENDOR: Vendor = Vendor {
    name: "deepseek",
    base_url: "https://api.deepseek.com/v1",
    url_variables: &[],
    key_variables: &["DEEPSEEK_API_KEY"],
    default_model: Some("deepseek-v4-flash"),
    models: MODELS,
    wire: &CHAT,
    quirks: &Usual,
};

static CHAT: ChatCompletions = ChatCompletions(&DeepSeekDialect);

const MODELS: &[ModelFacts] = &[
    ModelFacts::new("deepseek-v4-flash", 1_000_000).price(0.14, 0.28, 0.0028, 0.14),
    ModelFacts::new("deepseek-v4", 1_000_000),
    ModelFacts::new("deepseek", 128_000),
];

#[derive(Debug)]
struct DeepSeekDialect;

impl ChatDialect for DeepSeekDialect {
    fn limit_field(&self, _model: &str) -> &'static str {
        "max_tokens"
    }

    fn echoes_reasoning(&self) -> bool {
        true
    }

    fn efforts(&self, _model: &str) -> Vec<Effort> {
        vec![Off, Low, High, XHigh]
    }

    fn think(&self, _model: &str, effort: Effort, body: &mut Map<String, Value>) {
        let kind = if effort == Off { "disabled" } else { "enabled" };
        body.insert("thinking".to_owned(), json!({ "type": kind }));
        if effort != Off {
            let name = if effort == XHigh { "max" } else { effort.api_name() };
            body.insert("reasoning_effort".to_owned(), json!(name));
        }
    }
}
