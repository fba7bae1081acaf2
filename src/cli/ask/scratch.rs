//! A private directory for as long as one query takes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::capture::SessionLock;
use crate::config::Paths;

/// The directory, removed with all that is in it at the end. The lock keeps a terminal that starts meanwhile from tidying it up.
pub(super) struct Scratch {
    directory: Option<PathBuf>,
    _lock: Option<SessionLock>,
}

impl Scratch {
    /// Makes one, if there is a place for it; without one, long results are cut and the rest is lost.
    pub(super) fn make(paths: &Paths) -> Scratch {
        let (directory, lock) = paths.make_session_dir(&format!("ask-{}", std::process::id())).ok().unzip();
        Scratch { directory, _lock: lock }
    }

    /// Where it is; an empty path, in which nothing can be made, if it is nowhere.
    pub(super) fn path(&self) -> &Path {
        self.directory.as_deref().unwrap_or(Path::new(""))
    }

    /// Keeps a text, and says where.
    pub(super) fn keep(&self, name: &str, text: &str) -> Option<PathBuf> {
        let path = self.directory.as_ref()?.join(name);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).ok().map(|()| path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // What can't be removed is tidied up by the next terminal.
            let _ = fs::remove_dir_all(directory);
        }
    }
}
