//! A bounded view of a failed command's output.

use std::cell::OnceCell;

use super::signs;
use crate::text;

/// How many lines of a long output are kept, from its beginning and from its end.
const HEAD_LINES: usize = 2_000;
const TAIL_LINES: usize = 4_000;

/// How many lines at either end are searched for the final message of a tool.
const END_LINES: usize = 200;

/// Longer lines are cut. They are data such as minified code, not messages.
const LINE_CAP: usize = 2_000;

/// The lines of an output, without blanks at their ends. Line numbers of a capped output are meaningful only within this view.
#[derive(Debug)]
pub(super) struct PrintedOutput<'a> {
    lines: Vec<&'a str>,
    /// The text that contains the lines: all of it, its beginning and its end, or single lines. One search here is faster than one per line.
    text: Vec<&'a str>,
    /// The signs in the output, sorted. Computed on first use.
    signs: OnceCell<Vec<&'static str>>,
}

impl<'a> PrintedOutput<'a> {
    pub(super) fn new(printed: &'a str) -> Self {
        let head = &printed[..end_of_lines(printed, HEAD_LINES)];
        let rest = &printed[head.len()..];
        let tail = &rest[start_of_last(rest, TAIL_LINES)..];
        let clip = |line: &'a str| text::beginning(line, LINE_CAP).trim_end();
        PrintedOutput {
            lines: head.lines().chain(tail.lines()).map(clip).collect(),
            text: vec![head, tail],
            signs: OnceCell::new(),
        }
    }

    /// Keeps only these lines.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.lines.retain(|line| is_kept(line));
        self.text.clone_from(&self.lines);
        self.signs = OnceCell::new();
    }

    pub(super) fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// The lines at either end, where tools report errors. The middle of a long output is usually progress.
    pub(super) fn ends(&self) -> impl Iterator<Item = &'a str> {
        let tail = END_LINES.max(self.lines.len().saturating_sub(END_LINES));
        self.lines.iter().take(END_LINES).chain(self.lines.iter().skip(tail)).copied()
    }

    /// Whether the output contains this text.
    pub(super) fn says(&self, words: &str) -> bool {
        self.text.iter().any(|text| text.contains(words))
    }

    /// Whether the output contains a sign of a rule or a reader. The first call searches for all signs at once.
    pub(super) fn shows(&self, sign: &'static str) -> bool {
        self.signs.get_or_init(|| signs::seen(&self.text)).binary_search(&sign).is_ok()
    }

    /// The lines after the first line with this text.
    pub(super) fn after(&self, words: &str) -> &[&'a str] {
        let at = self.lines.iter().position(|line| line.contains(words));
        at.map_or(&[], |at| &self.lines[at + 1..])
    }

    /// The first line with this text.
    pub(super) fn line_with(&self, words: &str) -> Option<&'a str> {
        self.lines.iter().find(|line| line.contains(words)).copied()
    }

    /// The text between two texts in one line, at the first match.
    pub(super) fn between(&self, before: &str, after: &str) -> Option<&'a str> {
        self.lines.iter().find_map(|line| {
            let rest = &line[line.find(before)? + before.len()..];
            Some(&rest[..rest.find(after)?]).filter(|found| !found.is_empty())
        })
    }

    /// The first match of a pattern in one line.
    pub(super) fn captures(&self, pattern: &regex::Regex) -> Option<regex::Captures<'a>> {
        self.lines.iter().find_map(|line| pattern.captures(line))
    }
}

/// The offset of the end of the first `most` lines.
fn end_of_lines(text: &str, most: usize) -> usize {
    text.match_indices('\n').nth(most - 1).map_or(text.len(), |(at, _)| at + 1)
}

/// The offset of the start of the last `most` lines.
fn start_of_last(text: &str, most: usize) -> usize {
    text.trim_end_matches('\n').rmatch_indices('\n').nth(most - 1).map_or(0, |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_both_ends() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let output = PrintedOutput::new(&text);
        assert_eq!(output.lines().len(), HEAD_LINES + TAIL_LINES);
        assert_eq!(output.lines()[0], "line 0");
        assert_eq!(output.lines()[HEAD_LINES - 1], "line 1999");
        assert_eq!(output.lines()[HEAD_LINES], "line 6000");
        assert_eq!(output.lines().last(), Some(&"line 9999"));
    }

    #[test]
    fn the_ends_do_not_overlap() {
        let text: String = (0..450).map(|n| format!("{n}\n")).collect();
        let output = PrintedOutput::new(&text);
        let ends: Vec<&str> = output.ends().collect();
        assert_eq!((ends.len(), ends[199], ends[200]), (400, "199", "250"));
        assert_eq!(PrintedOutput::new("a\nb").ends().count(), 2);
    }

    #[test]
    fn words_are_found_between_others() {
        let output = PrintedOutput::new("x\nerror: no such command: `biuld`\n");
        assert_eq!(output.between("command: `", "`"), Some("biuld"));
        assert!(output.says("no such command") && !output.says("No such command"));
    }
}
