//! Finished commands in memory that outlives the process, until the journal has them.
//!
//! The thread that moves bytes never waits for a disk, and the thread that appends to the journal may be late on a busy machine. A
//! file in `/dev/shm` is memory of the kernel: writing to it is a copy, and it stays when the process is killed. Each command is
//! copied there before the screen shows that it is over. What a killed session leaves there is moved into its journal by whoever
//! looks for leftovers next. The file has the format of a journal.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::sys::statfs::{TMPFS_MAGIC, statfs};

use super::frame::{self, Frame, Frames};
use super::item::encode_session;
use super::leftover::{has_records, lock_leftover, read_header};
use super::live::{Journal, NAME};
use super::{MAGIC, encode_command};
use crate::store::{Record, Session};
use crate::text::MIB;

const DIRECTORY: &str = "/dev/shm";
/// What the name of a file begins with until it is locked.
const NEW: &str = ".shellmate-new-";
/// How much waits for the journal at most. What does not fit is not copied.
const SIZE_LIMIT: u64 = MIB as u64;
/// A file this old that was never given its name is removed.
const UNNAMED_AGE: Duration = Duration::from_secs(60 * 60);
/// A file this old is removed if no session uses it: nobody has opened its history since.
const ABANDONED_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Numbers the commands of a session, and keeps each until the journal has it.
#[derive(Debug)]
pub(in crate::store) struct HandOver {
    /// Of the last command.
    sequence: u64,
    /// None where the machine has no shared memory: what the journal's thread has not appended then goes with the process.
    memory: Option<Memory>,
}

#[derive(Debug)]
struct Memory {
    file: File,
    place: Place,
    /// Offset of the first command.
    start: u64,
    /// Offset of the byte after the last one.
    end: u64,
}

/// Where a session's commands are handed over, and the id of its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Place {
    pub(in crate::store) id: String,
    path: PathBuf,
}

impl Place {
    /// Removes the file: the journal has everything, or there will be no journal.
    pub(in crate::store) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl HandOver {
    pub(in crate::store) fn new(database: &Path, session: &Session) -> HandOver {
        let memory = create(Path::new(DIRECTORY), database, session);
        let memory = memory.inspect_err(|error| tracing::debug!(%error, "no shared memory for finished commands")).ok();
        HandOver { sequence: 0, memory }
    }

    pub(in crate::store) fn place(&self) -> Option<Place> {
        self.memory.as_ref().map(|memory| memory.place.clone())
    }

    /// Copies a command, and returns its sequence number. `appended` is that of the last command in the journal.
    pub(in crate::store) fn keep(&mut self, record: &Record, appended: u64) -> u64 {
        let has_all = appended == self.sequence;
        self.sequence += 1;
        if let Some(memory) = &mut self.memory {
            if has_all && memory.end > memory.start && memory.file.set_len(memory.start).is_ok() {
                memory.end = memory.start;
            }
            memory.append(self.sequence, record);
        }
        self.sequence
    }
}

impl Memory {
    fn append(&mut self, sequence: u64, record: &Record) {
        let mut bytes = Vec::new();
        frame::encode(sequence, &encode_command(record), &mut bytes);
        let end = self.end + bytes.len() as u64;
        if end <= SIZE_LIMIT && self.file.write_all_at(&bytes, self.end).is_ok() {
            self.end = end;
        }
    }
}

fn create(directory: &Path, database: &Path, session: &Session) -> io::Result<Memory> {
    if statfs(directory)?.filesystem_type() != TMPFS_MAGIC {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let new = tempfile::Builder::new().prefix(NEW).rand_bytes(NAME).tempfile_in(directory)?;
    new.as_file().try_lock()?;
    let mut header = MAGIC.to_vec();
    frame::encode(0, &encode_session(session), &mut header);
    new.as_file().write_all_at(&header, 0)?;
    let id = new.path().file_name().unwrap_or_default().to_string_lossy().trim_start_matches(NEW).to_owned();
    let path = directory.join(format!("{}{id}", prefix(database)));
    let file = new.persist_noclobber(&path).map_err(|error| error.error)?;
    let start = header.len() as u64;
    Ok(Memory { file, place: Place { id, path }, start, end: start })
}

/// What the names of the files that belong to a database begin with.
fn prefix(database: &Path) -> String {
    format!("shellmate-{:08x}-", crc32fast::hash(database.as_os_str().as_bytes()))
}

/// Whether a session that was killed left commands here.
pub(super) fn has_leftovers(database: &Path) -> bool {
    left(database).any(|path| has_records(&path) && lock_leftover(&path).is_some())
}

/// Moves what killed sessions left here into their journals.
pub(in crate::store) fn adopt(database: &Path) {
    for path in left(database) {
        if let Err(error) = adopt_one(database, &path) {
            tracing::warn!(%error, path = %path.display(), "finished commands wait in memory");
        }
    }
    remove_abandoned();
}

pub(super) fn left(database: &Path) -> impl Iterator<Item = PathBuf> {
    let prefix = prefix(database);
    files().filter(move |path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(prefix.as_bytes())))
}

fn files() -> impl Iterator<Item = PathBuf> {
    fs::read_dir(DIRECTORY).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn adopt_one(database: &Path, path: &Path) -> io::Result<()> {
    let Some(file) = lock_leftover(path) else { return Ok(()) };
    let end = file.metadata()?.len();
    if let Some((session, start)) = read_header(&file, end)? {
        let frames: Vec<Frame> = Frames::new(&file, start, end).collect::<io::Result<_>>()?;
        if frames.is_empty() {
            return fs::remove_file(path);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.trim_start_matches(&prefix(database));
        // The journal stays locked until the file is removed, so nobody copies and removes the journal in between: without it,
        // these commands would look new.
        let Some(_journal) = extend(database, id, session, frames)? else { return Ok(()) };
        return fs::remove_file(path);
    }
    fs::remove_file(path)
}

/// Appends frames to the journal of an ended session, which is made if there is none; `None` if somebody uses it.
fn extend(database: &Path, id: &str, session: Session, frames: Vec<Frame>) -> io::Result<Option<Journal>> {
    let (journal, last) = match Journal::reopen(database, id)? {
        Some(reopened) => reopened,
        None if super::exists(database, id) => return Ok(None),
        None => (Journal::create(database, session, Some(id))?, 0),
    };
    for frame in frames.into_iter().filter(|frame| frame.sequence > last) {
        journal.append(frame.sequence, &frame.payload).map_err(io::Error::other)?;
    }
    Ok(Some(journal))
}

/// Removes what nobody will ever ask for: files of killed sessions that were not named yet, or whose history nobody opened since.
fn remove_abandoned() {
    for path in files().filter(|path| is_abandoned(path, SystemTime::now())) {
        if lock_leftover(&path).is_some() {
            let _ = fs::remove_file(&path);
        }
    }
}

fn is_abandoned(path: &Path, now: SystemTime) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let limit = match name {
        name if name.starts_with(NEW.as_bytes()) => UNNAMED_AGE,
        name if name.starts_with(b"shellmate-") => ABANDONED_AGE,
        _ => return false,
    };
    let modified = fs::symlink_metadata(path).and_then(|about| about.modified());
    modified.is_ok_and(|time| now.duration_since(time).unwrap_or_default() > limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{record, session};
    use crate::store::{Filter, History, copy_leftovers};

    fn kept(database: &Path) -> Vec<String> {
        copy_leftovers(database).unwrap();
        let entries = History::open(database).unwrap().list(&Filter::default()).unwrap();
        entries.iter().map(|entry| String::from_utf8_lossy(&entry.command).into_owned()).collect()
    }

    #[test]
    fn files_that_nobody_asks_for_are_removed_in_the_end() {
        let home = tempfile::tempdir().unwrap();
        let days = |count: u64| SystemTime::now() + Duration::from_secs(count * 24 * 60 * 60);
        for (name, after_a_day, after_a_week) in
            [("shellmate-00000000-x", false, true), (".shellmate-new-x", true, true), ("somebody-else", false, false)]
        {
            let path = home.path().join(name);
            fs::write(&path, "").unwrap();
            assert_eq!(is_abandoned(&path, days(1)), after_a_day, "{name}");
            assert_eq!(is_abandoned(&path, days(8)), after_a_week, "{name}");
        }
    }

    #[test]
    fn what_the_journal_has_not_is_taken_from_memory_once() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        let mut hand_over = HandOver::new(&database, &session("a"));
        let Some(place) = hand_over.place() else { return };
        assert_eq!(hand_over.keep(&record("one"), 0), 1);
        let journal = Journal::create(&database, session("a"), Some(&place.id)).unwrap();
        journal.append(1, &encode_command(&record("one"))).unwrap();
        assert_eq!(hand_over.keep(&record("two"), 0), 2);
        assert_eq!(hand_over.keep(&record("three"), 0), 3);
        adopt(&database);
        assert!(place.path.exists(), "the session lives");
        drop((hand_over, journal));
        assert!(super::super::has_leftovers(&database));
        assert_eq!(kept(&database), ["one", "two", "three"]);
        assert!(!place.path.exists());
        assert_eq!(kept(&database).len(), 3);
    }

    #[test]
    fn a_session_killed_before_it_had_a_journal_loses_nothing() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("state/history.db");
        let mut hand_over = HandOver::new(&database, &session("a"));
        if hand_over.place().is_none() {
            return;
        }
        hand_over.keep(&record("one"), 0);
        hand_over.keep(&record("two"), 0);
        drop(hand_over);
        assert_eq!(kept(&database), ["one", "two"]);
    }

    #[test]
    fn memory_is_given_back_once_the_journal_has_everything() {
        let home = tempfile::tempdir().unwrap();
        let mut hand_over = HandOver::new(&home.path().join("history.db"), &session("a"));
        let Some(place) = hand_over.place() else { return };
        let length = || fs::metadata(&place.path).unwrap().len();
        hand_over.keep(&record("one"), 0);
        let one = length();
        hand_over.keep(&record("two"), 0);
        assert!(length() > one);
        hand_over.keep(&record("six"), 2);
        assert_eq!(length(), one);
        for appended in 0..5_000 {
            hand_over.keep(&record("never appended"), appended.min(2));
        }
        assert!(length() <= SIZE_LIMIT);
        place.remove();
    }
}
