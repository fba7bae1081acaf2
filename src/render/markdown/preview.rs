//! Guesses the look of incomplete inline markup.
//!
//! Open emphasis is shown as if it were closed, so that its text appears at once and in its final look. Text whose look cannot be guessed
//! yet (a run of asterisks at the very end, half a link) is held back.

use crate::text::width;

use super::inline::cut;

/// The longest text that is held back for a link to be completed.
const LONGEST_WAIT: usize = 400;

/// Completes the open markup of an incomplete source.
pub(super) fn mended(source: &str) -> String {
    if !width::is_settled(source) {
        return certain(source).to_owned();
    }
    let Reading { open, held } = read(source);
    let end = shown_until(source, held);
    let mut mended = source[..end].to_owned();
    if !open.is_empty() {
        mended.truncate(mended.trim_end().len());
        for run in open.iter().rev().filter(|run| run.at < end) {
            mended.extend(std::iter::repeat_n(char::from(run.delimiter), run.length));
        }
    }
    mended
}

/// Returns the part of the source whose look cannot change, whatever follows. Used for lines of disputed width: their screen rows cannot be
/// counted, so a wrong guess could not be erased.
pub(super) fn certain(source: &str) -> &str {
    &source[..cut(source)]
}

fn shown_until(source: &str, held: Option<usize>) -> usize {
    held.filter(|at| source.len() - at < LONGEST_WAIT).unwrap_or(source.len())
}

/// A run of delimiters that has opened emphasis or code.
struct DelimiterRun {
    at: usize,
    delimiter: u8,
    length: usize,
}

struct Reading {
    open: Vec<DelimiterRun>,
    /// From this offset on the look cannot be guessed yet.
    held: Option<usize>,
}

fn read(source: &str) -> Reading {
    let bytes = source.as_bytes();
    let mut open: Vec<DelimiterRun> = Vec::new();
    let mut bracket = None;
    let mut at = 0;
    let wait = |open, held| Reading { open, held: Some(held) };
    while let Some(&byte) = bytes.get(at) {
        let length = bytes[at..].iter().take_while(|other| **other == byte).count();
        let end = at + length;
        match byte {
            b'\\' if at + 1 == bytes.len() => return wait(open, bracket.unwrap_or(at)),
            b'\\' => at += 2,
            b'`' => match closing(bytes, end, length) {
                Some(after) => at = after,
                None if end == bytes.len() => return wait(open, bracket.unwrap_or(at)),
                None => {
                    open.push(DelimiterRun { at, delimiter: b'`', length });
                    return Reading { open, held: bracket };
                }
            },
            b'*' | b'_' | b'~' if end == bytes.len() => return wait(open, bracket.unwrap_or(at)),
            b'*' | b'_' | b'~' => {
                emphasis(&mut open, source, at, length);
                at = end;
            }
            b'&' if bytes[at + 1..].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'#') => {
                return wait(open, bracket.unwrap_or(at));
            }
            b'[' => {
                bracket.get_or_insert(if at > 0 && bytes[at - 1] == b'!' { at - 1 } else { at });
                at += 1;
            }
            b']' => {
                match (bracket, bytes.get(at + 1)) {
                    (Some(start), None) => return wait(open, start),
                    (Some(start), Some(b'(')) => match memchr::memchr(b')', &bytes[at..]) {
                        None => return wait(open, start),
                        Some(close) => at += close,
                    },
                    (Some(_), Some(_)) | (None, _) => {}
                }
                bracket = None;
                at += 1;
            }
            b'!' if end == bytes.len() => return wait(open, bracket.unwrap_or(end - 1)),
            _ => at += 1,
        }
    }
    Reading { open, held: bracket }
}

/// Returns the offset after a run of exactly this many backticks, at or after `from`.
fn closing(bytes: &[u8], from: usize, length: usize) -> Option<usize> {
    let mut at = from;
    while let Some(next) = memchr::memchr(b'`', bytes.get(at..)?) {
        let start = at + next;
        let run = bytes[start..].iter().take_while(|b| **b == b'`').count();
        if run == length {
            return Some(start + run);
        }
        at = start + run;
    }
    None
}

fn emphasis(open: &mut Vec<DelimiterRun>, source: &str, at: usize, length: usize) {
    let delimiter = source.as_bytes()[at];
    let before = source[..at].chars().next_back().unwrap_or(' ');
    let after = source[at + length..].chars().next().unwrap_or(' ');
    let mut length = length;
    if !before.is_whitespace() {
        while length > 0
            && let Some(top) = open.last_mut().filter(|top| top.delimiter == delimiter)
        {
            let closed = top.length.min(length);
            top.length -= closed;
            length -= closed;
            if top.length == 0 {
                open.pop();
            }
        }
    }
    let opens = match delimiter {
        b'~' => length == 2,
        b'_' => !before.is_alphanumeric(),
        _ => true,
    };
    if length > 0 && opens && !after.is_whitespace() {
        open.push(DelimiterRun { at, delimiter, length });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_markup_is_shown_as_if_it_were_closed() {
        assert_eq!(mended("plain hel"), "plain hel");
        assert_eq!(mended("a **bold te"), "a **bold te**");
        assert_eq!(mended("a **bold and *both "), "a **bold and *both***");
        assert_eq!(mended("run `cargo te"), "run `cargo te`");
        assert_eq!(mended("**done** and"), "**done** and");
        assert_eq!(mended("snake_case 2 * 3"), "snake_case 2 * 3");
    }

    #[test]
    fn text_with_an_unclear_look_is_held_back() {
        assert_eq!(mended("a **"), "a ");
        assert_eq!(mended("a **bold*"), "a **bold**");
        assert_eq!(mended("see [the docs](https://exa"), "see ");
        assert_eq!(mended("see [1] and"), "see [1] and");
        assert_eq!(mended("a &am"), "a ");
        assert_eq!(mended("an escape \\"), "an escape ");
    }

    #[test]
    fn nothing_is_guessed_in_lines_of_disputed_width() {
        assert_eq!(mended("👩‍👩‍👧 and *args"), "👩‍👩‍👧 and ");
    }
}
