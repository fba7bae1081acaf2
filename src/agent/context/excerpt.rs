//! Selects the most important lines of a text within a limit.

use std::collections::BTreeSet;

use crate::text::beginning;

/// The most bytes of one line.
const LINE_CAP: usize = 2000;
/// How many lines of the end and of the beginning are selected first.
const LAST: usize = 6;
const FIRST: usize = 2;
/// How many lines are kept before and after a line that looks like an error.
const BEFORE: usize = 2;
const AFTER: usize = 5;
/// Words in lines that report an error.
const ALARMS: [&str; 18] = [
    "error",
    "fail",
    "panic",
    "fatal",
    "exception",
    "traceback",
    "undefined",
    "unresolved",
    "not found",
    "no such",
    "cannot",
    "can't",
    "denied",
    "refused",
    "unable",
    "invalid",
    "segmentation",
    "abort",
];
/// Words in lines that report no error.
const CALMS: [&str; 5] = ["0 error", "0 fail", "no error", "0 problem", "without error"];

/// A limit in lines and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExcerptLimit {
    pub(super) lines: usize,
    pub(super) bytes: usize,
}

/// Cuts a text from the person to this many bytes. A text that fits is not changed, however long its lines are. A longer text without lines
/// to select from is cut to its beginning and end.
pub(super) fn given(text: &str, bytes: usize, rest: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.len() <= bytes {
        return text.to_owned();
    }
    if text.lines().all(|line| line.len() <= LINE_CAP) {
        return excerpt(text, ExcerptLimit { lines: usize::MAX, bytes }, rest);
    }
    let mark = |left_out: usize| format!("\n[… {left_out} of {} bytes left out: {rest} …]\n", text.len());
    let half = bytes.saturating_sub(mark(text.len()).len()) / 2;
    let (head, tail) = (beginning(text, half), ending(text, half));
    format!("{head}{}{tail}", mark(text.len() - head.len() - tail.len()))
}

/// The end of a text, at most this many bytes.
fn ending(text: &str, bytes: usize) -> &str {
    let from = text.len().saturating_sub(bytes);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[from..]
}

/// Cuts a text to the limit. It keeps the end first, then the beginning, and errors with the lines around them. Each cut is marked with the
/// numbers of the omitted lines and with `rest`, which says where they can be read.
pub(super) fn excerpt(text: &str, room: ExcerptLimit, rest: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    let lines: Vec<&str> = text.lines().collect();
    let fits = text.len() <= room.bytes && lines.len() <= room.lines;
    if fits && lines.iter().all(|line| line.len() <= LINE_CAP) {
        return text.to_owned();
    }
    let mut choice = Choice::new(&lines, room, rest);
    choice.choose();
    choice.write(room)
}

/// The lines selected so far.
struct Choice<'a> {
    lines: &'a [&'a str],
    rest: &'a str,
    /// The most bytes of one line.
    longest: usize,
    chosen: BTreeSet<usize>,
    left: ExcerptLimit,
    /// The most bytes of a mark.
    mark: usize,
}

impl<'a> Choice<'a> {
    fn new(lines: &'a [&'a str], room: ExcerptLimit, rest: &'a str) -> Choice<'a> {
        let mark = mark(lines.len(), lines.len(), lines.len(), rest).len() + 1;
        // There is at least one cut, and each selected line adds at most one more.
        let left = ExcerptLimit { lines: room.lines.saturating_sub(1), bytes: room.bytes.saturating_sub(mark) };
        let longest = LINE_CAP.min(room.bytes / 3);
        Choice { lines, rest, longest, chosen: BTreeSet::new(), left, mark }
    }

    fn choose(&mut self) {
        let count = self.lines.len();
        let ends = (count.saturating_sub(LAST)..count).rev().chain(0..FIRST.min(count));
        for line in ends {
            self.take(line);
        }
        let reserve = ExcerptLimit { lines: self.left.lines / 3, bytes: self.left.bytes / 3 };
        for alarm in (0..count).filter(|line| is_alarm(self.lines[*line])) {
            let around = alarm + 1..(alarm + AFTER + 1).min(count);
            for line in std::iter::once(alarm).chain((alarm.saturating_sub(BEFORE)..alarm).rev()).chain(around) {
                if self.left.lines <= reserve.lines || self.left.bytes <= reserve.bytes {
                    break;
                }
                self.take(line);
            }
        }
        self.fill();
    }

    /// Fills the remaining limit from the end and the beginning, in the ratio 2:1.
    fn fill(&mut self) {
        let (mut first, mut last) = (0, self.lines.len());
        while first < last {
            last -= 1;
            let mut took = self.take(last);
            if last > first {
                last -= 1;
                took &= self.take(last);
            }
            if !took || !self.take(first) {
                return;
            }
            first += 1;
        }
    }

    /// Selects a line, if it fits.
    fn take(&mut self, line: usize) -> bool {
        if self.chosen.contains(&line) {
            return true;
        }
        // The first line, the last line and neighbours of selected lines add no cut.
        let is_outermost = line == 0 || line + 1 == self.lines.len();
        let is_beside = self.chosen.contains(&(line + 1)) || line > 0 && self.chosen.contains(&(line - 1));
        let cuts = usize::from(!is_outermost && !is_beside);
        let bytes = self.shown(line).len() + 1 + cuts * self.mark;
        let lines = 1 + cuts;
        if bytes > self.left.bytes || lines > self.left.lines {
            return false;
        }
        self.left = ExcerptLimit { lines: self.left.lines - lines, bytes: self.left.bytes - bytes };
        self.chosen.insert(line)
    }

    /// A line, cut to the longest length.
    fn shown(&self, line: usize) -> String {
        let line = self.lines[line];
        if line.len() <= self.longest {
            return line.to_owned();
        }
        let start = beginning(line, self.longest.saturating_sub(32));
        format!("{start} [… {} more bytes]", line.len() - start.len())
    }

    fn write(&self, room: ExcerptLimit) -> String {
        let mut written: Vec<String> = Vec::new();
        let mut next = 0;
        let count = self.lines.len();
        for line in self.chosen.iter().copied().chain([count]) {
            if line > next {
                written.push(mark(next + 1, line, count, self.rest));
            }
            if line < count {
                written.push(self.shown(line));
            }
            next = line + 1;
        }
        let written = written.join("\n");
        // If not even a mark fits, the excerpt is empty.
        if written.len() <= room.bytes { written } else { String::new() }
    }
}

fn mark(first: usize, last: usize, count: usize, rest: &str) -> String {
    format!("[… lines {first}–{last} of {count} left out: {rest} …]")
}

fn is_alarm(line: &str) -> bool {
    let line = beginning(line, LINE_CAP).to_ascii_lowercase();
    ALARMS.iter().any(|alarm| line.contains(alarm)) && !CALMS.iter().any(|calm| line.contains(calm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("line {number}")).collect()
    }

    #[test]
    fn a_text_that_fits_is_not_changed() {
        let room = ExcerptLimit { lines: 3, bytes: 100 };
        assert_eq!(excerpt("a\nb\n\n", room, "x"), "a\nb");
        assert_eq!(excerpt("", room, "x"), "");
    }

    #[test]
    fn the_end_the_beginning_and_errors_are_kept() {
        let mut lines = numbered(1000);
        lines[499] = "error[E0382]: borrow of moved value".into();
        lines[599] = "test result: ok. 3 passed; 0 failed".into();
        let cut = excerpt(&lines.join("\n"), ExcerptLimit { lines: 30, bytes: 2_000 }, "shell_output id 7");
        for kept in
            ["line 1\n", "line 2\n", "line 498\nline 499\nerror[E0382]", "moved value\nline 501\n", "\nline 1000"]
        {
            assert!(cut.contains(kept), "{kept} in\n{cut}");
        }
        assert!(!cut.contains("0 failed"), "{cut}");
        assert!(cut.contains("of 1000 left out: shell_output id 7 …]"), "{cut}");
        assert!(cut.lines().count() <= 30 && cut.len() <= 2_000, "{cut}");
    }

    #[test]
    fn a_mark_gives_the_numbers_of_omitted_lines() {
        let cut = excerpt(&numbered(20).join("\n"), ExcerptLimit { lines: 9, bytes: 2_000 }, "not kept");
        let marks: Vec<&str> = cut.lines().filter(|line| line.starts_with("[…")).collect();
        assert_eq!(marks, ["[… lines 3–14 of 20 left out: not kept …]"], "{cut}");
    }

    #[test]
    fn a_text_from_the_person_is_kept_up_to_the_cap() {
        let json = format!("{{\"a\":\"{}\"}}", "x".repeat(13_000));
        assert_eq!(given(&json, 32_000, "not kept"), json);
        let cut = given(&"ä".repeat(20_000), 10_000, "not kept");
        assert!(cut.len() <= 10_000 && cut.len() > 9_900, "{}", cut.len());
        assert!(cut.contains("of 40000 bytes left out: not kept …]") && cut.ends_with('ä'), "{cut}");
        let lines = given(&numbered(9_000).join("\n"), 2_000, "not kept");
        assert!(lines.contains("of 9000 left out: not kept") && lines.len() <= 2_000, "{lines}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let cut = excerpt(&"x".repeat(100_000), ExcerptLimit { lines: 10, bytes: 50_000 }, "not kept");
        assert!(cut.len() <= LINE_CAP && cut.ends_with(" more bytes]"), "{cut}");
    }

    proptest! {
        #[test]
        fn the_limit_is_never_exceeded(
            lines in prop::collection::vec("(error|ä|x){0,30}", 0..80), rows in 0_usize..60, bytes in 0_usize..900,
        ) {
            let room = ExcerptLimit { lines: rows.max(1), bytes };
            let cut = excerpt(&lines.join("\n"), room, "shell_output id 12");
            prop_assert!(cut.len() <= room.bytes, "{} bytes of {bytes}", cut.len());
            prop_assert!(cut.lines().count() <= room.lines, "{} lines of {rows}", cut.lines().count());
        }
    }
}
