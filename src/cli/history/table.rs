//! Commands, one a line: fitted on a terminal, tab-separated elsewhere.

use std::io::Write;

use super::screen::{Screen, clip, width};
use super::{Place, age, timestamp};
use crate::store::{Entry, History};
use crate::text::style::{Ansi, Style};
use crate::text::{human, sanitize};

/// Below this a command says nothing, and the columns before it make room.
const LEAST: usize = 20;

/// Hands the commands to list to a visitor, one by one; called twice where columns have to fit.
pub(super) trait Listing: Fn(&mut Visitor<'_>) -> anyhow::Result<()> {}
impl<F: Fn(&mut Visitor<'_>) -> anyhow::Result<()>> Listing for F {}
pub(super) type Visitor<'a> = dyn FnMut(Entry) -> anyhow::Result<()> + 'a;

/// Lists commands and returns how many there are.
pub(super) fn list(
    entries: impl Listing,
    place: &Place<'_>,
    screen: Screen,
    out: &mut impl Write,
) -> anyhow::Result<usize> {
    let table = Table::new(&entries, place, screen)?;
    let mut listed = 0;
    entries(&mut |entry| {
        listed += 1;
        let line = if screen.terminal { table.line(&entry) } else { plain(&entry) };
        Ok(writeln!(out, "{line}")?)
    })?;
    Ok(listed)
}

/// Lists commands that were searched for, each with the line of its output that was meant, and returns how many there are.
pub(super) fn found(
    history: &History,
    entries: impl Listing,
    words: &[String],
    place: &Place<'_>,
    screen: Screen,
    out: &mut impl Write,
) -> anyhow::Result<usize> {
    let words: Vec<String> = words.iter().map(|word| folded(word)).filter(|word| !word.is_empty()).collect();
    let table = Table::new(&entries, place, screen)?;
    let mut listed = 0;
    entries(&mut |entry| {
        listed += 1;
        let line = match history.get(entry.id)? {
            Some(stored) if !has_all(&one_line(&entry.command), &words) => {
                matching_line(&stored.output.text(stored.size), &words)
            }
            _ => None,
        };
        if !screen.terminal {
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

/// Column widths for these entries on this screen.
struct Table<'a> {
    place: &'a Place<'a>,
    screen: Screen,
    id: usize,
    age: usize,
    status: usize,
    duration: usize,
    /// What is left for the command.
    room: usize,
    /// Age and duration are left out.
    narrow: bool,
}

impl<'a> Table<'a> {
    fn new(entries: &impl Listing, place: &'a Place<'a>, screen: Screen) -> anyhow::Result<Table<'a>> {
        let [mut id, mut age, mut status, mut duration] = [0; 4];
        // Elsewhere than on a terminal nothing has to fit.
        if screen.terminal {
            entries(&mut |entry| {
                id = id.max(width(&entry.id.to_string()));
                age = age.max(width(&written_age(&entry, place)));
                status = status.max(width(&self::status(&entry)));
                duration = duration.max(width(&human::duration(entry.duration)));
                Ok(())
            })?;
        }
        let wide = screen.width.saturating_sub(id + age + status + duration + 8);
        let narrow = wide < LEAST;
        let room = if narrow { screen.width.saturating_sub(id + status + 4) } else { wide };
        Ok(Table { place, screen, id, age, status, duration, room, narrow })
    }

    fn line(&self, entry: &Entry) -> String {
        let style = if entry.status == 0 { Style::colour(Ansi::Green) } else { Style::colour(Ansi::Red) };
        // Padded before painting: the width of an escape sequence is not that of its bytes.
        let id = format!("{:>1$}", entry.id, self.id);
        let status = self.screen.paint(style, &padded(&status(entry), self.status));
        let command = clip(&one_line(&entry.command), self.room);
        if self.narrow {
            return format!("{id}  {status}  {command}");
        }
        let age = self.screen.paint(Style::DIM, &format!("{:>1$}", written_age(entry, self.place), self.age));
        let duration = format!("{:>1$}", human::duration(entry.duration), self.duration);
        format!("{id}  {age}  {status}  {duration}  {command}")
    }

    /// A line of output, under the command it is of. What matched is in view even if it is far to the right.
    fn below(&self, line: &str, words: &[String]) -> String {
        let indent = self.screen.width.saturating_sub(self.room);
        let at = words.iter().filter_map(|word| line.to_lowercase().find(word.as_str())).min().unwrap_or_default();
        let far = at > self.room / 2 && width(line) > self.room;
        let start = (at.saturating_sub(self.room / 3)..line.len()).find(|&start| line.is_char_boundary(start));
        let shown = match start {
            Some(start) if far => format!("…{}", &line[start..]),
            _ => line.to_owned(),
        };
        format!("{:indent$}{}", "", self.screen.paint(Style::DIM, &clip(&shown, self.room)))
    }
}

/// Left-aligned; `{:<}` counts characters, which is right for digits and `✓`.
fn padded(text: &str, columns: usize) -> String {
    format!("{text:<columns$}")
}

fn written_age(entry: &Entry, place: &Place<'_>) -> String {
    human::age(age(entry.started_at, &place.now))
}

/// `✓` or the number: a colour alone says nothing to some.
pub(super) fn status(entry: &Entry) -> String {
    if entry.status == 0 { "✓".to_owned() } else { entry.status.to_string() }
}

/// The first line of a command that says something, with a sign if there are more.
pub(super) fn one_line(command: &[u8]) -> String {
    let text = sanitize(&String::from_utf8_lossy(command)).replace('\t', " ");
    let text = text.trim();
    match text.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => text.to_owned(),
    }
}

/// id, start, status, milliseconds, directory, command.
fn plain(entry: &Entry) -> String {
    format!(
        "{}\t{:.3}\t{}\t{}\t{}\t{}",
        entry.id,
        timestamp(entry.started_at),
        entry.status,
        entry.duration.as_millis(),
        escaped(&entry.cwd.to_string_lossy()),
        escaped(&String::from_utf8_lossy(&entry.command)),
    )
}

/// One field of one line; `--json` is for those who need it exactly.
fn escaped(text: &str) -> String {
    sanitize(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The line with most of the words, the first of several.
fn matching_line(text: &str, words: &[String]) -> Option<String> {
    let score = |line: &str| {
        let line = folded(line);
        words.iter().filter(|word| line.contains(word.as_str())).count()
    };
    // Of equals `max_by_key` takes the last, so it goes from the end.
    let (line, hits) = text.lines().rev().map(|line| (line, score(line))).max_by_key(|&(_, hits)| hits)?;
    (hits > 0).then(|| sanitize(line).replace('\t', " ").trim().to_owned())
}

fn has_all(text: &str, words: &[String]) -> bool {
    let text = folded(text);
    words.iter().all(|word| text.contains(word.as_str()))
}

/// As the index sees it: lower case, with one blank for all that is neither letter nor digit.
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
