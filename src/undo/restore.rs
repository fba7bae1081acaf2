//! Carries an undo out.
//!
//! Each path is looked at again right before it is changed, through the open descriptor of its directory, and files are replaced
//! atomically. If the process is killed in the middle, the next undo finds some paths as they were already and goes on with the others.

use std::collections::HashSet;
use std::path::PathBuf;

use super::contents::{ContentError, ContentStore};
use super::ledger::{Ledger, PathChange};
use super::plan::{UndoPlan, UndoStep};
use super::state::{Observer, PathState};
use crate::store::{ConversationLog, QueryId};
use crate::tool::{Held, HeldError};

/// Why a path could not be brought back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    #[error("it has changed in the meantime")]
    Changed,
    #[error("it is not empty")]
    NotEmpty,
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(transparent)]
    Held(#[from] HeldError),
}

/// What an undo has done.
#[derive(Debug, Default)]
pub(crate) struct UndoResult {
    pub restored: Vec<PathBuf>,
    pub failed: Vec<(PathBuf, RestoreError)>,
}

impl UndoPlan {
    /// Brings the paths back, and notes it as a change that can be taken back itself.
    pub(crate) fn carry_out(self, ledger: &Ledger, log: &ConversationLog, store: &ContentStore) -> UndoResult {
        let undo = QueryId::fresh();
        let mut result = UndoResult::default();
        let mut made = Vec::new();
        for step in self.in_order() {
            match step.carry_out(store) {
                Ok(()) => {
                    result.restored.push(step.path.clone());
                    let change = PathChange::new(undo, step.path.clone(), step.now.clone(), step.to.clone());
                    made.push(PathChange { is_undo: true, ..change });
                }
                Err(error) => result.failed.push((step.path.clone(), error)),
            }
        }
        // A directory that is not writable gets its mode when its files are back.
        for step in self.steps.iter().rev().filter(|step| step.to.is_directory() && !step.now.is_directory()) {
            if let (Some(mode), Ok(held)) = (step.to.mode(), Held::hold(&step.path)) {
                let _ = held.set_mode(mode);
            }
        }
        let failed: HashSet<&PathBuf> = result.failed.iter().map(|(path, _)| path).collect();
        let covered = self.covered.iter().filter(|(path, _)| !failed.contains(path)).flat_map(|(_, ids)| ids);
        ledger.mark(&covered.copied().collect(), Some(undo), log);
        match self.redone {
            // What the undo had taken back counts again.
            Some(redone) => {
                let again = ledger.changes().into_iter().filter(|change| change.undone_by == Some(redone));
                let again = again.filter(|change| !failed.contains(&change.path)).map(|change| change.id);
                ledger.mark(&again.collect(), None, log);
            }
            None => ledger.add(made, log),
        }
        result
    }

    /// First what is removed, the deepest first; then directories from the top; then files and links; then modes of directories.
    fn in_order(&self) -> Vec<UndoStep> {
        let is_removed =
            |step: &&UndoStep| !step.now.is_directory() && (step.to == PathState::Absent || step.to.is_directory());
        let loses_directory = |step: &&UndoStep| step.now.is_directory() && !step.to.is_directory();
        let (mut removed, rest): (Vec<&UndoStep>, Vec<&UndoStep>) = self.steps.iter().partition(is_removed);
        let (mut emptied, rest): (Vec<&UndoStep>, Vec<&UndoStep>) = rest.into_iter().partition(loses_directory);
        let (made, written): (Vec<&UndoStep>, Vec<&UndoStep>) =
            rest.into_iter().partition(|step| step.to.is_directory());
        emptied.reverse();
        removed.extend(emptied);
        removed.into_iter().chain(made).chain(written).cloned().collect()
    }
}

impl UndoStep {
    fn carry_out(&self, store: &ContentStore) -> Result<(), RestoreError> {
        let content = self.to.content().map(|name| store.read(name)).transpose()?;
        let held = Held::hold(&self.path)?;
        let now = Observer::new(store).look(&self.path);
        if now != self.now && !(now.is_directory() && self.now.is_directory()) {
            return Err(RestoreError::Changed);
        }
        match (&self.now, &self.to) {
            (PathState::Absent, PathState::Absent) => {}
            (PathState::Directory { .. }, PathState::Directory { mode }) => held.set_mode(*mode)?,
            (PathState::Directory { .. }, _) => held.remove_directory().map_err(not_empty)?,
            (_, PathState::Directory { .. } | PathState::Absent) if self.now != PathState::Absent => held.remove()?,
            _ => {}
        }
        match (&self.to, content) {
            (PathState::File { mode, .. }, Some(_)) if self.now.has_content_of(&self.to) => held.set_mode(*mode)?,
            (PathState::File { mode, .. }, Some(content)) => drop(held.put(&content, Some(*mode))?),
            (PathState::File { mode, .. }, None) => held.set_mode(*mode)?,
            (PathState::Link { target }, _) => held.put_link(target)?,
            (PathState::Directory { .. }, _) if !self.now.is_directory() => held.make_directory()?,
            (PathState::Directory { .. } | PathState::Absent | PathState::Other, _) => {}
        }
        Ok(())
    }
}

fn not_empty(error: HeldError) -> RestoreError {
    match error {
        HeldError::Io(error) if error.raw_os_error() == Some(nix::libc::ENOTEMPTY) => RestoreError::NotEmpty,
        error => RestoreError::Held(error),
    }
}
