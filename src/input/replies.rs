//! Recognizes replies of the terminal among the bytes that the keyboard sends.

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;

/// Whether these bytes are whole replies of a terminal to queries, and no keys. fish 4.1 and later send queries before every prompt.
pub(crate) fn are_replies(mut bytes: &[u8]) -> bool {
    while let Some(length) = reply(bytes) {
        bytes = &bytes[length..];
    }
    bytes.is_empty()
}

/// The length of the reply that these bytes begin with.
fn reply(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [ESC, b'[', rest @ ..] => {
            let length = rest.iter().position(|byte| !(0x20..=0x3F).contains(byte))?;
            is_control_reply(&rest[..length], rest[length]).then_some(length + 3)
        }
        [ESC, b']' | b'P', rest @ ..] => {
            let length = rest.iter().position(|byte| *byte < 0x20)?;
            match &rest[length..] {
                [BEL, ..] => Some(length + 3),
                [ESC, b'\\', ..] => Some(length + 4),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the control sequence with these parameters is a reply.
fn is_control_reply(parameters: &[u8], last: u8) -> bool {
    match (parameters, last) {
        ([b'?', ..], b'c' | b'n' | b'u' | b'y' | b'R') | ([b'>', ..], b'c') | (b"0", b'n') => true,
        // `CSI 1 ; 2 R` is F3 with Shift, or the position of a cursor in the first row.
        (b"1;1", b'R') => true,
        (position, b'R') => !position.starts_with(b"1;") && position.contains(&b';'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_from_keys() {
        let replies: &[&[u8]] = &[
            b"\x1b[?62;22c",
            b"\x1b[24;80R\x1b[?62;22c",
            b"\x1b[1;1R\x1b[?62;22c",
            b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[2;1R\x1b[?62c",
            b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
            b"\x1bP>|XTerm(390)\x1b\\\x1b[?0u",
            b"\x1bP1+r696e646e=0a\x1b\\",
            b"\x1b[?997;1n\x1b[0n\x1b[?2026;2$y",
        ];
        for bytes in replies {
            assert!(are_replies(bytes), "{}", bytes.escape_ascii());
        }
        let keys: &[&[u8]] = &[
            b"l",
            b"\x1b",
            b"\x1b[A",
            b"\x1b[1;2R",
            b"\x1b[R",
            b"\x1b[97;5u",
            b"\x1b[200~ls\x1b[201~",
            b"\x1b[<0;3;4M",
            b"\x1b[?62;22cl",
            b"\x1b[?62;22",
            b"\x1b]11;rgb:1e1e/1e1e/2e2e",
            b"\x1b]11;rgb\r",
        ];
        for bytes in keys {
            assert!(!are_replies(bytes), "{}", bytes.escape_ascii());
        }
    }
}
