//! What of a line's bytes can be seen.

use super::{BEL, ESC};

/// Back to the start of the row, and nothing is left on it.
const ERASED: &[u8] = b"\r\x1b[K";

/// The bytes of a line less those that draw nothing: modes and titles, bells and questions to the terminal, returns at its start, and
/// all that was erased. `keep` says which of the strings (`ESC ]` and its like) stay.
pub(super) fn drawn(line: &[u8], keep: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(&first) = rest.first() {
        if let Some(after) = rest.strip_prefix(ERASED) {
            out.clear();
            rest = after;
            continue;
        }
        let (piece, after) = rest.split_at(piece(rest));
        let stays = match piece {
            [ESC, b'[', inner @ .., last] => {
                inner.iter().all(|b| b"0123456789;:".contains(b)) && !b"chilnqrt".contains(last)
            }
            [ESC, b']' | b'P' | b'X' | b'^' | b'_' | b'k', ..] => keep(&piece[2..]),
            [ESC, second, ..] => b"78()".contains(second),
            [b'\r'] => !out.is_empty(),
            _ => first >= b' ' || b"\t\x08\x0e\x0f".contains(&first),
        };
        if stays {
            out.extend_from_slice(piece);
        }
        rest = after;
    }
    out
}

/// Whether these bytes of a line draw nothing.
pub(super) fn is_blank(line: &[u8]) -> bool {
    drawn(line, is_link).is_empty()
}

/// A prompt as it can be drawn again.
pub(super) fn as_prompt(line: &[u8]) -> Vec<u8> {
    drawn(line, |string| is_link(string) || is_place(string))
}

/// The length of the first thing in these bytes: one byte, or a whole sequence. What breaks off reaches to the end.
pub(super) fn piece(bytes: &[u8]) -> usize {
    let from = |start: usize, ends: fn(&u8) -> bool| {
        bytes[start..].iter().position(ends).map_or(bytes.len(), |at| start + at + 1)
    };
    match bytes {
        [ESC, b'[', ..] => from(2, |b| (0x40..0x7F).contains(b)),
        // A title of screen and tmux ends with its line at the latest: to other terminals `ESC k` means nothing.
        [ESC, b'k', ..] => {
            let end = bytes[2..].iter().position(|b| *b < b' ').map_or(bytes.len(), |at| 2 + at);
            end + [&b"\x1b\\"[..], b"\x07"].into_iter().find(|st| bytes[end..].starts_with(st)).map_or(0, <[u8]>::len)
        }
        [ESC, b']' | b'P' | b'X' | b'^' | b'_', ..] => {
            let end = from(2, |b| matches!(*b, ESC | BEL));
            if bytes[..end].ends_with(&[ESC]) && bytes.get(end) == Some(&b'\\') { end + 1 } else { end }
        }
        [ESC, ..] => from(1, |b| (0x30..0x7F).contains(b)),
        _ => 1,
    }
}

/// A link is part of the text in it.
pub(super) fn is_link(string: &[u8]) -> bool {
    string.starts_with(b"8;")
}

/// A mark that says of the text behind it that it is a prompt, or typed.
fn is_place(string: &[u8]) -> bool {
    matches!(string, [b'1', b'3', b'3', b';', b'A' | b'B' | b'P', ..] | [b'6', b'3', b'3', b';', b'A' | b'B', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_draw_nothing() {
        let modes = b"\x1b[?2004l\r\x1b[?2004h\x1b[32m$\x1b[0m \x1b[?25;1lx\x1b[?1";
        assert_eq!(drawn(modes, is_link), b"\x1b[32m$\x1b[0m x");
    }

    #[test]
    fn what_is_drawn_again_does_nothing_else_again() {
        let line = b"\x07a\x1b]2;title\x07b\x1b]8;;http://x\x1b\\c\x1b]8;;\x07\x1b[6n\x1b[c\x1b[5 q\x1b[>1u\x1bP+q\x1b\\\x1b(Bd\te\x1b=";
        assert_eq!(drawn(line, is_link), b"ab\x1b]8;;http://x\x1b\\c\x1b]8;;\x07\x1b(Bd\te");
        let marks = b"\x1b]133;D;1\x07\x1b]133;A\x07$ \x1b]133;B\x07";
        assert_eq!(drawn(marks, is_link), b"$ ");
        assert_eq!(drawn(marks, is_place), b"\x1b]133;A\x07$ \x1b]133;B\x07");
        assert_eq!(drawn(b"\x1b]2;broken off", is_link), b"");
        assert_eq!(drawn(b"a\x1bkvim\x1b\\b\x1bkstray\r\x1bk\x07c", is_link), b"ab\rc");
    }
}
