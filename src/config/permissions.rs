//! The settings about what the agent may do.

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Config, Paths, Problem, parse};
use crate::guard::{Grants, LastingGrants, ModeSettings, PermissionMode, PermissionRule};
use crate::provider::{ModelScope, VENDORS};
use crate::text;
use crate::tool::{Timeouts, Toolbox};

/// Settings for one directory and everything below it. The deepest directory counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct ScopeSettings {
    /// The directory, such as `"~/src/app"`.
    pub path: PathBuf,
    /// How much the agent may do there without a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// The model that is asked there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// If there are any, only models that match one of these patterns may be asked there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Models that match one of these patterns may not be asked there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
}

impl ScopeSettings {
    /// What the scope says about models.
    pub(super) fn models(&self) -> ModelScope {
        let model = Some(self.model.trim().to_owned()).filter(|model| !model.is_empty());
        ModelScope { path: self.path.clone(), model, allow: self.allow.clone(), deny: self.deny.clone() }
    }
}

/// Approvals that outlive a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct GrantSettings {
    /// How many days an approval for a project or for everywhere lasts.
    #[serde(deserialize_with = "parse::whole_number")]
    pub days: u64,
}

impl Default for GrantSettings {
    fn default() -> Self {
        Self { days: 30 }
    }
}

/// The rules and modes of a configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct PermissionSettings {
    pub rules: Arc<Vec<PermissionRule>>,
    pub modes: Arc<ModeSettings>,
}

/// The built-in tool that a name was probably meant for. A rule for a misspelled tool would match nothing.
fn misspelled_tool(name: &str) -> Option<String> {
    if name.is_empty() {
        return None;
    }
    let tools = Toolbox::standard(Timeouts::default());
    let is_known = tools.names().any(|known| known == name);
    let near = || text::nearest(&name.to_lowercase(), tools.names()).map(str::to_owned);
    if is_known { None } else { near() }
}

impl Config {
    /// The rules and modes. A rule that cannot be used is reported.
    pub(crate) fn permissions(&self) -> (PermissionSettings, Vec<Problem>) {
        let (mut rules, mut problems) = (Vec::new(), Vec::new());
        for (entry, text) in self.rules.iter().enumerate() {
            if let Some(near) = misspelled_tool(&text.tool) {
                let message = format!("tool: there is no tool `{}`, did you mean `{near}`?", text.tool);
                problems.push(Problem::new(&message).key("rules").entry(entry));
            }
            match PermissionRule::new(text.clone(), "the configuration") {
                Ok(rule) => rules.push(rule),
                Err(error) => problems.push(Problem::new(&error.to_string()).key("rules").entry(entry)),
            }
        }
        let directories = self.scope.iter().filter_map(|scope| Some((scope.path.clone(), scope.mode?)));
        let modes = ModeSettings { usual: self.mode, directories: directories.collect() };
        (PermissionSettings { rules: Arc::new(rules), modes: Arc::new(modes) }, problems)
    }

    /// Problems of the directories and of the models that may be asked there. A misspelled pattern would forbid nothing.
    pub(super) fn scope_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (entry, scope) in self.scope.iter().enumerate() {
            let mut report = |message: String| problems.push(Problem::new(&message).key("scope").entry(entry));
            if !scope.path.is_absolute() && !scope.path.starts_with("~") {
                report(format!("path: `{}` matches no directory; a path begins with / or ~/", scope.path.display()));
            }
            let patterns = [("allow", &scope.allow), ("deny", &scope.deny)];
            for (key, pattern) in patterns.iter().flat_map(|(key, patterns)| patterns.iter().map(move |one| (key, one)))
            {
                if !self.names_provider(pattern) {
                    report(format!(
                        "{key}: `{pattern}` matches no model; write PROVIDER or PROVIDER/MODEL, such as openai or openai/gpt-5*"
                    ));
                }
            }
        }
        problems
    }

    /// Whether a pattern begins with the name of a provider, or with one that has a `*`.
    fn names_provider(&self, pattern: &str) -> bool {
        // What begins with a `*` covers providers too: `gpt-5*` does not.
        let name = pattern.split('/').next().unwrap_or_default();
        let is_it = |known: &str| known.eq_ignore_ascii_case(name);
        let has_star = name.contains('*') && (pattern.contains('/') || name.starts_with('*'));
        let is_built_in = has_star || is_it("custom") || VENDORS.iter().any(|vendor| is_it(vendor.name));
        is_built_in || self.providers.keys().any(|known| is_it(known))
    }

    /// The grants of a new session: its own, and those that last.
    pub(crate) fn grants(&self, paths: &Paths) -> Grants {
        let lasting = paths.grants_file().map(|file| LastingGrants::new(file, self.grants.days));
        lasting.map_or_else(Grants::default, Grants::with_lasting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_matches_no_model_is_reported() {
        let scope = |text: &str| {
            let text = format!("[providers.corp]\nbase_url = 'https://a.example'\n[[scope]]\n{text}");
            let problems = Config::parse(&text).config.scope_problems();
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let fine =
            "path = '~/a'\nallow = ['openai', 'Corp/*', 'ollama/qwen3:8b', '*', '*/gpt-*', 'o*/x']\ndeny = ['custom']";
        assert_eq!(scope(fine), Vec::<String>::new());
        let wrong = scope("path = '/a'\ndeny = ['gpt-5*', 'opanai', 'openai/gpt-5']");
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("scope: deny: `gpt-5*` matches no model; write PROVIDER"), "{wrong:?}");
        let relative = scope("path = 'work'");
        assert_eq!(relative, ["scope: path: `work` matches no directory; a path begins with / or ~/"]);
    }

    #[test]
    fn a_rule_for_a_misspelled_tool_is_reported() {
        let said = |tool: &str| {
            let text = format!("[[rules]]\ntool = '{tool}'\ndecision = 'deny'\n");
            let (settings, problems) = Config::parse(&text).config.permissions();
            assert_eq!(settings.rules.len(), 1);
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        for (tool, near) in [("bsh", "bash"), ("Bash", "bash"), ("edit-file", "edit_file")] {
            assert_eq!(said(tool), [format!("rules: tool: there is no tool `{tool}`, did you mean `{near}`?")]);
        }
        for tool in ["bash", "read_file", "mcp__github__create_issue"] {
            assert_eq!(said(tool), [""; 0]);
        }
    }
}
