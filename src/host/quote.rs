//! Words as shells read them back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// One word for bash and zsh: single quotes, and a quote inside is closed, escaped and opened again.
pub(super) fn posix(word: &OsStr) -> Vec<u8> {
    quoted(word, &[(b'\'', br"'\''")])
}

/// One word for fish, where a backslash inside single quotes escapes a quote or a backslash.
pub(super) fn fish(word: &OsStr) -> Vec<u8> {
    quoted(word, &[(b'\'', br"\'"), (b'\\', br"\\")])
}

fn quoted(word: &OsStr, escapes: &[(u8, &[u8])]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in word.as_bytes() {
        match escapes.iter().find(|(special, _)| *special == byte) {
            Some((_, escaped)) => out.extend_from_slice(escaped),
            None => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_escaped_for_each_shell() {
        assert_eq!(posix(OsStr::new(r"it's \ $HOME")), br"'it'\''s \ $HOME'");
        assert_eq!(fish(OsStr::new(r"it's \ $HOME")), br"'it\'s \\ $HOME'");
    }
}
