//! The difference between two states of a path, for a person.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::contents::ContentStore;
use super::ledger::Ledger;
use super::state::{Observer, PathState};
use crate::text::human;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;
/// The time limit for a comparison. After it the diff is coarser, which happens for large files with little in common.
const PATIENCE: Duration = Duration::from_millis(50);

/// The difference between two states of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathDifference {
    pub added: usize,
    pub removed: usize,
    /// The lines of a unified diff. Empty if the path is no text.
    pub text: String,
    /// What lines do not say: that it is new, gone, binary, or has another mode.
    pub notes: Vec<String>,
}

/// What the agent changed at a path in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConversationChange {
    pub path: PathBuf,
    pub difference: PathDifference,
}

impl PathDifference {
    pub(crate) fn between(from: &PathState, to: &PathState, store: &ContentStore) -> PathDifference {
        let mut notes = Vec::new();
        match (from, to) {
            (PathState::Absent, PathState::Absent) => {}
            (PathState::Absent, to) => notes.push(format!("new{}", kind(to))),
            (from, PathState::Absent) => notes.push(format!("deleted{}", kind(from))),
            (from, to) if kind(from) != kind(to) => {
                notes.push(format!("{} before, now {}", named(from), named(to)));
            }
            (from, to) => {
                if let (Some(old), Some(new)) = (from.mode(), to.mode())
                    && old != new
                {
                    notes.push(format!("mode {old:o} → {new:o}"));
                }
            }
        }
        if let PathState::Link { target } = to {
            notes.push(format!("→ {}", target.to_string_lossy()));
        }
        let mut difference = PathDifference { added: 0, removed: 0, text: String::new(), notes };
        if from.has_content_of(to) {
            return difference;
        }
        match (text_of(from, store), text_of(to, store)) {
            (Ok(old), Ok(new)) => difference.compare(&old, &new),
            (Err(why), _) | (_, Err(why)) => difference.notes.push(why),
        }
        difference
    }

    fn compare(&mut self, old: &str, new: &str) {
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        (self.added, self.removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        self.text = diff.unified_diff().context_radius(AROUND).to_string();
    }
}

/// What the agent changed in a conversation and was not undone, by path.
pub(crate) fn conversation_changes(ledger: &Ledger, store: &ContentStore) -> Vec<ConversationChange> {
    let mut paths: BTreeMap<PathBuf, (PathState, PathState)> = BTreeMap::new();
    for change in ledger.changes().into_iter().filter(|change| change.undone_by.is_none() && !change.is_undo) {
        let entry = paths.entry(change.path).or_insert_with(|| (change.before, change.after.clone()));
        entry.1 = change.after;
    }
    let mut observer = Observer::new(store);
    let changed = paths.into_iter().filter(|(_, (before, after))| before != after);
    let changed = changed.filter(|(_, (before, after))| !before.is_directory() && !after.is_directory());
    let shown = changed.map(|(path, (before, after))| {
        let mut difference = PathDifference::between(&before, &after, store);
        if !observer.look(&path).has_content_of(&after) {
            difference.notes.push("changed since".to_owned());
        }
        ConversationChange { path, difference }
    });
    shown.collect()
}

/// The text of a file, empty where there is none. The error says why there are no lines to compare.
fn text_of(state: &PathState, store: &ContentStore) -> Result<String, String> {
    let PathState::File { size, .. } = state else { return Ok(String::new()) };
    let Some(name) = state.content() else { return Err(format!("not kept, {}", human::size(*size))) };
    let bytes = store.read(name).map_err(|error| error.to_string())?;
    let binary = |bytes: &[u8]| format!("binary, {}", human::size(bytes.len() as u64));
    if bytes.contains(&0) {
        return Err(binary(&bytes));
    }
    String::from_utf8(bytes).map_err(|error| binary(error.as_bytes()))
}

/// What is behind a path, unless it is a file.
fn kind(state: &PathState) -> &'static str {
    match state {
        PathState::Link { .. } => " link",
        PathState::Directory { .. } => " directory",
        PathState::Other => " special file",
        PathState::File { .. } | PathState::Absent => "",
    }
}

fn named(state: &PathState) -> &'static str {
    match state {
        PathState::Link { .. } => "a link",
        PathState::Directory { .. } => "a directory",
        PathState::Other => "a special file",
        PathState::File { .. } => "a file",
        PathState::Absent => "nothing",
    }
}
