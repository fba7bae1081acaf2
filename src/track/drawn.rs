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

/// Whether these bytes of a line leave its row empty, the cursor at its start and the colours reset. A sequence that is not complete
/// does not: nothing may be printed inside it.
pub(super) fn leaves_empty_row(line: &[u8]) -> bool {
    let (mut rest, mut is_reset) = (if ends_with_zsh_mark(line) { &[] } else { line }, true);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece(rest));
        if !is_complete(piece) {
            return false;
        }
        match piece {
            [ESC, b'[', b'<'..=b'?', .., b'm' | b'u'] => {}
            [ESC, b'[', .., b'm'] => is_reset = matches!(&piece[2..], b"m" | b"0m"),
            // Modes, and questions to the terminal.
            [ESC, b'[', .., b'h' | b'l' | b'n' | b'c' | b'q'] => {}
            [ESC, b'(' | b')', b'B'] | [ESC, b'=' | b'>'] => {}
            [ESC, b']' | b'P' | b'X' | b'^' | b'_' | b'k', string @ ..] if !is_link(string) => {}
            [b'\r' | BEL | 0x0F] => {}
            _ => return false,
        }
        rest = after;
    }
    is_reset
}

/// Whether these bytes end with what zsh prints before a prompt: a mark for output without a newline, blanks to the margin, and back
/// over the mark. The cursor is at the start of an empty row then, whatever was on the row before.
fn ends_with_zsh_mark(line: &[u8]) -> bool {
    /// Fewer blanks may belong to anything.
    const MARGIN: usize = 10;
    let Some(filled) = line.strip_suffix(b"\r \r") else { return false };
    let blanks = filled.iter().rev().take_while(|byte| **byte == b' ').count();
    let mark = &filled[..filled.len() - blanks];
    blanks >= MARGIN && matches!(without_colours_behind(mark), [.., b'%' | b'#'])
}

/// These bytes less the colours at their end.
fn without_colours_behind(bytes: &[u8]) -> &[u8] {
    match memchr::memrchr(ESC, bytes) {
        Some(at) if bytes[at..].ends_with(b"m") && piece(&bytes[at..]) == bytes.len() - at => {
            without_colours_behind(&bytes[..at])
        }
        Some(_) | None => bytes,
    }
}

/// Whether a person sees something of these bytes: not only modes, titles and colours.
pub(crate) fn draws_text(bytes: &[u8]) -> bool {
    !is_blank(bytes) && !leaves_empty_row(bytes)
}

/// Whether these bytes place the cursor anywhere on the screen, as full-screen programs do first.
pub(crate) fn places_cursor(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\x1b[").any(|at| {
        let sequence = &bytes[at + 2..];
        let end = sequence.iter().position(|byte| (0x40..0x7F).contains(byte));
        end.is_some_and(|end| matches!(sequence[end], b'H' | b'f' | b'd'))
    })
}

/// Whether a piece of output, as [`piece`] cuts it, has its end.
fn is_complete(piece: &[u8]) -> bool {
    match piece {
        [ESC] => false,
        [ESC, b'[', inner @ ..] => inner.last().is_some_and(|last| (0x40..0x7F).contains(last)),
        [ESC, b'k' | b']' | b'P' | b'X' | b'^' | b'_', string @ ..] => {
            string.ends_with(&[BEL]) || string.ends_with(b"\x1b\\")
        }
        [ESC, .., last] => (0x30..0x7F).contains(last),
        _ => true,
    }
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

    #[test]
    fn modes_titles_and_colours_are_no_text() {
        for bytes in
            [&b""[..], b"\x1b[?2004l\x1b]0;title\x07\x1b[30m\x1b(B\x1b[m\r", b"\x1b[?2004h", b"\x1b[?10", b"\r\n"]
        {
            assert!(!draws_text(bytes), "{}", bytes.escape_ascii());
        }
        for bytes in [&b"$ "[..], b"\x1b[?2004h\x1b[32m$\x1b[m ", b"\x1b[1m\x1b[7m%"] {
            assert!(draws_text(bytes), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_full_screen_program_is_known_by_its_first_bytes() {
        for bytes in [&b"\x1b[H\x1b[2J"[..], b"\x1b[0;9fx", b"\x1b[4d"] {
            assert!(places_cursor(bytes), "{}", bytes.escape_ascii());
        }
        for bytes in [&b""[..], b"H", b"\x1b[J\x1b[K$ ", b"\x1b[?2004h", b"\x1b[?1049l", b"\x1b[32mH", b"\x1b[9"] {
            assert!(!places_cursor(bytes), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn resets_and_modes_leave_an_empty_row() {
        for line in [
            &b""[..],
            b"\r",
            b"\x1b[30m\x1b(B\x1b[m\r",
            b"\x1b[?2004l\r",
            b"\x1b[?2004h",
            b"\x1b]0;title\x07\x1b[0m",
            b"\x1bkvim\x1b\\",
            b"\x1b>\x1b[?1l",
            b"\x1b[1m\x1b[m\x0f",
            b"\x1b[>4;1m\x1b[=5u",
            b"\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m                   \r \r",
            b"output without a newline\x1b[7m#\x1b[0m                \r \r",
        ] {
            assert!(leaves_empty_row(line), "{}", line.escape_ascii());
        }
        for line in [
            &b"x"[..],
            b" ",
            b"x\r",
            b"50 %                  \r",
            b"loading                  \r \r",
            b"\x1b[31m",
            b"\x1b[A",
            b"\x1bM",
            b"\x1b[u",
            b"\x1b[2;9r",
            b"\x1b(0",
            b"\x1b]8;;http://x\x1b\\",
            b"\x1b[5G",
            b"\x1b[H",
            b"\x1b",
            b"\x1b[",
            b"\x1b[3",
            b"\x1b(",
            b"\x1b]0;title",
            b"\x1b]0;title\x1b",
            b"\x1bktitle",
            "é".as_bytes(),
        ] {
            assert!(!leaves_empty_row(line), "{}", line.escape_ascii());
        }
    }

    proptest::proptest! {
        /// Adding a letter never leaves an empty row, and what leaves one draws nothing on a terminal.
        #[test]
        fn an_empty_row_is_empty_on_a_terminal(line in "[a\r\x1b\\[\\]0-9;m(BKhl?\x07]{0,12}") {
            if leaves_empty_row(line.as_bytes()) {
                let size = |cells| std::num::NonZero::new(cells).unwrap();
                let mut terminal = vt100::Parser::new(size(4), size(20), 0);
                terminal.process(line.as_bytes());
                proptest::prop_assert_eq!(terminal.screen().contents(), "");
                proptest::prop_assert_eq!(terminal.screen().cursor_position(), (0, 0));
                terminal.process(b"x");
                proptest::prop_assert_eq!(terminal.screen().contents(), "x");
            }
        }
    }
}
