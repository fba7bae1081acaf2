//! What a shell itself prints between a command's start and its end, which is not the command's output.

use super::ESC;
use super::drawn::{is_link, piece};

/// Whether anything in these bytes can be seen. Titles, modes, colours without text, bells, moves and erasures cannot.
pub(crate) fn is_visible(bytes: &[u8]) -> bool {
    pieces(bytes).any(|piece| match piece {
        [ESC, b']' | b'P' | b'_', ..] => is_picture(piece),
        [ESC, ..] => false,
        [byte, ..] => (*byte >= b' ' && *byte != 0x7F) || b"\t\n\x0b\x0c".contains(byte),
        [] => false,
    })
}

/// Length of what a shell prints after it has announced a command: titles, modes off, colours reset, a return. fish prints all of
/// these; zsh and bash print what frameworks have them print, which is mostly a title. A colour that is not reset belongs to the text
/// behind it.
pub(crate) fn prologue(head: &[u8]) -> usize {
    let (mut end, mut at, mut is_plain) = (0, 0, true);
    for piece in pieces(head) {
        at += piece.len();
        match piece {
            b"\x1b[m" | b"\x1b[0m" => is_plain = true,
            [ESC, b'[', inner @ .., b'm'] if inner.iter().all(|b| b"0123456789;:".contains(b)) => is_plain = false,
            // The return of a line end belongs to it.
            b"\r" if head.get(at) != Some(&b'\n') => {}
            b"\x0f" | b"\x1b(B" => {}
            _ if is_switch_off(piece) || is_message(piece) => {}
            _ => break,
        }
        if is_plain {
            end = at;
        }
    }
    end
}

/// Length of what zsh prints to mark output without a final newline: the mark, blanks to the margin, and back over the mark.
pub(crate) fn epilogue(tail: &[u8], eol_mark: &[u8]) -> usize {
    let strip = || {
        let rest = blanks(tail.strip_suffix(b"\r")?);
        let rest = blanks(rest.strip_suffix(b"\r")?);
        rest.strip_suffix(eol_mark)
    };
    match strip() {
        Some(rest) if !eol_mark.is_empty() => tail.len() - rest.len(),
        _ => 0,
    }
}

/// Length of the messages to the terminal at the end: titles, the working directory, and the marks with which a shell says by itself
/// that the command is over. fish 4 prints one before its hooks run, and so do other hooks than ours.
pub(crate) fn closing(tail: &[u8]) -> usize {
    let mut rest = tail;
    while let Some(before) = without_message(rest) {
        rest = before;
    }
    tail.len() - rest.len()
}

/// What stands before the message to the terminal that ends `bytes`.
fn without_message(bytes: &[u8]) -> Option<&[u8]> {
    let text = bytes.strip_suffix(b"\x07").or_else(|| bytes.strip_suffix(b"\x1b\\"))?;
    let start = memchr::memrchr(ESC, text)?;
    is_message(&bytes[start..]).then_some(&bytes[..start])
}

fn blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// The bytes one by one, and sequences whole.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (first, after) = rest.split_at_checked(piece(rest)).filter(|_| !rest.is_empty())?;
        rest = after;
        Some(first)
    })
}

/// `CSI ? numbers l`.
fn is_switch_off(piece: &[u8]) -> bool {
    let numbers = piece.strip_prefix(b"\x1b[?").and_then(|rest| rest.strip_suffix(b"l"));
    numbers.is_some_and(|numbers| numbers.iter().all(|b| b.is_ascii_digit() || *b == b';'))
}

/// A whole string for the terminal that shows nothing where the cursor is: a title, a directory, a mark, a progress bar in the task bar.
fn is_message(piece: &[u8]) -> bool {
    let is_whole = piece.ends_with(b"\x07") || piece.ends_with(b"\x1b\\");
    match piece {
        [ESC, b']', text @ ..] => is_whole && !is_link(text) && !is_picture(piece),
        [ESC, b'k', ..] => is_whole,
        _ => false,
    }
}

/// A picture in the dialect of sixel, kitty or iTerm2.
fn is_picture(piece: &[u8]) -> bool {
    match piece {
        [ESC, b'P', text @ ..] => text.iter().find(|b| !b"0123456789;".contains(b)) == Some(&b'q'),
        [ESC, b'_', b'G', ..] => true,
        [ESC, b']', text @ ..] => text.starts_with(b"1337;File=") || text.starts_with(b"1337;MultipartFile="),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fish_prints_first_is_not_output() {
        let dress = b"\x1b[?2004l\x1b]0;ls /tmp\x07\x1b[30m\x1b(B\x1b[m\r";
        assert_eq!(prologue(dress), dress.len());
        assert_eq!(prologue(&[dress, &b"\x1b[31mred"[..]].concat()), dress.len());
        assert_eq!(prologue(b"\x1b[31mred"), 0);
        assert_eq!(prologue(b"\x1b]0;unfinished"), 0);
        assert_eq!(prologue(b"\x1b[m\x0f\rtext"), 5, "fish in a terminal that knows few modes");
        assert_eq!(prologue(b"\x1b[?1049htext"), 0);
        assert_eq!(prologue(b"\x1b[m\r\n"), 3);
    }

    #[test]
    fn a_title_before_or_behind_the_text_is_not_output() {
        let titles = b"\x1b]2;true\x07\x1b]1;true\x07\x1bktrue\x1b\\\x1b]7;file://h/tmp\x1b\\";
        assert_eq!(prologue(titles), titles.len());
        assert_eq!(closing(titles), titles.len());
        assert_eq!(prologue(b"\x1b]8;;http://x\x07link"), 0);
        assert_eq!(closing(b"text\x1b]8;;\x07"), 0);
    }

    #[test]
    fn what_draws_nothing_cannot_be_seen() {
        for hidden in
            [&b""[..], b"\x1b[31m\x1b[2J\x1b[H\x07\r\x0f", b"\x1b]2;title", b"\x1bktitle\x1b\\", b"\x1bP$q m\x1b\\"]
        {
            assert!(!is_visible(hidden), "{}", hidden.escape_ascii());
        }
        for seen in [
            "a",
            "\r\n",
            "\t",
            "é",
            "\x1b[31m.",
            "\x1bPq#0~\x1b\\",
            "\x1bP0;1;0q~",
            "\x1b_Ga=T;AA\x1b\\",
            "\x1b]1337;File=:AA\x07",
        ] {
            assert!(is_visible(seen.as_bytes()), "{}", seen.escape_debug());
        }
    }

    #[test]
    fn the_mark_of_another_hook_is_not_output() {
        assert_eq!(closing(b"abc\r\n\x1b]133;D;0\x07"), 10);
        assert_eq!(closing(b"abc\x1b]633;D;0\x07\x1b]133;D\x1b\\"), 19);
        assert_eq!(closing(b"\x1b]133;D;0\x07abc"), 0);
    }

    #[test]
    fn what_zsh_prints_last_is_not_output() {
        let mark = b"\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m";
        let dress = [mark, &[b' '; 79][..], b"\r \r"].concat();
        assert_eq!(epilogue(&dress, mark), dress.len());
        assert_eq!(epilogue(&[&b"abc  "[..], &dress].concat(), mark), dress.len());
        assert_eq!(epilogue(b"abc\r\n", mark), 0);
        assert_eq!(epilogue(b"   \r \r", b""), 0, "a shell that names no mark prints none");
    }
}
