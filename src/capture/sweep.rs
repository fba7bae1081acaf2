//! Retention of spill files.
//!
//! Every session has a directory below one root and holds a lock in it while it runs. Each new session deletes the files that
//! ended sessions have left.

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long spill files are kept, and how many bytes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retention {
    /// Longest time since the last write.
    pub age: Duration,
    /// Most bytes of all spill files together.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { age: Duration::from_secs(7 * 24 * 60 * 60), bytes: 512 * crate::text::MIB as u64 }
    }
}

/// The file that a running session keeps locked.
const LOCK: &str = "lock";

/// The prefix of a session directory's name until the directory is locked.
const NEW: &str = ".new-";

/// Marks a session as running. When it is dropped or the process ends, the session's directory may be deleted.
#[derive(Debug)]
pub(crate) struct SessionLock {
    _lock: Flock<File>,
}

/// A session without a lock may be about to take it, for this long after its start, unless it has spilled already.
const STARTING: Duration = Duration::from_secs(60);

/// Locks a session's directory until the returned lock is dropped.
pub(crate) fn lock_session(dir: &Path) -> io::Result<SessionLock> {
    let mut file = open_lock(OpenOptions::new().create(true), dir)?;
    loop {
        let inode = file.metadata()?.ino();
        let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| io::Error::from(errno))?;
        // A sweep may have deleted the file between the two calls. A lock on a deleted file protects nothing.
        file = open_lock(OpenOptions::new().create(true), dir)?;
        if file.metadata()?.ino() == inode {
            return Ok(SessionLock { _lock: lock });
        }
    }
}

fn open_lock(options: &mut OpenOptions, dir: &Path) -> io::Result<File> {
    options.write(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW).open(dir.join(LOCK))
}

/// A file below the root whose modification time is that of the last full sweep.
const SWEPT: &str = ".swept";
/// The time between two full sweeps. The files of killed sessions are deleted at every start.
const BETWEEN_SWEEPS: Duration = Duration::from_secs(60 * 60);
/// The time to the next full sweep if it was unknown whether a spill file is still needed.
const AFTER_DOUBT: Duration = Duration::from_secs(60);

/// Whether a command of the history refers to a spill file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpillUse {
    Named,
    Unnamed,
    /// The history cannot be read, or not all commands of the session are in it yet. The file stays.
    Unknown,
}

/// Deletes what killed sessions have left and, if the last full sweep is long ago, does a full sweep.
///
/// So a new terminal starts quickly, however many spill files there are.
pub(crate) fn sweep_if_due(root: &Path, retention: Retention, now: SystemTime, use_of: impl Fn(&Path) -> SpillUse) {
    let swept = root.join(SWEPT);
    let in_doubt = if fs::symlink_metadata(&swept).is_ok_and(|metadata| age(&metadata, now) < BETWEEN_SWEEPS) {
        sweep_killed(root, retention, now, use_of)
    } else {
        // The time is written before the work, so that terminals that start meanwhile do not sweep too.
        stamp(&swept, now);
        sweep(root, retention, now, use_of)
    };
    if in_doubt {
        stamp(&swept, now - BETWEEN_SWEEPS + AFTER_DOUBT);
    }
}

fn stamp(swept: &Path, time: SystemTime) {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(swept);
    forgive(swept, file.and_then(|file| file.set_modified(time)));
}

/// A full sweep: deletes the files of ended sessions below `root`, and all spill files beyond retention.
///
/// It follows no symbolic links and leaves files of other users. Files that cannot be deleted stay. Returns whether a spill file
/// was kept because its use is unknown.
fn sweep(root: &Path, retention: Retention, now: SystemTime, use_of: impl Fn(&Path) -> SpillUse) -> bool {
    let in_doubt = sweep_sessions(sessions(root), retention, now, use_of);
    make_room(root, retention.bytes, None);
    remove_abandoned(root, now);
    in_doubt
}

/// The same, only for killed sessions: their lock file is still there, but nobody holds the lock.
fn sweep_killed(root: &Path, retention: Retention, now: SystemTime, use_of: impl Fn(&Path) -> SpillUse) -> bool {
    let killed = sessions(root).filter(|session| session.join(LOCK).exists() && has_ended(session, now));
    sweep_sessions(killed, retention, now, use_of)
}

fn sweep_sessions(
    sessions: impl Iterator<Item = PathBuf>,
    retention: Retention,
    now: SystemTime,
    use_of: impl Fn(&Path) -> SpillUse,
) -> bool {
    let mut in_doubt = false;
    for session in sessions {
        let has_ended = has_ended(&session, now);
        for (path, metadata) in entries(&session) {
            let expired = age(&metadata, now) > retention.age;
            match is_spill(&path, &metadata) {
                true if expired => remove_file(&path),
                true if has_ended => match use_of(&path) {
                    SpillUse::Named => {}
                    SpillUse::Unnamed => remove_file(&path),
                    SpillUse::Unknown => in_doubt = true,
                },
                true => {}
                // The lock file marks a killed session. It stays until everything else is deleted, because this sweep may be
                // interrupted.
                false if !has_ended || path.ends_with(LOCK) => {}
                false if metadata.is_dir() => forgive(&path, fs::remove_dir_all(&path)),
                false => remove_file(&path),
            }
        }
        if has_ended {
            let _ = fs::remove_file(session.join(LOCK));
            // This fails, as intended, if a spill file is left.
            let _ = fs::remove_dir(session);
        }
    }
    in_doubt
}

/// Deletes directories of sessions that were killed before they took their lock.
fn remove_abandoned(root: &Path, now: SystemTime) {
    for (path, metadata) in entries(root).filter(|(path, metadata)| metadata.is_dir() && is_new(path)) {
        if age(&metadata, now) > STARTING {
            forgive(&path, fs::remove_dir_all(&path));
        }
    }
}

/// Deletes the oldest spill files below `root`, but never `growing`, until all of them together have at most `limit` bytes. Returns how
/// many bytes are left.
pub(super) fn make_room(root: &Path, limit: u64, growing: Option<&Path>) -> u64 {
    let mut spills: Vec<(SystemTime, u64, PathBuf)> = sessions(root)
        .flat_map(|session| entries(&session))
        .filter(|(path, metadata)| is_spill(path, metadata))
        .map(|(path, metadata)| (modified(&metadata), metadata.len(), path))
        .collect();
    spills.sort();
    let mut total: u64 = spills.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in spills.into_iter().filter(|(.., path)| Some(path.as_path()) != growing) {
        if total <= limit {
            break;
        }
        remove_file(&path);
        // Deletes the directory of an ended session with its last spill file. The directory of a running session is not empty.
        let _ = path.parent().map(fs::remove_dir);
        total -= length;
    }
    total
}

fn sessions(root: &Path) -> impl Iterator<Item = PathBuf> {
    let is_ours = fs::symlink_metadata(root).is_ok_and(|metadata| metadata.is_dir() && owned(&metadata));
    let root = is_ours.then(|| entries(root));
    root.into_iter().flatten().filter(|(path, metadata)| metadata.is_dir() && !is_new(path)).map(|(path, _)| path)
}

/// The name of a session's directory until the session has locked it. Under its final name a sweep, which tries every lock, could
/// get in the way.
pub(crate) fn new_name(session: &str) -> String {
    format!("{NEW}{session}")
}

fn is_new(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(NEW.as_bytes()))
}

/// The entries of a directory that belong to the user; symbolic links are not followed.
fn entries(directory: &Path) -> impl Iterator<Item = (PathBuf, Metadata)> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        owned(&metadata).then(|| (entry.path(), metadata))
    })
}

fn owned(metadata: &Metadata) -> bool {
    metadata.uid() == geteuid().as_raw()
}

fn is_spill(path: &Path, metadata: &Metadata) -> bool {
    metadata.is_file() && path.extension() == Some(OsStr::new("out"))
}

fn has_ended(session: &Path, now: SystemTime) -> bool {
    match open_lock(&mut OpenOptions::new(), session) {
        Ok(file) => match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(_) => true,
            Err((_, errno)) => {
                if errno != Errno::EWOULDBLOCK {
                    tracing::debug!(session = %session.display(), %errno, "lock not tried");
                }
                false
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::symlink_metadata(session).is_ok_and(|metadata| age(&metadata, now) > STARTING)
                || entries(session).any(|(path, metadata)| is_spill(&path, &metadata))
        }
        Err(_) => false,
    }
}

fn modified(metadata: &Metadata) -> SystemTime {
    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn age(metadata: &Metadata, now: SystemTime) -> Duration {
    now.duration_since(modified(metadata)).unwrap_or_default()
}

fn remove_file(path: &Path) {
    forgive(path, fs::remove_file(path));
}

fn forgive(path: &Path, result: io::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(path = %path.display(), %error, "not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn session(root: &Path, name: &str) -> PathBuf {
        let session = root.join(name);
        fs::create_dir(&session).unwrap();
        session
    }

    fn spill(session: &Path, name: &str, length: u64, modified: SystemTime) -> PathBuf {
        let path = session.join(name);
        let file = File::create_new(&path).unwrap();
        file.set_len(length).unwrap();
        file.set_modified(modified).unwrap();
        path
    }

    #[test]
    fn an_unrecorded_spill_is_deleted_with_its_session() {
        let root = tempfile::tempdir().unwrap();
        let session = root.path().join("ended");
        fs::create_dir(&session).unwrap();
        for name in ["1.out", "2.out"] {
            fs::write(session.join(name), "x").unwrap();
        }
        sweep(root.path(), Retention::default(), SystemTime::now(), |path| {
            if path.ends_with("2.out") { SpillUse::Named } else { SpillUse::Unnamed }
        });
        assert!(!session.join("1.out").exists() && session.join("2.out").exists());
    }

    #[test]
    fn an_ended_session_leaves_only_its_spills() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let session = session(root.path(), "ended");
        drop(lock_session(&session).unwrap());
        fs::create_dir(session.join("zsh")).unwrap();
        fs::write(session.join("zsh/.zshrc"), "x").unwrap();
        let kept = spill(&session, "1.out", 10, now);
        let old = spill(&session, "2.out", 10, now - 8 * DAY);

        sweep(root.path(), Retention::default(), now, |_| SpillUse::Named);
        assert!(kept.exists() && !old.exists());
        assert_eq!(fs::read_dir(&session).unwrap().count(), 1);

        sweep(root.path(), Retention::default(), now + 8 * DAY, |_| SpillUse::Named);
        assert!(!session.exists());
    }

    #[test]
    fn a_live_session_loses_only_old_spills() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let session = session(root.path(), "live");
        let _lock = lock_session(&session).unwrap();
        fs::write(session.join("rc"), "x").unwrap();
        let old = spill(&session, "1.out", 10, now - 8 * DAY);

        sweep(root.path(), Retention::default(), now, |_| SpillUse::Named);
        assert!(!old.exists());
        assert!(session.join("rc").exists() && session.join(LOCK).exists());
        assert!(lock_session(&session).is_err(), "a lock is held once");
    }

    #[test]
    fn a_session_without_a_lock_is_given_time_to_take_it() {
        let root = tempfile::tempdir().unwrap();
        let session = session(root.path(), "starting");
        sweep(root.path(), Retention::default(), SystemTime::now(), |_| SpillUse::Named);
        assert!(session.exists());
        sweep(root.path(), Retention::default(), SystemTime::now() + 2 * STARTING, |_| SpillUse::Named);
        assert!(!session.exists());
    }

    #[test]
    fn the_oldest_spills_are_deleted_first() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let (ended, live) = (session(root.path(), "ended"), session(root.path(), "live"));
        drop(lock_session(&ended).unwrap());
        let _lock = lock_session(&live).unwrap();
        let first = spill(&live, "1.out", 40, now - 3 * DAY);
        let second = spill(&ended, "1.out", 40, now - 2 * DAY);
        let third = spill(&live, "2.out", 40, now);

        sweep(root.path(), Retention { bytes: 80, ..Retention::default() }, now, |_| SpillUse::Named);
        assert!(!first.exists() && second.exists() && third.exists());
        sweep(root.path(), Retention { bytes: 79, ..Retention::default() }, now, |_| SpillUse::Named);
        assert!(!ended.exists() && third.exists());
    }

    #[test]
    fn a_directory_that_is_being_made_is_not_touched() {
        let root = tempfile::tempdir().unwrap();
        let new = session(root.path(), &new_name("a"));
        File::create_new(new.join(LOCK)).unwrap();
        sweep(root.path(), Retention::default(), SystemTime::now(), |_| SpillUse::Unnamed);
        assert!(new.join(LOCK).exists());
        sweep(root.path(), Retention::default(), SystemTime::now() + 2 * STARTING, |_| SpillUse::Unnamed);
        assert!(!new.exists());
    }

    #[test]
    fn every_start_sweeps_killed_sessions_and_few_starts_sweep_everything() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let looked_up = std::cell::Cell::new(0);
        let start = |now| {
            let count = looked_up.get();
            sweep_if_due(root.path(), Retention::default(), now, |_| {
                looked_up.set(looked_up.get() + 1);
                SpillUse::Named
            });
            looked_up.get() - count
        };
        let ended = session(root.path(), "ended");
        spill(&ended, "1.out", 10, now);
        assert_eq!((start(now), start(now)), (1, 0));
        let killed = session(root.path(), "killed");
        drop(lock_session(&killed).unwrap());
        spill(&killed, "1.out", 10, now);
        assert_eq!((start(now), start(now), killed.join(LOCK).exists()), (1, 0, false));
        assert_eq!(start(now + BETWEEN_SWEEPS), 2);
    }

    #[test]
    fn a_spill_file_of_unknown_use_stays_and_is_looked_at_again_soon() {
        for was_killed in [false, true] {
            let root = tempfile::tempdir().unwrap();
            let now = SystemTime::now();
            sweep_if_due(root.path(), Retention::default(), now, |_| SpillUse::Unnamed);
            let ended = session(root.path(), "ended");
            drop(lock_session(&ended).unwrap());
            let kept = spill(&ended, "1.out", 10, now);
            let doubted = if was_killed { now } else { now + BETWEEN_SWEEPS };
            sweep_if_due(root.path(), Retention::default(), doubted, |_| SpillUse::Unknown);
            assert!(kept.exists());
            sweep_if_due(root.path(), Retention::default(), doubted + AFTER_DOUBT, |_| SpillUse::Unnamed);
            assert!(!ended.exists());
        }
    }

    #[test]
    fn an_interrupted_sweep_is_finished_by_the_next() {
        let root = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        sweep_if_due(root.path(), Retention::default(), now, |_| SpillUse::Unnamed);
        let killed = session(root.path(), "killed");
        drop(lock_session(&killed).unwrap());
        for name in ["a", "z"] {
            fs::write(killed.join(name), "x").unwrap();
        }
        spill(&killed, "1.out", 10, now);
        let cut_short = || sweep_if_due(root.path(), Retention::default(), now, |_| panic!("as if killed"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(cut_short)).is_err());
        sweep_if_due(root.path(), Retention::default(), now, |_| SpillUse::Unnamed);
        assert!(!killed.exists());
    }

    #[test]
    fn symbolic_links_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 30 * DAY;
        let theirs = spill(elsewhere.path(), "1.out", 10, long_ago);
        symlink(elsewhere.path(), root.path().join("linked")).unwrap();
        let session = session(root.path(), "ended");
        drop(lock_session(&session).unwrap());
        symlink(elsewhere.path(), session.join("directory")).unwrap();
        symlink(&theirs, session.join("2.out")).unwrap();

        sweep(root.path(), Retention { age: DAY, bytes: 0 }, SystemTime::now(), |_| SpillUse::Named);
        assert!(theirs.exists());
        assert!(!session.exists(), "the links themselves go");

        let link = elsewhere.path().join("root");
        symlink(root.path(), &link).unwrap();
        let live = spill(root.path(), "stray.out", 10, long_ago);
        sweep(&link, Retention { age: DAY, bytes: 0 }, SystemTime::now(), |_| SpillUse::Named);
        assert!(live.exists());
    }
}
