//! Patterns of commands that are not recorded.

use regex::bytes::{RegexBuilder, RegexSet, RegexSetBuilder};

use super::{Config, Problem};

/// The most memory of one compiled pattern. A few nested repetitions could take gigabytes.
pub(super) const PATTERN_CAP: usize = 256 * crate::text::KIB;
/// The most memory of all compiled patterns.
const SET_CAP: usize = 4 * crate::text::MIB;

/// Why a pattern of the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum PatternError {
    #[error("an empty pattern would match everything")]
    Empty,
    #[error("the pattern `{0}` is too large")]
    TooLarge(String),
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Syntax { pattern: String, reason: String },
}

impl PatternError {
    pub(super) fn of(pattern: &str, error: &regex::Error) -> PatternError {
        let pattern = pattern.to_owned();
        if matches!(error, regex::Error::CompiledTooBig(_)) {
            return PatternError::TooLarge(pattern);
        }
        // The last line is the reason. The lines before it show the pattern with a caret.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        PatternError::Syntax { pattern, reason }
    }
}

impl Config {
    /// Compiles `history.ignore`. An invalid pattern is skipped and reported.
    ///
    /// The patterns match bytes, because a command may not be UTF-8. Compiling takes longer than loading the whole file, so it is a separate
    /// step.
    pub(crate) fn ignore_set(&self) -> (RegexSet, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut sound = Vec::new();
        for (entry, pattern) in self.history.ignore.iter().enumerate() {
            match check(pattern) {
                Ok(()) => sound.push(pattern),
                Err(error) => problems.push(Problem::new(&error.to_string()).key("history.ignore").entry(entry)),
            }
        }
        let set = RegexSetBuilder::new(sound).size_limit(SET_CAP).build().unwrap_or_else(|_| {
            let message = "the patterns are too large together; no command is remembered until there are fewer";
            problems.push(Problem::new(message).key("history.ignore"));
            everything()
        });
        (set, problems)
    }
}

/// Checks whether a pattern can be compiled.
pub(super) fn check(pattern: &str) -> Result<(), PatternError> {
    if pattern.is_empty() {
        return Err(PatternError::Empty);
    }
    let built = RegexBuilder::new(pattern).size_limit(PATTERN_CAP).build();
    built.map(drop).map_err(|error| PatternError::of(pattern, &error))
}

/// Matches every command. Used if the patterns are too large, so that commands meant to be ignored are not recorded.
fn everything() -> RegexSet {
    RegexSet::new([""]).unwrap_or_else(|_| RegexSet::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignoring(patterns: &[&str]) -> Config {
        let mut config = Config::default();
        config.history.ignore = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        config
    }

    #[test]
    fn patterns_match_bytes_anywhere() {
        let (set, problems) = ignoring(&["^pass ", "TOKEN="]).ignore_set();
        assert!(problems.is_empty());
        assert!(set.is_match(b"pass show \xff"));
        assert!(set.is_match(b"\xff TOKEN=1 make"));
        assert!(!set.is_match(b"bypass me"));
    }

    #[test]
    fn nothing_is_ignored_by_default() {
        assert!(!Config::default().ignore_set().0.is_match(b"ls"));
    }

    #[test]
    fn only_an_invalid_pattern_is_skipped() {
        let (set, problems) = ignoring(&["(", "", "^secret", r"((\w{500}){500}){500}"]).ignore_set();
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "history.ignore: `(` is not a regular expression: unclosed group",
                "history.ignore: an empty pattern would match everything",
                r"history.ignore: the pattern `((\w{500}){500}){500}` is too large",
            ]
        );
        assert!(set.is_match(b"secret"));
        assert!(!set.is_match(b"ls"));
    }

    #[test]
    fn with_too_many_patterns_every_command_is_ignored() {
        let many: Vec<String> = (0..200).map(|n| format!("{n}x{{4000}}")).collect();
        let mut config = Config::default();
        config.history.ignore = many;
        let (set, problems) = config.ignore_set();
        assert_eq!(problems.len(), 1);
        assert!(set.is_match(b"ls"));
    }
}
