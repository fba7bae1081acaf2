//! First aid: answers from the rules and the command history, without a model.
//!
//! All answers are computed on this machine and say so. Questions that these cannot answer are left to a model.

mod record;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::context::{Happened, Query, ShellView};
use super::shown_path;
use crate::reflex::{self, FailedCommand, LocalQuestion, Machine, Proposal};
use crate::text::human;
use crate::track::Command;

/// How many recent commands the rules can look at.
const RECENT: usize = 20;

/// An answer without a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Aid {
    /// The text for the person, a few lines.
    pub words: String,
    /// Commands to run instead, best first.
    pub proposals: Vec<Proposal>,
    /// Whether the first proposal is very probably right.
    pub is_confident: bool,
}

/// If the model has not answered after this time, the answer of the rules is shown.
pub(crate) const RULES_WAIT: Duration = Duration::from_secs(2);

/// Answers a question without a model. Returns `None` if it needs a model or if nothing is known. It reads files, so it may block.
pub(crate) fn first_aid(query: &Query, history: Option<&Path>) -> Option<Aid> {
    match LocalQuestion::read(&query.text)? {
        LocalQuestion::Why => failure(&query.view),
        LocalQuestion::Fix => failure(&query.view).map(|mut aid| {
            if aid.proposals.is_empty() {
                aid.words.push_str("\n  no corrected command is known");
            }
            aid
        }),
        LocalQuestion::Itself(topic) => {
            let words = topic.answer(&configuration_file(&query.view));
            Some(Aid { words, ..Aid::default() })
        }
        asked => record::answer(&asked, &query.view, history).map(|words| Aid { words, ..Aid::default() }),
    }
}

/// The path of the configuration, as a person writes it.
fn configuration_file(view: &ShellView) -> String {
    let own = view.environment.iter().find(|(name, _)| name == "XDG_CONFIG_HOME").map(|(_, path)| Path::new(path));
    let directory = own.filter(|path| path.is_absolute()).map(|path| shown_path(path, view.home()));
    format!("{}/shellmate/config.toml", directory.as_deref().unwrap_or("~/.config"))
}

/// Diagnoses a command with the rules, from its output. It reads files, so it may block.
pub(crate) fn diagnose(
    command: &Command,
    output: &str,
    environment: Vec<(OsString, OsString)>,
    recent: Vec<String>,
) -> reflex::Diagnosis {
    let Command { text, cwd, status, .. } = command;
    let machine = Machine::new(cwd.clone(), environment, reflex::builtins(), recent);
    reflex::diagnose(&FailedCommand { command: &lossy(text), output, status: Some(*status), cwd }, &machine)
}

/// Explains the last failed command.
fn failure(view: &ShellView) -> Option<Aid> {
    let newest_first = || view.happened.iter().rev();
    let failed = |one: &&Happened| one.command.status != 0;
    // The last command comes first, because a pipeline can hide a failure. After it come the failed ones, newest first.
    let candidates = view.last.iter().chain(newest_first().filter(failed));
    for one in candidates {
        let recent = newest_first().filter(|other| other.command.started_at < one.command.started_at).take(RECENT);
        let recent = recent.map(|other| lossy(&other.command.text)).collect();
        let answer = diagnose(&one.command, &one.output.text(one.size), view.environment.clone(), recent);
        let is_known = !answer.explanation.is_empty() || !answer.proposals.is_empty();
        if is_known || one.command.status != 0 {
            let words = words(&lossy(&one.command.text), one.command.status, &answer);
            return Some(Aid { words, proposals: answer.proposals, is_confident: answer.is_confident });
        }
    }
    let last = view.last.as_ref()?;
    let words =
        format!("`{}` ended with status 0, so there is nothing to explain (built-in rules)", lossy(&last.command.text));
    Some(Aid { words, ..Aid::default() })
}

fn words(command: &str, status: i32, answer: &reflex::Diagnosis) -> String {
    let first = command.lines().next().unwrap_or_default();
    let mut lines = vec![format!("`{first}` ended with status {status} (built-in rules):")];
    lines.extend(answer.explanation.lines().map(|line| format!("  {line}")));
    if answer.explanation.is_empty() && answer.proposals.is_empty() {
        lines.push("  no rule matches it".to_owned());
    }
    lines.extend(
        answer.proposals.iter().map(|one| format!("  try: {}    ({})", one.command.replace('\n', "⏎"), one.why)),
    );
    if !answer.proposals.is_empty() {
        lines.push("  `> fix` puts it on your prompt".to_owned());
    }
    lines.join("\n")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The status and the duration of a command.
fn went(status: i32, duration: std::time::Duration) -> String {
    format!("status {status}, took {}", human::duration(duration))
}
