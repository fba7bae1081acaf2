//! Windows and list prices, for the shortest context and without discounts, as the vendors published them on 16 November 2026.

use super::{Model, Price};

pub(super) static MODELS: &[Model] = &[
    openai("gpt-6.1-sol", 1_050_000, price(2.0, 10.0, 0.1, 2.5)),
    openai("gpt-6-sol", 1_050_000, price(2.0, 10.0, 0.2, 2.5)),
    openai("gpt-6-luna", 1_050_000, price(0.1, 0.5, 0.01, 0.125)),
    unpriced("openai", "gpt-6", 1_050_000),
    unpriced("openai", "gpt-5.6", 1_000_000),
    unpriced("openai", "gpt-5.5", 1_000_000),
    openai("gpt-5.4", 1_000_000, price(2.5, 15.0, 0.25, 2.5)),
    openai("gpt-5.4-mini", 400_000, price(0.75, 4.5, 0.075, 0.75)),
    openai("gpt-5.4-nano", 400_000, price(0.2, 1.25, 0.02, 0.2)),
    openai("gpt-5.2", 400_000, price(1.75, 14.0, 0.175, 1.75)),
    openai("gpt-5", 400_000, price(1.25, 10.0, 0.125, 1.25)),
    openai("gpt-5-mini", 400_000, price(0.25, 2.0, 0.025, 0.25)),
    openai("gpt-5-nano", 400_000, price(0.05, 0.4, 0.005, 0.05)),
    openai("gpt-4.1", 1_047_576, price(2.0, 8.0, 0.5, 2.0)),
    openai("gpt-4.1-mini", 1_047_576, price(0.4, 1.6, 0.1, 0.4)),
    openai("gpt-4.1-nano", 1_047_576, price(0.1, 0.4, 0.025, 0.1)),
    openai("gpt-4o", 128_000, price(2.5, 10.0, 1.25, 2.5)),
    openai("gpt-4o-mini", 128_000, price(0.15, 0.6, 0.075, 0.15)),
    unpriced("openai", "gpt-4-turbo", 128_000),
    unpriced("openai", "o1", 200_000),
    unpriced("openai", "o3", 200_000),
    unpriced("openai", "o4", 200_000),
    anthropic("claude-fable-5", 1_000_000, price(10.0, 50.0, 1.0, 12.5)),
    anthropic("claude-fable-5-1", 1_000_000, price(10.0, 50.0, 0.25, 12.5)),
    anthropic("claude-mythos-5", 1_000_000, price(10.0, 50.0, 1.0, 12.5)),
    anthropic("claude-mythos-5-1", 1_000_000, price(10.0, 50.0, 0.25, 12.5)),
    anthropic("claude-opus-5-5", 1_000_000, price(4.0, 20.0, 0.2, 5.0)),
    anthropic("claude-opus-5", 1_000_000, price(5.0, 25.0, 0.5, 6.25)),
    anthropic("claude-opus-4-8", 1_000_000, price(5.0, 25.0, 0.5, 6.25)),
    anthropic("claude-opus-4-7", 1_000_000, price(5.0, 25.0, 0.5, 6.25)),
    anthropic("claude-opus-4-6", 200_000, price(5.0, 25.0, 0.5, 6.25)),
    anthropic("claude-opus-4-5", 200_000, price(5.0, 25.0, 0.5, 6.25)),
    anthropic("claude-opus-4", 200_000, price(15.0, 75.0, 1.5, 18.75)),
    anthropic("claude-sonnet-5", 1_000_000, price(2.0, 10.0, 0.2, 2.5)),
    anthropic("claude-sonnet-5-5", 1_000_000, price(2.0, 10.0, 0.2, 2.5)),
    anthropic("claude-sonnet-4", 200_000, price(3.0, 15.0, 0.3, 3.75)),
    anthropic("claude-3-7-sonnet", 200_000, price(3.0, 15.0, 0.3, 3.75)),
    unpriced("anthropic", "claude-haiku-5-5", 1_000_000),
    anthropic("claude-haiku-4-5", 200_000, price(1.0, 5.0, 0.1, 1.25)),
    anthropic("claude-3-5-haiku", 200_000, price(0.8, 4.0, 0.08, 1.0)),
    unpriced("anthropic", "claude", 200_000),
    unpriced("gemini", "gemini", 1_048_576),
    Model { vendor: "deepseek", ..openai("deepseek-v4-flash", 1_000_000, price(0.14, 0.28, 0.0028, 0.14)) },
    unpriced("deepseek", "deepseek-v4", 1_000_000),
    unpriced("deepseek", "deepseek", 128_000),
    unpriced("groq", "openai/gpt-oss", 131_072),
    unpriced("together", "openai/gpt-oss", 131_072),
    unpriced("cerebras", "gpt-oss", 131_072),
    unpriced("mistral", "mistral", 128_000),
    unpriced("mistral", "devstral", 128_000),
    unpriced("mistral", "codestral", 256_000),
    unpriced("xai", "grok", 256_000),
    unpriced("moonshot", "kimi", 256_000),
    unpriced("zai", "glm", 200_000),
    unpriced("openrouter", "openai/gpt-6", 1_000_000),
    unpriced("openrouter", "openai/gpt-5", 400_000),
    unpriced("openrouter", "anthropic/claude", 200_000),
    unpriced("openrouter", "anthropic/claude-sonnet-5", 1_000_000),
    unpriced("openrouter", "anthropic/claude-opus-5", 1_000_000),
    unpriced("openrouter", "google/gemini", 1_048_576),
];

const fn price(input: f64, output: f64, cached: f64, cache_written: f64) -> Price {
    Price { input, output, cached, cache_written }
}

const fn openai(prefix: &'static str, context_window: u32, price: Price) -> Model {
    Model { vendor: "openai", prefix, context_window, price: Some(price) }
}

const fn anthropic(prefix: &'static str, context_window: u32, price: Price) -> Model {
    Model { vendor: "anthropic", prefix, context_window, price: Some(price) }
}

const fn unpriced(vendor: &'static str, prefix: &'static str, context_window: u32) -> Model {
    Model { vendor, prefix, context_window, price: None }
}
