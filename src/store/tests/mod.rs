//! The room as others use it: records in, history out.

use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::*;
use crate::capture::{Output, Size};
use crate::track::Command;

pub(super) fn session(id: &str) -> RecordingSession {
    RecordingSession { id: id.to_owned(), host: "box".to_owned(), shell: "zsh".to_owned() }
}

pub(super) fn record(text: &str) -> CommandRecord {
    printed(text, "")
}

pub(super) fn printed(text: &str, output: &str) -> CommandRecord {
    CommandRecord {
        command: Command {
            text: text.into(),
            cwd: PathBuf::from("/home/me/app"),
            status: 0,
            started_at: SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
            duration: Duration::from_millis(1_250),
        },
        output: Output::restored(output.len() as u64, output.into(), Vec::new(), 0, false),
        size: Size { rows: NonZeroU16::new(24).unwrap(), cols: NonZeroU16::new(80).unwrap() },
    }
}

mod crowd;
mod figures;
mod memory;
mod newest;
mod trouble;

/// Long enough for a busy machine; nothing waits for all of it unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than any test may take, so that a wait for a lock that the test holds does not end.
const FOREVER: Duration = Duration::from_secs(24 * 3600);

/// A directory of its own with a database to be.
struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        Home { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("history.db")
    }

    fn store(&self) -> Store {
        Store::open(self.path(), HistoryLimits::default(), session("a"))
    }

    /// Records and closes; whatever is wrong comes back.
    fn keep(&self, records: impl IntoIterator<Item = CommandRecord>) -> Option<String> {
        let store = Store::prepare(self.directory.path(), self.path(), HistoryLimits::default(), session("a"));
        for record in records {
            store.record(record);
        }
        // Records that come when the threads have found trouble already are not kept.
        store.start();
        store.close(FOREVER);
        store.trouble()
    }

    fn history(&self) -> History {
        History::open(&self.path()).unwrap()
    }
}

fn texts(entries: &[HistoryEntry]) -> Vec<String> {
    entries.iter().map(|entry| String::from_utf8_lossy(&entry.command).into_owned()).collect()
}

/// Waits until a record is stored, and returns its id.
fn settled(ticket: &Ticket) -> i64 {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(ticket.settled());
    ticket.id().unwrap()
}
