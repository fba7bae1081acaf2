//! Which models are asked in a directory, and which may not be.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::choose::ModelPreference;
use crate::scope;

/// The settings of one directory and everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelScope {
    /// As written, such as `~/work`.
    pub path: PathBuf,
    pub model: Option<String>,
    /// If there are any, only models that match one of these patterns may be asked.
    pub allow: Vec<String>,
    /// Models that match one of these patterns may not be asked.
    pub deny: Vec<String>,
}

/// The settings of all directories. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelScopes(Arc<[ModelScope]>);

/// The scopes that apply in the current directory, the deepest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelPolicy(Vec<ModelScope>);

impl ModelScopes {
    pub(crate) fn new(scopes: Vec<ModelScope>) -> ModelScopes {
        ModelScopes(scopes.into())
    }

    /// The scopes around a directory. A link to a directory is in the scope of that directory.
    fn around(&self, cwd: &Path, home: Option<&Path>) -> ModelPolicy {
        let depth = |scope: &ModelScope| scope::depth(&scope.path, cwd, home);
        let around = self.0.iter().filter_map(|scope| Some((depth(scope)?, scope.clone())));
        let mut around: Vec<(usize, ModelScope)> = around.collect();
        around.sort_by_key(|(depth, _)| *depth);
        ModelPolicy(around.into_iter().map(|(_, scope)| scope).collect())
    }
}

impl ModelPolicy {
    /// The model of the deepest directory that names one, and that directory.
    pub(crate) fn model(&self) -> Option<(&str, &Path)> {
        self.0.iter().rev().find_map(|scope| Some((scope.model.as_deref()?, scope.path.as_path())))
    }

    /// Checks a model, or a provider whose model is not known yet. The error is the rule that forbids it.
    ///
    /// The denials of every directory count, and the list of the deepest directory that allows some.
    pub(super) fn check(&self, provider: &str, model: Option<&str>) -> Result<(), String> {
        let rule = |name: &str, pattern: &str, scope: &ModelScope| {
            format!("`{name} = [{pattern}]` in [[scope]] of {}", scope.path.display())
        };
        for scope in &self.0 {
            if let Some(pattern) = scope.deny.iter().find(|pattern| covers(pattern, provider, model)) {
                return Err(rule("deny", &format!("\"{pattern}\""), scope));
            }
        }
        let Some(scope) = self.0.iter().rev().find(|scope| !scope.allow.is_empty()) else { return Ok(()) };
        if scope.allow.iter().any(|pattern| may_cover(pattern, provider, model)) {
            return Ok(());
        }
        let patterns: Vec<String> = scope.allow.iter().map(|pattern| format!("\"{pattern}\"")).collect();
        Err(rule("allow", &patterns.join(", "), scope))
    }
}

/// Whether a pattern (`provider`, `provider/model`, with `*` for any letters) covers a model, or every model of the provider.
fn covers(pattern: &str, provider: &str, model: Option<&str>) -> bool {
    let (of_provider, of_model) = pattern.split_once('/').unwrap_or((pattern, "*"));
    matches(of_provider, provider) && model.map_or(of_model == "*", |model| matches(of_model, model))
}

/// Whether a pattern covers a model, or some model of the provider.
fn may_cover(pattern: &str, provider: &str, model: Option<&str>) -> bool {
    let of_provider = pattern.split_once('/').map_or(pattern, |(of_provider, _)| of_provider);
    covers(pattern, provider, model) || model.is_none() && matches(of_provider, provider)
}

/// Whether a text matches a pattern with `*`, in any case of letters.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_ascii_lowercase(), text.to_ascii_lowercase());
    let Some((beginning, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(beginning) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

impl ModelPreference {
    /// These settings as they apply in a directory: with its model, and with what may be asked there.
    pub(crate) fn within(&self, cwd: &Path, home: Option<&Path>) -> ModelPreference {
        let policy = self.scopes.around(cwd, home);
        let settings = match policy.model() {
            Some((model, _)) => {
                let nothing = |_: &str| None;
                ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() }.or(self, &nothing)
            }
            None => self.clone(),
        };
        ModelPreference { policy, ..settings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(path: &str, allow: &[&str], deny: &[&str]) -> ModelScope {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        ModelScope { path: path.into(), model: None, allow: owned(allow), deny: owned(deny) }
    }

    #[test]
    fn a_pattern_names_a_provider_or_some_of_its_models() {
        for (pattern, provider, model, is_covered) in [
            ("openai", "openai", "gpt-5", true),
            ("OpenAI", "openai", "gpt-5", true),
            ("openai", "openrouter", "openai/gpt-5", false),
            ("openrouter/openai/*", "openrouter", "openai/gpt-5", true),
            ("*/gpt-*", "azure", "gpt-5", true),
            ("*/gpt-*-mini", "azure", "gpt-5", false),
            ("anthropic/claude-*-5", "anthropic", "claude-opus-5", true),
            ("*", "anything", "m", true),
            ("a*a/x", "a", "x", false),
        ] {
            assert_eq!(covers(pattern, provider, Some(model)), is_covered, "{pattern} {provider}/{model}");
        }
        assert!(covers("openai", "openai", None) && !covers("openai/gpt-5", "openai", None));
        assert!(may_cover("openai/gpt-5", "openai", None));
    }

    #[test]
    fn denials_of_every_directory_count_and_the_deepest_list_allows() {
        let scopes = ModelScopes::new(vec![
            scope("~/clients/secret", &["ollama", "corp/*"], &[]),
            scope("~/clients", &["corp"], &["corp/beta"]),
        ]);
        let check = |cwd: &str, provider: &str, model: &str| {
            scopes.around(Path::new(cwd), Some(Path::new("/home/ada"))).check(provider, Some(model))
        };
        assert_eq!(check("/home/ada", "openai", "gpt-5"), Ok(()));
        assert_eq!(check("/home/ada/clients/app", "corp", "big"), Ok(()));
        let allowed = "`allow = [\"corp\"]` in [[scope]] of ~/clients".to_owned();
        assert_eq!(check("/home/ada/clients/app", "openai", "gpt-5"), Err(allowed));
        let denied = "`deny = [\"corp/beta\"]` in [[scope]] of ~/clients".to_owned();
        assert_eq!(check("/home/ada/clients/secret", "corp", "beta"), Err(denied));
        assert_eq!(check("/home/ada/clients/secret/x", "ollama", "qwen3"), Ok(()));
        assert_eq!(check("/home/ada/clientship", "openai", "gpt-5"), Ok(()));
    }

    #[test]
    fn a_link_into_a_directory_is_in_its_scope() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("real"), place.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let scopes = ModelScopes::new(vec![scope(&real.to_string_lossy(), &[], &["*"])]);
        let is_denied = |scopes: &ModelScopes, cwd: &Path| scopes.around(cwd, None).check("openai", Some("m")).is_err();
        assert!(is_denied(&scopes, &link));
        assert!(is_denied(&scopes, &link.join("deleted/below")));
        assert!(is_denied(&scopes, &place.path().join("deleted/../link")));
        for written in ["real/", "link", "link/../real/.", "deleted/../real"] {
            let scopes = ModelScopes::new(vec![scope(&place.path().join(written).to_string_lossy(), &[], &["*"])]);
            assert!(is_denied(&scopes, &real.join("deleted")), "{written}");
            assert!(!is_denied(&scopes, place.path()), "{written}");
        }
    }

    #[test]
    fn the_depth_of_a_scope_is_that_of_its_real_directory() {
        let place = tempfile::tempdir().unwrap();
        let (outer, inner, link) = (place.path().join("a/b"), place.path().join("a/b/c/d"), place.path().join("link"));
        std::fs::create_dir_all(&inner).unwrap();
        std::os::unix::fs::symlink(&inner, &link).unwrap();
        let with = |path: &Path, model: &str| ModelScope {
            model: Some(model.to_owned()),
            ..scope(&path.to_string_lossy(), &[], &[])
        };
        let scopes = ModelScopes::new(vec![with(&link, "inner"), with(&outer, "outer")]);
        assert_eq!(scopes.around(&inner, None).model().unwrap().0, "inner");
    }

    #[test]
    fn the_model_of_the_deepest_directory_is_used() {
        let with = |path: &str, model: &str| ModelScope { model: Some(model.to_owned()), ..scope(path, &[], &[]) };
        let settings = ModelPreference {
            model: Some("mine".to_owned()),
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            scopes: ModelScopes::new(vec![with("/a", "groq/x"), with("/a/b", "openai/y")]),
            ..ModelPreference::default()
        };
        let model = |cwd: &str| settings.within(Path::new(cwd), None).model.unwrap();
        assert_eq!((model("/"), model("/a/c"), model("/a/b/c")), ("mine".into(), "groq/x".into(), "openai/y".into()));
        assert_eq!(settings.within(Path::new("/a"), None).base_url, None, "the URL is that of another provider");
    }
}
