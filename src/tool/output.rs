//! `shell_output`: reads the output of a recorded command.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::result::{self, ListingPage};
use super::{Context, Prepared, Tool, arguments};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, Redactor};
use crate::store::{Filter, History, HistoryEntry, StoreError};
use crate::text::human;

const LINES: usize = 200;
const COMMANDS: usize = 20;
const MOST_CONTEXT: usize = 20;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Without it, recent commands are listed
    id: Option<i64>,
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
            "Read or search the output of a command the user ran, by its id: a range of lines, the tail, or matching lines.",
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
        let redactor = context.redactor.clone();
        let title = match wish.id {
            Some(id) => format!("output of command {id}"),
            None => "recent commands".to_owned(),
        };
        let run = result::blocking(move |_| {
            look(&database, &wish, grep.as_ref(), &redactor).unwrap_or_else(|error| Outcome::failed(words(&error)))
        });
        Ok(Prepared { title, intent: Intent::Read { paths: Vec::new() }, preview: None, run })
    }
}

fn words(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn look(database: &Path, wish: &Arguments, grep: Option<&Regex>, redactor: &Redactor) -> Result<Outcome, StoreError> {
    let history = History::open(database)?;
    let Some(id) = wish.id else { return Ok(Outcome::done(recent(&history, redactor)?)) };
    let Some(stored) = history.get(id)? else {
        return Ok(Outcome::failed(format!("there is no command {id}; recent ones:\n{}", recent(&history, redactor)?)));
    };
    let text = redactor.mask_in_place(&stored.whole().text(stored.size));
    let lines: Vec<&str> = text.lines().collect();
    let about = format!("{}, {} lines\n", about(&stored.entry, redactor), lines.len());
    let body = shown(&lines, grep, wish);
    let note = if stored.entry.full_screen { "[the full-screen display was not recorded]\n" } else { "" };
    Ok(Outcome::done(format!("{about}{body}{note}")))
}

fn recent(history: &History, redactor: &Redactor) -> Result<String, StoreError> {
    let entries = history.list(&Filter { limit: Some(COMMANDS), ..Filter::default() })?;
    let mut page = ListingPage::new(0, COMMANDS);
    let _ = entries.iter().all(|entry| page.push(&about(entry, redactor)));
    Ok(page.finish("no command has been recorded"))
}

/// `12: cargo test (exit 101, 3.2s, in /home/me/app)`
fn about(entry: &HistoryEntry, redactor: &Redactor) -> String {
    let command = String::from_utf8_lossy(&entry.command).replace('\n', "⏎");
    let command = result::line(&redactor.mask(&command));
    let took = human::duration(entry.duration);
    format!("{}: {command} (exit {}, {took}, in {})", entry.id, entry.status, entry.cwd.display())
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
mod tests {
    use super::*;
    use crate::capture::{Output, Size};
    use crate::store::{CommandRecord, HistoryLimits, RecordingSession, Store};
    use crate::tool::tests::{Home, finish};
    use crate::track::Command;
    use serde_json::json;
    use std::time::{Duration, SystemTime};

    fn recorded(commands: &[(&str, &str)]) -> (Home, Context) {
        let home = Home::new();
        let database = home.path("history.db");
        let session = RecordingSession { id: "a".into(), host: "box".into(), shell: "zsh".into() };
        let store = Store::open(database.clone(), HistoryLimits::default(), session);
        for (text, output) in commands {
            let command = Command {
                text: (*text).into(),
                cwd: "/home/me".into(),
                status: 1,
                started_at: SystemTime::UNIX_EPOCH,
                duration: Duration::from_millis(12),
            };
            let output =
                Output::restored(output.len() as u64, output.replace('\n', "\r\n").into(), Vec::new(), 0, false);
            store.record(CommandRecord { command, output, size: Size::new(24, 80) });
        }
        store.close(Duration::from_secs(60));
        let context = Context { history: Some(database), ..home.context() };
        (home, context)
    }

    fn asked(context: &Context, arguments: Value) -> Outcome {
        ShellOutput.prepare(&arguments, context).map_or_else(Outcome::failed, finish)
    }

    #[test]
    fn output_is_read_by_range_tail_or_match() {
        let output: String = (1..=300).map(|n| format!("line {n}\n")).collect();
        let (_home, context) = recorded(&[("make all", &output)]);
        let body = |arguments| asked(&context, arguments).text().split_once('\n').unwrap().1.to_owned();
        let whole = asked(&context, json!({"id": "1"}));
        assert!(whole.text().starts_with("1: make all (exit 1, 12ms, in /home/me), 300 lines\n1:line 1\n2:line 2\n"));
        assert!(whole.text().ends_with("200:line 200\n[more follows: go on with offset 201]\n"));
        assert_eq!(body(json!({"id": 1, "offset": 299})), "299:line 299\n300:line 300\n");
        assert_eq!(body(json!({"id": 1, "tail": 1})), "300:line 300\n");
        let part = "7:line 7\n[more follows: go on with offset 8]\n";
        assert_eq!(body(json!({"id": 1, "offset": 7, "limit": 1})), part);
        assert_eq!(body(json!({"id": 1, "grep": "LINE 29[89]", "ignore_case": true})), "298:line 298\n299:line 299\n");
        assert_eq!(body(json!({"id": 1, "grep": "e 5$", "context": 1})), "4-line 4\n5:line 5\n6-line 6\n");
        let page = "2:line 2\n[more follows: go on with offset 20]\n";
        assert_eq!(body(json!({"id": 1, "grep": "line 2", "offset": 1, "limit": 1})), page);
        assert_eq!(
            body(json!({"id": 1, "grep": "line 2", "offset": 20, "limit": 1})).lines().next(),
            Some("20:line 20")
        );
        assert_eq!(body(json!({"id": 1, "grep": "0$", "tail": 1})), "300:line 300\n");
        assert_eq!(body(json!({"id": 1, "offset": 301})), "no such lines\n");
        assert_eq!(body(json!({"id": 1, "grep": "nothing"})), "no matches\n");
    }

    #[test]
    fn recent_commands_are_listed_without_an_id() {
        let (_home, context) = recorded(&[("one", ""), ("two\nlines", "")]);
        let listed = "1: one (exit 1, 12ms, in /home/me)\n2: two⏎lines (exit 1, 12ms, in /home/me)\n";
        assert_eq!(asked(&context, json!({})).text(), listed);
        assert_eq!(
            asked(&context, json!({"id": 9})),
            Outcome::failed(format!("there is no command 9; recent ones:\n{listed}"))
        );
        assert!(asked(&context, json!({"id": 1})).text().ends_with("no output\n"));
        let none = Context { history: None, ..context.clone() };
        assert_eq!(asked(&none, json!({"id": 1})), Outcome::failed("commands are not being recorded"));
        assert!(asked(&context, json!({"id": 1, "grep": "("})).text().starts_with("bad argument grep: "));
    }
}
