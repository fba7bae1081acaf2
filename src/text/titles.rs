//! Window titles as screen and tmux write them.

use std::borrow::Cow;

use memchr::memmem;

/// Removes the window titles that screen and tmux set with `ESC k title ESC \` and never display.
///
/// Other terminals give `ESC k` no meaning. A title therefore ends at the end of its line at the latest, so that a stray `ESC k`
/// hides no more than one line.
pub(crate) fn without_titles(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut rest = bytes;
    let mut kept = Vec::new();
    while let Some(start) = memmem::find(rest, b"\x1bk") {
        let title = &rest[start + 2..];
        let end = title.iter().position(|byte| *byte < b' ').unwrap_or(title.len());
        let last = match &title[end..] {
            [0x1b, b'\\', ..] => 2,
            [0x07, ..] => 1,
            _ => 0,
        };
        kept.extend_from_slice(&rest[..start]);
        rest = &title[end + last..];
    }
    if rest.len() == bytes.len() {
        return Cow::Borrowed(bytes);
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_window_titles_are_removed() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"no title\x1b[31mk\x1b]0;another\x07", b"no title\x1b[31mk\x1b]0;another\x07"),
            (b"\x1bkvim\x1b\\text", b"text"),
            (b"a\x1bkone\x1b\\b\x1bk\x1b\\c\x1bktwo\x07d", b"abcd"),
            ("\x1bk~/✳ home\x1b\\text".as_bytes(), b"text"),
            (b"a\x1bkstray\r\ntext\r\n", b"a\r\ntext\r\n"),
            (b"a\x1bkcut by a colour\x1b[31mtext", b"a\x1b[31mtext"),
            (b"text\x1bknever ended", b"text"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(&*without_titles(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
