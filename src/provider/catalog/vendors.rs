//! One row for each vendor, in the order in which their keys are looked for; as published on 16 November 2026.

use super::super::http::Auth;
use super::super::openai_chat::{Dialect, Thinks};
use super::{Vendor, Wire};

const PLAIN: Dialect = Dialect::PLAIN;

pub static VENDORS: &[Vendor] = &[
    Vendor {
        url_variables: OPENAI_URL,
        wire: Wire::OpenAiChat(Dialect { completion_tokens: true, thinks: Thinks::OpenAi, ..PLAIN }),
        ..vendor("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"], "gpt-6.1-sol")
    },
    Vendor {
        wire: Wire::Anthropic,
        url_variables: &["ANTHROPIC_BASE_URL"],
        auth: Auth::XApiKey,
        ..vendor("anthropic", "https://api.anthropic.com", &["ANTHROPIC_API_KEY"], "claude-sonnet-5-5")
    },
    Vendor {
        wire: Wire::OpenAiChat(Dialect { thinks: Thinks::OpenRouter, ..PLAIN }),
        ..vendor("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"], "anthropic/claude-sonnet-5")
    },
    Vendor {
        wire: Wire::OpenAiChat(Dialect { thinks: Thinks::Gemini, google_signatures: true, ..PLAIN }),
        ..vendor(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            "gemini-3.5-flash",
        )
    },
    vendor("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], "openai/gpt-oss-120b"),
    Vendor {
        wire: Wire::OpenAiChat(Dialect { thinks: Thinks::DeepSeek, echoes_reasoning: true, ..PLAIN }),
        ..vendor("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], "deepseek-v4-flash")
    },
    Vendor {
        wire: Wire::OpenAiChat(Dialect { usage_option: false, short_ids: true, ..PLAIN }),
        ..vendor("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], "mistral-medium-latest")
    },
    vendor("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], "grok-4.5"),
    vendor("together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], "openai/gpt-oss-120b"),
    vendor(
        "fireworks",
        "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"],
        "accounts/fireworks/models/gpt-oss-120b",
    ),
    vendor("cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], "gpt-oss-120b"),
    Vendor {
        wire: Wire::OpenAiChat(Dialect { echoes_reasoning: true, ..PLAIN }),
        ..vendor("moonshot", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"], "kimi-latest")
    },
    vendor("zai", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY", "ZHIPU_API_KEY"], "glm-4.6"),
    // A deployment's name is its owner's choice.
    Vendor {
        url_variables: &["AZURE_OPENAI_ENDPOINT"],
        wire: Wire::OpenAiChat(Dialect { completion_tokens: true, thinks: Thinks::OpenAi, ..PLAIN }),
        auth: Auth::ApiKey,
        default_model: None,
        ..vendor("azure", "", &["AZURE_OPENAI_API_KEY"], "")
    },
    local("ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("llamacpp", "http://127.0.0.1:8080/v1"),
    local("vllm", "http://127.0.0.1:8000/v1"),
];

/// A server at a URL that is nobody's we know. It may want a key, and has its own models.
pub(in super::super) static CUSTOM: Vendor =
    Vendor { url_variables: OPENAI_URL, key_variables: &["OPENAI_API_KEY"], ..local("custom", "") };

const OPENAI_URL: &[&str] = &["OPENAI_BASE_URL", "OPENAI_API_BASE"];

const fn vendor(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    default_model: &'static str,
) -> Vendor {
    Vendor {
        name,
        wire: Wire::OpenAiChat(PLAIN),
        base_url,
        url_variables: &[],
        key_variables,
        default_model: Some(default_model),
        auth: Auth::Bearer,
    }
}

/// A server on this machine: it needs no key, and has whatever model its owner gave it.
const fn local(name: &'static str, base_url: &'static str) -> Vendor {
    Vendor {
        name,
        wire: Wire::OpenAiChat(PLAIN),
        base_url,
        url_variables: &[],
        key_variables: &[],
        default_model: None,
        auth: Auth::Bearer,
    }
}
