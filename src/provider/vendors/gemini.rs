//! Google's Gemini, over its chat completions.

use serde_json::{Value, json};

use super::super::catalog::ModelFacts;
use super::super::effort::Effort;
use super::super::effort::Effort::{High, Low, Medium, Minimal, Off};
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::super::provenance::{self, Maker};
use super::{Usual, Vendor};
use crate::chat::{Message, Part};

pub(super) const VENDOR: Vendor = Vendor {
    name: "gemini",
    base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
    url_variables: &[],
    key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    default_model: Some("gemini-3.5-flash"),
    models: MODELS,
    wire: &CHAT,
    quirks: &Usual,
};

pub(in super::super) static CHAT: ChatCompletions = ChatCompletions(&GeminiDialect);

const MODELS: &[ModelFacts] = &[ModelFacts::new("gemini", 1_048_576)];

/// Google's own stand-in for the signature of a call that another model made.
const UNSIGNED: &str = "skip_thought_signature_validator";

#[derive(Debug)]
struct GeminiDialect;

impl ChatDialect for GeminiDialect {
    fn limit_field(&self, _model: &str) -> &'static str {
        "max_tokens"
    }

    fn efforts(&self, model: &str) -> Vec<Effort> {
        match model {
            _ if model.contains("gemini-2.5-flash") => vec![Off, Minimal, Low, Medium, High],
            _ if model.contains("gemini-2.0") || model.contains("gemini-1") => vec![],
            _ => vec![Minimal, Low, Medium, High],
        }
    }

    /// The first call of a message carries the signature of the thinking before it.
    fn finish_calls(&self, message: &Message, calls: &mut [Value]) {
        let ours = message.parts.iter().find_map(|part| match part {
            Part::Thinking(thinking) => provenance::open(Maker::Google, thinking.signature.as_deref()?),
            Part::Text(_) | Part::Image(_) | Part::Call(_) | Part::Result { .. } => None,
        });
        if let Some(first) = calls.first_mut() {
            first["extra_content"] = json!({ "google": { "thought_signature": ours.unwrap_or(UNSIGNED) } });
        }
    }
}

/// The signature that comes with a call, as we keep it.
pub(in super::super) fn signature(call: &Value) -> Option<String> {
    let signature = call.pointer("/extra_content/google/thought_signature")?.as_str()?;
    Some(provenance::seal(Maker::Google, signature))
}

/// The name of a listed model, whose id is a path.
pub(in super::super) fn model_name(id: &str) -> &str {
    id.strip_prefix("models/").unwrap_or(id)
}
