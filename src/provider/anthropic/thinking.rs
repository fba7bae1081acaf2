//! How each generation of models is asked to think.

use serde_json::{Map, Value, json};

use super::super::Effort;
use Effort::{High, Low, Medium, Minimal, Off, XHigh};

/// The longest answer of older models, thinking included.
const OPUS_4_LIMIT: u32 = 32_000;
const LIMIT: u32 = 64_000;
/// The smallest budget that is accepted.
const LEAST_BUDGET: u32 = 1_024;

/// How a model can be asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingMode {
    /// It does not think.
    None,
    /// It thinks within a budget of tokens.
    Budget,
    /// It decides itself how long to think, guided by a level. `utmost` is the name of its highest level.
    Adaptive { unasked: Unasked, utmost: &'static str },
}

/// What a model does if it is not asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unasked {
    /// It does not think.
    Rests,
    /// It thinks unless the request turns it off.
    Thinks,
    /// It always thinks and refuses requests that turn it off.
    Insists,
}

impl ThinkingMode {
    fn of(model: &str) -> ThinkingMode {
        let Some(name) = model.strip_prefix("claude-") else { return ThinkingMode::Budget };
        // `claude-3-5-haiku-…` has the version first, `claude-opus-4-6-…` last; a date is not a minor version.
        let numbers = name.split('-').filter_map(|word| word.parse::<u32>().ok()).take_while(|number| *number < 1_000);
        let mut numbers = numbers.fuse();
        let version = (numbers.next().unwrap_or(u32::MAX), numbers.next().unwrap_or(0));
        let unasked = match version {
            _ if name.starts_with("fable") || name.starts_with("mythos") => Unasked::Insists,
            (..5, _) => Unasked::Rests,
            (5, ..5) => Unasked::Thinks,
            (5.., _) => Unasked::Insists,
        };
        match version {
            (..3, _) | (3, ..7) => ThinkingMode::None,
            (3, 7..) | (4, ..6) => ThinkingMode::Budget,
            (4, 6) => ThinkingMode::Adaptive { unasked, utmost: "max" },
            (4.., _) => ThinkingMode::Adaptive { unasked, utmost: "xhigh" },
        }
    }
}

/// The levels that a model knows.
pub(super) fn efforts(model: &str) -> Vec<Effort> {
    match ThinkingMode::of(model) {
        ThinkingMode::None => vec![Off],
        ThinkingMode::Budget => Effort::ALL.to_vec(),
        ThinkingMode::Adaptive { unasked: Unasked::Insists, .. } => vec![Low, Medium, High, XHigh],
        ThinkingMode::Adaptive { unasked: Unasked::Rests | Unasked::Thinks, .. } => vec![Off, Low, Medium, High, XHigh],
    }
}

/// Adds the limit of the answer and the fields that ask for this much thinking. A model with a budget may only think
/// if its last message with calls began with thinking: `may_begin` says whether it did.
pub(super) fn think(model: &str, effort: Effort, max_output: u32, may_begin: bool, body: &mut Map<String, Value>) {
    let mode = ThinkingMode::of(model);
    let effort = effort.nearest(&efforts(model)).unwrap_or(Off);
    let limit = if model.starts_with("claude-opus-4-") && mode == ThinkingMode::Budget { OPUS_4_LIMIT } else { LIMIT };
    let whole = max_output.saturating_add(effort.headroom()).min(limit.max(max_output));
    let budget = whole.saturating_sub(max_output).max(LEAST_BUDGET);
    let mut max_tokens = max_output;
    match (mode, effort) {
        (ThinkingMode::Adaptive { unasked: Unasked::Thinks, .. }, Off) => {
            body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
        }
        (ThinkingMode::None, _) | (ThinkingMode::Budget | ThinkingMode::Adaptive { .. }, Off) => {}
        (ThinkingMode::Budget, Minimal | Low | Medium | High | XHigh) => {
            if may_begin {
                max_tokens = max_output.saturating_add(budget);
                body.insert("thinking".to_owned(), json!({ "type": "enabled", "budget_tokens": budget }));
            }
        }
        (ThinkingMode::Adaptive { utmost, .. }, Minimal | Low | Medium | High | XHigh) => {
            max_tokens = whole;
            let name = if effort == XHigh { utmost } else { effort.name() };
            // Without this field the newest models do not send their thinking.
            body.insert("thinking".to_owned(), json!({ "type": "adaptive", "display": "summarized" }));
            body.insert("output_config".to_owned(), json!({ "effort": name }));
        }
    }
    body.insert("max_tokens".to_owned(), json!(max_tokens));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(model: &str, effort: Effort, max_output: u32) -> Value {
        let mut body = Map::new();
        think(model, effort, max_output, true, &mut body);
        Value::Object(body)
    }

    #[test]
    fn each_generation_is_asked_in_its_own_way() {
        assert_eq!(asked("claude-3-5-haiku-latest", High, 1_000), json!({ "max_tokens": 1_000 }));
        assert_eq!(
            asked("claude-sonnet-4-20250514", Low, 8_000),
            json!({ "max_tokens": 12_096, "thinking": { "type": "enabled", "budget_tokens": 4_096 } })
        );
        assert_eq!(
            asked("claude-opus-4-1", XHigh, 8_000),
            json!({ "max_tokens": 32_000, "thinking": { "type": "enabled", "budget_tokens": 24_000 } })
        );
        assert_eq!(
            asked("claude-opus-4-6", XHigh, 8_000),
            json!({
                "max_tokens": 40_768, "thinking": { "type": "adaptive", "display": "summarized" },
                "output_config": { "effort": "max" },
            })
        );
        assert_eq!(asked("claude-sonnet-5", XHigh, 8_000)["output_config"]["effort"], "xhigh");
        assert_eq!(
            asked("claude-sonnet-5", Off, 8_000),
            json!({ "max_tokens": 8_000, "thinking": { "type": "disabled" } })
        );
        assert_eq!(asked("claude-opus-4-8", Off, 8_000), json!({ "max_tokens": 8_000 }));
        assert_eq!(asked("claude-opus-5-5", Off, 8_000)["output_config"]["effort"], "low");
        assert_eq!(asked("claude-fable-5-1", Off, 8_000)["output_config"]["effort"], "low");
    }

    #[test]
    fn a_budget_is_always_less_than_the_limit_of_the_answer() {
        for model in ["claude-opus-4-1", "claude-sonnet-4-5", "claude-3-7-sonnet-latest", "someone-elses"] {
            for effort in Effort::ALL.into_iter().filter(|effort| *effort != Off) {
                for max_output in [1, 4_096, 32_000, 64_000, u32::MAX - 10_000] {
                    let body = asked(model, effort, max_output);
                    let budget = body["thinking"]["budget_tokens"].as_u64().unwrap();
                    assert!(
                        budget >= 1_024 && budget < body["max_tokens"].as_u64().unwrap(),
                        "{model} {effort} {body}"
                    );
                }
            }
        }
    }
}
