//! Work on the database that can wait until a session is idle.

use std::path::Path;

use rusqlite::Connection;

use super::journal::{self, Claimed};
use super::prune::Spare;
use super::{HistoryLimits, StoreError, drain, prune};

/// The next piece of work. Each step is at most one short transaction.
#[derive(Debug)]
pub(super) enum Chore {
    /// Look for the journals of ended sessions, after the one of this id.
    Look(Option<String>),
    /// Copy such a journal, from this offset on.
    Leftover(Claimed, u64),
    ForgetJournals,
    CheckLimits,
    Prune,
    GiveBack,
    Nothing,
}

impl Chore {
    pub(super) fn first() -> Chore {
        Chore::Look(None)
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self, Chore::Nothing)
    }

    pub(super) fn is_about_leftovers(&self) -> bool {
        matches!(self, Chore::Look(_) | Chore::Leftover(..))
    }

    /// Does one step. Returns what comes next, and whether the database was locked so that nothing was done.
    pub(super) fn step(
        self,
        connection: &mut Connection,
        database: &Path,
        limits: HistoryLimits,
    ) -> Result<(Chore, bool), StoreError> {
        if let Chore::Leftover(claimed, at) = self {
            return copy_leftover(connection, claimed, at);
        }
        match self.quick_step(connection, database, limits) {
            Err(StoreError::Busy(_)) => Ok((self, true)),
            next => next.map(|next| (next, false)),
        }
    }

    fn quick_step(
        &self,
        connection: &mut Connection,
        database: &Path,
        limits: HistoryLimits,
    ) -> Result<Chore, StoreError> {
        Ok(match self {
            Chore::Look(after) => {
                if after.is_none() {
                    journal::adopt(database);
                }
                match journal::claim_next(database, after.as_deref()) {
                    Some(claimed) => {
                        let start = claimed.source.start();
                        Chore::Leftover(claimed, start)
                    }
                    None => Chore::ForgetJournals,
                }
            }
            Chore::ForgetJournals => {
                drain::forget_journals(connection, database)?;
                Chore::CheckLimits
            }
            Chore::CheckLimits if prune::is_due(connection, limits)? => Chore::Prune,
            Chore::CheckLimits => Chore::GiveBack,
            Chore::Prune if prune::prune_some(connection, limits)? => Chore::Prune,
            Chore::Prune => Chore::GiveBack,
            Chore::GiveBack if prune::give_back_some(connection, Spare::Quarter)? => Chore::GiveBack,
            Chore::GiveBack | Chore::Nothing | Chore::Leftover(..) => Chore::Nothing,
        })
    }
}

fn copy_leftover(connection: &mut Connection, claimed: Claimed, at: u64) -> Result<(Chore, bool), StoreError> {
    let id = claimed.source.id.clone();
    match drain::copy(connection, &claimed.source, at, claimed.end) {
        Ok(Some(copied)) => Ok((Chore::Leftover(claimed, copied.at), false)),
        Ok(None) => {
            claimed.remove();
            Ok((Chore::Look(Some(id)), false))
        }
        Err(StoreError::Busy(_)) => Ok((Chore::Leftover(claimed, at), true)),
        Err(StoreError::Journal(error)) => {
            tracing::warn!(%error, id, "a leftover journal cannot be read");
            Ok((Chore::Look(Some(id)), false))
        }
        Err(error) => Err(error),
    }
}
