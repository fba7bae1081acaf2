//! OpenRouter: models of many makers behind one key.

use serde_json::{Map, Value, json};

use super::super::ModelRequest;
use super::super::cache::CacheLifetime;
use super::super::catalog::{ModelFacts, Price};
use super::super::effort::Effort;
use super::super::model_traits::ModelTraits;
use super::super::openai_chat::{ChatCompletions, ChatDialect, REASONING};
use super::super::wire::Recipient;
use super::{Quirks, Vendor};

pub(super) const VENDOR: Vendor = Vendor {
    name: "openrouter",
    base_url: "https://openrouter.ai/api/v1",
    url_variables: &[],
    key_variables: &["OPENROUTER_API_KEY"],
    default_model: Some("anthropic/claude-sonnet-5"),
    models: MODELS,
    wire: &CHAT,
    quirks: &OpenRouter,
};

static CHAT: ChatCompletions = ChatCompletions(&OpenRouterDialect);

const MODELS: &[ModelFacts] = &[
    ModelFacts::new("openai/gpt-6", 1_000_000),
    ModelFacts::new("openai/gpt-5", 400_000),
    ModelFacts::new("anthropic/claude", 200_000),
    ModelFacts::new("anthropic/claude-sonnet-5", 1_000_000),
    ModelFacts::new("anthropic/claude-opus-5", 1_000_000),
    ModelFacts::new("google/gemini", 1_048_576),
];

#[derive(Debug)]
struct OpenRouter;

impl Quirks for OpenRouter {
    fn is_gateway(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct OpenRouterDialect;

impl ChatDialect for OpenRouterDialect {
    fn limit_field(&self, _model: &str) -> &'static str {
        "max_tokens"
    }

    fn reasoning_field(&self) -> &'static str {
        REASONING
    }

    fn efforts(&self, _model: &str) -> Vec<Effort> {
        Effort::ALL.to_vec()
    }

    fn think(&self, _model: &str, effort: Effort, body: &mut Map<String, Value>) {
        body.insert("reasoning".to_owned(), json!({ "effort": effort.api_name() }));
    }

    /// Models of Anthropic are cached only up to a mark. Those of other makers are cached without one.
    fn cache(&self, request: &ModelRequest, _: Recipient<'_>, body: &mut Map<String, Value>) {
        let messages = body.get_mut("messages").and_then(Value::as_array_mut);
        let Some(messages) = messages.filter(|_| request.model.starts_with("anthropic/")) else { return };
        let is = |message: &Value, roles: &[&str]| roles.iter().any(|role| message["role"] == *role);
        let system = messages.iter_mut().take(1).filter(|message| is(message, &["system"]));
        system.for_each(|message| mark(message, request.cache));
        let newest = messages.iter_mut().rev().filter(|message| is(message, &["user", "tool"])).take(2);
        newest.for_each(|message| mark(message, request.cache));
    }
}

/// Marks the end of a message for the cache. Only a part of a message can have a mark.
fn mark(message: &mut Value, cache: CacheLifetime) {
    if cache == CacheLifetime::Off {
        return;
    }
    let content = &mut message["content"];
    if let Value::String(text) = content {
        *content = json!([{ "type": "text", "text": std::mem::take(text) }]);
    }
    let last = content.as_array_mut().and_then(|parts| parts.last_mut());
    last.into_iter().for_each(|part| cache.mark_block(part));
}

/// What an entry of its list says that the model can do.
pub(in super::super) fn traits(entry: &Value) -> ModelTraits {
    let holds = |path: &str, wanted: &str| Some(entry.pointer(path)?.as_array()?.iter().any(|one| one == wanted));
    let output = entry.pointer("/top_provider/max_completion_tokens").and_then(Value::as_u64);
    ModelTraits {
        output: output.and_then(|output| u32::try_from(output).ok()).filter(|output| *output > 0),
        sees: holds("/architecture/input_modalities", "image"),
        calls: holds("/supported_parameters", "tools"),
        thinks: holds("/supported_parameters", "reasoning"),
        ..ModelTraits::default()
    }
}

/// The prices in an entry of its list: dollars for one token, as text.
pub(in super::super) fn price(entry: &Value) -> Option<Price> {
    let pricing = entry.get("pricing")?;
    let million = |name: &str| pricing.get(name)?.as_str()?.parse::<f64>().ok().map(|price| price * 1e6);
    let (input, output) = (million("prompt")?, million("completion")?);
    let cached = million("input_cache_read").unwrap_or(input);
    Some(Price { input, output, cached, cache_written: million("input_cache_write").unwrap_or(input) })
}
