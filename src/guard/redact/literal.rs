//! Secrets known by their value: those of the shell's variables, and those the session was told.

use std::ffi::OsString;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

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
    /// Matches every form of `told`, then of `variables`.
    matcher: Option<AhoCorasick>,
    /// The number of the literal that each pattern of the matcher is a form of.
    owners: Vec<usize>,
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
        let literals = self.told.iter().chain(&self.variables).enumerate();
        let forms = literals.flat_map(|(owner, (_, value))| forms(value).into_iter().map(move |form| (owner, form)));
        let (owners, patterns): (Vec<usize>, Vec<String>) = forms.unzip();
        self.matcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        self.owners = owners;
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        let bytes = text.as_bytes();
        for hit in self.matcher.iter().flat_map(|values| values.find_iter(text)) {
            let Some(&index) = self.owners.get(hit.pattern().as_usize()) else { continue };
            let variable = index.checked_sub(self.told.len());
            let (kind, _) = variable.map_or_else(|| &self.told[index], |index| &self.variables[index]);
            let is_word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            let is_part = || is_word(hit.start().checked_sub(1)) || is_word(Some(hit.end()));
            if variable.is_some() && hit.len() < LONG && is_part() {
                continue;
            }
            found.push(Found::new(hit.range(), kind.clone()));
        }
        self.find_in_pieces(text, found);
    }

    /// Finds values with blanks or line breaks in them, as `fold`, `od` and `base64` write them. Short values would match by chance.
    fn find_in_pieces(&self, text: &str, found: &mut Vec<Found>) {
        let Some(matcher) = &self.matcher else { return };
        let dense: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if dense.len() == text.len() {
            return;
        }
        let mut offsets = DenseOffsets { bytes: text.as_bytes(), at: 0, dense: 0 };
        for hit in matcher.find_iter(&dense).filter(|hit| hit.len() >= LONG) {
            let Some(&owner) = self.owners.get(hit.pattern().as_usize()) else { continue };
            let range = offsets.of(hit.start())..offsets.of(hit.end() - 1) + 1;
            // Without blanks in it, it was found before.
            if range.len() > hit.len()
                && let Some((kind, _)) = self.told.iter().chain(&self.variables).nth(owner)
            {
                found.push(Found::new(range, kind.clone()));
            }
        }
    }

    /// Whether this is a secret of the session, which no pattern of the person exempts.
    pub(super) fn was_told(&self, text: &str) -> bool {
        self.told.iter().any(|(_, value)| text.contains(value.as_str()))
    }
}

/// The places of bytes in a text, counted without blanks. They are asked for in order.
struct DenseOffsets<'a> {
    bytes: &'a [u8],
    /// A place in the text, and the number of bytes before it that are not blanks.
    at: usize,
    dense: usize,
}

impl DenseOffsets<'_> {
    fn of(&mut self, wanted: usize) -> usize {
        while let Some(byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                if self.dense == wanted {
                    break;
                }
                self.dense += 1;
            }
            self.at += 1;
        }
        self.at
    }
}

/// A value as it is, and as simple tools write it: reversed, in hexadecimal, percent-encoded and in base64. A short value has only its own form, because
/// the others may be part of a text by chance.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    if value.len() >= LONG {
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        forms.push(value.chars().rev().collect());
        forms.push(hex.to_uppercase());
        forms.push(hex);
        let percent: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
        forms.push(percent.to_uppercase());
        forms.push(percent);
        forms.extend((0..3).map(|shift| base64(value.as_bytes(), shift)));
    }
    forms
}

/// The letters of base64 that depend on these bytes alone, if `shift` other bytes (or three, six, … more) come before them.
fn base64(bytes: &[u8], shift: usize) -> String {
    let encoded = STANDARD_NO_PAD.encode([&[0; 2][..shift], bytes].concat());
    // Each letter holds six bits. One that begins in the bytes before, or ends in those after, is not known.
    let (first, last) = ((8 * shift).div_ceil(6), 8 * (shift + bytes.len()) / 6);
    encoded[first..last].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masks(text: &str) -> bool {
        let mut literals = Literals::default();
        literals.learn(&[("API_TOKEN".into(), "correct-horse-battery".into())], |_, _| false);
        let mut found = Vec::new();
        literals.find(text, &mut found);
        !found.is_empty()
    }

    #[test]
    fn a_known_value_is_found_reversed_in_hexadecimal_and_in_base64() {
        for text in [
            "x correct-horse-battery y",
            "yrettab-esroh-tcerroc",
            "636f72726563742d686f7273652d62617474657279",
            "636F72726563742D686F7273652D62617474657279",
            // base64 of the value, of `a` and the value, of `ab` and the value, each with a newline behind it.
            "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5Cg==",
            "YWNvcnJlY3QtaG9yc2UtYmF0dGVyeQo=",
            "YWJjb3JyZWN0LWhvcnNlLWJhdHRlcnkK",
            "%63%6F%72%72%65%63%74%2D%68%6F%72%73%65%2D%62%61%74%74%65%72%79",
            "corre\nct-ho\nrse-b\natter\ny",
            "c o r r e c t - h o r s e - b a t t e r y",
            " 63 6f 72 72 65 63 74 2d 68 6f 72 73 65 2d 62 61\n 74 74 65 72 79 0a",
            "Y29ycmVjdC1ob\n3JzZS1iYXR0ZX\nJ5Cg==",
        ] {
            assert!(masks(text), "{text}");
        }
        assert!(!masks("correct horse battery"));
        let mut literals = Literals::default();
        literals.learn(&[("API_TOKEN".into(), "correct-horse-battery".into())], |_, _| false);
        let text = "é x\tcorrect-\n horse-battery y correct-horse-bat\ntery";
        let mut found = Vec::new();
        literals.find(text, &mut found);
        let found: Vec<&str> = found.into_iter().map(|one| &text[one.range]).collect();
        assert_eq!(found, ["correct-\n horse-battery", "correct-horse-bat\ntery"]);
    }
}
