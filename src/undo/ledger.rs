//! The changes of one conversation, in memory and in the record.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::state::PathState;
use crate::store::{ConversationLog, QueryId, RecordedChange};

/// The most changes of a conversation that can be undone. The oldest are dropped beyond it.
const MOST_CHANGES: usize = 50_000;

/// One change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathChange {
    pub(super) id: i64,
    /// The query that made it, or the undo.
    pub(super) query: QueryId,
    pub(super) is_undo: bool,
    pub(super) path: PathBuf,
    pub(super) before: PathState,
    pub(super) after: PathState,
    /// The undo that took it back.
    pub(super) undone_by: Option<QueryId>,
}

impl PathChange {
    /// A change that was made just now.
    pub(super) fn new(query: QueryId, path: PathBuf, before: PathState, after: PathState) -> PathChange {
        PathChange { id: QueryId::fresh().0, query, is_undo: false, path, before, after, undone_by: None }
    }

    /// A change as it was recorded. `None` if it cannot be read.
    fn read(change: RecordedChange) -> Option<PathChange> {
        let RecordedChange { id, query, is_undo, path, before, after, undone_by, .. } = change;
        let [before, after] = [before, after].map(|state| serde_json::from_str(&state));
        Some(PathChange { id, query, is_undo, path, before: before.ok()?, after: after.ok()?, undone_by })
    }

    fn recorded(&self) -> Option<RecordedChange> {
        let json = |state: &PathState| serde_json::to_string(state).ok();
        let content = |state: &PathState| state.content().map(|name| name.to_string());
        Some(RecordedChange {
            id: self.id,
            query: self.query,
            is_undo: self.is_undo,
            path: self.path.clone(),
            before: json(&self.before)?,
            after: json(&self.after)?,
            contents: [content(&self.before), content(&self.after)],
            undone_by: self.undone_by,
        })
    }
}

/// The changes of a conversation, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    changes: Mutex<Vec<PathChange>>,
    /// Which changes of this session are not among them, in words for the person.
    left_out: Mutex<BTreeSet<String>>,
}

impl Ledger {
    /// The changes of a conversation that goes on.
    pub(crate) fn restore(changes: Vec<RecordedChange>) -> Ledger {
        let ledger = Ledger::default();
        ledger.lock().extend(changes.into_iter().filter_map(PathChange::read));
        ledger
    }

    /// Adds changes and records them.
    pub(super) fn add(&self, changes: Vec<PathChange>, log: &ConversationLog) {
        if changes.is_empty() {
            return;
        }
        log.change(changes.iter().filter_map(PathChange::recorded).collect());
        let mut all = self.lock();
        all.extend(changes);
        let excess = all.len().saturating_sub(MOST_CHANGES);
        all.drain(..excess);
    }

    /// Notes that an undo took these changes back, or that they count again.
    pub(super) fn mark(&self, ids: &HashSet<i64>, by: Option<QueryId>, log: &ConversationLog) {
        log.undo(ids.iter().copied().collect(), by);
        self.lock().iter_mut().filter(|change| ids.contains(&change.id)).for_each(|change| change.undone_by = by);
    }

    /// Notes in words that some changes cannot be undone.
    pub(super) fn leave_out(&self, words: String) {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).insert(words);
    }

    /// Which changes cannot be undone, one line each.
    pub(crate) fn left_out(&self) -> Vec<String> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// A copy of all changes.
    pub(super) fn changes(&self) -> Vec<PathChange> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PathChange>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
