//! Whether a session has commands that are not in the database yet.
//!
//! `shellmate ask` and `shellmate history` in the same terminal wait for these commands, so that they find what was run before them.
//! The session counts its commands in a mapped file, which takes no system call; other programs read the counters there.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::journal;

/// The name, in a session's private directory, of a link to the file with its counters.
pub(crate) const UNWRITTEN: &str = "unwritten";

/// The time between two reads of the counters by a waiting program. It has to read them again and again: a session that woke it would
/// make a system call for each command.
const LOOK: Duration = Duration::from_millis(1);

/// Returns when the session with this directory has written all its commands, or when `patience` is over.
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

    /// Longer than any test may take.
    const LONG: Duration = Duration::from_secs(24 * 3600);

    #[test]
    fn waiting_ends_when_everything_is_written_or_patience_is_over() {
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
    }
}
