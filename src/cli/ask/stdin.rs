//! What is piped in, bounded.

use std::io::{self, IsTerminal, Read};

use anyhow::Context;

use crate::text::MIB;

/// Bytes of the beginning, and of the end, that are kept. A model gets to see far fewer, but may search in these.
const CAP: usize = 2 * MIB;

/// Reads what was piped in, if anything.
pub(super) async fn read() -> anyhow::Result<Option<String>> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let read = tokio::task::spawn_blocking(|| collect(io::stdin().lock(), CAP));
    match read.await.context("cannot read stdin")? {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        // A program may be started without one, or with a directory for one.
        Err(error) => {
            tracing::debug!(%error, "no stdin");
            Ok(None)
        }
    }
}

/// The first and the last `cap` bytes, and a line in place of what is missing in between.
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
        assert_eq!(kept(&"x".repeat(1_000)).len(), "xxxx\n[… 992 bytes not kept …]\nxxxx".len());
        assert_eq!(collect(&b"\xff\xfe"[..], 4).unwrap(), "\u{FFFD}\u{FFFD}");
    }
}
