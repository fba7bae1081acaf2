//! The journal of this session.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::frame::{self, Frames};
use super::item::encode_session;
use super::leftover::{NEW, lock_leftover, read_header};
use super::{MAGIC, SUFFIX, Source, directory};
use crate::store::RecordingSession;
use crate::text::MIB;

/// How large a journal may become while the database cannot be written.
pub(in crate::store) const SIZE_LIMIT: u64 = 64 * MIB as u64;

/// Random letters in a name.
pub(super) const NAME: usize = 20;

/// Why a record was not appended.
#[derive(Debug, thiserror::Error)]
pub(in crate::store) enum AppendError {
    #[error("the journal has reached its size limit")]
    TooLarge,
    #[error("cannot write the journal")]
    Io(#[from] io::Error),
}

/// A journal that is locked for as long as this value lives. One thread appends; another reads and cuts.
#[derive(Debug)]
pub(in crate::store) struct Journal {
    source: Source,
    path: PathBuf,
    /// Offset of the byte after the last record.
    end: Mutex<u64>,
}

/// Where a record was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Position {
    pub(in crate::store) sequence: u64,
    /// Offset of the byte after it.
    pub(in crate::store) end: u64,
}

impl Journal {
    /// Creates a journal beside the database, with a new id unless there is one already. It gets its name only when it is locked,
    /// so nobody takes it for a leftover.
    pub(in crate::store) fn create(
        database: &Path,
        session: RecordingSession,
        id: Option<&str>,
    ) -> io::Result<Journal> {
        let directory = directory(database);
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let prefix = format!("{NEW}{}", id.unwrap_or_default());
        let random = if id.is_some() { 0 } else { NAME };
        let new = tempfile::Builder::new().prefix(&prefix).rand_bytes(random).tempfile_in(&directory)?;
        new.as_file().try_lock()?;
        let mut header = MAGIC.to_vec();
        frame::encode(0, &encode_session(&session), &mut header);
        new.as_file().write_all_at(&header, 0)?;
        let name = new.path().file_name().unwrap_or_default().to_string_lossy();
        let id = name.trim_start_matches(NEW).to_owned();
        let path = directory.join(format!("{id}{SUFFIX}"));
        let file = new.persist_noclobber(&path).map_err(|error| error.error)?;
        let start = header.len() as u64;
        Ok(Journal { source: Source { id, session, file, start }, path, end: Mutex::new(start) })
    }

    /// Opens the journal of an ended session to append to it; with the sequence number of its last record, 0 without one. `None` if
    /// there is no such journal, or somebody else uses it.
    pub(super) fn reopen(database: &Path, id: &str) -> io::Result<Option<(Journal, u64)>> {
        let path = directory(database).join(format!("{id}{SUFFIX}"));
        let Some(file) = lock_leftover(&path) else { return Ok(None) };
        let length = file.metadata()?.len();
        let Some((session, start)) = read_header(&file, length)? else { return Ok(None) };
        let (mut end, mut last) = (start, 0);
        for frame in Frames::new(&file, start, length) {
            let frame = frame?;
            (end, last) = (frame.end, frame.sequence);
        }
        let source = Source { id: id.to_owned(), session, file, start };
        Ok(Some((Journal { source, path, end: Mutex::new(end) }, last)))
    }

    pub(in crate::store) fn source(&self) -> &Source {
        &self.source
    }

    /// Appends a record. On an error the journal is as it was.
    pub(in crate::store) fn append(&self, sequence: u64, payload: &[u8]) -> Result<Position, AppendError> {
        let mut end = self.lock_end();
        let mut bytes = Vec::new();
        frame::encode(sequence, payload, &mut bytes);
        // The first record is taken whatever its size, which the capture bounds.
        if *end > self.source.start && *end + bytes.len() as u64 > SIZE_LIMIT {
            return Err(AppendError::TooLarge);
        }
        if let Err(error) = self.source.file.write_all_at(&bytes, *end) {
            let _ = self.source.file.set_len(*end);
            return Err(error.into());
        }
        *end += bytes.len() as u64;
        Ok(Position { sequence, end: *end })
    }

    /// Offset of the byte after the last record.
    pub(in crate::store) fn end(&self) -> u64 {
        *self.lock_end()
    }

    /// Removes the records up to `offset` if none follow. Returns the offset to read on from.
    pub(in crate::store) fn cut(&self, offset: u64) -> u64 {
        let mut end = self.lock_end();
        if *end == offset && self.source.file.set_len(self.source.start).is_ok() {
            *end = self.source.start;
        }
        offset.min(*end)
    }

    /// Removes the file, if the database has every record of it.
    pub(in crate::store) fn close(&self) {
        if self.end() == self.source.start {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn lock_end(&self) -> MutexGuard<'_, u64> {
        // Each change is one assignment, so a panic elsewhere leaves nothing half done.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
