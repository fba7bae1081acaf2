//! The settings that a project brings: rules and a mode.

use serde::Deserialize;
use toml::{Table, Value};

use crate::guard::{PermissionMode, PermissionRule, RuleDecision, RuleText};

/// The most rules of a project.
const MOST_RULES: usize = 200;

/// The rules and the mode of a project's `config.toml`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProjectSettings {
    pub rules: Vec<PermissionRule>,
    pub mode: Option<PermissionMode>,
    /// What was left out, for the person.
    pub problems: Vec<String>,
}

impl ProjectSettings {
    /// Reads the file. `origin` names it for the person.
    pub(crate) fn parse(text: &[u8], origin: &str) -> ProjectSettings {
        let mut settings = ProjectSettings::default();
        let table: Table = match std::str::from_utf8(text).map(toml::from_str) {
            Ok(Ok(table)) => table,
            Ok(Err(error)) => {
                settings.problems.push(format!("{origin} is not used: {}", error.message()));
                return settings;
            }
            Err(_) => {
                settings.problems.push(format!("{origin} is not used: it is not text"));
                return settings;
            }
        };
        for (key, value) in table {
            match (key.as_str(), value) {
                ("mode", Value::String(name)) if PermissionMode::from_name(&name).is_some() => {
                    settings.mode = PermissionMode::from_name(&name);
                }
                ("mode", _) => settings.problems.push(format!("{origin}: the mode is none of ask, auto and plan")),
                ("rules", Value::Array(rules)) => settings.add_rules(rules, origin),
                _ => {
                    settings.problems.push(format!("{origin}: a project can set only `mode` and `rules`, not `{key}`"))
                }
            }
        }
        settings
    }

    fn add_rules(&mut self, rules: Vec<Value>, origin: &str) {
        for rule in rules.into_iter().take(MOST_RULES) {
            let text = RuleText::deserialize(rule).map_err(|error| error.message().to_owned());
            match text.and_then(|text| PermissionRule::new(text, origin).map_err(|error| error.to_string())) {
                Ok(rule) => self.rules.push(rule),
                Err(why) => self.problems.push(format!("{origin}: a rule is not used: {why}")),
            }
        }
    }

    /// The part that can only narrow: rules that forbid or ask, and a mode that is not `auto`.
    pub(crate) fn narrowing(mut self) -> ProjectSettings {
        self.rules.retain(|rule| rule.decision() != RuleDecision::Allow);
        self.mode = self.mode.filter(|mode| *mode != PermissionMode::Auto);
        self
    }
}
