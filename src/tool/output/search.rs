//! Excerpts of the outputs that a search has found.

use super::{COMMAND, COMMANDS, Records, reach};
use crate::store::{History, NewestCommands, Phrases, StoreError, StoredCommand};
use crate::text::{MIB, human};
use crate::tool::result::TEXT_CAP;

/// The most excerpts of one output, and the lines before and after each match.
const EXCERPTS: usize = 5;
const AROUND: usize = 2;
/// The most characters of one line of an excerpt, and of those before the match in a longer line.
const LINE: usize = 240;
const BEFORE: usize = 80;
/// The most bytes of outputs that one search reads. Commands beyond it are listed without excerpts.
const READ: usize = 2 * MIB;
/// Room for the notes about one command.
const NOTES: usize = 200;

impl Records {
    /// The commands that were found, newest first, each with the lines of its output that have the words.
    pub(super) fn excerpts(
        &self,
        history: &History,
        words: &[String],
        found: NewestCommands,
    ) -> Result<String, StoreError> {
        let phrases = Phrases::new(words);
        let (mut text, mut unread) = (String::new(), READ);
        for (at, entry) in found.entries.iter().enumerate() {
            let left = found.entries.len() - at;
            // Room that one command does not need is for the next ones.
            let room = (TEXT_CAP - text.len()) / left;
            let about = self.about(entry, COMMAND);
            let Some(stored) = history.get(entry.id)? else { continue };
            let body = match unread.checked_sub(stored.output.head.len() + stored.output.tail.len()) {
                Some(rest) => {
                    unread = rest;
                    self.excerpt(&stored, &phrases, room.saturating_sub(about.len() + NOTES))
                }
                None => format!("  [its output is not quoted here: shell_output id {} with grep]\n", entry.id),
            };
            if text.len() + about.len() + body.len() + 1 > TEXT_CAP {
                text.push_str(&format!("[{left} more commands found; narrow the search to see them]\n"));
                return Ok(text);
            }
            text.push_str(&format!("{about}\n{body}"));
        }
        if found.entries.len() == COMMANDS {
            text.push_str("[older commands are not shown; narrow the search to see them]\n");
        }
        Ok(text + &reach(&found))
    }

    /// The lines of an output that have the words, in at most this many bytes, and notes about the rest of it.
    fn excerpt(&self, stored: &StoredCommand, phrases: &Phrases, room: usize) -> String {
        // The spill file, which can have 64 MiB, is not read. The index has no more than this text either.
        let text = self.redactor.mask_in_place(&stored.output.text(stored.size));
        let output = Searched::new(&text, stored.output.missing() > 0, phrases);
        let (mut body, more) = output.quoted(room);
        let id = stored.entry.id;
        let is_in_command = || phrases.in_line(&String::from_utf8_lossy(&stored.entry.command)).is_some();
        if output.hits.is_empty() && !is_in_command() {
            body.push_str(&format!("  [no line of its output can be quoted: shell_output id {id} shows it]\n"));
        }
        if more > 0 {
            body.push_str(&format!("  [{more} more matching lines: shell_output id {id} with grep]\n"));
        }
        if stored.output.missing() > 0 {
            let size = human::size(stored.output.missing());
            body.push_str(&match stored.entry.spill.as_ref().filter(|path| path.exists()) {
                Some(_) => format!("  [{size} of its output were not searched: shell_output id {id} with grep]\n"),
                None => format!("  [{size} of its output were not kept]\n"),
            });
        }
        body
    }
}

/// An output with the lines that have words of the search.
struct Searched<'a> {
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

impl<'a> Searched<'a> {
    fn new(text: &'a str, has_gap: bool, phrases: &Phrases) -> Searched<'a> {
        let lines: Vec<&str> = text.lines().collect();
        let hit = |(at, line): (usize, &&str)| {
            let (words, offset) = phrases.in_line(line)?;
            Some(Hit { at, words, offset })
        };
        let hits = lines.iter().enumerate().filter_map(hit).collect();
        let is_gap = |line: &&str| line.starts_with("… ") && line.ends_with(" bytes not kept …");
        let gap = has_gap.then(|| lines.iter().position(is_gap)).flatten();
        Searched { lines, hits, gap }
    }

    /// The best excerpts that fit, and the number of matching lines that are in none of them.
    fn quoted(&self, room: usize) -> (String, usize) {
        let (mut text, mut next, mut quoted) = (String::new(), 0, 0);
        for hit in self.chosen() {
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
    fn chosen(&self) -> Vec<&Hit> {
        let mut best: Vec<&Hit> = self.hits.iter().collect();
        best.sort_by_key(|hit| std::cmp::Reverse(hit.words));
        let mut chosen: Vec<&Hit> = Vec::new();
        for hit in best {
            if chosen.len() < EXCERPTS && chosen.iter().all(|one| one.at.abs_diff(hit.at) > AROUND) {
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
