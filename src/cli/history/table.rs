//! Lists commands, one per line: in columns on a terminal, separated by tabs otherwise.

use std::io::Write;

use super::display::{Display, clip, width};
use super::{HistoryContext, age, timestamp};
use crate::store::{History, HistoryEntry};
use crate::text::style::{Ansi, Style};
use crate::text::{human, sanitize};

/// If fewer columns are left for the command, age and duration are left out.
const LEAST: usize = 20;

/// Passes each command of the list to a visitor. It is called twice on a terminal: first to measure the columns.
pub(super) trait Listing: Fn(&mut EntryVisitor<'_>) -> anyhow::Result<()> {}
impl<F: Fn(&mut EntryVisitor<'_>) -> anyhow::Result<()>> Listing for F {}
pub(super) type EntryVisitor<'a> = dyn FnMut(HistoryEntry) -> anyhow::Result<()> + 'a;

/// Lists commands and returns how many there are.
pub(super) fn list(
    entries: impl Listing,
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<usize> {
    let table = Table::new(&entries, context, display)?;
    let mut listed = 0;
    entries(&mut |entry| {
        listed += 1;
        let line = if display.terminal { table.line(&entry) } else { plain(&entry) };
        Ok(writeln!(out, "{line}")?)
    })?;
    Ok(listed)
}

/// Lists the results of a search, each with the matching line of its output, and returns how many there are.
pub(super) fn found(
    history: &History,
    entries: impl Listing,
    words: &[String],
    context: &HistoryContext<'_>,
    display: Display,
    out: &mut impl Write,
) -> anyhow::Result<usize> {
    let words: Vec<String> = words.iter().map(|word| folded(word)).filter(|word| !word.is_empty()).collect();
    let table = Table::new(&entries, context, display)?;
    let mut listed = 0;
    entries(&mut |entry| {
        listed += 1;
        let line = match history.get(entry.id)? {
            Some(stored) if !has_all(&one_line(&entry.command), &words) => {
                matching_line(&stored.output.text(stored.size), &words)
            }
            _ => None,
        };
        if !display.terminal {
            return Ok(writeln!(out, "{}\t{}", plain(&entry), escaped(&line.unwrap_or_default()))?);
        }
        writeln!(out, "{}", table.line(&entry))?;
        if let Some(line) = line {
            writeln!(out, "{}", table.below(&line, &words))?;
        }
        Ok(())
    })?;
    Ok(listed)
}

/// The widths of the columns.
struct Table<'a> {
    context: &'a HistoryContext<'a>,
    display: Display,
    id: usize,
    age: usize,
    status: usize,
    duration: usize,
    /// Columns left for the command.
    room: usize,
    /// Whether age and duration are left out.
    narrow: bool,
}

impl<'a> Table<'a> {
    fn new(entries: &impl Listing, context: &'a HistoryContext<'a>, display: Display) -> anyhow::Result<Table<'a>> {
        let [mut id, mut age, mut status, mut duration] = [0; 4];
        // Only a terminal has columns.
        if display.terminal {
            entries(&mut |entry| {
                id = id.max(width(&entry.id.to_string()));
                age = age.max(width(&written_age(&entry, context)));
                status = status.max(width(&self::status(&entry)));
                duration = duration.max(width(&written_duration(&entry)));
                Ok(())
            })?;
        }
        let wide = display.width.saturating_sub(id + age + status + duration + 8);
        let narrow = wide < LEAST;
        let room = if narrow { display.width.saturating_sub(id + status + 4) } else { wide };
        Ok(Table { context, display, id, age, status, duration, room, narrow })
    }

    fn line(&self, entry: &HistoryEntry) -> String {
        let style = match entry.status {
            Some(0) => Style::colour(Ansi::Green),
            Some(_) => Style::colour(Ansi::Red),
            None => Style::DIM,
        };
        // Padded before it is painted, because escape sequences have no width.
        let id = format!("{:>1$}", entry.id, self.id);
        let status = self.display.paint(style, &padded(&status(entry), self.status));
        let command = clip(&one_line(&entry.command), self.room);
        if self.narrow {
            return format!("{id}  {status}  {command}");
        }
        let age = self.display.paint(Style::DIM, &format!("{:>1$}", written_age(entry, self.context), self.age));
        let duration = format!("{:>1$}", written_duration(entry), self.duration);
        format!("{id}  {age}  {status}  {duration}  {command}")
    }

    /// A line of output, below its command. It is cut at the left if the match would be out of view.
    fn below(&self, line: &str, words: &[String]) -> String {
        let indent = self.display.width.saturating_sub(self.room);
        let at = words.iter().filter_map(|word| line.to_lowercase().find(word.as_str())).min().unwrap_or_default();
        let far = at > self.room / 2 && width(line) > self.room;
        let start = (at.saturating_sub(self.room / 3)..line.len()).find(|&start| line.is_char_boundary(start));
        let shown = match start {
            Some(start) if far => format!("…{}", &line[start..]),
            _ => line.to_owned(),
        };
        format!("{:indent$}{}", "", self.display.paint(Style::DIM, &clip(&shown, self.room)))
    }
}

/// Left-aligned; `{:<}` counts characters, which is right for digits and `✓`.
fn padded(text: &str, columns: usize) -> String {
    format!("{text:<columns$}")
}

fn written_age(entry: &HistoryEntry, context: &HistoryContext<'_>) -> String {
    entry.started_at.map_or_else(unknown, |started_at| human::age(age(started_at, &context.now)))
}

fn written_duration(entry: &HistoryEntry) -> String {
    entry.duration.map_or_else(unknown, human::duration)
}

/// What stands for an unknown fact.
fn unknown() -> String {
    "?".to_owned()
}

/// `✓`, the number, or `?` if it is unknown, for people who cannot see the colour.
pub(super) fn status(entry: &HistoryEntry) -> String {
    match entry.status {
        Some(0) => "✓".to_owned(),
        Some(status) => status.to_string(),
        None => unknown(),
    }
}

/// The first non-blank line of a command, with `…` if there are more.
pub(super) fn one_line(command: &[u8]) -> String {
    let text = sanitize(&String::from_utf8_lossy(command)).replace('\t', " ");
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => text.to_owned(),
    }
}

/// The fields id, start, status, milliseconds, directory, command, separated by tabs. `?` is unknown.
fn plain(entry: &HistoryEntry) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}",
        entry.id,
        entry.started_at.map_or_else(unknown, |started_at| format!("{:.3}", timestamp(started_at))),
        entry.status.map_or_else(unknown, |status| status.to_string()),
        entry.duration.map_or_else(unknown, |duration| duration.as_millis().to_string()),
        entry.cwd.as_ref().map_or_else(unknown, |cwd| escaped(&cwd.to_string_lossy())),
        escaped(&String::from_utf8_lossy(&entry.command)),
    )
}

/// A field without tabs and newlines. `--json` has the exact text.
fn escaped(text: &str) -> String {
    sanitize(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The first line with the most matching words.
fn matching_line(text: &str, words: &[String]) -> Option<String> {
    let score = |line: &str| {
        let line = folded(line);
        words.iter().filter(|word| line.contains(word.as_str())).count()
    };
    // `max_by_key` returns the last maximum, so the lines are reversed.
    let (line, hits) = text.lines().rev().map(|line| (line, score(line))).max_by_key(|&(_, hits)| hits)?;
    (hits > 0).then(|| sanitize(line).replace('\t', " ").trim().to_owned())
}

fn has_all(text: &str, words: &[String]) -> bool {
    let text = folded(text);
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The text as the search index sees it: lower case, one blank for anything but letters and digits.
fn folded(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_most_words_is_shown() {
        let text = "one\n\ttwo main.rs\nthree src/main.rs two\nsrc/main.rs two\n";
        let line = |words: &[&str]| matching_line(text, &words.iter().map(|word| folded(word)).collect::<Vec<_>>());
        assert_eq!(line(&["two"]).as_deref(), Some("two main.rs"));
        assert_eq!(line(&["two", "src/main.rs"]).as_deref(), Some("three src/main.rs two"));
        assert_eq!(line(&["MAIN"]).as_deref(), Some("two main.rs"));
        assert_eq!(line(&["four"]), None);
    }

    #[test]
    fn a_command_of_several_lines_shows_the_first() {
        assert_eq!(one_line(b"\n for x in 1 2\ndo\n"), "for x in 1 2 …");
        assert_eq!(one_line(b"printf '\x1b]0;hi\x07'"), "printf '\u{FFFD}]0;hi\u{FFFD}'");
    }
}
