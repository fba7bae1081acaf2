//! In what those who speak chat completions differ.

use serde_json::{Map, Value, json};

use super::super::{Effort, openai};

/// How one vendor's requests differ from the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Dialect {
    /// The answer's length is limited by `max_completion_tokens`, not `max_tokens`.
    pub(in super::super) completion_tokens: bool,
    /// Usage comes only if `stream_options` asks for it, and asking is allowed.
    pub(in super::super) usage_option: bool,
    /// Reasoning that led to calls must be sent back with them.
    pub(in super::super) echoes_reasoning: bool,
    /// Ids of calls have nine letters or digits.
    pub(in super::super) short_ids: bool,
    /// The first call of a message carries Google's signature.
    pub(in super::super) google_signatures: bool,
    pub(in super::super) thinks: Thinks,
}

/// How thinking is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Thinks {
    /// `reasoning_effort` for the open models known to take it, nothing for others: many servers refuse a field they do not know.
    Plain,
    OpenAi,
    OpenRouter,
    Gemini,
    DeepSeek,
}

use Effort::{High, Low, Medium, Minimal, Off, XHigh};

impl Dialect {
    /// A server of which nothing else is known.
    pub(in super::super) const PLAIN: Dialect = Dialect {
        completion_tokens: false,
        usage_option: true,
        echoes_reasoning: false,
        short_ids: false,
        google_signatures: false,
        thinks: Thinks::Plain,
    };

    /// The dialect in which to ask for this model: behind a proxy, OpenAI's own models are still as particular.
    pub(super) fn with(self, model: &str) -> Dialect {
        let name = model.rsplit('/').next().unwrap_or(model);
        match self.thinks {
            Thinks::Plain if !openai::chat_efforts(name).is_empty() => {
                Dialect { completion_tokens: true, thinks: Thinks::OpenAi, ..self }
            }
            Thinks::Plain | Thinks::OpenAi | Thinks::OpenRouter | Thinks::Gemini | Thinks::DeepSeek => self,
        }
    }

    /// The levels a model knows; none where it cannot be told.
    pub(in super::super) fn efforts(self, model: &str) -> Vec<Effort> {
        match self.with(model).thinks {
            Thinks::Plain if model.contains("gpt-oss") => vec![Low, Medium, High],
            Thinks::Plain => vec![],
            Thinks::OpenAi => openai::chat_efforts(model.rsplit('/').next().unwrap_or(model)),
            Thinks::OpenRouter => Effort::ALL.to_vec(),
            Thinks::Gemini if model.contains("gemini-2.5-flash") => vec![Off, Minimal, Low, Medium, High],
            Thinks::Gemini if model.contains("gemini-2.0") || model.contains("gemini-1") => vec![],
            Thinks::Gemini => vec![Minimal, Low, Medium, High],
            Thinks::DeepSeek => vec![Off, Low, High, XHigh],
        }
    }

    /// Adds the fields that ask for this much thinking.
    pub(super) fn think(self, model: &str, effort: Effort, body: &mut Map<String, Value>) {
        let Some(effort) = effort.nearest(&self.efforts(model)) else { return };
        let name = match effort {
            Off => "none",
            Minimal | Low | Medium | High | XHigh => effort.name(),
        };
        match self.thinks {
            Thinks::Plain | Thinks::OpenAi | Thinks::Gemini => {
                body.insert("reasoning_effort".to_owned(), json!(name));
            }
            Thinks::OpenRouter => {
                body.insert("reasoning".to_owned(), json!({ "effort": name }));
            }
            Thinks::DeepSeek => {
                let kind = if effort == Off { "disabled" } else { "enabled" };
                body.insert("thinking".to_owned(), json!({ "type": kind }));
                if effort != Off {
                    let name = if effort == XHigh { "max" } else { name };
                    body.insert("reasoning_effort".to_owned(), json!(name));
                }
            }
        }
    }
}
