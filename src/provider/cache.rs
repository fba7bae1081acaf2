//! How long a vendor keeps the beginning of a request for the next one.

use std::hash::{DefaultHasher, Hash, Hasher};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ModelRequest;

/// How long a vendor's prompt cache keeps what a request has in common with the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheLifetime {
    /// The vendor's usual time, some minutes.
    #[default]
    Short,
    /// An hour or more, where the vendor offers it.
    Long,
    /// Nothing is marked for a cache.
    Off,
}

impl CacheLifetime {
    /// The cache mark of a block, as Anthropic defines it. `None` if nothing is to be kept.
    pub(super) fn mark(self) -> Option<Value> {
        match self {
            CacheLifetime::Short => Some(json!({ "type": "ephemeral" })),
            CacheLifetime::Long => Some(json!({ "type": "ephemeral", "ttl": "1h" })),
            CacheLifetime::Off => None,
        }
    }

    /// Marks a block: the vendor keeps everything up to this block, and reads it from its cache if the next request repeats it.
    pub(super) fn mark_block(self, block: &mut Value) {
        if let Some(mark) = self.mark() {
            block["cache_control"] = mark;
        }
    }
}

/// A name for requests that begin alike, so that a vendor sends them to the same machine. All conversations with the same tools share
/// it.
pub(super) fn key(request: &ModelRequest) -> String {
    let mut hasher = DefaultHasher::new();
    request.system.hash(&mut hasher);
    for tool in &request.tools {
        tool.name.hash(&mut hasher);
        tool.schema.to_string().hash(&mut hasher);
    }
    format!("shellmate-{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::super::Effort;
    use super::super::catalog::Price;
    use super::super::model_traits::ModelTraits;
    use super::super::protocol::Protocol;
    use super::super::testing::request;
    use super::super::vendors::Vendor;
    use super::super::wire::Recipient;
    use super::*;
    use crate::chat::{Call, Message, Outcome, Part, Role};
    use CacheLifetime::{Long, Off, Short};

    /// The body of a request with a call and its result to this vendor.
    fn body(vendor: &str, is_official: bool, model: &str, cache: CacheLifetime) -> Value {
        let vendor = Vendor::named(vendor).unwrap();
        let call = Part::Call(Call { id: "1".into(), name: "ls".into(), arguments: "{}".into() });
        let result = Part::Result { id: "1".into(), outcome: Outcome::done("a") };
        let messages = vec![
            Message::user("hi"),
            Message { role: Role::Assistant, parts: vec![call] },
            Message { role: Role::Tool, parts: vec![result] },
        ];
        let request = ModelRequest { cache, messages, ..request(model, Effort::Off) };
        let to = Recipient {
            vendor: vendor.name,
            kind: vendor.name,
            traits: ModelTraits::UNKNOWN,
            is_official,
            takes_optional: true,
            context: None,
            thinks: None,
        };
        vendor.wire_for(Some(model), vendor.base_url, Protocol::Auto).body(&request, to)
    }

    /// The fields and marks for a cache in a body.
    fn marks(body: &Value) -> Vec<String> {
        let fields = ["prompt_cache_options", "prompt_cache_retention"];
        let named = fields.iter().filter_map(|name| Some(format!("{name} {}", body.get(*name)?)));
        let has_key = body.get("prompt_cache_key").map(|_| "key".to_owned());
        let text = body.to_string();
        let mut parts = text.split("\"cache_control\":").skip(1);
        let mark = parts.next().map(|rest| rest[..=rest.find('}').unwrap()].to_owned());
        let count = parts.filter(|rest| rest.starts_with(mark.as_deref().unwrap())).count() + 1;
        has_key.into_iter().chain(named).chain(mark.map(|mark| format!("{count} × {mark}"))).collect()
    }

    #[test]
    fn each_vendor_is_told_how_long_to_keep_a_request() {
        let cases: &[(&str, &str, CacheLifetime, &[&str])] = &[
            ("anthropic", "claude-sonnet-5", Short, &[r#"4 × {"type":"ephemeral"}"#]),
            ("anthropic", "claude-sonnet-5", Long, &[r#"4 × {"ttl":"1h","type":"ephemeral"}"#]),
            ("openrouter", "anthropic/claude-sonnet-5", Short, &[r#"3 × {"type":"ephemeral"}"#]),
            ("openrouter", "anthropic/claude-sonnet-5", Long, &[r#"3 × {"ttl":"1h","type":"ephemeral"}"#]),
            ("openrouter", "openai/gpt-6-sol", Long, &[]),
            ("openai", "gpt-6-sol", Short, &["key"]),
            ("openai", "gpt-6-sol", Long, &["key", r#"prompt_cache_options {"ttl":"30m"}"#]),
            ("openai", "gpt-5.4", Long, &["key", r#"prompt_cache_retention "24h""#]),
            ("openai", "gpt-5.4-mini", Long, &["key"]),
            ("openai", "gpt-4.1", Long, &["key", r#"prompt_cache_retention "24h""#]),
            ("openai", "gpt-4o", Long, &["key"]),
            ("deepseek", "deepseek-v4-flash", Long, &[]),
            ("gemini", "gemini-3.5-flash", Long, &[]),
        ];
        for (vendor, model, cache, expected) in cases {
            assert_eq!(marks(&body(vendor, true, model, *cache)), *expected, "{vendor} {model} {cache:?}");
        }
    }

    #[test]
    fn a_request_without_a_cache_has_no_mark() {
        for (vendor, model) in [
            ("anthropic", "claude-sonnet-5"),
            ("openrouter", "anthropic/claude-sonnet-5"),
            ("openai", "gpt-5.4"),
            ("openai", "gpt-4.1"),
        ] {
            assert_eq!(marks(&body(vendor, true, model, Off)), [""; 0], "{vendor} {model}");
        }
        // These write to their cache unless they are told not to.
        assert_eq!(marks(&body("openai", true, "gpt-6-sol", Off)), [r#"prompt_cache_options {"mode":"explicit"}"#]);
    }

    #[test]
    fn a_proxy_gets_no_field_that_only_openai_knows() {
        for (vendor, model) in [("openai", "gpt-6-sol"), ("openai", "gpt-4.1"), ("azure", "gpt-4.1")] {
            assert_eq!(marks(&body(vendor, vendor == "azure", model, Long)), [""; 0], "{vendor} {model}");
        }
    }

    #[test]
    fn an_hour_in_the_cache_of_anthropic_costs_twice_the_input() {
        let price = Price { input: 3.0, output: 15.0, cached: 0.3, cache_written: 3.75 };
        let wire = super::super::wire::of(Protocol::Messages);
        assert_eq!(wire.price(price, Long).cache_written, 6.0);
        assert_eq!(wire.price(price, Short), price);
    }

    #[test]
    fn requests_with_the_same_prompt_and_tools_share_a_key() {
        let one = request("m", Effort::Off);
        let other = ModelRequest { messages: vec![Message::user("another conversation")], ..one.clone() };
        assert_eq!(key(&one), key(&other));
        assert_ne!(key(&one), key(&ModelRequest { tools: Vec::new(), ..one.clone() }));
        assert!(key(&one).len() <= 64, "OpenAI refuses longer keys");
    }
}
