//! Keeps finished commands in shared memory, which survives the process, until they are in the journal.
//!
//! The thread that moves bytes never waits for a disk, and the thread that appends to the journal may be late on a busy machine. A
//! file in `/dev/shm` is memory of the kernel that stays when the process is killed. It is made and mapped when the session starts;
//! from then on each command is copied there, without a system call, before the screen shows that it is over. The next command
//! overwrites what the journal has. The next program that copies leftovers moves the commands of a killed session into its journal.
//! The file has the format of a journal, with two counters at its end (`shared`). Sequence numbers grow from frame to frame, which
//! tells them from older frames that were not overwritten.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::sys::statfs::{TMPFS_MAGIC, statfs};

use super::frame::{self, Frame, Frames};
use super::item::encode_session;
use super::leftover::{has_records, lock_leftover, read_header};
use super::live::{Journal, NAME};
use super::shared::{self, Counters, Pages};
use super::{MAGIC, encode_command};
use crate::store::{CommandRecord, RecordingSession};
use crate::text::KIB;

const DIRECTORY: &str = "/dev/shm";
/// What the name of a file begins with until it is locked.
const NEW: &str = ".shellmate-new-";
/// How much waits for the journal at most, twice the largest command. What does not fit is not copied.
const SIZE: usize = 512 * KIB;
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
    pages: Pages,
    counters: Counters,
    place: HandOverPlace,
    /// Locked for as long as the session lives.
    _file: File,
    /// Offset of the first command.
    start: usize,
    /// Offset of the byte after the last one.
    end: usize,
}

/// Where a session's commands are handed over, and the id of its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct HandOverPlace {
    pub(in crate::store) id: String,
    path: PathBuf,
}

impl HandOverPlace {
    /// Removes the file: the journal has everything, or there will be no journal.
    pub(in crate::store) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl HandOver {
    pub(in crate::store) fn new(database: &Path, session: &RecordingSession) -> HandOver {
        let memory = create(Path::new(DIRECTORY), database, session);
        let memory = memory.inspect_err(|error| tracing::debug!(%error, "no shared memory for finished commands")).ok();
        HandOver { sequence: 0, memory }
    }

    pub(in crate::store) fn place(&self) -> Option<HandOverPlace> {
        self.memory.as_ref().map(|memory| memory.place.clone())
    }

    pub(in crate::store) fn counters(&self) -> Option<Counters> {
        self.memory.as_ref().map(|memory| memory.counters.clone())
    }

    /// Makes a link to the file, for programs that want to know how far the database is.
    pub(in crate::store) fn link(&self, at: &Path) {
        let Some(memory) = &self.memory else { return };
        if let Err(error) = symlink(&memory.place.path, at) {
            tracing::warn!(%error, "other programs cannot wait for the last commands");
        }
    }

    /// Sequence number of the last command.
    #[cfg(test)]
    pub(in crate::store) fn last(&self) -> u64 {
        self.sequence
    }

    /// Copies a command, and returns its sequence number. `appended` is that of the last command in the journal.
    pub(in crate::store) fn keep(&mut self, record: &CommandRecord, appended: u64) -> u64 {
        let has_all = appended == self.sequence;
        self.sequence += 1;
        if let Some(memory) = &mut self.memory {
            if has_all {
                memory.end = memory.start;
            }
            memory.append(self.sequence, record);
            memory.counters.set_handed_over(self.sequence);
        }
        self.sequence
    }
}

impl Memory {
    fn append(&mut self, sequence: u64, record: &CommandRecord) {
        let mut bytes = Vec::new();
        frame::encode(sequence, &encode_command(record), &mut bytes);
        if self.pages.write(self.end, &bytes) {
            self.end += bytes.len();
        }
    }
}

fn create(directory: &Path, database: &Path, session: &RecordingSession) -> io::Result<Memory> {
    if statfs(directory)?.filesystem_type() != TMPFS_MAGIC {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let new = tempfile::Builder::new().prefix(NEW).rand_bytes(NAME).tempfile_in(directory)?;
    new.as_file().try_lock()?;
    let (mut pages, counters) = shared::map(new.as_file(), SIZE)?;
    let mut header = MAGIC.to_vec();
    frame::encode(0, &encode_session(session), &mut header);
    if !pages.write(0, &header) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let id = new.path().file_name().unwrap_or_default().to_string_lossy().trim_start_matches(NEW).to_owned();
    let path = directory.join(format!("{}{id}", prefix(database)));
    let _file = new.persist_noclobber(&path).map_err(|error| error.error)?;
    let start = header.len();
    Ok(Memory { pages, counters, place: HandOverPlace { id, path }, _file, start, end: start })
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

/// Moves the commands that belong to one journal into it. Returns whether none are left here.
pub(super) fn adopt_into(database: &Path, id: &str) -> bool {
    let path = Path::new(DIRECTORY).join(format!("{}{id}", prefix(database)));
    if path.symlink_metadata().is_ok()
        && let Err(error) = adopt_one(database, &path)
    {
        tracing::warn!(%error, path = %path.display(), "finished commands wait in memory");
    }
    path.symlink_metadata().is_err()
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
        let frames = read(&file, start, end)?;
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

/// The commands in a file. A frame with a smaller sequence number than the one before it is what a reused file had there earlier.
fn read(file: &File, start: u64, end: u64) -> io::Result<Vec<Frame>> {
    let mut frames: Vec<Frame> = Vec::new();
    for frame in Frames::new(file, start, end) {
        let frame = frame?;
        if frames.last().is_some_and(|last| last.sequence >= frame.sequence) {
            break;
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// Appends frames to the journal of an ended session, which is made if there is none; `None` if somebody uses it.
fn extend(database: &Path, id: &str, session: RecordingSession, frames: Vec<Frame>) -> io::Result<Option<Journal>> {
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
    fn shared_memory_of_an_ended_session_is_removed() {
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
    fn commands_missing_in_the_journal_are_read_from_memory_once() {
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
    fn commands_in_the_journal_are_overwritten_in_memory() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        let mut hand_over = HandOver::new(&database, &session("a"));
        let Some(place) = hand_over.place() else { return };
        for (sequence, text) in [(0, "one"), (0, "two"), (0, "three"), (3, "six")] {
            hand_over.keep(&record(text), sequence);
        }
        let journal = Journal::create(&database, session("a"), Some(&place.id)).unwrap();
        drop((hand_over, journal));
        // `six` has the length of `one`, so `two` follows it as a whole frame.
        assert_eq!(kept(&database), ["six"]);
    }

    #[test]
    fn a_command_that_is_too_large_is_not_copied() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        let mut hand_over = HandOver::new(&database, &session("a"));
        let Some(place) = hand_over.place() else { return };
        let large = crate::store::tests::printed("large", &"x".repeat(SIZE));
        hand_over.keep(&record("one"), 0);
        hand_over.keep(&large, 0);
        for _ in 0..5_000 {
            hand_over.keep(&record("never appended"), 0);
        }
        assert_eq!(fs::metadata(&place.path).unwrap().len(), SIZE as u64);
        drop(hand_over);
        let kept = kept(&database);
        assert_eq!(kept[..2], ["one", "never appended"]);
        assert!(kept.len() > 1_000 && kept.len() < 5_001, "{}", kept.len());
    }
}
