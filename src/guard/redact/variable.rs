//! Values of the shell's own variables.

use std::ffi::OsString;

use aho_corasick::{AhoCorasick, MatchKind};

use super::found::Found;
use super::{name, value};

/// Variables that are looked for.
const MOST: usize = 500;
/// Bytes of one value; what is longer is a file and not a secret.
const LONGEST: usize = 16 * 1024;
/// A value shorter than this counts only as a word of its own, for it may be part of one by chance.
const LONG: usize = 12;

/// The variables whose names look secret.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Name and value.
    known: Vec<(String, String)>,
    values: Option<AhoCorasick>,
}

impl Variables {
    /// Takes these in place of what was known.
    pub(super) fn learn(&mut self, environment: &[(OsString, OsString)], is_exempt: impl Fn(&str, &str) -> bool) {
        let named = environment.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let secret = named.filter(|(name, value)| {
            name::is_secret_variable(name)
                && value.len() <= LONGEST
                && value::is_distinctive(value)
                && !is_exempt(name, value)
        });
        let known: Vec<(String, String)> =
            secret.map(|(name, value)| (name.to_owned(), value.to_owned())).take(MOST).collect();
        if known != self.known {
            let values = known.iter().map(|(_, value)| value);
            self.values = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values).ok();
            self.known = known;
        }
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        let bytes = text.as_bytes();
        for hit in self.values.iter().flat_map(|values| values.find_iter(text)) {
            let (name, value) = &self.known[hit.pattern().as_usize()];
            let is_word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            if value.len() < LONG && (is_word(hit.start().checked_sub(1)) || is_word(Some(hit.end()))) {
                continue;
            }
            found.push(Found::new(hit.range(), format!("${name}")));
        }
    }
}
