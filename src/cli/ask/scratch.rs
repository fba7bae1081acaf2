//! A private directory for one question.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::capture::SessionLock;
use crate::config::Paths;

/// A private directory that is removed on drop. The lock keeps a session that starts meanwhile from sweeping it.
pub(super) struct Scratch {
    directory: Option<PathBuf>,
    _lock: Option<SessionLock>,
}

impl Scratch {
    /// Creates the directory. If that fails, long results are cut and the rest is lost.
    pub(super) fn make(paths: &Paths) -> Scratch {
        let (directory, lock) = paths.make_session_dir(&format!("ask-{}", std::process::id())).ok().unzip();
        Scratch { directory, _lock: lock }
    }

    /// The path of the directory, or an empty path if there is none.
    pub(super) fn path(&self) -> &Path {
        self.directory.as_deref().unwrap_or(Path::new(""))
    }

    /// Writes a text to a file and returns its path.
    pub(super) fn keep(&self, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.directory.as_ref()?.join(name);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).ok().map(|()| path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // The next session sweeps what cannot be removed.
            let _ = fs::remove_dir_all(directory);
        }
    }
}
