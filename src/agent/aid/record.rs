//! Answers questions about earlier commands from the history.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{lossy, went};
use crate::agent::context::{Happened, ShellView};
use crate::reflex::LocalQuestion;
use crate::store::{Filter, History, HistoryEntry, StoreError};
use crate::text::human;
use crate::track::Command;

/// How many commands of the history are searched.
const COMMANDS: usize = 20_000;
/// The most lines of an output that are shown. `shellmate history show` prints the rest.
const LINES: usize = 100;

/// Answers a question from the history. Returns `None` for other questions.
pub(super) fn answer(question: &LocalQuestion, view: &ShellView, history: Option<&Path>) -> Option<String> {
    let words = match question {
        LocalQuestion::Why | LocalQuestion::Fix | LocalQuestion::Itself(_) => return None,
        LocalQuestion::HowLong(None) => {
            latest(view, |one| format!("`{}` took {}", lossy(&one.command.text), human::duration(one.command.duration)))
        }
        LocalQuestion::Output(None) => latest(view, |one| {
            tail(&one.output.text(one.size), one.ticket.id().map(|id| format!("shellmate history show {id}")))
        }),
        asked => match history.map(|path| look(asked, view, path)) {
            None => "commands are not being recorded, so there is no history to search".to_owned(),
            Some(Ok(words)) => words,
            Some(Err(error)) => error.to_string(),
        },
    };
    Some(format!("(from the history) {words}"))
}

fn latest(view: &ShellView, say: impl FnOnce(&Happened) -> String) -> String {
    view.last.as_ref().map_or("no command has been run in this terminal yet".to_owned(), say)
}

fn look(asked: &LocalQuestion, view: &ShellView, path: &Path) -> Result<String, StoreError> {
    let history = History::open(path)?;
    // Oldest first.
    let mut entries = history.list(&Filter { limit: Some(COMMANDS), ..Filter::default() })?;
    // The latest commands may not be stored yet.
    let unwritten = view.happened.iter().chain(view.last.iter()).filter(|one| one.ticket.id().is_none());
    entries.extend(unwritten.clone().map(entry));
    let words = match asked {
        LocalQuestion::FailedLast => {
            match entries.iter().rev().find(|entry| entry.status.is_some_and(|status| status != 0)) {
                Some(entry) => {
                    format!("{}; `> why did that fail` explains it while it is the last command", told(entry))
                }
                None => "the history has no failed command".to_owned(),
            }
        }
        LocalQuestion::LastRun(what) => about(&entries, what, told),
        LocalQuestion::HowLong(what) => {
            about(&entries, what.as_deref().unwrap_or_default(), |entry| match entry.duration {
                Some(duration) => format!("{} took {}", name(entry), human::duration(duration)),
                None => format!("{} was imported; how long it took is not known", name(entry)),
            })
        }
        LocalQuestion::Where(what) => {
            about(&entries, what, |entry| format!("{} was run {}", name(entry), place(entry)))
        }
        LocalQuestion::Output(what) => {
            let what = what.as_deref().unwrap_or_default();
            // An imported command has no output.
            entries.retain(|entry| entry.imported.is_none());
            let Some(entry) = newest(&entries, what) else { return Ok(unknown(what)) };
            let stored = history.get(entry.id)?.map(|stored| stored.output.text(stored.size));
            let seen = || unwritten.clone().next_back().map(|one| one.output.text(one.size));
            let text = stored.or_else(seen).unwrap_or_default();
            format!("{}\n{}", told(entry), tail(&text, Some(format!("shellmate history show {}", entry.id))))
        }
        LocalQuestion::ChangedTo(place) => changed_to(&entries, view, place),
        LocalQuestion::Why | LocalQuestion::Fix | LocalQuestion::Itself(_) => String::new(),
    };
    Ok(words)
}

/// Converts a command of this session to an entry of the history.
fn entry(one: &Happened) -> HistoryEntry {
    let Command { text, cwd, status, started_at, duration } = one.command.clone();
    HistoryEntry {
        id: 0,
        session: String::new(),
        host: String::new(),
        cwd: Some(cwd),
        command: text,
        status: Some(status),
        started_at: Some(started_at),
        duration: Some(duration),
        output_bytes: one.output.seen,
        truncated: false,
        full_screen: one.output.full_screen,
        spill: None,
        imported: None,
    }
}

fn about(entries: &[HistoryEntry], what: &str, say: impl FnOnce(&HistoryEntry) -> String) -> String {
    newest(entries, what).map_or_else(|| unknown(what), say)
}

fn unknown(what: &str) -> String {
    format!("there is no command with `{what}` in the history")
}

/// The newest command that begins with this text, or else the newest that contains it.
fn newest<'a>(entries: &'a [HistoryEntry], what: &str) -> Option<&'a HistoryEntry> {
    let text = |entry: &HistoryEntry| lossy(&entry.command);
    let begins = entries.iter().rev().find(|entry| {
        text(entry).strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    });
    begins.or_else(|| entries.iter().rev().find(|entry| text(entry).contains(what)))
}

/// The command that changed to this directory.
fn changed_to(entries: &[HistoryEntry], view: &ShellView, place: &str) -> String {
    let is_there = |cwd: &PathBuf| {
        let home = view.environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
        match (place.strip_prefix('~'), home) {
            (Some(rest), Some(home)) => *cwd == home.join(rest.trim_start_matches('/')),
            _ => cwd.ends_with(place.trim_end_matches('/')) || cwd == Path::new(place),
        }
    };
    if let Some(last) = view.last.as_ref().filter(|last| last.command.cwd != view.cwd && is_there(&view.cwd)) {
        return format!("`{}`, from {}", lossy(&last.command.text), last.command.cwd.display());
    }
    let moved = entries.iter().enumerate().rev().find_map(|(at, entry)| {
        let before = entries[..at].iter().rev().find(|before| before.session == entry.session)?;
        (before.cwd != entry.cwd && entry.cwd.as_ref().is_some_and(is_there)).then_some(before)
    });
    match moved {
        Some(entry) => format!("{}, from {}", told(entry), entry.cwd.as_deref().unwrap_or(Path::new("?")).display()),
        None => format!("no command in the history changed to {place}"),
    }
}

fn name(entry: &HistoryEntry) -> String {
    format!("`{}`", lossy(&entry.command))
}

/// Describes a command: its text, time, directory, status and duration.
fn told(entry: &HistoryEntry) -> String {
    let when = entry.started_at.map_or_else(|| "at an unknown time".to_owned(), when);
    let went = match (entry.status, entry.duration) {
        (Some(status), Some(duration)) => went(status, duration),
        (..) => "imported; how it went is not known".to_owned(),
    };
    format!("{} was run {when} {} ({went})", name(entry), place(entry))
}

/// The directory of a command.
fn place(entry: &HistoryEntry) -> String {
    entry.cwd.as_ref().map_or_else(|| "in an unknown directory".to_owned(), |cwd| format!("in {}", cwd.display()))
}

fn when(time: SystemTime) -> String {
    let age = SystemTime::now().duration_since(time).unwrap_or_default();
    if age < Duration::from_secs(60) {
        return "just now".to_owned();
    }
    let clock = jiff::Timestamp::try_from(time).map(|time| time.to_zoned(jiff::tz::TimeZone::system()));
    let clock = clock.map(|time| time.strftime(", %Y-%m-%d %H:%M").to_string()).unwrap_or_default();
    format!("{} ago{clock},", human::age(age))
}

/// The last lines of an output.
fn tail(text: &str, whole: Option<String>) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let shown = lines[left_out..].join("\n");
    match (left_out, whole) {
        _ if lines.is_empty() => "it printed nothing".to_owned(),
        (0, _) => shown,
        (_, Some(whole)) => format!("({left_out} lines before this: `{whole}`)\n{shown}"),
        (_, None) => format!("({left_out} lines before this)\n{shown}"),
    }
}
