//! Which conversations are in use. A lock on a file ends with the process that holds it, however that ends.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Held while a conversation is in use by this process. The file is removed with it.
#[derive(Debug)]
pub(crate) struct LiveLock {
    file: File,
    path: PathBuf,
}

impl LiveLock {
    /// Takes the lock of a conversation. `None` if another process or another conversation of this one holds it.
    pub(super) fn take(database: &Path, conversation: i64) -> io::Result<Option<LiveLock>> {
        let path = path(database, conversation);
        if let Some(directory) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The holder before may have removed the file between the two calls. A lock on a removed file protects nothing.
            if fs::metadata(&path).is_ok_and(|found| file.metadata().is_ok_and(|ours| ours.ino() == found.ino())) {
                return Ok(Some(LiveLock { file, path }));
            }
        }
    }
}

impl Drop for LiveLock {
    fn drop(&mut self) {
        // The file is removed while it is still locked, so nobody else's file is removed.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// Whether a conversation is in use.
pub(super) fn is_live(database: &Path, conversation: i64) -> bool {
    let Ok(file) = OpenOptions::new().read(true).open(path(database, conversation)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn path(database: &Path, conversation: i64) -> PathBuf {
    let directory = database.parent().unwrap_or(Path::new("."));
    directory.join("live").join(conversation.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_live_while_its_lock_is_held() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        assert!(!is_live(&database, 7));
        let lock = LiveLock::take(&database, 7).unwrap().unwrap();
        assert!(is_live(&database, 7) && !is_live(&database, 8));
        assert!(LiveLock::take(&database, 7).unwrap().is_none());
        drop(lock);
        assert!(!is_live(&database, 7));
        assert!(!path(&database, 7).exists());
        assert!(LiveLock::take(&database, 7).unwrap().is_some());
    }

    #[test]
    fn a_file_that_a_killed_process_left_is_no_lock() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        drop(LiveLock::take(&database, 7).unwrap());
        fs::write(path(&database, 7), "").unwrap();
        assert!(!is_live(&database, 7));
        assert!(LiveLock::take(&database, 7).unwrap().is_some());
    }
}
