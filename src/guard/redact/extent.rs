//! How far a value reaches.

use std::ops::Range;

/// Longer than any value that is not a file.
const LONGEST: usize = 8 * 1024;

/// What stands in quotes from `at` on, on one line; the quotes may be escaped, as JSON in a log has them.
pub(super) fn quoted(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut open = at;
    // Python's and Rust's marks of raw strings and bytes.
    if bytes.get(open).is_some_and(|byte| b"brBR".contains(byte)) && matches!(bytes.get(open + 1), Some(b'"' | b'\'')) {
        open += 1;
    }
    let escapes = bytes.get(open..)?.iter().take_while(|byte| **byte == b'\\').count();
    open += escapes;
    let quote = *bytes.get(open).filter(|byte| b"\"'`".contains(byte))?;
    let start = open + 1;
    let mut end = start;
    while end - start < LONGEST {
        match *bytes.get(end)? {
            b'\n' => return None,
            b'\\' if escapes == 0 => end += 2,
            b'\\' if bytes.get(end + escapes) == Some(&quote) => return Some(start..end),
            byte if byte == quote => return Some(start..end),
            _ => end += 1,
        }
    }
    None
}

/// A word that ends at a blank, a quote, or one of these.
pub(super) fn bare(text: &str, at: usize, ends: &[u8]) -> Range<usize> {
    let length = text.as_bytes()[at..]
        .iter()
        .take(LONGEST)
        .take_while(|byte| !byte.is_ascii_whitespace() && !b"\"'`".contains(byte) && !ends.contains(byte))
        .count();
    at..char_boundary(text, at + length)
}

pub(super) fn token(text: &str, at: usize) -> Range<usize> {
    let of_token = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    at..at + text.as_bytes()[at..].iter().take_while(of_token).count()
}

/// The rest of the line up to a quote that closes what the line stands in.
pub(super) fn rest_of_line(text: &str, at: usize) -> Range<usize> {
    let bytes = &text.as_bytes()[at..text.len().min(at + LONGEST)];
    let length = bytes.iter().position(|byte| b"\r\n\"'`".contains(byte)).unwrap_or(bytes.len());
    let end = char_boundary(text, at + length);
    at..at + text[at..end].trim_end().len()
}

/// The last character boundary at or before `at`.
pub(super) fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Where the value of `"name": "X", "value": …` begins; `at` is behind the name.
pub(super) fn pair_value(text: &str, at: usize) -> Option<usize> {
    const WORDS: &[&str] = &["value", "Value", "VALUE", "val", "secretValue", "defaultValue", "content"];
    let bytes = text.as_bytes();
    let skipped = |from: usize, of: &[u8]| {
        bytes.get(from..).unwrap_or_default().iter().take(64).take_while(|byte| of.contains(byte)).count()
    };
    let gap = skipped(at, b"\\\"', \t\r\n;");
    let from = at + gap;
    let word =
        WORDS.iter().find(|word| gap > 0 && bytes.get(from..).is_some_and(|rest| rest.starts_with(word.as_bytes())))?;
    let quotes = from + word.len() + skipped(from + word.len(), b"\\\"' ");
    let sign = bytes.get(quotes).filter(|byte| b":=".contains(byte))?;
    let value = quotes + 1;
    let blanks = skipped(value, b" \t");
    (*sign == b'=' || blanks > 0 || bytes.get(value).is_some_and(|byte| b"\"'\\".contains(byte)))
        .then_some(value + blanks)
}

/// Where a value on the next line begins, if nothing but the sign of a block follows on this one.
pub(super) fn next_line_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let skipped = |from: usize, of: &[u8]| {
        bytes.get(from..).unwrap_or_default().iter().take(64).take_while(|byte| of.contains(byte)).count()
    };
    let mut next = at + skipped(at, b" \t|>-+(\\");
    next += skipped(next, b"\r");
    if bytes.get(next) != Some(&b'\n') {
        return None;
    }
    next += 1;
    next += skipped(next, b"\r\n");
    // Line numbers, a diff's mark and indentation.
    next += skipped(next, b" \t+>|");
    (next < text.len() && text.is_char_boundary(next)).then_some(next)
}
