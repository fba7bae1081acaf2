//! The settings of `[redact]`.

use regex::{Regex, RegexBuilder};

use super::ignore::{PATTERN_CAP, PatternError, check};
use super::{Config, Problem};
use crate::guard::Masking;

impl Config {
    /// Compiles `[redact]`. An invalid pattern is skipped and reported.
    pub(crate) fn masking(&self) -> (Masking, Vec<Problem>) {
        let (patterns, mut problems) = compiled("redact.patterns", &self.redact.patterns);
        let (exempt, more) = compiled("redact.exempt", &self.redact.exempt);
        problems.extend(more);
        (Masking { patterns, exempt }, problems)
    }

    /// The problems of patterns, rules and other values that are checked when they are used.
    pub(crate) fn value_problems(&self) -> Vec<Problem> {
        let (_, mut problems) = self.ignore_set();
        problems.extend(self.masking().1);
        problems.extend(self.model_problems());
        problems.extend(self.permissions().1);
        problems.extend(self.key_map().1);
        problems
    }
}

fn compiled(key: &str, patterns: &[String]) -> (Vec<Regex>, Vec<Problem>) {
    let (mut sound, mut problems) = (Vec::new(), Vec::new());
    for (entry, pattern) in patterns.iter().enumerate() {
        let built = check(pattern).and_then(|()| {
            let built = RegexBuilder::new(pattern).size_limit(PATTERN_CAP).build();
            built.map_err(|error| PatternError::of(pattern, &error))
        });
        match built {
            Ok(regex) => sound.push(regex),
            Err(error) => problems.push(Problem::new(&error.to_string()).key(key).entry(entry)),
        }
    }
    (sound, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_invalid_pattern_is_skipped() {
        let config = Config::parse("[redact]\npatterns = ['EMP-\\d+', '(']\nexempt = ['', '^test']\n").config;
        let (masking, problems) = config.masking();
        assert_eq!((masking.patterns.len(), masking.exempt.len()), (1, 1));
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "redact.patterns: `(` is not a regular expression: unclosed group",
                "redact.exempt: an empty pattern would match everything",
            ]
        );
    }
}
