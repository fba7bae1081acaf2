//! `/remember` and `/memory`: the person's notes.

use std::ffi::OsStr;
use std::path::Path;

use jiff::tz::TimeZone;

use crate::agent::{Approval, Approver, Decision, Kit, MemoryError, MemoryScope, Notebook, ShellView, shown_path};
use crate::guard::{EditReach, GrantOffers, Intent};
use crate::text::Clock;
use crate::text::shell::quote::{self, Dialect};
use crate::tool::{Preview, ShellPort};

use super::commands::{NO_MODEL, needs_consent};
use super::orders::AgentThread;
use super::resume::SETTLING;
use super::slash::SlashError;

/// Says that notes are off, and how to turn them on.
const OFF: &str = "notes are off, so nothing is kept or sent; `shellmate config set agent.memory true` turns them on";
/// The argument for notes that apply everywhere.
const EVERYWHERE: &str = "-g";

/// A request about notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum MemoryOrder {
    Remember(String, MemoryScope),
    View,
    Edit(MemoryScope),
    Clear(MemoryScope),
    Learn,
}

impl MemoryOrder {
    /// The words behind `/memory`.
    pub(super) const WORDS: [&str; 4] = ["view", "edit", "clear", "learn"];

    /// Reads the arguments of `/remember`.
    pub(super) fn remember(rest: &str) -> Result<MemoryOrder, SlashError> {
        let (scope, note) = scope(rest);
        if note.is_empty() {
            Err(SlashError::NothingToRemember)
        } else {
            Ok(MemoryOrder::Remember(note.to_owned(), scope))
        }
    }

    /// Reads the arguments of `/memory`.
    pub(super) fn read(rest: &str) -> Result<MemoryOrder, SlashError> {
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match (word, scope(rest)) {
            ("" | "view", (MemoryScope::Here, "")) => Ok(MemoryOrder::View),
            ("edit", (scope, "")) => Ok(MemoryOrder::Edit(scope)),
            ("learn", (MemoryScope::Here, "")) => Ok(MemoryOrder::Learn),
            ("clear", (scope, "")) => Ok(MemoryOrder::Clear(scope)),
            _ => Err(SlashError::UnknownMemoryOrder),
        }
    }
}

/// Splits `-g` from the words behind it.
fn scope(rest: &str) -> (MemoryScope, &str) {
    let rest = rest.trim();
    match rest.strip_prefix(EVERYWHERE).filter(|words| words.is_empty() || words.starts_with(char::is_whitespace)) {
        Some(words) => (MemoryScope::Everywhere, words.trim()),
        None => (MemoryScope::Here, rest),
    }
}

impl AgentThread {
    /// Carries out an order and returns words for the person.
    pub(super) async fn memory(&mut self, order: MemoryOrder, view: &ShellView) -> String {
        let Some(directory) = self.setup.places.memory.clone() else {
            return "there is no directory for notes; `shellmate doctor` says why".to_owned();
        };
        let memory = Notebook::new(directory);
        let is_on = self.setup.settings.agent.memory;
        let done = match order {
            MemoryOrder::Remember(..) | MemoryOrder::Learn if !is_on => return OFF.to_owned(),
            MemoryOrder::Learn => return self.learn(&memory, view).await,
            MemoryOrder::Remember(note, scope) => {
                let kept = memory.remember(&note, scope, &view.cwd, &today(view), &self.redactor);
                kept.map(|path| format!("noted in {}; `/memory edit` changes it", shown_path(&path, view.home())))
            }
            MemoryOrder::View => Ok(viewed(&memory, view, is_on)),
            MemoryOrder::Edit(scope) => match memory.create(scope, &view.cwd) {
                Ok(path) => Ok(self.edit(&path, view).await),
                Err(error) => Err(error),
            },
            MemoryOrder::Clear(scope) => cleared(&memory, scope, view),
        };
        done.unwrap_or_else(|error| error.to_string())
    }

    /// Has the model propose notes from the repository's conversations. Nothing is written without a yes.
    async fn learn(&mut self, memory: &Notebook, view: &ShellView) -> String {
        let resolved = match self.resolve(&self.preference.clone(), view).await {
            Ok(Some(resolved)) if self.may_ask(&resolved) => resolved,
            Ok(Some(resolved)) => return needs_consent(&resolved),
            Ok(None) => return NO_MODEL.to_owned(),
            Err(failure) => return failure.words,
        };
        self.setup.conversations.settled(SETTLING).await;
        let fast = self.fast_model(view, &self.link.clone()).await;
        let (kit, log) = (Kit { fast, ..self.kit(resolved) }, self.log_for_now());
        let (proposal, usage) = match memory.learn(&kit, &view.cwd, &today(view), &log).await {
            Ok(learnt) => learnt,
            Err(error) => return error.to_string(),
        };
        self.spend(usage);
        let Some(proposal) = proposal else {
            return "the recorded conversations of this repository gave no new notes".to_owned();
        };
        let shown = shown_path(&proposal.path, view.home());
        let (path, before, after) = (proposal.path.clone(), proposal.before.clone(), proposal.after.clone());
        let approval = Approval {
            title: shown.clone(),
            tool: "memory".to_owned(),
            intent: Intent::Write { path: path.clone(), reach: EditReach::Unknown },
            preview: Some(Preview::Edit { path, before, after }),
            offers: GrantOffers::default(),
            cwd: view.cwd.clone(),
            secrets: Vec::new(),
            weakness: None,
            // `/undo` does not know this file.
            is_contained: false,
        };
        match self.link.approve(approval).await {
            Decision::Once | Decision::Granted { .. } | Decision::AutoMode | Decision::ByOption => {
                let kept = memory.create(MemoryScope::Here, &view.cwd).and_then(|_| proposal.keep());
                kept.map_or_else(|error| error.to_string(), |()| format!("the notes are in {shown}"))
            }
            Decision::No { .. } | Decision::Unasked { .. } => "nothing was written".to_owned(),
        }
    }

    /// Opens a file in the person's editor, in the live shell. Where that is not possible, the words name the file.
    async fn edit(&self, path: &Path, view: &ShellView) -> String {
        let variable = |name: &str| {
            let (_, value) = view.environment.iter().find(|(key, value)| key == name && !value.is_empty())?;
            OsStr::to_str(value).map(str::to_owned)
        };
        let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
        let dialect = if view.shell == "fish" { Dialect::Fish } else { Dialect::Posix };
        let command = format!("{editor} {}", quote::word(&path.to_string_lossy(), dialect));
        let shown = shown_path(path, view.home());
        match self.link.run(command).await {
            Ok(ran) if ran.status == 0 => format!("the notes are in {shown}"),
            Ok(_) => format!("{editor} failed; the notes are in {shown}"),
            Err(why) => format!("no editor was opened ({why}); the notes are in {shown}"),
        }
    }
}

fn today(view: &ShellView) -> String {
    Clock::new(view.at, TimeZone::system()).now().date().to_string()
}

/// All notes that apply here, with their files.
fn viewed(memory: &Notebook, view: &ShellView, is_on: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    for notes in memory.notes(&view.cwd) {
        lines.push(format!("{}:", shown_path(&notes.path, view.home())));
        lines.push(notes.text.trim_end().to_owned());
    }
    if lines.is_empty() {
        lines.push(
            "no notes yet; `/remember TEXT` keeps one for this repository, `/remember -g TEXT` one for everywhere"
                .into(),
        );
    }
    if !is_on {
        lines.push(OFF.to_owned());
    }
    lines.join("\n")
}

fn cleared(memory: &Notebook, scope: MemoryScope, view: &ShellView) -> Result<String, MemoryError> {
    let path = shown_path(&memory.path(scope, &view.cwd), view.home());
    Ok(match memory.clear(scope, &view.cwd)? {
        0 => "there were no notes to delete".to_owned(),
        1 => format!("deleted {path} (1 line)"),
        lines => format!("deleted {path} ({lines} lines)"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_with_their_scope() {
        use MemoryScope::{Everywhere, Here};
        let note = |text: &str, scope| Ok(MemoryOrder::Remember(text.to_owned(), scope));
        assert_eq!(MemoryOrder::remember("use tabs"), note("use tabs", Here));
        assert_eq!(MemoryOrder::remember("-g use tabs"), note("use tabs", Everywhere));
        assert_eq!(MemoryOrder::remember("-gain is a word"), note("-gain is a word", Here));
        assert_eq!(MemoryOrder::remember("-g"), Err(SlashError::NothingToRemember));
        assert_eq!(MemoryOrder::read(""), Ok(MemoryOrder::View));
        assert_eq!(MemoryOrder::read("edit -g"), Ok(MemoryOrder::Edit(Everywhere)));
        assert_eq!(MemoryOrder::read("clear"), Ok(MemoryOrder::Clear(Here)));
        assert_eq!(MemoryOrder::read("clear all"), Err(SlashError::UnknownMemoryOrder));
        assert_eq!(MemoryOrder::read("erase"), Err(SlashError::UnknownMemoryOrder));
    }
}
