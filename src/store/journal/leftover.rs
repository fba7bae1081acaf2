//! Journals whose session has ended.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::unistd::geteuid;

use super::frame::Frames;
use super::item::decode_session;
use super::{MAGIC, SUFFIX, Source, directory, handover};
use crate::text::MIB;

/// What the name of a journal begins with until it is locked.
pub(super) const NEW: &str = ".new-";
/// An unnamed journal this old belongs to a session that was killed while it started.
const STARTING: Duration = Duration::from_secs(60);
/// How large all leftover journals together may be. They pile up only where the database cannot be written for long.
const TOTAL_LIMIT: u64 = 256 * MIB as u64;

/// A leftover journal that is ours to copy. Others that look meanwhile take it for a live one.
#[derive(Debug)]
pub(in crate::store) struct Claimed {
    pub(in crate::store) source: Source,
    pub(in crate::store) end: u64,
    path: PathBuf,
}

impl Claimed {
    /// Removes the file once the database has all of it.
    pub(in crate::store) fn remove(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "a copied journal was not removed");
        }
    }
}

/// The oldest leftover journal after the one named `after`, locked.
pub(in crate::store) fn claim_next(database: &Path, after: Option<&str>) -> Option<Claimed> {
    let mut names = names(&directory(database));
    names.sort();
    names.into_iter().filter(|id| after.is_none_or(|after| id.as_str() > after)).find_map(|id| claim(database, id))
}

/// Whether a session that has ended left records behind.
pub(in crate::store) fn has_leftovers(database: &Path) -> bool {
    let directory = directory(database);
    let mut ids = names(&directory).into_iter();
    handover::has_leftovers(database)
        || ids.any(|id| {
            let path = directory.join(format!("{id}{SUFFIX}"));
            // A lock, even for a moment, could keep somebody else from copying, so it is tried only where there are records.
            has_records(&path) && lock_leftover(&path).is_some()
        })
}

/// Whether the session with this id has records in shared memory or in a journal, whoever may be copying them now.
pub(in crate::store) fn has_records_of(database: &Path, session: &str) -> bool {
    let directory = directory(database);
    // In this order: what moves meanwhile moves from the first to the second.
    handover::left(database).any(|path| is_journal_of(&path, session))
        || names(&directory).iter().any(|id| is_journal_of(&directory.join(format!("{id}{SUFFIX}")), session))
}

fn is_journal_of(path: &Path, session: &str) -> bool {
    match whose_records(path) {
        Ok(found) => found.is_some_and(|found| found.id == session),
        // A file that cannot be read may be that of the session; one that is gone has been copied.
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Whether there is a record in a file.
pub(super) fn has_records(path: &Path) -> bool {
    whose_records(path).is_ok_and(|session| session.is_some())
}

/// The session that a file has records of. A mapped file is longer than its records.
fn whose_records(path: &Path) -> io::Result<Option<crate::store::RecordingSession>> {
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NOFOLLOW).open(path)?;
    let end = file.metadata()?.len();
    let Some((session, start)) = read_header(&file, end)? else { return Ok(None) };
    Ok(Frames::new(&file, start, end).next().transpose()?.map(|_| session))
}

/// Whether the journal with this id is there.
pub(in crate::store) fn exists(database: &Path, id: &str) -> bool {
    directory(database).join(format!("{id}{SUFFIX}")).exists()
}

fn names(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| Some(name.to_str()?.strip_suffix(SUFFIX)?.to_owned())).collect()
}

/// Locks a journal, unless its session lives, somebody else copies it, or it is of a format we do not know.
fn claim(database: &Path, id: String) -> Option<Claimed> {
    // A session that was killed after the last look at shared memory may have left commands there that this journal has too. Once
    // the journal is copied and removed, they would look new and be copied twice.
    if !handover::adopt_into(database, &id) {
        return None;
    }
    let path = directory(database).join(format!("{id}{SUFFIX}"));
    let file = lock_leftover(&path)?;
    let end = file.metadata().ok()?.len();
    match read_header(&file, end) {
        Ok(Some((session, start))) => Some(Claimed { source: Source { id, session, file, start }, end, path }),
        Ok(None) => None,
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "a journal cannot be read");
            None
        }
    }
}

/// Opens and locks a file of ours that no session holds and that still has its name.
pub(super) fn lock_leftover(path: &Path) -> Option<File> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_NOFOLLOW).open(path).ok()?;
    let opened = file.metadata().ok()?;
    if !opened.is_file() || opened.uid() != geteuid().as_raw() || file.try_lock().is_err() {
        return None;
    }
    // Whoever held the lock before may have removed the file.
    let named = fs::symlink_metadata(path).ok()?;
    (named.ino() == opened.ino() && named.dev() == opened.dev()).then_some(file)
}

pub(super) fn read_header(file: &File, end: u64) -> io::Result<Option<(crate::store::RecordingSession, u64)>> {
    if end < MAGIC.len() as u64 {
        return Ok(None);
    }
    let mut magic = [0; MAGIC.len()];
    file.read_exact_at(&mut magic, 0)?;
    if magic != *MAGIC {
        return Ok(None);
    }
    let first = Frames::new(file, MAGIC.len() as u64, end).next().transpose()?;
    Ok(first.and_then(|frame| Some((decode_session(&frame.payload)?, frame.end))))
}

/// Removes unnamed journals of killed sessions, and the oldest leftovers while all of them are too large. Returns how many of the
/// latter were removed.
pub(in crate::store) fn make_room(database: &Path) -> usize {
    let directory = directory(database);
    let now = SystemTime::now();
    let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| entry.metadata().ok().map(|about| (modified(&about), about.len(), entry.path())))
        .collect();
    let is_unnamed =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(NEW.as_bytes()));
    files.retain(|(modified, _, path)| {
        let is_abandoned = is_unnamed(path) && now.duration_since(*modified).unwrap_or_default() > STARTING;
        if is_abandoned {
            let _ = fs::remove_file(path);
        }
        !is_abandoned
    });
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    if total <= TOTAL_LIMIT {
        return 0;
    }
    files.sort();
    let mut removed = 0;
    for (_, length, path) in files.into_iter().filter(|(_, _, path)| !is_unnamed(path)) {
        if total > TOTAL_LIMIT && lock_leftover(&path).is_some() && fs::remove_file(&path).is_ok() {
            tracing::warn!(path = %path.display(), "a leftover journal was removed: all of them together are too large");
            total -= length;
            removed += 1;
        }
    }
    removed
}

fn modified(about: &Metadata) -> SystemTime {
    about.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::super::Journal;
    use super::*;
    use crate::store::tests::session;

    #[test]
    fn the_oldest_journal_gives_way_when_all_are_too_large() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        for name in ["old", "new", "live"] {
            let journal = Journal::create(&database, session("a"), Some(name)).unwrap();
            journal.source().file.set_len(TOTAL_LIMIT / 2 - 1_000).unwrap();
            let age = if name == "old" { 7_200 } else { 3_600 };
            journal.source().file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        assert_eq!(make_room(&database), 1);
        assert_eq!(["old", "new", "live"].map(|id| exists(&database, id)), [false, true, true]);
        assert_eq!(make_room(&database), 0);
    }
}
