//! Reads stdin, within limits.

use std::io::{self, IsTerminal, Read};

use anyhow::Context;

use crate::text::MIB;

/// How many bytes of the start and of the end are kept. A model sees fewer, but its tools may search all of them.
const CAP: usize = 2 * MIB;
/// Lines up to this length are not cut in two where bytes are left out.
const LINE: usize = 4096;

/// Reads stdin unless it is a terminal.
pub(super) async fn read() -> anyhow::Result<Option<String>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let read = tokio::task::spawn_blocking(|| collect(io::stdin().lock(), CAP));
    match read.await.context("cannot read stdin")? {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        // stdin may be closed, or a directory.
        Err(error) => {
            tracing::debug!(%error, "no stdin");
            Ok(None)
        }
    }
}

/// The first and the last `cap` bytes, with a line between them that says how many are missing.
fn collect(mut from: impl Read, cap: usize) -> io::Result<String> {
    let mut head = Vec::new();
    from.by_ref().take(cap as u64).read_to_end(&mut head)?;
    let (mut tail, mut missing) = (Vec::new(), 0);
    while from.by_ref().take(cap as u64).read_to_end(&mut tail)? > 0 {
        let old = tail.len().saturating_sub(cap);
        missing += old;
        tail.drain(..old);
    }
    if missing > 0 {
        // A half line could contain half of a secret, which would not be recognised and masked.
        let end = memchr::memrchr(b'\n', &head).filter(|newline| head.len() - newline <= LINE);
        let start = memchr::memchr(b'\n', &tail).filter(|newline| *newline < LINE);
        let (end, start) = (end.map_or(head.len(), |newline| newline + 1), start.map_or(0, |newline| newline + 1));
        missing += head.len() - end + start;
        head.truncate(end);
        tail.drain(..start);
        head.extend_from_slice(format!("\n[… {missing} bytes not kept …]\n").as_bytes());
    }
    head.append(&mut tail);
    Ok(String::from_utf8(head).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_kept() {
        let kept = |text: &str| collect(text.as_bytes(), 4).unwrap();
        assert_eq!(kept(""), "");
        assert_eq!(kept("abcd"), "abcd");
        assert_eq!(kept("abcdefgh"), "abcdefgh");
        assert_eq!(kept("abcdefghi"), "abcd\n[… 1 bytes not kept …]\nfghi");
        let cut = "a\n[… 7 bytes not kept …]\nj\n";
        assert_eq!(collect("a\nbcd\ngh\nj\n".as_bytes(), 4).unwrap().replace("\n\n", "\n"), cut);
        assert_eq!(kept(&"x".repeat(1_000)).len(), "xxxx\n[… 992 bytes not kept …]\nxxxx".len());
        assert_eq!(collect(&b"\xff\xfe"[..], 4).unwrap(), "\u{FFFD}\u{FFFD}");
    }
}
