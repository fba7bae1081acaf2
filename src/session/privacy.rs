//! Decides which commands are never recorded.

use std::cell::RefCell;
use std::path::PathBuf;

use regex::bytes::RegexSet;

use super::system::{ChangesLost, FileChanges};

/// Decides, when a command starts, whether it is recorded.
pub(super) struct Privacy {
    /// `None` if nothing is configured, because even an empty set costs time and memory.
    ignore: Option<RegexSet>,
    pause: RefCell<Pause>,
}

/// Whether recording is paused: it is while a file exists.
struct Pause {
    file: PathBuf,
    /// Reports changes of the file. `None` if the kernel cannot: then each command checks for the file.
    changes: Option<FileChanges>,
    /// Whether the file exists, as of the last change.
    is_on: bool,
}

impl Privacy {
    /// `pause` is the file that pauses recording.
    pub(super) fn new(ignore: Option<RegexSet>, pause: PathBuf) -> Self {
        Privacy { ignore, pause: RefCell::new(Pause::new(pause)) }
    }

    /// Uses other settings from here on.
    pub(super) fn adopt(&mut self, ignore: Option<RegexSet>) {
        self.ignore = ignore;
    }

    /// A command is not recorded if it starts with a blank, while recording is paused, or if it matches a configured pattern. Its
    /// output is not recorded either.
    pub(super) fn covers(&self, text: &[u8]) -> bool {
        let is_ignored = self.ignore.as_ref().is_some_and(|ignore| ignore.is_match(text));
        let is_blank = text.first().is_some_and(u8::is_ascii_whitespace);
        is_blank || is_ignored || self.pause.borrow_mut().is_on()
    }
}

impl Pause {
    fn new(file: PathBuf) -> Pause {
        let changes = FileChanges::of(&file);
        Pause { is_on: file.exists(), file, changes }
    }

    /// Reads the changes from the kernel. A change is there by the time the command that made it has ended.
    fn is_on(&mut self) -> bool {
        if let Some(changes) = &self.changes {
            match changes.newest() {
                Ok(Some(is_there)) => self.is_on = is_there,
                Ok(None) => {}
                Err(ChangesLost) => self.changes = None,
            }
        }
        if self.changes.is_some() { self.is_on } else { self.file.exists() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn commands_with_blanks_or_patterns_or_during_a_pause_are_not_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let pause = dir.path().join("paused");
        let privacy = Privacy::new(RegexSet::new(["^pass ", "TOKEN="]).ok(), pause.clone());
        for private in [&b" ls"[..], b"\tls", b"pass show x", b"export TOKEN=1"] {
            assert!(privacy.covers(private), "{}", private.escape_ascii());
        }
        assert!(!privacy.covers(b"ls"));
        fs::write(dir.path().join("other"), "").unwrap();
        assert!(!privacy.covers(b"ls"));
        fs::write(&pause, "").unwrap();
        assert!(privacy.covers(b"ls"));
        assert!(privacy.covers(b"ls"), "until it is resumed");
        fs::remove_file(&pause).unwrap();
        assert!(!privacy.covers(b"ls"));
    }

    #[test]
    fn a_directory_that_was_created_again_is_watched() {
        let dir = tempfile::tempdir().unwrap();
        let session = dir.path().join("session");
        fs::create_dir(&session).unwrap();
        let privacy = Privacy::new(None, session.join("paused"));
        fs::remove_dir(&session).unwrap();
        fs::create_dir(&session).unwrap();
        fs::write(session.join("paused"), "").unwrap();
        assert!(privacy.covers(b"ls"));
    }
}
