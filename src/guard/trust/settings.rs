//! The settings that a project brings: rules and a mode.

use serde::Deserialize;
use toml::{Table, Value};

use crate::guard::{PermissionMode, PermissionRule, RuleDecision, RuleText};

/// The most rules of a project.
const MOST_RULES: usize = 200;

/// The rules and the mode of a project's `config.toml`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProjectSettings {
    pub rules: Vec<ProjectRule>,
    pub mode: Option<PermissionMode>,
    /// The settings that do not count.
    pub refused: Vec<RefusedSetting>,
    /// The file, as the person knows it.
    origin: String,
}

/// A rule of a project.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRule {
    pub rule: PermissionRule,
    /// Its place among the rules of the file.
    pub entry: usize,
}

/// A setting of a project that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedSetting {
    /// `None` if the whole file is refused.
    pub key: Option<String>,
    /// Its place among the rules of the file.
    pub entry: Option<usize>,
    /// The reason, for the person.
    pub why: String,
    pub kind: RefusalKind,
}

/// Why a setting of a project does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// It is wrong, or no project may set it.
    Mistake,
    /// It would allow more, and the project is not trusted.
    Untrusted,
    /// A setting of the person has precedence.
    Overruled,
}

impl ProjectSettings {
    /// Reads the file. `origin` names it for the person.
    pub(crate) fn parse(text: &[u8], origin: &str) -> ProjectSettings {
        let mut settings = ProjectSettings { origin: origin.to_owned(), ..ProjectSettings::default() };
        let table: Table = match std::str::from_utf8(text).map(toml::from_str) {
            Ok(Ok(table)) => table,
            Ok(Err(error)) => {
                settings.refuse(None, None, error.message().to_owned(), RefusalKind::Mistake);
                return settings;
            }
            Err(_) => {
                settings.refuse(None, None, "it is not text".to_owned(), RefusalKind::Mistake);
                return settings;
            }
        };
        for (key, value) in table {
            match (key.as_str(), value) {
                ("mode", Value::String(name)) if PermissionMode::from_name(&name).is_some() => {
                    settings.mode = PermissionMode::from_name(&name);
                }
                ("mode", _) => settings.mistake("mode", None, "`mode` has to be ask, auto or plan".to_owned()),
                ("rules", Value::Array(rules)) => settings.add_rules(rules),
                (key, _) => {
                    let why = format!("a project can set only `mode` and `rules`, not `{key}`");
                    settings.mistake(key, None, why);
                }
            }
        }
        settings
    }

    fn add_rules(&mut self, rules: Vec<Value>) {
        if rules.len() > MOST_RULES {
            self.mistake("rules", Some(MOST_RULES), format!("only the first {MOST_RULES} rules are used"));
        }
        for (entry, rule) in rules.into_iter().take(MOST_RULES).enumerate() {
            let text = RuleText::deserialize(rule).map_err(|error| error.message().to_owned());
            match text.and_then(|text| PermissionRule::new(text, &self.origin).map_err(|error| error.to_string())) {
                Ok(rule) => self.rules.push(ProjectRule { rule, entry }),
                Err(why) => self.mistake("rules", Some(entry), format!("a rule is not used: {why}")),
            }
        }
    }

    fn mistake(&mut self, key: &str, entry: Option<usize>, why: String) {
        self.refuse(Some(key), entry, why, RefusalKind::Mistake);
    }

    fn refuse(&mut self, key: Option<&str>, entry: Option<usize>, why: String, kind: RefusalKind) {
        self.refused.push(RefusedSetting { key: key.map(str::to_owned), entry, why, kind });
    }

    /// The mistakes in the file, one line each.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let mistakes = self.refused.iter().filter(|refused| refused.kind == RefusalKind::Mistake);
        mistakes.map(|refused| match &refused.key {
            Some(_) => format!("{}: {}", self.origin, refused.why),
            None => format!("{} is not used: {}", self.origin, refused.why),
        })
    }

    /// The part that can only narrow: rules that forbid or ask, and a mode that is not `auto`.
    pub(crate) fn narrowing(mut self) -> ProjectSettings {
        let (allowed, narrow) = self.rules.drain(..).partition(|rule| rule.rule.decision() == RuleDecision::Allow);
        self.rules = narrow;
        let allowed: Vec<ProjectRule> = allowed;
        for rule in allowed {
            let why = "a rule that allows counts once you trust the project (`shellmate trust`)".to_owned();
            self.refuse(Some("rules"), Some(rule.entry), why, RefusalKind::Untrusted);
        }
        if self.mode == Some(PermissionMode::Auto) {
            let why = "mode `auto` counts once you trust the project (`shellmate trust`)".to_owned();
            self.refuse(Some("mode"), None, why, RefusalKind::Untrusted);
            self.mode = None;
        }
        self
    }

    /// The person's own mode for the directory counts instead.
    pub(crate) fn overrule_mode(&mut self) {
        if let Some(mode) = self.mode.take() {
            let why =
                format!("mode `{}` is less strict than the one of your [[scope]] for this directory", mode.name());
            self.refuse(Some("mode"), None, why, RefusalKind::Overruled);
        }
    }
}
