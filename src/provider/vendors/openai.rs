//! OpenAI: its models by their generations, as both of its endpoints know them.

use serde_json::{Map, Value, json};

use super::super::ModelRequest;
use super::super::cache::{self, CacheLifetime};
use super::super::call_ids;
use super::super::catalog::ModelFacts;
use super::super::effort::Effort;
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::super::openai_responses::Responses;
use super::super::wire::{Recipient, Wire};
use super::{Quirks, Vendor};
use Effort::{High, Low, Medium, Minimal, Off, XHigh};

pub(super) const VENDOR: Vendor = Vendor {
    name: NAME,
    base_url: "https://api.openai.com/v1",
    url_variables: URL_VARIABLES,
    key_variables: &["OPENAI_API_KEY"],
    default_model: Some("gpt-6.1-sol"),
    models: MODELS,
    wire: &CHAT,
    quirks: &OpenAi,
};

pub(in super::super) const NAME: &str = "openai";

pub(super) const URL_VARIABLES: &[&str] = &["OPENAI_BASE_URL", "OPENAI_API_BASE"];

/// Chat completions as OpenAI itself takes them.
pub(super) static CHAT: ChatCompletions = ChatCompletions(&OpenAiDialect);

const MODELS: &[ModelFacts] = &[
    ModelFacts::new("gpt-6.1-sol", 1_050_000).price(2.0, 10.0, 0.1, 2.5),
    ModelFacts::new("gpt-6-sol", 1_050_000).price(2.0, 10.0, 0.2, 2.5),
    ModelFacts::new("gpt-6-luna", 1_050_000).price(0.1, 0.5, 0.01, 0.125),
    ModelFacts::new("gpt-6", 1_050_000),
    ModelFacts::new("gpt-5.6", 1_000_000),
    ModelFacts::new("gpt-5.5", 1_000_000),
    ModelFacts::new("gpt-5.4", 1_000_000).price(2.5, 15.0, 0.25, 2.5),
    ModelFacts::new("gpt-5.4-mini", 400_000).price(0.75, 4.5, 0.075, 0.75),
    ModelFacts::new("gpt-5.4-nano", 400_000).price(0.2, 1.25, 0.02, 0.2),
    ModelFacts::new("gpt-5.2", 400_000).price(1.75, 14.0, 0.175, 1.75),
    ModelFacts::new("gpt-5", 400_000).price(1.25, 10.0, 0.125, 1.25),
    ModelFacts::new("gpt-5-mini", 400_000).price(0.25, 2.0, 0.025, 0.25),
    ModelFacts::new("gpt-5-nano", 400_000).price(0.05, 0.4, 0.005, 0.05),
    ModelFacts::new("gpt-4.1", 1_047_576).price(2.0, 8.0, 0.5, 2.0),
    ModelFacts::new("gpt-4.1-mini", 1_047_576).price(0.4, 1.6, 0.1, 0.4),
    ModelFacts::new("gpt-4.1-nano", 1_047_576).price(0.1, 0.4, 0.025, 0.1),
    ModelFacts::new("gpt-4o", 128_000).price(2.5, 10.0, 1.25, 2.5),
    ModelFacts::new("gpt-4o-mini", 128_000).price(0.15, 0.6, 0.075, 0.15),
    ModelFacts::new("gpt-4-turbo", 128_000),
    ModelFacts::new("o1", 200_000),
    ModelFacts::new("o3", 200_000),
    ModelFacts::new("o4", 200_000),
];

#[derive(Debug)]
struct OpenAi;

impl Quirks for OpenAi {
    /// Models that think are asked over the newer endpoint, where they think and use tools at once.
    fn wire_for(&self, model: &str) -> Option<&'static dyn Wire> {
        if efforts(model).is_empty() { None } else { Some(&Responses) }
    }

    /// There is a host for each region.
    fn owns_host(&self, host: &str) -> bool {
        host.ends_with(".api.openai.com")
    }

    fn lends_its_variables(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct OpenAiDialect;

impl ChatDialect for OpenAiDialect {
    fn limit_field(&self, _model: &str) -> &'static str {
        "max_completion_tokens"
    }

    fn efforts(&self, model: &str) -> Vec<Effort> {
        chat_efforts(model)
    }

    /// A deployment of Azure has any name.
    fn call_id(&self, _model: &str, id: &str) -> String {
        call_ids::at_most(id, call_ids::OPENAI_CHAT)
    }

    fn cache(&self, request: &ModelRequest, to: Recipient<'_>, body: &mut Map<String, Value>) {
        if to.is_official && to.vendor == NAME {
            cache(request, body);
        }
    }
}

/// The first generation that thinks with tools on the newer endpoint only.
const RESPONSES_ONLY: (u32, u32) = (5, 4);

/// The levels of thinking that a model knows; none if it does not think.
pub(in super::super) fn efforts(model: &str) -> Vec<Effort> {
    let Some(version) = version(model) else {
        let thinks = ["o1", "o3", "o4", "codex"].iter().any(|family| model.starts_with(family));
        return if thinks { vec![Low, Medium, High] } else { vec![] };
    };
    let is = |variant: &str| model.split('-').any(|word| word == variant);
    match version {
        (..5, _) => vec![],
        _ if is("chat") => vec![],
        (5, 0) if is("pro") => vec![High],
        (5.., _) if is("pro") => vec![Medium, High, XHigh],
        (5, ..2) if is("codex") && !is("max") => vec![Low, Medium, High],
        (5.., _) if is("codex") => vec![Low, Medium, High, XHigh],
        (5, 0) => vec![Minimal, Low, Medium, High],
        (5, 1) => vec![Off, Low, Medium, High],
        (6, _) if is("astra") => vec![Low, Medium, High, XHigh],
        (6, 1..) if is("sol") => vec![Low, Medium, High, XHigh],
        (5.., _) => vec![Off, Low, Medium, High, XHigh],
    }
}

/// The levels that chat completions take, for a model with or without its maker in front: newer models refuse tools together with
/// thinking there, and we always have tools.
pub(in super::super) fn chat_efforts(model: &str) -> Vec<Effort> {
    let model = model.rsplit('/').next().unwrap_or(model);
    let efforts = efforts(model);
    let is_late = version(model).is_some_and(|version| version >= RESPONSES_ONLY);
    if is_late && !efforts.is_empty() { vec![Off] } else { efforts }
}

/// The first generation with options for its cache in place of a retention.
const CACHE_OPTIONS: (u32, u32) = (5, 6);

/// Adds the fields that say how long OpenAI's own servers keep the beginning of a request.
pub(in super::super) fn cache(request: &ModelRequest, body: &mut Map<String, Value>) {
    let has_options = version(&request.model).is_some_and(|version| version >= CACHE_OPTIONS);
    let field = match request.cache {
        CacheLifetime::Short => None,
        // The only lifetime that can be asked for.
        CacheLifetime::Long if has_options => Some(("prompt_cache_options", json!({ "ttl": "30m" }))),
        CacheLifetime::Long if has_retention(&request.model) => Some(("prompt_cache_retention", json!("24h"))),
        CacheLifetime::Long => None,
        // Without this the server writes to its cache, which costs more than plain input.
        CacheLifetime::Off if has_options => Some(("prompt_cache_options", json!({ "mode": "explicit" }))),
        CacheLifetime::Off => None,
    };
    if request.cache != CacheLifetime::Off {
        body.insert("prompt_cache_key".to_owned(), json!(cache::key(request)));
    }
    body.extend(field.map(|(name, value)| (name.to_owned(), value)));
}

/// Whether a model of an earlier generation can be kept in the cache for a day. The others refuse the field.
fn has_retention(model: &str) -> bool {
    let is_small = model.split('-').any(|word| ["mini", "nano"].contains(&word));
    let is_codex = model.contains("codex");
    match version(model) {
        Some((4, 1) | (5, 0)) => !is_small,
        Some((5, 1..=5)) => !is_small || is_codex,
        _ => false,
    }
}

/// The version of `gpt-5.4-mini`.
fn version(model: &str) -> Option<(u32, u32)> {
    let rest = model.strip_prefix("gpt-")?;
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let (major, minor) = number.split_once('.').unwrap_or((&number, "0"));
    Some((major.parse().unwrap_or(0), minor.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generation_has_its_levels() {
        let cases: [(&str, &[Effort]); 15] = [
            ("gpt-4.1-mini", &[]),
            ("gpt-oss-120b", &[]),
            ("gpt-5-chat-latest", &[]),
            ("o4-mini", &[Low, Medium, High]),
            ("gpt-5-mini-2025-08-07", &[Minimal, Low, Medium, High]),
            ("gpt-5-pro", &[High]),
            ("gpt-5-codex", &[Low, Medium, High]),
            ("gpt-5.1", &[Off, Low, Medium, High]),
            ("gpt-5.1-codex-max", &[Low, Medium, High, XHigh]),
            ("gpt-5.4-pro", &[Medium, High, XHigh]),
            ("gpt-5.3-codex", &[Low, Medium, High, XHigh]),
            ("gpt-6-sol", &[Off, Low, Medium, High, XHigh]),
            ("gpt-6.1-terra", &[Off, Low, Medium, High, XHigh]),
            ("gpt-6.1-sol", &[Low, Medium, High, XHigh]),
            ("gpt-5.4-mini", &[Off, Low, Medium, High, XHigh]),
        ];
        for (model, levels) in cases {
            assert_eq!(efforts(model), levels, "{model}");
        }
        assert_eq!(chat_efforts("gpt-5.4-mini"), [Off]);
        assert_eq!(chat_efforts("gpt-5.1"), efforts("gpt-5.1"));
        assert_eq!(chat_efforts("gpt-4.1"), []);
    }
}
