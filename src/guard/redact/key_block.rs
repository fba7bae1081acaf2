//! Private keys in their armour.

use memchr::memmem;

use super::dictionary::Hits;
use super::found::Found;

const KIND: &str = "private key";
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// How the keys of PuTTY and of SSH2 open.
pub(super) const OPENINGS: [&str; 2] = ["Private-Lines: ", "---- BEGIN "];
/// Longer than the armour of any key.
const LONGEST: usize = 32 * 1024;
/// Longer than any label.
const LABEL: usize = 64;

/// Finds whole blocks, and what is left of one that was cut: lines of base64 behind its beginning or before its end.
pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    // Where the next end is; looked for once.
    let mut next_end = Some(0);
    for &start in &hits.dashes {
        if start < done {
            continue;
        }
        if let Some(length) = other_opening(&bytes[start..]) {
            done = armour_behind(text, start + length);
            found.push(Found::new(start..done, KIND));
        } else if let Some(label) = label(&bytes[start..], BEGIN) {
            let after = start + label;
            if next_end.is_some_and(|end| end < after) {
                next_end = memmem::find(&bytes[after..], END.as_bytes()).map(|at| after + at);
            }
            let end = next_end.filter(|end| end - after <= LONGEST);
            done = match end.and_then(|end| Some(end + self::label(&bytes[end..], END)?)) {
                Some(whole) => whole,
                None => armour_behind(text, after),
            };
            found.push(Found::new(start..done, KIND));
        } else if let Some(label) = label(&bytes[start..], END) {
            let from = armour_before(text, done, start);
            done = start + label;
            if from < start {
                found.push(Found::new(from..done, KIND));
            }
        }
    }
}

/// The length of `-----BEGIN … PRIVATE KEY …-----`.
fn label(bytes: &[u8], opening: &str) -> Option<usize> {
    let rest = bytes.strip_prefix(opening.as_bytes())?;
    let rest = &rest[..rest.len().min(LABEL)];
    let end = memmem::find(rest, b"-----")?;
    memmem::find(&rest[..end], b"PRIVATE KEY")?;
    Some(opening.len() + end + "-----".len())
}

/// The length of the line that opens the armour of PuTTY or of SSH2.
fn other_opening(bytes: &[u8]) -> Option<usize> {
    let line = &bytes[..memchr::memchr(b'\n', &bytes[..bytes.len().min(LABEL)])?];
    let is_ssh2 = line.starts_with(OPENINGS[1].as_bytes()) && memmem::find(line, b"PRIVATE KEY").is_some();
    (line.starts_with(OPENINGS[0].as_bytes()) || is_ssh2).then_some(line.len() + 1)
}

/// Where the lines of base64 from here on end.
fn armour_behind(text: &str, from: usize) -> usize {
    let mut end = from;
    for line in text[from..].split_inclusive('\n') {
        if !is_armour(line) && !line.trim().is_empty() && !line.contains(": ") || end - from > LONGEST {
            break;
        }
        end += line.len();
    }
    from + text[from..end].trim_end().len()
}

/// Where the lines of base64 up to here begin.
fn armour_before(text: &str, from: usize, end: usize) -> usize {
    let head = &text[from..end];
    // What stands before the end on its own line is a number or a mark, not the key.
    let head = &head[..head.rfind('\n').map_or(0, |newline| newline + 1)];
    let mut length = 0;
    for line in head.split_inclusive('\n').rev().take_while(|line| is_armour(line)) {
        if length + line.len() > LONGEST {
            break;
        }
        length += line.len();
    }
    if length == 0 { end } else { from + head.len() - length }
}

/// Whether the last word of a line is long and nothing but base64; line numbers and diff marks may stand before it.
fn is_armour(line: &str) -> bool {
    let word = line.split_whitespace().next_back().unwrap_or_default();
    word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}
