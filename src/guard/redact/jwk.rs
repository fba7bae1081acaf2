//! Private members of JSON web keys, which have names of one or two letters.

use std::ops::Range;

use super::dictionary::Hits;
use super::extent::quoted;
use super::found::Found;

/// Bytes before and behind `kty` that may belong to its key.
const REACH: usize = 8 * 1024;
/// Members that hold a secret: of RSA and of curves, then the key that both sides share.
const PRIVATE: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];
/// Shorter values are numbers or names.
const LEAST: usize = 16;

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    for &at in &hits.web_keys {
        if at < done {
            continue;
        }
        let object = object_around(text, done, at);
        done = object.end;
        members(text, object, found);
    }
}

/// The object that holds this place; a web key holds no others.
fn object_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let from = from.max(at.saturating_sub(REACH));
    let start = memchr::memrchr(b'{', &bytes[from..at]).map_or(from, |open| from + open);
    let rest = &bytes[at..bytes.len().min(at + REACH)];
    let end = at + memchr::memchr(b'}', rest).unwrap_or(rest.len());
    start..end
}

fn members(text: &str, object: Range<usize>, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = object.start;
    while let Some(colon) = memchr::memchr(b':', &bytes[at..object.end]).map(|colon| at + colon) {
        at = colon + 1;
        let name = text[object.start..colon].trim_end().trim_end_matches(['"', '\'', '\\']);
        let is_private = PRIVATE.iter().any(|private| {
            let before = name.strip_suffix(private).map(str::as_bytes);
            before.is_some_and(|before| before.last().is_some_and(|byte| !byte.is_ascii_alphanumeric()))
        });
        if !is_private {
            continue;
        }
        let blanks = bytes[at..object.end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if let Some(value) = quoted(text, at + blanks)
            && value.len() >= LEAST
            && text[value.clone()].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+/=".contains(&byte))
        {
            at = value.end;
            found.push(Found::new(value, "private key"));
        }
    }
}
