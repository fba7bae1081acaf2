//! Which model a person means who has typed a name, or a part of one.

use super::effort::Effort;
use super::overview::ModelEntry;
use crate::text;

/// What a typed name stands for, among the models that providers list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MeantModel {
    /// This model.
    One(String),
    /// One of several that have these words in their names.
    Several,
    /// No model is listed under this name, but one with a name that is much like it.
    Misspelled { near: String },
    /// A model that its provider does not list, and the nearest one that it does. The provider may have it nevertheless.
    Unlisted { provider: String, near: Option<String> },
    /// Nothing is known: the name is taken as it is.
    AsTyped,
}

impl MeantModel {
    /// Finds out what is meant: the whole name, else the name without its provider, else a part of it.
    pub(crate) fn of(typed: &str, entries: &[ModelEntry]) -> MeantModel {
        let (base, effort) = match typed.rsplit_once(':') {
            Some((base, level)) if level.parse::<Effort>().is_ok() => (base, &typed[base.len()..]),
            Some(_) | None => (typed, ""),
        };
        let base = base.trim().to_lowercase();
        let listed: Vec<&str> =
            entries.iter().filter(|entry| entry.is_listed).map(|entry| entry.name.as_str()).collect();
        let provider_of = |name: &str| name.split('/').next().unwrap_or_default().to_lowercase();
        let one = |found: Vec<&str>| match found.as_slice() {
            [] => None,
            [name] => Some(MeantModel::One(format!("{name}{effort}"))),
            _ => Some(MeantModel::Several),
        };
        let matching = |fits: &dyn Fn(&str) -> bool| -> Vec<&str> {
            listed.iter().copied().filter(|name| fits(&name.to_lowercase())).collect()
        };
        let short = |name: &str| name.split_once('/').map_or(name, |(_, short)| short).to_owned();
        let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let forms = |name: &str| [name.to_owned(), short(name), last(name)];
        let near = || {
            let all: Vec<(String, &str)> =
                listed.iter().flat_map(|name| forms(name).into_iter().map(move |form| (form, *name))).collect();
            let form = text::nearest(&base, all.iter().map(|(form, _)| form.as_str()))?.to_owned();
            all.iter().find(|(known, _)| *known == form).map(|(_, name)| (*name).to_owned())
        };
        // Ollama takes a name without this end.
        if let Some(found) = one(matching(&|name| name.strip_suffix(":latest").unwrap_or(name) == base || name == base))
        {
            return found;
        }
        // A known provider was named: the rest is a model of it.
        if let Some((provider, _)) =
            base.split_once('/').filter(|(provider, _)| listed.iter().any(|name| provider_of(name) == *provider))
        {
            // Some vendors list names with dates, and take them without.
            let is_short = listed.iter().any(|name| name.to_lowercase().starts_with(&base));
            let provider = provider.to_owned();
            return if is_short { MeantModel::AsTyped } else { MeantModel::Unlisted { provider, near: near() } };
        }
        // A provider without a list, or the only name that is no part of another.
        let is_provider = entries
            .iter()
            .any(|entry| base.split_once('/').is_some_and(|(provider, _)| provider_of(&entry.name) == provider));
        one(matching(&|name| short(name) == base))
            .or_else(|| one(matching(&|name| last(name) == base)))
            .or_else(|| is_provider.then_some(MeantModel::AsTyped))
            .or_else(|| {
                (!matching(&|name| base.split_whitespace().all(|word| name.contains(word))).is_empty())
                    .then_some(MeantModel::Several)
            })
            .or_else(|| near().map(|near| MeantModel::Misspelled { near }))
            .unwrap_or(MeantModel::AsTyped)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model_traits::ModelTraits;
    use super::*;

    fn meant(typed: &str) -> MeantModel {
        let entry = |name: &str, is_listed| ModelEntry {
            name: name.to_owned(),
            window: None,
            price: None,
            traits: ModelTraits::default(),
            missing_key: None,
            is_listed,
        };
        let listed = [
            "openai/gpt-6",
            "openai/gpt-6-mini",
            "openrouter/openai/gpt-6",
            "openrouter/z-ai/glm-5",
            "openrouter/anthropic/claude-sonnet-5",
            "ollama/qwen3:8b",
            "ollama/llama3:latest",
            "anthropic/claude-sonnet-4-20250514",
        ];
        let mut entries: Vec<ModelEntry> = listed.map(|name| entry(name, true)).to_vec();
        entries.push(entry("azure/my-deployment", false));
        MeantModel::of(typed, &entries)
    }

    #[test]
    fn a_whole_name_comes_before_a_part_of_one() {
        let one = |name: &str| MeantModel::One(name.to_owned());
        assert_eq!(meant("OpenAI/GPT-6"), one("openai/gpt-6"));
        assert_eq!(meant("openai/gpt-6:high"), one("openai/gpt-6:high"));
        assert_eq!(meant("gpt-6"), one("openai/gpt-6"));
        assert_eq!(meant("z-ai/glm-5"), one("openrouter/z-ai/glm-5"));
        assert_eq!(meant("claude-sonnet-5"), one("openrouter/anthropic/claude-sonnet-5"));
        assert_eq!(meant("qwen3:8b"), one("ollama/qwen3:8b"));
        assert_eq!(meant("ollama/llama3"), one("ollama/llama3:latest"));
        assert_eq!(meant("anthropic/claude-sonnet-4"), MeantModel::AsTyped);
        assert_eq!(meant("sonnet"), MeantModel::Several);
        assert_eq!(meant("gpt mini"), MeantModel::Several);
    }

    #[test]
    fn an_unknown_name_is_said_to_be_one() {
        let near = Some("openai/gpt-6".to_owned());
        assert_eq!(meant("openai/gpt-7"), MeantModel::Unlisted { provider: "openai".into(), near });
        assert_eq!(meant("ollama/other"), MeantModel::Unlisted { provider: "ollama".into(), near: None });
        assert_eq!(meant("opanai/gpt-6"), MeantModel::Misspelled { near: "openai/gpt-6".into() });
        assert_eq!(meant("gtp-6-mini"), MeantModel::Misspelled { near: "openai/gpt-6-mini".into() });
        assert_eq!(meant("azure/other-deployment"), MeantModel::AsTyped);
        assert_eq!(meant("house-model"), MeantModel::AsTyped);
        assert_eq!(MeantModel::of("x", &[]), MeantModel::AsTyped);
    }
}
