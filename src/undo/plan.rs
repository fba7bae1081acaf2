//! What an undo would do. Nothing is changed here.
//!
//! The changes of the last queries are taken back in memory, newest first, beginning with what is on the disk now. A change counts as
//! taken back only if the path is as the change left it. So a file that the person has changed since stays as it is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::contents::ContentStore;
use super::difference::PathDifference;
use super::ledger::{Ledger, PathChange};
use super::state::{ContentIdentity, Observer, PathState};
use crate::store::QueryId;

/// Which changes to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoScope<'a> {
    /// Those of the last queries that changed something which can be undone.
    Last(usize),
    /// Those of these queries.
    Queries(&'a [QueryId]),
    /// The last undo: what it took back comes again.
    Redo,
}

/// What an undo would do.
#[derive(Debug, Default)]
pub(crate) struct UndoPlan {
    pub steps: Vec<UndoStep>,
    /// Paths that stay as they are, and why.
    pub left: Vec<LeftPath>,
    /// How many queries are taken back.
    pub queries: usize,
    /// The changes that are taken back, by path.
    pub(super) covered: HashMap<PathBuf, Vec<i64>>,
    /// The undo that is taken back.
    pub(super) redone: Option<QueryId>,
}

/// A path that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UndoStep {
    pub path: PathBuf,
    pub now: PathState,
    pub to: PathState,
}

impl UndoStep {
    /// What would change, for a person.
    pub(crate) fn difference(&self, store: &ContentStore) -> PathDifference {
        let mut difference = PathDifference::between(&self.now, &self.to, store);
        let plainly = match (&self.now, &self.to) {
            (PathState::Absent, _) => "will be created again",
            (_, PathState::Absent) => "will be deleted",
            _ => return difference,
        };
        if let Some(note) = difference.notes.first_mut() {
            *note = plainly.to_owned();
        }
        difference
    }
}

/// A path that stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftPath {
    pub path: PathBuf,
    pub why: LeftBecause,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LeftBecause {
    /// It was changed since: what the agent left, and what is there now.
    Changed { left: PathState, now: PathState },
    /// Its old content was too large to be kept, or could not be.
    NotKept { size: u64 },
    /// Its old content was kept and is gone.
    NoLongerKept,
}

impl UndoPlan {
    /// Plans an undo of changes in this conversation.
    pub(crate) fn new(ledger: &Ledger, scope: UndoScope<'_>, store: &ContentStore) -> UndoPlan {
        let changes = ledger.changes();
        let mut open: BTreeMap<QueryId, Vec<&PathChange>> = BTreeMap::new();
        let is_redo = scope == UndoScope::Redo;
        for change in changes.iter().filter(|change| change.undone_by.is_none() && change.is_undo == is_redo) {
            open.entry(change.query).or_default().push(change);
        }
        let mut draft = PlanDraft { observer: Observer::new(store), plan: UndoPlan::default(), paths: BTreeMap::new() };
        let wanted = match scope {
            UndoScope::Last(queries) => queries,
            UndoScope::Queries(_) => usize::MAX,
            UndoScope::Redo => 1,
        };
        for (query, changes) in open.iter().rev() {
            if draft.plan.queries == wanted {
                break;
            }
            if let UndoScope::Queries(queries) = scope
                && !queries.contains(query)
            {
                continue;
            }
            let taken = changes.iter().rev().filter(|change| draft.take_back(change)).count();
            draft.plan.queries += usize::from(taken > 0);
            draft.plan.redone = Some(*query).filter(|_| is_redo);
        }
        draft.finish()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

struct PlanDraft<'a> {
    observer: Observer<'a>,
    plan: UndoPlan,
    /// What is at each path now, and what would be.
    paths: BTreeMap<PathBuf, (PathState, PathState)>,
}

impl PlanDraft<'_> {
    /// Takes a change back in memory. Returns whether it can be.
    fn take_back(&mut self, change: &PathChange) -> bool {
        let PathChange { path, before, after, .. } = change;
        let observer = &mut self.observer;
        let (_, would_be) = self.paths.entry(path.clone()).or_insert_with(|| {
            let now = observer.look(path);
            (now.clone(), now)
        });
        let is_mode_only = before.has_content_of(after);
        let is =
            |state: &PathState| would_be.has_content_of(state) && (!is_mode_only || would_be.mode() == state.mode());
        let mut covered = || self.plan.covered.entry(path.clone()).or_default().push(change.id);
        if !is(after) {
            match is(before) {
                // It is as it was already.
                true => covered(),
                false => {
                    let why = LeftBecause::Changed { left: after.clone(), now: would_be.clone() };
                    self.plan.left.push(LeftPath { path: path.clone(), why });
                }
            }
            return false;
        }
        let missing = match before {
            PathState::File { size, content: ContentIdentity::Unkept { .. }, .. } if !is_mode_only => {
                Some(LeftBecause::NotKept { size: *size })
            }
            _ if before.content().is_some_and(|name| !self.observer.store.has(name)) => Some(LeftBecause::NoLongerKept),
            _ => None,
        };
        if let Some(why) = missing {
            self.plan.left.push(LeftPath { path: path.clone(), why });
            return false;
        }
        covered();
        // A mode that only the person has changed stays.
        let mode = if before.mode() == after.mode() { would_be.mode() } else { before.mode() };
        *would_be = before.clone().with_mode(mode);
        true
    }

    fn finish(mut self) -> UndoPlan {
        if let Err(error) = self.observer.commit() {
            tracing::warn!(%error, "the present files are not kept");
        }
        let mut plan = self.plan;
        let changed = self.paths.into_iter().filter(|(_, (now, to))| now != to);
        plan.steps = changed.map(|(path, (now, to))| UndoStep { path, now, to }).collect();
        let mut seen = HashSet::new();
        plan.left.retain(|left| seen.insert(left.path.clone()));
        plan
    }
}
