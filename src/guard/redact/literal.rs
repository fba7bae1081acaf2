//! Secrets known by their value: those of the shell's variables, and those the session was told.

use std::ffi::OsString;

use aho_corasick::{AhoCorasick, MatchKind};

use super::found::Found;
use super::{name, value};

/// Variables that are looked for.
const MOST: usize = 500;
/// Session secrets that are looked for; the oldest is dropped for a new one.
const MOST_TOLD: usize = 64;
/// Bytes of one value; what is longer is a file and not a secret.
const LONGEST: usize = 16 * 1024;
/// A value shorter than this counts only as a word of its own, for it may be part of one by chance.
const LONG: usize = 12;

/// Kind and value.
type Literal = (String, String);

/// Values that are masked wherever they occur.
#[derive(Debug, Default)]
pub(super) struct Literals {
    /// Values of variables with a telling name; replaced with every look at the environment.
    variables: Vec<Literal>,
    /// Secrets of the session itself; kept until it ends.
    told: Vec<Literal>,
    /// Matches `told`, then `variables`.
    matcher: Option<AhoCorasick>,
}

impl Literals {
    /// Replaces the variables that were known.
    pub(super) fn learn(&mut self, environment: &[(OsString, OsString)], is_exempt: impl Fn(&str, &str) -> bool) {
        let named = environment.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let secret = named.filter(|(name, value)| {
            name::is_secret_variable(name)
                && value.len() <= LONGEST
                && value::is_distinctive(value)
                && !is_exempt(name, value)
        });
        let variables: Vec<Literal> =
            secret.map(|(name, value)| (format!("${name}"), value.to_owned())).take(MOST).collect();
        if variables != self.variables {
            self.variables = variables;
            self.compile();
        }
    }

    /// Adds a secret of the session.
    pub(super) fn tell(&mut self, kind: &str, value: &str) {
        let literal = (kind.to_owned(), value.to_owned());
        if value.is_empty() || self.told.contains(&literal) {
            return;
        }
        if self.told.len() >= MOST_TOLD {
            self.told.remove(0);
        }
        self.told.push(literal);
        self.compile();
    }

    fn compile(&mut self) {
        let values = self.told.iter().chain(&self.variables).map(|(_, value)| value);
        self.matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values).ok();
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        let bytes = text.as_bytes();
        for hit in self.matcher.iter().flat_map(|values| values.find_iter(text)) {
            let index = hit.pattern().as_usize();
            let variable = index.checked_sub(self.told.len());
            let (kind, _) = variable.map_or_else(|| &self.told[index], |index| &self.variables[index]);
            let is_word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            let is_part = || is_word(hit.start().checked_sub(1)) || is_word(Some(hit.end()));
            if variable.is_some() && hit.len() < LONG && is_part() {
                continue;
            }
            found.push(Found::new(hit.range(), kind.clone()));
        }
    }

    /// Whether this is a secret of the session, which no pattern of the person exempts.
    pub(super) fn was_told(&self, text: &str) -> bool {
        self.told.iter().any(|(_, value)| text.contains(value.as_str()))
    }
}
