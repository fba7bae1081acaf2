//! Whether a session has commands that are not in the database yet.
//!
//! Another program of the same terminal waits for them and finds in the history what was run before it. The session counts its
//! commands in memory that it shares through a file, so telling others costs it no system call.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::journal;

/// The name, in a session's private directory, of a link to the file with its counters.
pub(crate) const UNWRITTEN: &str = "unwritten";

/// The time between two looks at the counters. Only a program that waits looks.
const LOOK: Duration = Duration::from_millis(1);

/// Returns when the session with this directory has written what it knows, or when `patience` is over.
pub(crate) fn wait_until_written(directory: &Path, patience: Duration) {
    let Ok(file) = File::open(directory.join(UNWRITTEN)) else { return };
    let begun = Instant::now();
    while begun.elapsed() < patience && journal::is_behind(&file).unwrap_or(false) {
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{record, session};
    use super::super::{HistoryLimits, Store};
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn others_wait_until_everything_is_written_and_not_longer_than_they_want() {
        let home = tempfile::tempdir().unwrap();
        wait_until_written(home.path(), LONG);
        let store = Store::prepare(home.path(), home.path().join("history.db"), HistoryLimits::default(), session("a"));
        if File::open(home.path().join(UNWRITTEN)).is_err() {
            return;
        }
        wait_until_written(home.path(), LONG);
        let ticket = store.record(record("true"));
        let begun = Instant::now();
        wait_until_written(home.path(), Duration::from_millis(20));
        assert!(begun.elapsed() >= Duration::from_millis(20), "nothing writes it yet");
        store.start();
        wait_until_written(home.path(), LONG);
        assert!(ticket.id().is_some());
        assert!(begun.elapsed() < LONG);
    }
}
