//! Keeps count of the bytes in all spill files of a user.
//!
//! The count is in a file below the root of the sessions, so that a new spill file does not require a look at all others. It is
//! an upper bound: space is reserved before it is written, and space that is not used or was freed is not subtracted. When the
//! bound reaches the limit, the files are counted, and the oldest ones are deleted if they take nearly that much.

use super::sweep;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The file with the count, eight bytes.
const TOTAL: &str = ".spilled";

/// Spill files are deleted until this fraction of the limit is free, so that they are counted rarely. The free space also covers
/// bytes that other sessions have reserved but not written, which counting does not see.
const SLACK: u64 = 8;

/// Reserves `more` bytes for the spill file `growing`. Deletes the oldest other files if all of them together would exceed
/// `limit`.
pub(super) fn reserve(root: &Path, growing: &Path, more: u64, limit: u64) -> io::Result<()> {
    let file = open(root)?;
    // The lock is released when the file is closed.
    file.lock()?;
    let total = match read(&file).map(|total| total.saturating_add(more)) {
        Some(total) if total <= limit => total,
        _ => {
            let kept = limit.saturating_sub(more).saturating_sub(limit / SLACK);
            sweep::make_room(root, kept, Some(growing)).saturating_add(more)
        }
    };
    file.write_all_at(&total.to_le_bytes(), 0)
}

fn open(root: &Path) -> io::Result<File> {
    let flags = nix::libc::O_NOFOLLOW;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(root.join(TOTAL))
}

/// The count in the file; `None` if there is none yet.
fn read(file: &File) -> Option<u64> {
    let mut bytes = [0; size_of::<u64>()];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Writes a spill file as a session does.
    fn spill(root: &Path, session: &str, length: u64, limit: u64) -> PathBuf {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let directory = root.join(session);
        fs::create_dir_all(&directory).unwrap();
        // A running session's directory is never empty.
        fs::write(directory.join("lock"), "").unwrap();
        let path = directory.join(format!("{}.out", NUMBER.fetch_add(1, Ordering::Relaxed)));
        reserve(root, &path, length, limit).unwrap();
        File::create_new(&path).unwrap().set_len(length).unwrap();
        path
    }

    fn bytes_below(root: &Path) -> u64 {
        let sessions = fs::read_dir(root).unwrap().flatten().filter(|entry| entry.path().is_dir());
        let files = sessions.flat_map(|session| fs::read_dir(session.path()).unwrap().flatten());
        files.map(|file| file.metadata().unwrap().len()).sum()
    }

    #[test]
    fn files_are_counted_only_when_the_bound_is_reached() {
        let root = tempfile::tempdir().unwrap();
        spill(root.path(), "a", 10, 1_000);
        // No reservation was made for this file, so it is unknown until the files are counted.
        fs::write(root.path().join("a/unknown.out"), [0; 900]).unwrap();
        for _ in 0..10 {
            spill(root.path(), "a", 10, 1_000);
        }
        assert!(bytes_below(root.path()) > 1_000, "nothing was counted");
        for _ in 0..100 {
            spill(root.path(), "b", 10, 1_000);
        }
        assert!(bytes_below(root.path()) <= 1_000, "{}", bytes_below(root.path()));
        assert!(!root.path().join("a/unknown.out").exists());
    }

    #[test]
    fn the_limit_holds_with_many_sessions_at_once() {
        let root = tempfile::tempdir().unwrap();
        let sessions: Vec<_> = (0..20)
            .map(|n| {
                let root = root.path().to_owned();
                std::thread::spawn(move || (0..50).for_each(|_| drop(spill(&root, &n.to_string(), 100, 20_000))))
            })
            .collect();
        sessions.into_iter().for_each(|session| session.join().unwrap());
        let total = bytes_below(root.path());
        assert!((10_000..=20_000).contains(&total), "{total}");
    }

    #[test]
    fn a_growing_file_is_not_deleted_to_make_room_for_itself() {
        let root = tempfile::tempdir().unwrap();
        let growing = spill(root.path(), "a", 90, 100);
        reserve(root.path(), &growing, 10, 100).unwrap();
        assert!(growing.exists());
    }
}
