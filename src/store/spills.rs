//! Which spill files somebody could still ask for.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use super::{History, journal};

/// Answers for one sweep. The database is opened only if there is a question.
pub(crate) struct Spills {
    /// None: it cannot be read, or not all records are in it yet.
    history: LazyCell<Option<History>, Box<dyn FnOnce() -> Option<History>>>,
}

impl Spills {
    pub(crate) fn new(database: PathBuf) -> Spills {
        let open = move || History::open(&database).ok().filter(|_| !journal::has_leftovers(&database));
        Spills { history: LazyCell::new(Box::new(open)) }
    }

    /// Whether a command may refer to this file. When in doubt one does, so the file stays.
    pub(crate) fn may_be_named(&self, path: &Path) -> bool {
        self.history.as_ref().is_none_or(|history| history.names_spill(path).unwrap_or(true))
    }
}
