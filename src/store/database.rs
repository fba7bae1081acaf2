//! An open database that notices when its file was replaced.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use super::StoreError;
use super::file::{self, Identity};
use super::trouble::Trouble;

/// Delays before the next try to use a database that another terminal writes to: the first and the longest.
pub(super) const RETRY: Duration = Duration::from_millis(1);
pub(super) const LONGEST_RETRY: Duration = Duration::from_millis(100);

/// An open database, and which file it is.
pub(super) struct Database {
    path: PathBuf,
    pub(super) connection: Connection,
    identity: Identity,
}

impl Database {
    /// Opens the database at `path`, which is created if it is missing. While it is locked, `wait` is called before every further
    /// try. `None` if that says to give up.
    pub(super) fn open(path: &Path, mut wait: impl FnMut() -> bool) -> Result<Option<Database>, Trouble> {
        loop {
            let created = file::create(path);
            let identity = Identity::of(path).ok();
            let opened = created.and_then(|()| file::connect(path, Duration::ZERO));
            match (opened, identity) {
                (Ok(connection), Some(identity)) => {
                    return Ok(Some(Database { path: path.to_owned(), connection, identity }));
                }
                // A file can be replaced between two looks.
                (Err(StoreError::Busy(_)), _) | (Ok(_), None) => {
                    if !wait() {
                        return Ok(None);
                    }
                }
                (Err(error), identity) => return Err(Trouble::after_putting_aside(error, path, identity)),
            }
        }
    }

    /// Whether the file was removed, or put aside by another terminal. Nobody would read what is written to it.
    pub(super) fn is_replaced(&self) -> bool {
        Identity::of(&self.path).ok() != Some(self.identity)
    }

    /// Words for an error of this database. A damaged file is put aside.
    pub(super) fn trouble(&self, error: StoreError) -> Trouble {
        Trouble::after_putting_aside(error, &self.path, Some(self.identity))
    }
}

/// The delay with up to as much again, so that terminals which wait for the same lock do not all try at the same moment.
pub(super) fn with_jitter(delay: Duration) -> Duration {
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    delay + delay.mul_f64(f64::from(nanos % 1_000) / 1_000.0)
}
