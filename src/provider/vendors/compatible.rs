//! Vendors that speak plain chat completions, each in a few lines.

use super::super::catalog::ModelFacts;
use super::super::openai_chat::{self, ChatCompletions, ChatDialect, REASONING};
use super::{Usual, Vendor};

pub(super) const GROQ: Vendor = Vendor {
    models: &[ModelFacts::new("openai/gpt-oss", 131_072)],
    wire: &REASONING_CHAT,
    ..vendor("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], "openai/gpt-oss-120b")
};

pub(super) const XAI: Vendor = Vendor {
    models: &[ModelFacts::new("grok", 256_000)],
    ..vendor("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], "grok-4.5")
};

pub(super) const TOGETHER: Vendor = Vendor {
    models: &[ModelFacts::new("openai/gpt-oss", 131_072)],
    ..vendor("together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], "openai/gpt-oss-120b")
};

pub(super) const FIREWORKS: Vendor = vendor(
    "fireworks",
    "https://api.fireworks.ai/inference/v1",
    &["FIREWORKS_API_KEY"],
    "accounts/fireworks/models/gpt-oss-120b",
);

pub(super) const CEREBRAS: Vendor = Vendor {
    models: &[ModelFacts::new("gpt-oss", 131_072)],
    wire: &REASONING_CHAT,
    ..vendor("cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], "gpt-oss-120b")
};

pub(super) const ZAI: Vendor = Vendor {
    models: &[ModelFacts::new("glm", 200_000)],
    ..vendor("zai", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY", "ZHIPU_API_KEY"], "glm-4.6")
};

/// Plain chat completions with another field for thinking. These vendors refuse the usual one.
static REASONING_CHAT: ChatCompletions = ChatCompletions(&ReasoningDialect);

#[derive(Debug)]
struct ReasoningDialect;

impl ChatDialect for ReasoningDialect {
    fn reasoning_field(&self) -> &'static str {
        REASONING
    }
}

const fn vendor(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    default_model: &'static str,
) -> Vendor {
    Vendor {
        name,
        base_url,
        url_variables: &[],
        key_variables,
        default_model: Some(default_model),
        models: &[],
        wire: &openai_chat::PLAIN,
        quirks: &Usual,
    }
}
