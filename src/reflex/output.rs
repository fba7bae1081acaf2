//! What a failed command printed, bounded.

use std::cell::OnceCell;

use super::signs;
use crate::text;

/// Lines kept of a long output, from its beginning and from its end: the first error and the last word.
const HEAD_LINES: usize = 2_000;
const TAIL_LINES: usize = 4_000;

/// Lines at either end of which a tool's last word is sought.
const END_LINES: usize = 200;

/// No message of a tool is longer; minified code is.
const LINE_CAP: usize = 2_000;

/// Lines of output, in order, without blanks at their ends. A view: a line number of a capped output means nothing outside.
#[derive(Debug)]
pub(super) struct Output<'a> {
    lines: Vec<&'a str>,
    /// Where the lines are from: all of it, its beginning and its end, or some lines. One search in here costs less than one in each line.
    text: Vec<&'a str>,
    /// The signs in it, in order, once asked for.
    signs: OnceCell<Vec<&'static str>>,
}

impl<'a> Output<'a> {
    pub(super) fn new(printed: &'a str) -> Self {
        let head = &printed[..end_of_lines(printed, HEAD_LINES)];
        let rest = &printed[head.len()..];
        let tail = &rest[start_of_last(rest, TAIL_LINES)..];
        let clip = |line: &'a str| text::beginning(line, LINE_CAP).trim_end();
        Output {
            lines: head.lines().chain(tail.lines()).map(clip).collect(),
            text: vec![head, tail],
            signs: OnceCell::new(),
        }
    }

    /// Forgets the other lines.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.lines.retain(|line| is_kept(line));
        self.text.clone_from(&self.lines);
        self.signs = OnceCell::new();
    }

    pub(super) fn lines(&self) -> &[&'a str] {
        &self.lines
    }

    /// The lines at either end, where a tool says what went wrong: the middle of a long output is its work.
    pub(super) fn ends(&self) -> impl Iterator<Item = &'a str> {
        let tail = END_LINES.max(self.lines.len().saturating_sub(END_LINES));
        self.lines.iter().take(END_LINES).chain(self.lines.iter().skip(tail)).copied()
    }

    /// Whether the output holds these words, as they are.
    pub(super) fn says(&self, words: &str) -> bool {
        self.text.iter().any(|text| text.contains(words))
    }

    /// Whether the output holds a sign of a rule or a reader. All are looked for at once.
    pub(super) fn shows(&self, sign: &'static str) -> bool {
        self.signs.get_or_init(|| signs::seen(&self.text)).binary_search(&sign).is_ok()
    }

    /// The lines after the first that holds these words.
    pub(super) fn after(&self, words: &str) -> &[&'a str] {
        let at = self.lines.iter().position(|line| line.contains(words));
        at.map_or(&[], |at| &self.lines[at + 1..])
    }

    /// The first line that holds these words.
    pub(super) fn line_with(&self, words: &str) -> Option<&'a str> {
        self.lines.iter().find(|line| line.contains(words)).copied()
    }

    /// What stands between two pieces of text in one line: the first such place.
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

/// Where the first so many lines end.
fn end_of_lines(text: &str, most: usize) -> usize {
    text.match_indices('\n').nth(most - 1).map_or(text.len(), |(at, _)| at + 1)
}

/// Where the last so many lines begin.
fn start_of_last(text: &str, most: usize) -> usize {
    text.trim_end_matches('\n').rmatch_indices('\n').nth(most - 1).map_or(0, |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_both_ends() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let output = Output::new(&text);
        assert_eq!(output.lines().len(), HEAD_LINES + TAIL_LINES);
        assert_eq!(output.lines()[0], "line 0");
        assert_eq!(output.lines()[HEAD_LINES - 1], "line 1999");
        assert_eq!(output.lines()[HEAD_LINES], "line 6000");
        assert_eq!(output.lines().last(), Some(&"line 9999"));
    }

    #[test]
    fn the_ends_do_not_overlap() {
        let text: String = (0..450).map(|n| format!("{n}\n")).collect();
        let output = Output::new(&text);
        let ends: Vec<&str> = output.ends().collect();
        assert_eq!((ends.len(), ends[199], ends[200]), (400, "199", "250"));
        assert_eq!(Output::new("a\nb").ends().count(), 2);
    }

    #[test]
    fn words_are_found_between_others() {
        let output = Output::new("x\nerror: no such command: `biuld`\n");
        assert_eq!(output.between("command: `", "`"), Some("biuld"));
        assert!(output.says("no such command") && !output.says("No such command"));
    }
}
