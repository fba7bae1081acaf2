//! Which calls, sources, reasons or triggers a hook is for.

use regex::{Regex, RegexBuilder};

/// The compiled size of a pattern, in bytes.
const PATTERN_SIZE: usize = 1024 * 1024;

/// Chooses the subjects of a hook.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    All,
    /// One of these names, exactly.
    Names(Vec<String>),
    /// A name in which this pattern is found.
    Pattern(Regex),
}

impl Matcher {
    /// Reads a matcher: nothing or `*` for everything, names with `|` or `,` between them, or else a regular expression.
    pub(super) fn new(text: &str) -> Result<Matcher, regex::Error> {
        let text = text.trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|' | ',' | '-');
        match text {
            "" | "*" => Ok(Matcher::All),
            _ if text.chars().all(is_plain) => {
                let names = text.split(['|', ',']).filter(|name| !name.is_empty());
                Ok(Matcher::Names(names.map(str::to_owned).collect()))
            }
            _ => RegexBuilder::new(text).size_limit(PATTERN_SIZE).build().map(Matcher::Pattern),
        }
    }

    /// Whether one of these names of a subject matches.
    pub(super) fn matches(&self, subject: &[&str]) -> bool {
        match self {
            Matcher::All => true,
            Matcher::Names(names) => subject.iter().any(|name| names.iter().any(|wanted| wanted == name)),
            Matcher::Pattern(pattern) => subject.iter().any(|name| pattern.is_match(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact_and_patterns_are_searched_for() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("", &["Bash"], true),
            ("*", &["Bash"], true),
            ("", &[], true),
            ("Bash", &["bash", "Bash"], true),
            ("bash", &["bash", "Bash"], true),
            ("Bash", &["BashOutput"], false),
            ("Edit|Write", &["write_file", "Write"], true),
            ("Edit,Write", &["write_file", "Write"], true),
            ("mcp__a-b__c", &["mcp__a-b__c"], true),
            ("|", &["Bash"], false),
            ("Edit|", &[""], false),
            ("Notebook.*", &["NotebookEdit"], true),
            ("^Ba", &["Bash"], true),
            ("ash$", &["Bash"], true),
            (".*", &["anything"], true),
            (".*", &[], false),
            ("^bash$", &["Bash"], false),
        ];
        for (matcher, subject, expected) in cases {
            assert_eq!(Matcher::new(matcher).unwrap().matches(subject), *expected, "{matcher:?} {subject:?}");
        }
    }

    #[test]
    fn a_broken_or_huge_pattern_is_an_error() {
        assert!(Matcher::new("Bash(").is_err());
        assert!(Matcher::new("(a{1000}){1000}").is_err());
    }
}
