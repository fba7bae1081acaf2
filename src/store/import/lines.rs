//! Reads lines of files that other programs wrote, within a limit.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use crate::text::{KIB, MIB};

/// The longest command that is imported, and so the longest line.
pub(super) const LONGEST: usize = 64 * KIB;
/// How much of a file is read, from its end.
const READ: u64 = 256 * MIB as u64;
/// How much is looked at to recognise a file.
const BEGINNING: u64 = 8 * KIB as u64;

/// One line of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileLine {
    /// Without its line break.
    Whole(Vec<u8>),
    /// A line over the limit. It was skipped.
    TooLong,
}

/// The lines of a file.
pub(super) struct HistoryLines<R> {
    input: R,
}

impl<R: BufRead> HistoryLines<R> {
    pub(super) fn new(input: R) -> HistoryLines<R> {
        HistoryLines { input }
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<FileLine>> {
        let mut line = Vec::new();
        let mut is_long = false;
        let mut has_any = false;
        loop {
            let piece = match self.input.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                break;
            }
            has_any = true;
            let end = memchr::memchr(b'\n', piece);
            let part = &piece[..end.unwrap_or(piece.len())];
            is_long |= line.len() + part.len() > LONGEST;
            if !is_long {
                line.extend_from_slice(part);
            }
            let used = end.map_or(piece.len(), |end| end + 1);
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(has_any.then_some(if is_long { FileLine::TooLong } else { FileLine::Whole(line) }))
    }
}

/// The first bytes of a file.
pub(super) fn beginning(file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(BEGINNING).read_to_end(&mut start)?;
    Ok(start)
}

/// The lines of the file, from its beginning, or from the first whole line of its last part if it is too large.
pub(super) fn lines(mut file: File) -> io::Result<HistoryLines<BufReader<File>>> {
    let skipped = file.metadata()?.len().saturating_sub(READ);
    file.seek(SeekFrom::Start(skipped))?;
    let mut lines = HistoryLines::new(BufReader::new(file));
    if skipped > 0 {
        lines.next()?;
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_the_limit_is_skipped_whole() {
        let long = "x".repeat(LONGEST + 1);
        let text = format!("one\n{long}\n\n{}", "y".repeat(LONGEST));
        let mut lines = HistoryLines::new(BufReader::with_capacity(100, text.as_bytes()));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push(line);
        }
        let whole = |text: &str| FileLine::Whole(text.into());
        assert_eq!(all, [whole("one"), FileLine::TooLong, whole(""), whole(&"y".repeat(LONGEST))]);
    }
}
