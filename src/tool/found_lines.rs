//! Excerpts of a text: the lines that have the words of a search, with the lines around them.

use crate::store::Phrases;

/// The lines before and after each match.
const AROUND: usize = 2;
/// The most characters of one line, and of those before the match in a longer line.
const LINE: usize = 240;
const BEFORE: usize = 80;

/// A text with the lines that have words of a search.
pub(super) struct FoundLines<'a> {
    lines: Vec<&'a str>,
    hits: Vec<Hit>,
    /// The line that stands for a missing part. The numbers of the lines after it are not known.
    gap: Option<usize>,
}

/// A line with words of the search.
struct Hit {
    at: usize,
    words: usize,
    /// Of the first word in the line.
    offset: usize,
}

impl<'a> FoundLines<'a> {
    /// Looks for the words. In a text with a gap, a line says how many bytes were not kept.
    pub(super) fn new(text: &'a str, has_gap: bool, phrases: &Phrases) -> FoundLines<'a> {
        let lines: Vec<&str> = text.lines().collect();
        let hit = |(at, line): (usize, &&str)| {
            let (words, offset) = phrases.in_line(line)?;
            Some(Hit { at, words, offset })
        };
        let hits = lines.iter().enumerate().filter_map(hit).collect();
        let is_gap = |line: &&str| line.starts_with("… ") && line.ends_with(" bytes not kept …");
        let gap = has_gap.then(|| lines.iter().position(is_gap)).flatten();
        FoundLines { lines, hits, gap }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// The best excerpts that fit, and the number of matching lines that are in none of them.
    pub(super) fn quoted(&self, most: usize, room: usize) -> (String, usize) {
        let (mut text, mut next, mut quoted) = (String::new(), 0, 0);
        for hit in self.chosen(most) {
            let range = hit.at.saturating_sub(AROUND).max(next)..(hit.at + AROUND + 1).min(self.lines.len());
            let excerpt: String = range.clone().map(|at| self.line(at)).collect();
            if text.len() + excerpt.len() > room {
                break;
            }
            text.push_str(&excerpt);
            quoted += self.hits.iter().filter(|one| range.contains(&one.at)).count();
            next = range.end;
        }
        (text, self.hits.len() - quoted)
    }

    /// The lines with the most words, in their order. A line near another one is in the same excerpt.
    fn chosen(&self, most: usize) -> Vec<&Hit> {
        let mut best: Vec<&Hit> = self.hits.iter().collect();
        best.sort_by_key(|hit| std::cmp::Reverse(hit.words));
        let mut chosen: Vec<&Hit> = Vec::new();
        for hit in best {
            if chosen.len() < most && chosen.iter().all(|one| one.at.abs_diff(hit.at) > AROUND) {
                chosen.push(hit);
            }
        }
        chosen.sort_by_key(|hit| hit.at);
        chosen
    }

    /// A line with its number and the sign that tells matching lines from others.
    fn line(&self, at: usize) -> String {
        let hit = self.hits.iter().find(|hit| hit.at == at);
        let (sign, offset) = hit.map_or(('-', 0), |hit| (':', hit.offset));
        let line = clipped(self.lines[at], offset);
        match self.gap {
            Some(gap) if at >= gap => format!("  …{sign}{line}\n"),
            Some(_) | None => format!("  {}{sign}{line}\n", at + 1),
        }
    }
}

/// A line, cut so that the match at this offset is in it.
fn clipped(line: &str, offset: usize) -> String {
    let length = line.chars().count();
    if length <= LINE {
        return line.to_owned();
    }
    let before = line[..offset].chars().count();
    let from = if before < LINE / 2 { 0 } else { before - BEFORE };
    let part: String = line.chars().skip(from).take(LINE).collect();
    let (start, end) = (if from > 0 { "…" } else { "" }, if from + LINE < length { "…" } else { "" });
    format!("{start}{part}{end}")
}
