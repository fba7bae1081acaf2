//! Secrets in base64 or in the escapes of addresses and JSON.

use std::ops::Range;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::dictionary::Hits;
use super::found::Found;
use super::key_lines::KeyLines;
use super::{find_known, shape, value};

/// Shorter runs of base64 hold no secret worth the look.
const LEAST: usize = 24;
/// Longer than any secret; a longer run is a file.
const LONGEST: usize = 8 * 1024;
/// A word with escapes is read up to this length.
const WORD: usize = 4 * 1024;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Looks at long words: tokens of vendors we do not know, and base64 of text with secrets in it.
pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let runs = Base64Runs { bytes: text.as_bytes(), at: 0 };
    let mut lines = KeyLines::default();
    for run in runs {
        lines.take(text, Some(&run), found);
        let word = &text[run.clone()];
        if let Some(token) = value::vendor_token(word) {
            found.push(Found::new(run.start + token.start..run.start + token.end, "token"));
        } else if let Some(one) = shape::by_parts(text, &run) {
            found.push(one);
        } else if let Some(kind) = decoded_secret(word) {
            found.push(Found::new(run, kind));
        }
    }
    lines.take(text, None, found);
}

/// What the text in this base64 has of secrets.
fn decoded_secret(word: &str) -> Option<std::borrow::Cow<'static, str>> {
    let word = word.trim_end_matches('=');
    let engine = if word.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    if word.bytes().take(16).all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    // Pictures and hashes show by their first bytes that they are no text.
    let first = engine.decode(&word[..word.len().min(16) / 4 * 4]).ok()?;
    if !first.iter().all(|byte| is_of_text(*byte)) {
        return None;
    }
    let text = String::from_utf8(engine.decode(word).ok()?).ok()?;
    if !text.bytes().all(is_of_text) {
        return None;
    }
    let mut found = Vec::new();
    find_known(&text, &mut found);
    let first = found.into_iter().next().map(|one| one.kind);
    first.or_else(|| is_login(&text).then_some("credentials".into()))
}

fn is_of_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n' | 0x80..)
}

/// `user:password`, as in the header of a request.
fn is_login(text: &str) -> bool {
    let Some((user, password)) = text.split_once(':') else { return false };
    let of_name = |c: char| c.is_ascii_alphanumeric() || "._-@+".contains(c);
    user.len() >= 2 && user.chars().all(of_name) && password.len() >= 8 && !password.contains([' ', '\n', '/'])
}

/// Whether this is base64 of `user:password`, however short.
pub(super) fn is_encoded_login(word: &str) -> bool {
    let word = word.trim_end_matches('=');
    let text = STANDARD.decode(word).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.is_some_and(|text| {
        let parts = text.split_once(':').filter(|(_, password)| !password.is_empty());
        parts.is_some() && text.bytes().all(|byte| byte.is_ascii_graphic() || byte >= 0x80)
    })
}

/// Runs of base64, in either alphabet.
struct Base64Runs<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

impl Iterator for Base64Runs<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            // In a run of this length, every byte so far ahead belongs to it: most text is skipped unseen.
            let probe = self.bytes.get(self.at + LEAST - 1)?;
            if !is_base64(*probe) {
                self.at += LEAST;
                continue;
            }
            let window = &self.bytes[self.at..self.at + LEAST - 1];
            if let Some(other) = window.iter().rposition(|byte| !is_base64(*byte)) {
                self.at += other + 1;
                continue;
            }
            let start = self.at;
            let rest = &self.bytes[start..];
            let length = rest.iter().position(|byte| !is_base64(*byte)).unwrap_or(rest.len());
            let padding = rest[length..].iter().take(2).take_while(|byte| **byte == b'=').count();
            self.at = start + length + padding;
            if length <= LONGEST {
                return Some(start..self.at);
            }
        }
    }
}

/// Looks at words with `%XX`, `\/` or `\u00XX` in them as they are meant.
pub(super) fn find_escaped(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    for &at in &hits.escapes {
        if at < done {
            continue;
        }
        let word = word_around(text, done, at);
        done = word.end;
        let unescaped = Unescaped::of(&text[word.clone()]);
        let mut inner = Vec::new();
        // What is unescaped twice is not looked for.
        find_known_once(&unescaped.text, &mut inner);
        found.extend(inner.into_iter().filter_map(|one| {
            let range = unescaped.original(&one.range);
            text.get(word.start + range.start..word.start + range.end)?;
            Some(Found::new(word.start + range.start..word.start + range.end, one.kind))
        }));
    }
}

/// Finds without looking at escapes again: the text has none that matter, or is not worth it.
fn find_known_once(text: &str, found: &mut Vec<Found>) {
    let mut hits = Hits::of(text);
    hits.escapes.clear();
    super::find_hits(text, &hits, found);
}

fn word_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let of_word = |byte: &&u8| byte.is_ascii_graphic();
    let before = bytes[from..at].iter().rev().take(WORD / 2).take_while(of_word).count();
    let behind = bytes[at..].iter().take(WORD / 2).take_while(of_word).count();
    at - before..at + behind
}

/// A word without its escapes, and where each byte came from.
struct Unescaped {
    text: String,
    /// Where each byte of the text begins in the original, and where the last ends.
    places: Vec<usize>,
}

impl Unescaped {
    fn of(word: &str) -> Unescaped {
        let bytes = word.as_bytes();
        let (mut text, mut places) = (String::new(), Vec::new());
        let mut at = 0;
        while at < bytes.len() {
            let digits = |from: usize| {
                let hex = bytes.get(from..from + 2).and_then(|pair| std::str::from_utf8(pair).ok())?;
                u8::from_str_radix(hex, 16).ok().filter(u8::is_ascii_graphic)
            };
            let (byte, length) = match &bytes[at..] {
                [b'%', ..] if digits(at + 1).is_some() => (digits(at + 1).unwrap_or(b'%'), 3),
                [b'\\', b'u', b'0', b'0', ..] if digits(at + 4).is_some() => (digits(at + 4).unwrap_or(b'\\'), 6),
                [b'\\', b'/', ..] => (b'/', 2),
                [byte, ..] => (*byte, 1),
                [] => break,
            };
            places.push(at);
            text.push(char::from(byte));
            at += length;
        }
        places.push(at);
        Unescaped { text, places }
    }

    fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.places[range.start]..self.places[range.end]
    }
}
