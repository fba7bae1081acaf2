//! Lines from the middle of a private key, without its first and last line.
//!
//! A run of full lines of base64 may be a certificate or a picture as well. Those show themselves: by the armour around them, by how
//! they begin, or because they decode to text. What is left is random bytes that a model could not read anyway.

use std::ops::Range;

use memchr::memmem;

use super::found::Found;

/// The widths that PEM and OpenSSH write, in characters.
const WIDTHS: [usize; 2] = [64, 70];
/// Full lines that make a run.
const LEAST: usize = 3;
/// Bytes before and behind a run in which an armour's first or last line is looked for.
const ARMOUR: usize = 8 * 1024;
/// Bytes of a line number, a diff's mark or indentation before a line of a key.
const MARGIN: usize = 16;
/// How files begin in base64 that are no keys: pictures, archives, documents, programs, public keys.
const OTHERS: &[&str] = &[
    "iVBORw0KGgo",
    "/9j/",
    "R0lGOD",
    "UklGR",
    "UEsDB",
    "H4sI",
    "JVBERi",
    "f0VMR",
    "PD94",
    "PHN2",
    "d09G",
    "AAAAB3NzaC1",
];

/// Full lines of base64 that follow each other.
#[derive(Default)]
pub(super) struct KeyLines {
    lines: Vec<Range<usize>>,
}

impl KeyLines {
    /// Takes the next word of base64 of the text; `None` at the end.
    pub(super) fn take(&mut self, text: &str, word: Option<&Range<usize>>, found: &mut Vec<Found>) {
        if let Some(word) = word
            && self.lines.last().is_none_or(|last| follows(text, last, word))
            && is_full(text, word)
        {
            self.lines.push(word.clone());
            return;
        }
        if self.lines.len() >= LEAST {
            found.extend(self.key(text, word));
        }
        self.lines.clear();
        if let Some(word) = word.filter(|word| is_full(text, word)) {
            self.lines.push(word.clone());
        }
    }

    /// The lines so far, with a shorter last one, if they may be of a key.
    fn key(&self, text: &str, next: Option<&Range<usize>>) -> Option<Found> {
        let (first, last) = (self.lines.first()?, self.lines.last()?);
        let lines: Vec<&str> = self.lines.iter().map(|line| &text[line.clone()]).collect();
        let has_signs = lines.iter().any(|line| line.contains(['+', '/']));
        let is_other = OTHERS.iter().any(|beginning| lines[0].starts_with(beginning));
        if !has_signs || is_other || is_in_armour(text, first.start..last.end) {
            return None;
        }
        let end = next.filter(|next| next.len() < last.len() && follows(text, last, next) && ends_line(text, next));
        Some(Found::new(first.start..end.map_or(last.end, |next| next.end), "private key"))
    }
}

/// Whether a word is a whole line as wide as a key's, and drawn at random.
fn is_full(text: &str, word: &Range<usize>) -> bool {
    let line = &text[word.clone()];
    let has = |test: fn(&u8) -> bool| line.as_bytes().iter().any(test);
    let is_random = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    WIDTHS.contains(&line.len()) && is_random && !line.contains(['-', '_']) && ends_line(text, word)
}

fn ends_line(text: &str, word: &Range<usize>) -> bool {
    matches!(text.as_bytes().get(word.end), None | Some(b'\n' | b'\r'))
}

/// Whether a word is on the line below another, at most behind a number or a mark.
fn follows(text: &str, last: &Range<usize>, word: &Range<usize>) -> bool {
    let between = &text.as_bytes()[last.end..word.start];
    let between = between.strip_prefix(b"\r").unwrap_or(between);
    let margin = between.strip_prefix(b"\n").filter(|margin| margin.len() <= MARGIN);
    margin.is_some_and(|margin| margin.iter().all(|byte| byte.is_ascii_digit() || b" \t+-|:>".contains(byte)))
}

/// Whether these lines stand between the first and the last line of an armour; those of private keys are found by them.
fn is_in_armour(text: &str, lines: Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before = &bytes[lines.start.saturating_sub(ARMOUR)..lines.start];
    let behind = &bytes[lines.end..bytes.len().min(lines.end + ARMOUR)];
    let begins = memmem::rfind(before, b"-----BEGIN ");
    let begins = begins.is_some_and(|begin| memmem::find(&before[begin..], b"-----END ").is_none());
    let ends = memmem::find(behind, b"-----END ");
    let ends = ends.is_some_and(|end| memmem::find(&behind[..end], b"-----BEGIN ").is_none());
    begins || ends
}
