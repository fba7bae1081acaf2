//! Tokens known by their beginning.
//!
//! The tables are data, one file for each family of vendors: what a token begins with, what follows, how much of it at least, and
//! what it is called in a placeholder.

mod body;
mod chat;
mod cloud;
mod forge;
mod hash;
mod models;
mod money;
mod ops;
mod other;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use super::dictionary::Hits;
use super::found::Found;
use body::Body;

pub(super) use other::{MIDDLES, Middle, by_parts};

/// Beginning, what follows and how much of it at least, and what it is.
type Shape = (&'static str, Body, usize, &'static str);

const FAMILIES: &[&[Shape]] =
    &[cloud::SHAPES, forge::SHAPES, models::SHAPES, chat::SHAPES, money::SHAPES, ops::SHAPES, hash::SHAPES];

/// Longer than any token; a longer run of letters is a file.
const LONGEST: usize = 8 * 1024;
/// Bytes of a token that are looked at to tell whether it was drawn at random.
const JUDGED: usize = 256;
/// Lines that one token may be wrapped over.
const MOST_LINES: usize = 64;
/// A token that fills this much of a line may go on in the next.
const FULL_LINE: usize = 56;

static ALL: LazyLock<Vec<Shape>> = LazyLock::new(|| FAMILIES.concat());

/// The beginnings, in the order of their numbers.
pub(super) fn beginnings() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(beginning, ..)| *beginning)
}

/// The length of a beginning.
pub(super) fn length(number: usize) -> usize {
    ALL[number].0.len()
}

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let mut done = 0;
    let mut runs = RunCache { bytes: text.as_bytes(), last: None };
    for (number, start) in &hits.shapes {
        let shape = &ALL[*number];
        if *start >= done
            && let Some(range) = token(text, *start, shape, &mut runs)
        {
            done = range.end;
            found.push(Found::new(range, shape.3));
        }
    }
    other::find(text, hits, found);
}

/// The token that begins here, if there is one.
fn token(
    text: &str,
    start: usize,
    (beginning, body, least, _): &Shape,
    runs: &mut RunCache<'_>,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let from = start + beginning.len();
    if &text[start..from] != *beginning || !may_begin(bytes, start, beginning) {
        return None;
    }
    let run = runs.length(from, *body)?;
    let (end, content) = unwrapped(text, from..from + run, *body, *least);
    let is_telling = is_telling(beginning);
    // What goes on beyond what the shape allows is something else: a name, a path, the base64 of a picture.
    let next = bytes.get(end);
    let ends = is_telling || body.has_punctuation() || next.is_none_or(|next| !next.is_ascii_alphanumeric());
    if content.len() < *least || !ends || !body.is_random(&content[..content.len().min(JUDGED)], is_telling) {
        return None;
    }
    let trailing = if body.has_punctuation() {
        text[from..end].trim_end_matches(|c| ".:/%=-,$*!?&#".contains(c)).len()
    } else {
        end - from
    };
    // Base64 ends in `=`, and hashes in any sign.
    let padding = bytes[from + trailing..end].iter().take_while(|byte| **byte == b'=').count();
    Some(start..from + trailing + padding)
}

/// Remembers how far the last run of characters went, because many beginnings may be inside it.
struct RunCache<'a> {
    bytes: &'a [u8],
    last: Option<(Body, Range<usize>)>,
}

impl RunCache<'_> {
    /// The length of what the body takes.
    fn length(&mut self, from: usize, body: Body) -> Option<usize> {
        if let Some((known, run)) = &self.last
            && *known == body
            && run.contains(&from)
        {
            return Some(run.end - from).filter(|length| *length < LONGEST);
        }
        let length = self.bytes[from..].iter().take_while(|byte| body.takes(**byte)).count();
        self.last = Some((body, from..from + length));
        Some(length).filter(|length| *length < LONGEST)
    }
}

/// The length of what the body takes.
fn run(bytes: &[u8], from: usize, body: Body) -> Option<usize> {
    let length = bytes[from..].iter().take(LONGEST).take_while(|byte| body.takes(**byte)).count();
    (length < LONGEST).then_some(length)
}

/// Whether a beginning says enough by itself to be believed amid other letters.
fn is_telling(beginning: &str) -> bool {
    beginning.len() >= 5 && beginning.contains(|c: char| !c.is_ascii_alphanumeric()) || beginning.len() >= 8
}

/// Whether a token may begin here: not in the middle of a word, unless its beginning is unmistakable.
pub(super) fn may_begin(bytes: &[u8], start: usize, beginning: &str) -> bool {
    let before = &bytes[..start];
    let Some(last) = before.last() else { return true };
    if !beginning.starts_with(|c: char| c.is_ascii_alphanumeric()) || is_telling(beginning) {
        return true;
    }
    if *last == b'-' {
        return beginning.len() >= 4;
    }
    !last.is_ascii_alphanumeric() || ends_in_escape(before)
}

/// Whether this ends in `\n`, `%3D`, or the code of a colour, as text in a string or an address has them.
fn ends_in_escape(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [.., digit, b'm'] if digit.is_ascii_digit() => {
            let code =
                before[..before.len() - 1].iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';');
            before.len().checked_sub(code.count() + 2).is_some_and(|at| before[at] == b'[')
        }
        _ => false,
    }
}

/// Goes on over the ends of lines, where a token was wrapped: gives its end and what it is without them.
fn unwrapped(text: &str, first: Range<usize>, body: Body, least: usize) -> (usize, Cow<'_, [u8]>) {
    let bytes = text.as_bytes();
    let mut content = Cow::Borrowed(&bytes[first.clone()]);
    let mut end = first.end;
    let mut line = first.len();
    for _ in 0..MOST_LINES {
        let is_short = content.len() < least;
        let Some(from) = next_line(bytes, end).filter(|_| is_short && line >= 4 || line >= FULL_LINE) else { break };
        let Some(length) = run(bytes, from, body).filter(|length| *length >= if is_short { 1 } else { 8 }) else {
            break;
        };
        let part = &bytes[from..from + length];
        let ends_line = bytes[from + length..].first().is_none_or(|next| b"\r\n\"'\\`".contains(next));
        if !ends_line || !is_short && !body.is_random(part, true) || content.len() + length > LONGEST {
            break;
        }
        content.to_mut().extend_from_slice(part);
        (end, line) = (from + length, length);
    }
    if content.len() < least { (first.end, Cow::Borrowed(&bytes[first])) } else { (end, content) }
}

/// Where the next line's text begins, if this line ends here: with a `\`, or with a string that is joined to another, or with
/// nothing.
fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let skipped = |from: usize, of: &[u8]| rest[from..].iter().take(32).take_while(|byte| of.contains(byte)).count();
    let closing = skipped(0, b"\"'+.& \t\\=");
    let mut next = closing + skipped(closing, b"\r");
    if rest.get(next) != Some(&b'\n') {
        return None;
    }
    next += 1;
    next += skipped(next, b" \t+.>|\"'");
    (next < rest.len()).then_some(at + next)
}
