//! Rules that the person has written: `[[rules]]` in the configuration, `--allow` and `--deny` of `ask`.

use std::fmt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Surroundings;

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RuleDecision {
    Allow,
    Ask,
    Deny,
}

impl fmt::Display for RuleDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RuleDecision::Allow => "allow",
            RuleDecision::Ask => "ask",
            RuleDecision::Deny => "deny",
        })
    }
}

/// A rule as it is written. A call must match every condition that is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RuleText {
    /// The tool, such as `bash` or `edit_file`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Files and directories, with `*`, `?` and `**`. A directory stands for everything in it. Relative paths begin at the project's root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// A command, word by word. `*` stands for one word or a part of one, and at the end for any further words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The host of an address that a command names. `*.example.org` stands for all hosts below it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    pub decision: RuleDecision,
    /// Shown to you and told to the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleError {
    #[error("a rule needs at least one of tool, path, command and host")]
    Empty,
    #[error("the path {path:?} of a rule is not a pattern: {why}")]
    Path { path: String, why: String },
    #[error("the command {command:?} of a rule is not a pattern: {why}")]
    Command { command: String, why: String },
    #[error("the host {0:?} of a rule matches no host; write the name alone, such as example.org")]
    Host(String),
}

/// A rule that can be matched.
#[derive(Debug, Clone)]
pub(crate) struct PermissionRule {
    pub(super) text: RuleText,
    path: Option<PathPattern>,
    command: Option<CommandPattern>,
    /// Where the rule comes from: a file, or an option.
    origin: String,
}

/// What a rule is compared with: one path, or one part of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) tool: &'a str,
    pub(super) path: Option<&'a Path>,
    /// The words of a command.
    pub(super) words: Option<&'a [String]>,
}

impl PermissionRule {
    pub(crate) fn new(text: RuleText, origin: impl Into<String>) -> Result<PermissionRule, RuleError> {
        let filled = |text: &str| !text.trim().is_empty();
        if ![&text.tool, &text.path, &text.command, &text.host].into_iter().any(|text| filled(text)) {
            return Err(RuleError::Empty);
        }
        let path = filled(&text.path).then(|| PathPattern::new(&text.path)).transpose()?;
        let command = filled(&text.command).then(|| CommandPattern::new(&text.command)).transpose()?;
        if text.host.contains(['/', ':', '@']) {
            return Err(RuleError::Host(text.host));
        }
        Ok(PermissionRule { text, path, command, origin: origin.into() })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The rule as it is written.
    pub(crate) fn text(&self) -> &RuleText {
        &self.text
    }

    pub(crate) fn decision(&self) -> RuleDecision {
        self.text.decision
    }

    /// Whether a call matches every condition.
    pub(super) fn matches(&self, candidate: Candidate<'_>, around: &Surroundings<'_>) -> bool {
        let RuleText { tool, host, .. } = &self.text;
        let hosts = || candidate.words.map(hosts).unwrap_or_default();
        (tool.is_empty() || tool == candidate.tool)
            && self.path.as_ref().is_none_or(|pattern| candidate.path.is_some_and(|path| pattern.covers(path, around)))
            && self.command.as_ref().is_none_or(|pattern| candidate.words.is_some_and(|words| pattern.covers(words)))
            && (host.is_empty() || matches_host(host, &hosts(), self.text.decision))
    }

    /// Whether the rule names exactly this path, without a wildcard. Only such a rule lifts a built-in denial.
    pub(super) fn names_path(&self, path: &Path, around: &Surroundings<'_>) -> bool {
        self.path.as_ref().is_some_and(|pattern| pattern.is_literal() && pattern.covers(path, around))
    }

    /// The directory or file that the rule names without a wildcard.
    pub(super) fn literal_path(&self, around: &Surroundings<'_>) -> Option<PathBuf> {
        self.path.as_ref().filter(|pattern| pattern.is_literal()).map(|pattern| pattern.place(around))
    }

    /// Whether the rule names exactly these words, without a wildcard.
    pub(super) fn names_command(&self, words: &[String]) -> bool {
        self.command.as_ref().is_some_and(|pattern| pattern.is_literal() && pattern.covers(words))
    }

    /// How narrow the rule is: the number of its conditions, then the letters of its patterns without wildcards.
    pub(super) fn specificity(&self) -> (usize, usize) {
        let RuleText { tool, path, command, host, .. } = &self.text;
        let conditions = [tool, path, command, host];
        let letters = |text: &str| text.chars().filter(|c| !matches!(c, '*' | '?')).count();
        let given = conditions.iter().filter(|text| !text.is_empty()).count();
        (given, conditions.iter().map(|text| letters(text)).sum())
    }
}

impl fmt::Display for PermissionRule {
    /// The rule in one line: `deny command "git push *" (no pushing today)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleText { tool, path, command, host, decision, reason } = &self.text;
        write!(f, "{decision}")?;
        for (name, value) in [("tool", tool), ("path", path), ("command", command), ("host", host)] {
            if !value.is_empty() {
                write!(f, " {name} {value:?}")?;
            }
        }
        if reason.is_empty() { Ok(()) } else { write!(f, " ({reason})") }
    }
}

/// A pattern for paths.
#[derive(Debug, Clone)]
struct PathPattern {
    text: String,
    glob: GlobMatcher,
}

impl PathPattern {
    fn new(text: &str) -> Result<PathPattern, RuleError> {
        let trimmed = text.trim().trim_end_matches('/');
        let text = if trimmed.is_empty() { "/" } else { trimmed }.to_owned();
        // The part below the home directory or the project's root is compared on its own.
        let below = text.strip_prefix("~/").unwrap_or(&text);
        let glob = GlobBuilder::new(below).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| RuleError::Path { path: text.clone(), why: error.kind().to_string() })?;
        Ok(PathPattern { glob: glob.compile_matcher(), text })
    }

    /// Whether a path, or a directory above it, matches.
    fn covers(&self, path: &Path, around: &Surroundings<'_>) -> bool {
        if self.text == "~" {
            return around.home.is_some_and(|home| path.starts_with(home));
        }
        let base = match () {
            () if self.text.starts_with('/') => return path.ancestors().any(|path| self.glob.is_match(path)),
            () if self.text.starts_with("~/") => around.home,
            () => Some(around.project),
        };
        let below = base.and_then(|base| path.strip_prefix(base).ok());
        below.is_some_and(|below| below.ancestors().any(|path| self.glob.is_match(path)))
    }

    fn is_literal(&self) -> bool {
        !self.text.contains(['*', '?', '[', '{', '\\'])
    }

    /// The absolute path of a pattern without wildcards.
    fn place(&self, around: &Surroundings<'_>) -> PathBuf {
        match (self.text.strip_prefix('~'), around.home) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => around.project.join(&self.text),
        }
    }
}

/// A pattern for the words of a command.
#[derive(Debug, Clone)]
struct CommandPattern {
    words: Vec<GlobMatcher>,
    /// Whether further words may follow.
    is_open: bool,
    is_literal: bool,
}

impl CommandPattern {
    fn new(text: &str) -> Result<CommandPattern, RuleError> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let is_open = words.last() == Some(&"*");
        if is_open {
            words.pop();
        }
        let is_literal = !is_open && !text.contains(['*', '?', '[', '{']);
        let failure =
            |error: globset::Error| RuleError::Command { command: text.to_owned(), why: error.kind().to_string() };
        let compile = |word: &&str| Ok(GlobBuilder::new(word).build().map_err(failure)?.compile_matcher());
        Ok(CommandPattern { words: words.iter().map(compile).collect::<Result<_, _>>()?, is_open, is_literal })
    }

    fn covers(&self, words: &[String]) -> bool {
        let fits = if self.is_open { words.len() >= self.words.len() } else { words.len() == self.words.len() };
        fits && self.words.iter().zip(words).all(|(pattern, word)| pattern.is_match(word))
    }

    fn is_literal(&self) -> bool {
        self.is_literal
    }
}

/// The hosts of the addresses among these words: `https://host/…`, `user@host:path`, `ssh://…`.
fn hosts(words: &[String]) -> Vec<String> {
    let of_url = |rest: &str| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.trim_start_matches('[').split([']', ':']).next().unwrap_or_default().to_lowercase()
    };
    let host = |word: &String| match word.split_once("://") {
        Some((_, rest)) => Some(of_url(rest)),
        None => {
            let (before, _) = word.split_once(':')?;
            let (_, host) = before.split_once('@')?;
            (!host.contains('/')).then(|| host.to_lowercase())
        }
    };
    words.iter().skip(1).filter_map(host).filter(|host| !host.is_empty()).collect()
}

/// A denial matches one of the hosts, a permission all of them.
fn matches_host(pattern: &str, hosts: &[String], decision: RuleDecision) -> bool {
    let pattern = pattern.trim().to_lowercase();
    let matches = |host: &String| match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => pattern == "*" || *host == pattern,
    };
    match decision {
        RuleDecision::Allow => !hosts.is_empty() && hosts.iter().all(matches),
        RuleDecision::Ask | RuleDecision::Deny => hosts.iter().any(matches),
    }
}

#[cfg(test)]
mod tests {
    use super::super::OwnPlaces;
    use super::*;

    fn rule(tool: &str, path: &str, command: &str, host: &str) -> PermissionRule {
        let [tool, path, command, host] = [tool, path, command, host].map(str::to_owned);
        let text = RuleText { tool, path, command, host, decision: RuleDecision::Allow, reason: String::new() };
        PermissionRule::new(text, "test").unwrap()
    }

    fn with<T>(look: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let (own, home, project) = (OwnPlaces::default(), Path::new("/home/me"), Path::new("/home/me/app"));
        look(&Surroundings { cwd: project, project, home: Some(home), own: &own, path: "".as_ref(), confines: false })
    }

    fn covers_path(pattern: &str, path: &str) -> bool {
        let candidate = Candidate { tool: "read_file", path: Some(Path::new(path)), words: None };
        with(|around| rule("", pattern, "", "").matches(candidate, around))
    }

    fn covers_command(rule: &PermissionRule, command: &str) -> bool {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        with(|around| rule.matches(Candidate { tool: "bash", path: None, words: Some(&words) }, around))
    }

    #[test]
    fn a_path_pattern_covers_what_is_below_it() {
        assert!(covers_path("~/notes", "/home/me/notes/a/b"));
        assert!(!covers_path("~/notes", "/home/me/notes2/a"));
        assert!(covers_path("src/*.rs", "/home/me/app/src/a.rs"));
        assert!(!covers_path("src/*.rs", "/home/me/app/src/deep/a.rs"));
        assert!(covers_path("src/**/*.rs", "/home/me/app/src/deep/a.rs"));
        assert!(covers_path("/etc", "/etc/hosts"));
        assert!(covers_path("~", "/home/me/a"));
        assert!(!covers_path("src", "/home/me/src"));
    }

    #[test]
    fn a_command_pattern_is_compared_word_by_word() {
        let pattern = |command: &str| rule("", "", command, "");
        assert!(covers_command(&pattern("cargo test *"), "cargo test"));
        assert!(covers_command(&pattern("cargo test *"), "cargo test --lib x"));
        assert!(!covers_command(&pattern("cargo test *"), "cargo tests"));
        assert!(!covers_command(&pattern("cargo test"), "cargo test --lib"));
        assert!(covers_command(&pattern("npm run test:*"), "npm run test:unit"));
        assert!(covers_command(&pattern("*"), "anything at all"));
    }

    #[test]
    fn hosts_are_read_from_addresses() {
        let host = |host: &str| rule("", "", "", host);
        assert!(covers_command(&host("docs.rs"), "curl https://docs.rs/x?y=https://evil.org"));
        assert!(!covers_command(&host("docs.rs"), "curl https://docs.rs@evil.org/"));
        assert!(!covers_command(&host("docs.rs"), "curl https://docs.rs https://evil.org"));
        assert!(covers_command(&host("*.example.org"), "git clone git@git.example.org:a/b"));
        assert!(!covers_command(&host("*.example.org"), "curl https://evilexample.org"));
        assert!(!covers_command(&host("docs.rs"), "curl"));
    }

    #[test]
    fn a_host_with_more_than_its_name_is_refused() {
        for host in ["https://example.org", "example.org/path", "example.org:443", "me@example.org"] {
            let [tool, path, command, reason] = [const { String::new() }; 4];
            let text = RuleText { tool, path, command, host: host.to_owned(), decision: RuleDecision::Deny, reason };
            assert_eq!(PermissionRule::new(text, "test").unwrap_err(), RuleError::Host(host.to_owned()));
        }
    }

    #[test]
    fn a_rule_without_a_condition_is_refused() {
        let [tool, path, command, host, reason] = [const { String::new() }; 5];
        let text = RuleText { tool, path, command, host, decision: RuleDecision::Deny, reason };
        assert_eq!(PermissionRule::new(text, "test").unwrap_err(), RuleError::Empty);
    }

    #[test]
    fn more_conditions_and_longer_patterns_are_more_specific() {
        assert!(rule("", "", "git push origin", "").specificity() > rule("", "", "git *", "").specificity());
        assert!(rule("bash", "", "git *", "").specificity() > rule("", "", "git push origin", "").specificity());
    }

    #[test]
    fn a_rule_is_shown_in_one_line() {
        let mut shown = rule("bash", "", "git push *", "");
        shown.text.reason = "not today".to_owned();
        assert_eq!(shown.to_string(), "allow tool \"bash\" command \"git push *\" (not today)");
    }
}
