//! What a shell itself prints between a command's start and its end, which is not the command's output.

/// Length of what fish prints after it has announced a command: modes off, the window's title, colours reset, a return.
pub fn prologue(head: &[u8]) -> usize {
    let mut rest = head;
    while let Some(after) = switch_off(rest).or_else(|| title(rest)) {
        rest = after;
    }
    for reset in [&b"\x1b[30m"[..], b"\x1b(B", b"\x1b[m", b"\r"] {
        match rest.strip_prefix(reset) {
            Some(after) => rest = after,
            None => break,
        }
    }
    head.len() - rest.len()
}

/// Length of what zsh prints to mark output without a final newline: the mark, blanks to the margin, and back over the mark.
pub fn epilogue(tail: &[u8], eol_mark: &[u8]) -> usize {
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

/// Length of the marks with which a shell says by itself that the command is over: fish 4 does before its hooks run, and so do other
/// hooks than ours.
pub fn closing(tail: &[u8]) -> usize {
    let mut rest = tail;
    while let Some(before) = without_mark(rest) {
        rest = before;
    }
    tail.len() - rest.len()
}

/// What stands before `OSC 133 ; D … ST` or `OSC 633 ; D … ST`.
fn without_mark(bytes: &[u8]) -> Option<&[u8]> {
    let text = bytes.strip_suffix(b"\x07").or_else(|| bytes.strip_suffix(b"\x1b\\"))?;
    let start = memchr::memrchr(0x1B, text)?;
    let mark = text[start..].strip_prefix(b"\x1b]")?;
    (mark.starts_with(b"133;D") || mark.starts_with(b"633;D")).then_some(&bytes[..start])
}

fn blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// `CSI ? digits l`.
fn switch_off(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"\x1b[?")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].strip_prefix(b"l")
}

/// `OSC 0 ; text BEL`.
fn title(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"\x1b]0;")?;
    let end = rest.iter().position(|&byte| byte < 0x20)?;
    rest[end..].strip_prefix(b"\x07")
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
    }

    #[test]
    fn the_mark_of_another_hook_is_not_output() {
        assert_eq!(closing(b"abc\r\n\x1b]133;D;0\x07"), 10);
        assert_eq!(closing(b"abc\x1b]633;D;0\x07\x1b]133;D\x1b\\"), 19);
        assert_eq!(closing(b"\x1b]133;D;0\x07abc"), 0);
        assert_eq!(closing(b"\x1b]2;title\x07"), 0);
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
