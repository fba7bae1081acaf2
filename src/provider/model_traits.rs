//! What a model can do and how it wants to be asked, apart from its vendor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::effort::Effort;
use super::protocol::Protocol;
use super::wire::Wire;
use Effort::{High, Low, Medium, Minimal, Off};

/// What is known of a model. `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ModelTraits {
    /// The most tokens of one answer.
    pub output: Option<u32>,
    /// Whether it reads pictures.
    pub sees: Option<bool>,
    /// Whether it can call tools.
    pub calls: Option<bool>,
    /// Whether it can think.
    pub thinks: Option<bool>,
    pub thinking: ThinkingFormat,
    /// Whether the thinking that led to calls is sent back with them.
    pub echoes: Option<bool>,
}

/// How a server with chat completions is told how hard to think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ThinkingFormat {
    /// As the provider usually does.
    #[default]
    Auto,
    /// Nothing is sent.
    None,
    /// `reasoning_effort`.
    Openai,
    /// `reasoning`, with an effort in it.
    Openrouter,
    /// `enable_thinking`.
    Qwen,
    /// `enable_thinking` in `chat_template_kwargs`.
    QwenTemplate,
    /// `thinking`, with a type in it.
    Deepseek,
}

impl ThinkingFormat {
    /// The levels that can be asked for. `None` where the provider decides.
    pub(super) fn efforts(self) -> Option<Vec<Effort>> {
        match self {
            ThinkingFormat::Auto => None,
            ThinkingFormat::None => Some(Vec::new()),
            ThinkingFormat::Openai => Some(vec![Minimal, Low, Medium, High]),
            ThinkingFormat::Openrouter => Some(Effort::ALL.to_vec()),
            ThinkingFormat::Qwen | ThinkingFormat::QwenTemplate | ThinkingFormat::Deepseek => Some(vec![Off, Medium]),
        }
    }

    /// Adds the fields that ask for this level, which is one of [`ThinkingFormat::efforts`].
    pub(super) fn ask(self, effort: Effort, body: &mut Map<String, Value>) {
        let is_on = effort != Off;
        let (field, value) = match self {
            ThinkingFormat::Auto | ThinkingFormat::None => return,
            ThinkingFormat::Openai => ("reasoning_effort", json!(effort.api_name())),
            ThinkingFormat::Openrouter => ("reasoning", json!({ "effort": effort.api_name() })),
            ThinkingFormat::Qwen => ("enable_thinking", json!(is_on)),
            ThinkingFormat::QwenTemplate => ("chat_template_kwargs", json!({ "enable_thinking": is_on })),
            ThinkingFormat::Deepseek => ("thinking", json!({ "type": if is_on { "enabled" } else { "disabled" } })),
        };
        body.insert(field.to_owned(), value);
    }
}

impl ModelTraits {
    /// Nothing is known.
    #[cfg(test)]
    pub(super) const UNKNOWN: ModelTraits = ModelTraits {
        output: None,
        sees: None,
        calls: None,
        thinks: None,
        thinking: ThinkingFormat::Auto,
        echoes: None,
    };

    /// What the name of a model says, wherever it is served. The name may have a maker in front (`deepseek/deepseek-v4`).
    pub(super) fn of_name(model: &str) -> ModelTraits {
        let name = model.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        // The names of models that see end with these, or contain them.
        let sees = match () {
            () if has(&["-vl", "vl-", "vision", "omni", "llava", "pixtral", "glm-4.5v", "glm-4.6v"]) => Some(true),
            () if has(&["gpt-4o", "gpt-4.1", "gpt-5", "gpt-6", "claude", "gemini"]) => Some(true),
            () if has(&["gpt-oss", "deepseek", "glm-4", "codestral", "devstral", "gpt-3.5", "qwen3-coder"]) => {
                Some(false)
            }
            () => None,
        };
        // These models lose track of their calls without the thinking that led to them.
        let echoes = has(&["deepseek", "qwen", "qwq"]).then_some(true);
        ModelTraits { sees, echoes, ..ModelTraits::default() }
    }

    /// The levels of thinking that this model can be asked for on a wire. Every wire has a model that is told nothing; the other formats
    /// are those of chat completions.
    pub(super) fn efforts(self, wire: &dyn Wire, model: &str) -> Vec<Effort> {
        let is_possible = |levels: &Vec<Effort>| levels.is_empty() || wire.protocol() == Protocol::Chat;
        let configured = self.thinking.efforts().filter(is_possible);
        configured.unwrap_or_else(|| wire.efforts(model))
    }

    /// These traits, and those of `other` where these do not know.
    pub(super) fn or(self, other: ModelTraits) -> ModelTraits {
        ModelTraits {
            output: self.output.or(other.output),
            sees: self.sees.or(other.sees),
            calls: self.calls.or(other.calls),
            thinks: self.thinks.or(other.thinks),
            thinking: if self.thinking == ThinkingFormat::Auto { other.thinking } else { self.thinking },
            echoes: self.echoes.or(other.echoes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_family() {
        let traits = |name| {
            let ModelTraits { sees, echoes, .. } = ModelTraits::of_name(name);
            (sees, echoes)
        };
        assert_eq!(traits("deepseek-ai/DeepSeek-V4"), (Some(false), Some(true)));
        assert_eq!(traits("Qwen/Qwen3-VL-8B"), (Some(true), Some(true)));
        assert_eq!(traits("qwen3:8b"), (None, Some(true)));
        assert_eq!(traits("openai/gpt-oss-120b"), (Some(false), None));
        assert_eq!(traits("anthropic/claude-sonnet-5"), (Some(true), None));
        assert_eq!(traits("house-model"), (None, None));
    }

    #[test]
    fn each_format_has_its_field() {
        let asked = |format: ThinkingFormat, effort| {
            let mut body = Map::new();
            format.ask(effort, &mut body);
            Value::Object(body)
        };
        assert_eq!(asked(ThinkingFormat::Openai, High), json!({ "reasoning_effort": "high" }));
        assert_eq!(asked(ThinkingFormat::Openrouter, Low), json!({ "reasoning": { "effort": "low" } }));
        assert_eq!(asked(ThinkingFormat::Qwen, Off), json!({ "enable_thinking": false }));
        let template = json!({ "chat_template_kwargs": { "enable_thinking": true } });
        assert_eq!(asked(ThinkingFormat::QwenTemplate, Medium), template);
        assert_eq!(asked(ThinkingFormat::Deepseek, Off), json!({ "thinking": { "type": "disabled" } }));
        assert_eq!(asked(ThinkingFormat::None, High), json!({}));
        for format in [ThinkingFormat::Openai, ThinkingFormat::Deepseek, ThinkingFormat::Qwen] {
            let levels = format.efforts().unwrap();
            assert!(levels.iter().all(|level| asked(format, *level) != json!({})));
        }
    }
}
