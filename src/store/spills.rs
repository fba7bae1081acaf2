//! Which spill files a command still refers to.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{History, StoreError, journal};
use crate::capture::SpillUse;

/// Answers for one sweep. The database is opened only if there is a question.
pub(crate) struct Spills {
    database: PathBuf,
    /// `None` inside if the database cannot be read. Empty until it has tables, which may be created at any moment.
    history: OnceCell<Option<History>>,
}

impl Spills {
    pub(crate) fn new(database: PathBuf) -> Spills {
        Spills { database, history: OnceCell::new() }
    }

    /// Whether a command refers to this spill file, whose session has ended.
    ///
    /// Records move from a session's shared memory to its journal and from there to the database, and a copy is removed only
    /// once the next place has it. So the places are asked in this order, and a record on its way is seen in one of them.
    pub(crate) fn use_of(&self, path: &Path) -> SpillUse {
        let session = path.parent().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or_default();
        if journal::has_records_of(&self.database, session) {
            return SpillUse::Unknown;
        }
        match self.is_named(path) {
            Some(true) => SpillUse::Named,
            Some(false) => SpillUse::Unnamed,
            None => SpillUse::Unknown,
        }
    }

    /// Whether the database has a command that refers to this file; `None` if it cannot tell.
    fn is_named(&self, path: &Path) -> Option<bool> {
        if let Some(history) = self.history.get() {
            return history.as_ref()?.names_spill(path).inspect_err(Self::log).ok();
        }
        let history = History::open_unlocked(&self.database).inspect_err(Self::log).ok();
        if history.as_ref().is_some_and(|history| history.connection().is_none()) {
            return Some(false);
        }
        self.history.get_or_init(|| history).as_ref()?.names_spill(path).inspect_err(Self::log).ok()
    }

    fn log(error: &StoreError) {
        tracing::warn!(%error, "spill files are kept: the history cannot be read");
    }
}
