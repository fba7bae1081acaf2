//! A lock on a file of the session's that says: there are commands which are not written yet.
//!
//! Another program of the same terminal waits for it and finds in the history what was run before it. A lock costs no disk, and the
//! kernel gives it back if we are killed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The file's name in a session's private directory.
pub(crate) const UNWRITTEN: &str = "unwritten";

/// Who holds the lock while commands wait.
#[derive(Debug)]
pub(crate) struct Backlog {
    file: File,
    is_held: bool,
}

impl Backlog {
    pub(crate) fn create(directory: &Path) -> io::Result<Backlog> {
        let path = directory.join(UNWRITTEN);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        Ok(Backlog { file, is_held: false })
    }

    /// Never waits: whoever looks at the file at this moment has it for no longer than that.
    pub(super) fn hold(&mut self) {
        if !self.is_held {
            self.is_held = self.file.try_lock().is_ok();
        }
    }

    pub(super) fn release(&mut self) {
        if self.is_held {
            self.is_held = self.file.unlock().is_err();
        }
    }
}

/// Returns when the session with this directory has written what it knows, or when `patience` is over.
pub(crate) fn wait_until_written(directory: &Path, patience: Duration) {
    let Ok(file) = File::open(directory.join(UNWRITTEN)) else { return };
    let (done, written) = channel();
    // A lock cannot be waited for with a limit, so somebody else does; what is left of them ends with the program.
    let wait = move || {
        let _ = file.lock_shared();
        drop(file);
        let _ = done.send(());
    };
    if thread::Builder::new().name("backlog".into()).spawn(wait).is_ok() {
        let _ = written.recv_timeout(patience);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn others_wait_for_it_and_not_longer_than_they_want() {
        let home = tempfile::tempdir().unwrap();
        wait_until_written(home.path(), LONG);
        let mut backlog = Backlog::create(home.path()).unwrap();
        wait_until_written(home.path(), LONG);
        backlog.hold();
        backlog.hold();
        let began = Instant::now();
        wait_until_written(home.path(), Duration::from_millis(20));
        assert!(began.elapsed() >= Duration::from_millis(20));
        let directory = home.path().to_owned();
        let waiter = thread::spawn(move || wait_until_written(&directory, LONG));
        backlog.release();
        waiter.join().unwrap();
        assert!(began.elapsed() < LONG / 2);
    }
}
