//! Masks a file of any size while it is read.

use std::io::{self, Read};

use super::extent::char_boundary;
use super::{LineBreaks, Redactor};

/// Bytes that are masked together, and bytes that are read at once.
const WINDOW: usize = 1024 * 1024;
const READ: usize = 64 * 1024;
/// Bytes looked at before and behind what is handed out: more than any finder looks back or ahead for one secret.
const MARGIN: usize = 64 * 1024;

/// Reads text with its secrets masked and every line where it was. Invalid UTF-8 becomes replacement characters.
///
/// What it hands out depends on the whole text around it, so a reader that skips to the middle of a private key sees no more of the
/// key than one that reads everything.
pub(crate) struct MaskedReader<R> {
    source: R,
    redactor: Redactor,
    window: usize,
    margin: usize,
    /// Text that was read; the first `done` bytes were handed out and are kept as context.
    text: String,
    done: usize,
    /// The beginning of a character that a read cut in two.
    torn: Vec<u8>,
    is_at_end: bool,
    masked: String,
    /// How much of `masked` was handed out.
    taken: usize,
}

impl<R: Read> MaskedReader<R> {
    pub(crate) fn new(source: R, redactor: Redactor) -> MaskedReader<R> {
        MaskedReader::with_window(source, redactor, WINDOW, MARGIN)
    }

    fn with_window(source: R, redactor: Redactor, window: usize, margin: usize) -> MaskedReader<R> {
        let (text, masked) = (String::new(), String::new());
        MaskedReader {
            source,
            redactor,
            window,
            margin,
            text,
            done: 0,
            torn: Vec::new(),
            is_at_end: false,
            masked,
            taken: 0,
        }
    }

    /// Masks the next part.
    fn advance(&mut self) -> io::Result<()> {
        while !self.is_at_end && self.text.len() - self.done < self.window + self.margin {
            self.read_more()?;
        }
        let found = self.redactor.spans(&self.text);
        let mut end = match self.is_at_end {
            true => self.text.len(),
            false => char_boundary(&self.text, self.text.len() - self.margin),
        };
        // A secret is handed out with the part it begins in.
        if let Some(cut) = found.iter().find(|one| one.range.start < end && end < one.range.end) {
            end = if cut.range.start > self.done { cut.range.start } else { cut.range.end };
        }
        self.masked = self.redactor.written(&self.text, self.done..end, &found, LineBreaks::Kept);
        self.taken = 0;
        let kept = char_boundary(&self.text, end.saturating_sub(self.margin));
        self.text.drain(..kept);
        self.done = end - kept;
        Ok(())
    }

    fn read_more(&mut self) -> io::Result<()> {
        let start = self.torn.len();
        self.torn.resize(start + READ, 0);
        let count = self.source.read(&mut self.torn[start..])?;
        self.torn.truncate(start + count);
        self.is_at_end = count == 0;
        let keep = if self.is_at_end { 0 } else { unfinished(&self.torn) };
        let rest = self.torn.split_off(self.torn.len() - keep);
        self.text.push_str(&String::from_utf8_lossy(&self.torn));
        self.torn = rest;
        Ok(())
    }
}

impl<R: Read> Read for MaskedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.masked.len() && (!self.is_at_end || self.done < self.text.len()) {
            self.advance()?;
        }
        let rest = &self.masked.as_bytes()[self.taken..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Length of an incomplete character at the end.
fn unfinished(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        Some(chunk) if !chunk.invalid().is_empty() && chunk.invalid().len() < 4 => {
            let error = std::str::from_utf8(chunk.invalid()).err();
            if error.is_some_and(|error| error.error_len().is_none()) { chunk.invalid().len() } else { 0 }
        }
        Some(_) | None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{noise, pieces};
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8], window: usize, margin: usize) -> String {
        let mut masked = String::new();
        let mut reader = MaskedReader::with_window(text, Redactor::default(), window, margin);
        reader.read_to_string(&mut masked).unwrap();
        masked
    }

    #[test]
    fn a_key_far_into_a_large_file_is_masked_whole() {
        let line = format!("{}\n", noise(64));
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n", line.repeat(25));
        let filler = "an ordinary line of text\n".repeat(WINDOW / 25);
        for shift in [0, 17, 700, 1300] {
            let text = format!("{}\n{filler}{key}{filler}{key}", "x".repeat(shift));
            let masked = read(text.as_bytes(), WINDOW, MARGIN);
            assert!(!masked.contains(&line[..16]) && masked.matches("[masked: private key #1]").count() == 2);
            assert_eq!(masked.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn characters_torn_by_a_read_are_put_together() {
        let text = "é✳𝄞".repeat(READ);
        assert_eq!(read(text.as_bytes(), WINDOW, MARGIN), text);
        assert_eq!(read(b"a\xffb\xe2\x9c", 8, 8), "a\u{FFFD}b\u{FFFD}");
    }

    proptest! {
        #[test]
        fn reading_in_parts_is_masking_the_whole(text in pieces(), window in 1usize..400) {
            prop_assert_eq!(read(text.as_bytes(), window, 4096), Redactor::default().mask_in_place(&text));
        }
    }
}
