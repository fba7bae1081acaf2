//! The command lines of the history in memory, and the search through them.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::store::RecordedLine;
use crate::text::MIB;
use crate::text::fuzzy::{Closeness, FuzzyWords};

/// The most text in memory. Commands beyond it, the oldest, are not found.
const TEXT_CAP: usize = 64 * MIB;
/// The most command lines in memory.
const LINES_CAP: usize = 1_000_000;
/// The bytes of a command that are searched.
const LINE_CAP: usize = 4096;
/// How many hits of each closeness can be listed. All are counted.
const LISTED: usize = 1000;

/// Command lines in lower case, newest first. Of equal ones in the same directory with the same success, only the newest is here.
#[derive(Default)]
pub(super) struct CommandIndex {
    text: Vec<u8>,
    lines: Vec<IndexedLine>,
    seen: HashSet<u64>,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct IndexedLine {
    id: i64,
    /// Where its text ends. It begins where that of the line before ends.
    end: u32,
}

impl CommandIndex {
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is room for another line.
    pub(super) fn has_room(&self) -> bool {
        self.lines.len() < LINES_CAP && self.text.len() + LINE_CAP <= TEXT_CAP
    }

    /// Adds an older command.
    pub(super) fn add(&mut self, line: RecordedLine<'_>) {
        let is_new = self.seen.insert(self.hasher.hash_one((line.text, line.cwd, line.is_good)));
        if !is_new || !self.has_room() {
            return;
        }
        let start = self.text.len();
        let searched = &line.text[..line.text.len().min(LINE_CAP)];
        if searched.is_ascii() {
            self.text.extend(searched.iter().map(u8::to_ascii_lowercase));
        } else {
            let lower = String::from_utf8_lossy(searched).to_lowercase();
            self.text.extend_from_slice(lower.as_bytes());
            self.text.truncate(start + LINE_CAP);
        }
        self.lines.push(IndexedLine { id: line.id, end: self.text.len() as u32 });
    }

    /// All commands are here, so equal ones need not be recognised any more.
    pub(super) fn complete(&mut self) {
        self.seen = HashSet::new();
    }

    fn line(&self, at: usize) -> (i64, &[u8]) {
        let start = at.checked_sub(1).map_or(0, |before| self.lines[before].end as usize);
        let IndexedLine { id, end } = self.lines[at];
        (id, &self.text[start..end as usize])
    }
}

/// A search that goes on from the newest line to the oldest.
pub(super) struct Scan {
    words: FuzzyWords,
    next: usize,
    /// The hits of each closeness, newest first.
    hits: [Vec<i64>; 3],
    count: usize,
}

impl Scan {
    pub(super) fn new(typed: &str) -> Scan {
        Scan { words: FuzzyWords::new(typed), next: 0, hits: Default::default(), count: 0 }
    }

    /// Searches at most this many further lines. Returns whether there are more.
    pub(super) fn advance(&mut self, index: &CommandIndex, lines: usize) -> bool {
        let end = index.len().min(self.next + lines);
        for at in self.next..end {
            let (id, text) = index.line(at);
            let Some(closeness) = self.words.closeness(text) else { continue };
            self.count += 1;
            let hits = match closeness {
                Closeness::Words => &mut self.hits[0],
                Closeness::Near => &mut self.hits[1],
                Closeness::Letters => &mut self.hits[2],
            };
            if hits.len() < LISTED {
                hits.push(id);
            }
        }
        self.next = end;
        end < index.len()
    }

    /// The ids of the best hits so far, the best first.
    pub(super) fn best(&self) -> Vec<i64> {
        self.hits.iter().flatten().copied().take(LISTED).collect()
    }

    /// How many lines match so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(lines: &[(&str, &str, bool)]) -> CommandIndex {
        let mut index = CommandIndex::default();
        for (at, (text, cwd, is_good)) in lines.iter().enumerate() {
            let id = 100 - at as i64;
            index.add(RecordedLine { id, text: text.as_bytes(), cwd: cwd.as_bytes(), is_good: Some(*is_good) });
        }
        index
    }

    fn found(index: &CommandIndex, typed: &str) -> Vec<i64> {
        let mut scan = Scan::new(typed);
        while scan.advance(index, 2) {}
        scan.best()
    }

    #[test]
    fn exact_words_come_first_and_newer_ones_before_older() {
        let index = index(&[
            ("git checkout old", "/", true),
            ("echo gco", "/", true),
            ("Git COmmit", "/", true),
            ("gcloud info", "/", true),
            ("echo gco again", "/", true),
        ]);
        assert_eq!(found(&index, "gco"), [99, 96, 100, 98, 97]);
        assert_eq!(found(&index, "git co"), [98, 100]);
        assert_eq!(found(&index, ""), [100, 99, 98, 97, 96]);
        assert_eq!(found(&index, "zzz"), [0; 0]);
    }

    #[test]
    fn equal_commands_are_listed_once_for_each_directory_and_outcome() {
        let index = index(&[
            ("make", "/a", true),
            ("make", "/a", true),
            ("make", "/a", false),
            ("make", "/b", true),
            ("make", "/a", false),
        ]);
        assert_eq!(found(&index, "make"), [100, 98, 97]);
    }

    #[test]
    fn long_commands_are_searched_in_part_and_the_memory_is_bounded() {
        let mut index = CommandIndex::default();
        let long = "x".repeat(2 * LINE_CAP);
        for id in 0..(2 * TEXT_CAP / LINE_CAP) as i64 {
            let text = format!("{id} {long}");
            index.add(RecordedLine { id, text: text.as_bytes(), cwd: b"", is_good: None });
        }
        assert!(!index.has_room());
        assert!(index.text.len() <= TEXT_CAP);
        let mut wide = CommandIndex::default();
        wide.add(RecordedLine { id: 1, text: "İ".repeat(LINE_CAP).as_bytes(), cwd: b"", is_good: None });
        assert!(wide.text.len() <= LINE_CAP, "lower case can be longer");
    }
}
