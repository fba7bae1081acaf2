//! OpenAI's own models by their generations, as both of its endpoints know them.

use super::Effort;
use Effort::{High, Low, Medium, Minimal, Off, XHigh};

/// The first generation that thinks with tools on the newer endpoint only.
const RESPONSES_ONLY: (u32, u32) = (5, 4);

/// The levels of thinking a model knows; none of one that does not think.
pub(super) fn efforts(model: &str) -> Vec<Effort> {
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

/// The levels that chat completions take: newer models refuse tools together with thinking there, and we always have tools.
pub(super) fn chat_efforts(model: &str) -> Vec<Effort> {
    let efforts = efforts(model);
    let is_late = version(model).is_some_and(|version| version >= RESPONSES_ONLY);
    if is_late && !efforts.is_empty() { vec![Off] } else { efforts }
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
