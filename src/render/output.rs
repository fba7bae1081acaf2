//! The output of a call, kept for unfolding.

use crate::text::KIB;

/// The most bytes of output that are kept per call.
const CAP: usize = 256 * KIB;

#[derive(Default)]
pub(super) struct CallOutput {
    text: String,
    /// How many lines at the beginning have been dropped.
    dropped: usize,
    /// The first lines, which are kept when others are dropped.
    head: Vec<String>,
}

/// How many first lines are kept.
pub(super) const HEAD: usize = 3;

impl CallOutput {
    pub(super) fn of(text: &str) -> CallOutput {
        let mut output = CallOutput::default();
        output.push(text);
        output
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() < 2 * CAP {
            return;
        }
        if self.dropped == 0 {
            self.head = self.text.lines().take(HEAD).map(visible).collect();
        }
        let from = self.text.len() - CAP;
        let cut = memchr::memchr(b'\n', &self.text.as_bytes()[from..]).map_or(from, |at| from + at + 1);
        let cut = (cut..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len());
        self.dropped += self.text[..cut].lines().count();
        self.text.drain(..cut);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.dropped == 0
    }

    pub(super) fn lines(&self) -> usize {
        self.dropped + self.text.trim_end().lines().count()
    }

    /// The first lines.
    pub(super) fn head(&self) -> Vec<String> {
        if self.dropped > 0 {
            self.head.clone()
        } else {
            self.text.trim_end().lines().take(HEAD).map(visible).collect()
        }
    }

    /// The last lines, at most `most`.
    pub(super) fn tail(&self, most: usize) -> Vec<String> {
        let mut tail: Vec<String> = self.text.trim_end().lines().rev().take(most).map(visible).collect();
        tail.reverse();
        tail
    }

    /// The number of dropped lines, and all lines after them.
    pub(super) fn all(&self) -> (usize, Vec<String>) {
        (self.dropped, self.text.trim_end().lines().map(visible).collect())
    }
}

/// A line as a terminal would display it: only the text after the last carriage return, without control sequences.
fn visible(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\x1b' && chars.peek() == Some(&'[') {
            chars.next();
            while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_bar_is_shown_in_its_last_state() {
        let output = CallOutput::of("10%\r50%\r100%\r\n\x1b[32mok\x1b[0m\n");
        assert_eq!(output.head(), ["100%", "ok"]);
    }

    #[test]
    fn long_output_is_cut_but_keeps_its_first_lines() {
        let mut output = CallOutput::default();
        for number in 0..200_000 {
            output.push(&format!("line {number}\n"));
        }
        assert!(output.text.len() <= 2 * CAP);
        assert_eq!(output.head(), ["line 0", "line 1", "line 2"]);
        assert_eq!(output.tail(1), ["line 199999"]);
        assert_eq!(output.lines(), 200_000);
    }
}
