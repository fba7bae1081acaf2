//! Collects rendered text: lines without trailing blanks, and no empty lines at the end.

use crate::text::KIB;
use std::io;
use std::mem;

/// How much text is collected before it is written.
const BUFFER: usize = 16 * KIB;

/// The destination of rendered text.
pub(super) struct Sheet<'a> {
    write: &'a mut dyn FnMut(&str) -> io::Result<()>,
    buffer: String,
    /// Newlines and blanks that are written only if more text follows.
    newlines: usize,
    blanks: usize,
    /// How many more times the text so far will be erased. Nothing is written before the last time.
    erasures: usize,
    error: Option<io::Error>,
}

impl<'a> Sheet<'a> {
    /// A sheet that will be erased this many times.
    pub(super) fn new(erasures: usize, write: &'a mut dyn FnMut(&str) -> io::Result<()>) -> Self {
        Sheet { write, buffer: String::new(), newlines: 0, blanks: 0, erasures, error: None }
    }

    /// Adds characters to the current line.
    pub(super) fn push(&mut self, characters: impl Iterator<Item = char>) {
        if self.erasures > 0 {
            return;
        }
        for character in characters {
            if character == ' ' {
                self.blanks += 1;
                continue;
            }
            for _ in 0..mem::take(&mut self.newlines) {
                self.add('\n');
            }
            for _ in 0..mem::take(&mut self.blanks) {
                self.add(' ');
            }
            self.add(character);
        }
    }

    pub(super) fn end_line(&mut self) {
        if self.erasures == 0 {
            self.newlines += 1;
            self.blanks = 0;
        }
    }

    /// Drops all text so far.
    pub(super) fn erase(&mut self) {
        self.erasures = self.erasures.saturating_sub(1);
    }

    /// Writes the rest. Returns the first error of all writes.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.error.take().map_or(Ok(()), Err)
    }

    fn add(&mut self, character: char) {
        self.buffer.push(character);
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.error.is_none() && !self.buffer.is_empty() {
            self.error = (self.write)(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Whether a write has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }
}
