//! `shell_output`: reads the output of a recorded command, and searches all of them.

mod search;

use std::ffi::OsStr;
use std::path::Path;
use std::time::SystemTime;

use jiff::tz::TimeZone;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::result::{self, ListingPage};
use super::{Context, Prepared, Tool, arguments, paths};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, Redactor};
use crate::store::{self, Filter, History, HistoryEntry, NewestCommands, StoreError};
use crate::text::{Clock, Since, human, sanitize};

/// The variable with the id of this terminal's session.
const SESSION: &str = "SHELLMATE_SESSION";
const LINES: usize = 200;
const COMMANDS: usize = 20;
const MOST_CONTEXT: usize = 20;
/// The most characters of a command in a list.
const COMMAND: usize = 300;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Without it, commands are listed or searched
    id: Option<i64>,
    /// Words in the command or its output; "quoted" is a phrase
    search: Option<String>,
    /// Only commands run in or below this directory
    cwd: Option<String>,
    /// Only failed commands
    #[serde(default)]
    failed: bool,
    /// Only since then: 2h, yesterday, 2026-03-01
    since: Option<String>,
    /// First line, from 1
    offset: Option<usize>,
    /// Number of lines (200)
    limit: Option<usize>,
    /// Last so many lines
    tail: Option<usize>,
    /// Only lines with this regular expression
    grep: Option<String>,
    /// Lines around each match
    #[serde(default)]
    context: usize,
    #[serde(default)]
    ignore_case: bool,
}

pub(super) struct ShellOutput;

impl Tool for ShellOutput {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "shell_output",
            "Output of commands the user ran, in any terminal: by id a range of lines, the tail or matching lines; without id, list \
             or search all recorded commands.",
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let wish: Arguments = arguments::read(arguments)?;
        let grep = wish.grep.as_deref().map(|pattern| {
            let regex = RegexBuilder::new(pattern).case_insensitive(wish.ignore_case).build();
            regex.map_err(|error| format!("bad argument grep: {error}"))
        });
        let grep = grep.transpose()?;
        let database = context.history.clone().ok_or("commands are not being recorded")?;
        if wish.id.is_some() && wish.search.is_some() {
            return Err("search looks through all commands; with an id use grep".to_owned());
        }
        let clock = Clock::new(SystemTime::now(), TimeZone::system());
        let filter = filter(&wish, &clock, context)?;
        let (title, intent) = (title(&wish), intent(&wish, &database, context));
        let records = Records { redactor: context.redactor.clone(), clock };
        let run = result::blocking(move |_| {
            let looked = match wish.id {
                Some(id) => records.look(&database, id, &wish, grep.as_ref()),
                None => records.find(&database, wish.search.as_deref().unwrap_or_default(), &filter),
            };
            looked.unwrap_or_else(|error| Outcome::failed(reason(&error)))
        });
        Ok(Prepared { title, intent, preview: None, run })
    }
}

/// Commands of this terminal are free to read. A search looks at those of all terminals.
fn intent(wish: &Arguments, database: &Path, context: &Context) -> Intent {
    let is_own = match wish.id {
        Some(id) => {
            let stored = History::open(database).and_then(|history| history.get(id)).ok().flatten();
            stored.is_none_or(|stored| Some(OsStr::new(&stored.entry.session)) == context.variable(SESSION))
        }
        None => is_plain_list(wish),
    };
    if is_own { Intent::Read { paths: Vec::new() } } else { Intent::OtherTerminals }
}

/// Whether the newest commands are listed without a condition. Then they are those of this terminal.
fn is_plain_list(wish: &Arguments) -> bool {
    wish.search.is_none() && wish.cwd.is_none() && wish.since.is_none() && !wish.failed
}

fn title(wish: &Arguments) -> String {
    match (wish.id, &wish.search) {
        (Some(id), _) => format!("output of command {id}"),
        (None, Some(words)) => format!("commands with {}", sanitize(words)),
        (None, None) => "recent commands".to_owned(),
    }
}

fn filter(wish: &Arguments, clock: &Clock, context: &Context) -> Result<Filter, String> {
    let since = wish.since.as_deref().map(|since| {
        let since: Since = since.parse().map_err(|error| format!("bad argument since: {error}"))?;
        since.before(clock.now()).map_err(|error| format!("bad argument since: {error}"))
    });
    let own = context.variable(SESSION).filter(|_| is_plain_list(wish));
    Ok(Filter {
        cwd: wish.cwd.as_deref().map(|cwd| paths::resolve(cwd, context)),
        failed: wish.failed,
        since: since.transpose()?,
        session: own.map(|own| own.to_string_lossy().into_owned()),
        recorded: false,
        limit: Some(COMMANDS),
    })
}

pub(super) fn reason(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Tells recorded commands to the model.
struct Records {
    redactor: Redactor,
    clock: Clock,
}

impl Records {
    /// The output of one command.
    fn look(&self, database: &Path, id: i64, wish: &Arguments, grep: Option<&Regex>) -> Result<Outcome, StoreError> {
        let history = History::open(database)?;
        let Some(stored) = history.get(id)? else {
            let recent = self.listed(history.newest(&[], &Filter { limit: Some(COMMANDS), ..Filter::default() })?);
            return Ok(Outcome::failed(format!("there is no command {id}; recent ones:\n{recent}")));
        };
        let text = self.redactor.mask_in_place(&stored.whole().text(stored.size));
        let lines: Vec<&str> = text.lines().collect();
        let about = format!("{}, {} lines\n", self.about(&stored.entry, result::LINE_CAP), lines.len());
        let body = shown(&lines, grep, wish);
        let note = if stored.entry.full_screen { "[the full-screen display was not recorded]\n" } else { "" };
        Ok(Outcome::done(format!("{about}{body}{note}")))
    }

    /// The newest commands with these words, or all of them.
    fn find(&self, database: &Path, words: &str, filter: &Filter) -> Result<Outcome, StoreError> {
        let history = History::open(database)?;
        let words = store::words(words);
        let found = history.newest(&words, filter)?;
        Ok(Outcome::done(match (words.is_empty(), found.entries.is_empty()) {
            (_, true) => self.nothing(&history, &words, &found)?,
            (true, false) => self.listed(found),
            (false, false) => self.excerpts(&history, &words, found)?,
        }))
    }

    /// Says that nothing was found, and whether there was anything to search.
    fn nothing(&self, history: &History, words: &[String], found: &NewestCommands) -> Result<String, StoreError> {
        let any = history.newest(&[], &Filter { limit: Some(1), ..Filter::default() })?;
        let none = match (any.entries.is_empty(), words.is_empty()) {
            (true, _) => return Ok("no command has been recorded; recording may be turned off\n".to_owned()),
            (false, true) => "no recorded command fits",
            (false, false) => {
                "no recorded command has all of these words (whole words are searched; try fewer or others)"
            }
        };
        Ok(format!("{none}\n{}", reach(found)))
    }

    /// One line for each command, oldest first.
    fn listed(&self, found: NewestCommands) -> String {
        let reach = reach(&found);
        let mut page = ListingPage::new(0, COMMANDS);
        let _ = found.entries.iter().rev().all(|entry| page.push(&self.about(entry, COMMAND)));
        page.finish("no command has been recorded") + &reach
    }

    /// `12: cargo test (exit 101, 3.2s, at 07:31:05, in /home/me/app)`
    fn about(&self, entry: &HistoryEntry, most: usize) -> String {
        let command = sanitize(&String::from_utf8_lossy(&entry.command)).replace('\n', "⏎");
        let command = self.redactor.mask(&command);
        let command = match command.char_indices().nth(most) {
            Some((at, _)) => format!("{} [… {} more bytes]", &command[..at], command.len() - at),
            None => command,
        };
        let facts = [
            entry.status.map(|status| format!("exit {status}")),
            entry.duration.map(human::duration),
            entry.started_at.map(|started_at| format!("at {}", self.clock.time(started_at))),
            entry.cwd.as_ref().map(|cwd| format!("in {}", sanitize(&cwd.to_string_lossy()).replace('\n', "⏎"))),
            entry.imported.as_ref().map(|origin| format!("imported from {origin}, no output")),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        format!("{}: {command} ({})", entry.id, facts.join(", "))
    }
}

/// A note about commands that were not searched.
fn reach(found: &NewestCommands) -> String {
    let note = |reach| format!("[only the newest {reach} commands were searched]\n");
    found.reach.map(note).unwrap_or_default()
}

/// The requested lines with their numbers.
fn shown(lines: &[&str], grep: Option<&Regex>, wish: &Arguments) -> String {
    let wanted = match grep {
        Some(regex) => matching(lines, regex, wish.context.min(MOST_CONTEXT)),
        None => (0..lines.len()).map(|index| (index, ':')).collect(),
    };
    let first = wish.offset.unwrap_or(1).saturating_sub(1);
    let (wanted, limit) = match wish.tail {
        Some(tail) => (&wanted[wanted.len().saturating_sub(tail)..], tail),
        None => (&wanted[wanted.partition_point(|(index, _)| *index < first)..], wish.limit.unwrap_or(LINES).max(1)),
    };
    let mut page = ListingPage::new(0, limit);
    let beyond = wanted.iter().find(|(index, sign)| {
        let line = format!("{}{sign}{}", index + 1, result::line(lines[*index]));
        !page.push(&line)
    });
    if let Some((index, _)) = beyond {
        page.go_on_at(index + 1);
    }
    page.finish(match (lines.is_empty(), grep) {
        (true, _) => "no output",
        (false, Some(_)) => "no matches",
        (false, None) => "no such lines",
    })
}

/// The indices of matching lines and of the lines around them, each with the sign that tells them apart.
fn matching(lines: &[&str], regex: &Regex, around: usize) -> Vec<(usize, char)> {
    let hits: Vec<bool> = lines.iter().map(|line| regex.is_match(line)).collect();
    let near = |index: usize| &hits[index.saturating_sub(around)..(index + around + 1).min(hits.len())];
    let shown = (0..lines.len()).filter(|index| near(*index).contains(&true));
    shown.map(|index| (index, if hits[index] { ':' } else { '-' })).collect()
}

#[cfg(test)]
mod tests;
