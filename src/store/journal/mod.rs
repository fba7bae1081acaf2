//! Finished records on disk before the database has them.
//!
//! Every session appends to a file of its own, which nobody else locks, so a record is safe from the moment it is appended
//! however busy the database is. The writer copies records into the database and cuts the file back. A session that is killed, or
//! that ends while the database is locked, leaves its file behind; the next session, or the next `shellmate history`, copies the
//! rest. A live session holds a lock on its file, which tells the two cases apart. Every record has a sequence number, and the
//! database remembers the last one it has of each journal, so no record is copied twice.
//!
//! A file is a line that names the format, a frame about the session, and one frame per record (`frame`). An unfinished frame at
//! the end is the record that was in flight.

mod frame;
mod handover;
mod item;
mod leftover;
mod live;
mod shared;

use std::fs::File;
use std::path::{Path, PathBuf};

use super::RecordingSession;

use frame::Frames;
pub(super) use handover::{HandOver, HandOverPlace, adopt};
pub(super) use item::{JournalItem, Kept, encode_command};
pub(super) use leftover::{Claimed, claim_next, exists, has_leftovers, has_records_of, make_room};
pub(super) use live::{AppendError, Journal, Position};
pub(super) use shared::{Counters, is_behind};

/// A line at the start of a file. A later format has another one and is left alone.
const MAGIC: &[u8] = b"shellmate journal 1\n";

/// What the name of a journal ends with.
const SUFFIX: &str = ".journal";

/// The directory of the journals that belong to the database at `database`.
pub(super) fn directory(database: &Path) -> PathBuf {
    database.with_file_name("journal")
}

/// A file that can be read frame by frame.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) id: String,
    pub(super) session: RecordingSession,
    file: File,
    /// Offset of the first record.
    start: u64,
}

impl Source {
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// The frames from one offset to another.
    pub(super) fn frames(&self, from: u64, to: u64) -> Frames<'_> {
        Frames::new(&self.file, from, to)
    }
}
