//! Which commands are never remembered.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent};
use regex::bytes::RegexSet;

/// Decides, when a command starts, whether anything of it is kept.
pub(super) struct Privacy {
    /// None where nothing was configured: even an empty set costs time and memory.
    ignore: Option<RegexSet>,
    pause: RefCell<Pause>,
}

/// Whether the session is paused: a file says so while it exists.
struct Pause {
    file: PathBuf,
    /// Where the kernel tells what happens to the file. `None` if it cannot: then each command looks for the file.
    changes: Option<Inotify>,
    /// What the changes so far add up to.
    is_on: bool,
}

impl Privacy {
    /// `pause` is the file that pauses the session.
    pub(super) fn new(ignore: Option<RegexSet>, pause: PathBuf) -> Self {
        Privacy { ignore, pause: RefCell::new(Pause::new(pause)) }
    }

    /// A leading blank, a paused session and the configured patterns each keep a command out, output and all.
    pub(super) fn covers(&self, text: &[u8]) -> bool {
        let is_ignored = self.ignore.as_ref().is_some_and(|ignore| ignore.is_match(text));
        text.first().is_some_and(u8::is_ascii_whitespace) || is_ignored || self.pause.borrow_mut().is_on()
    }
}

impl Pause {
    fn new(file: PathBuf) -> Pause {
        let changes = file.parent().and_then(|directory| watch(directory).ok());
        Pause { is_on: file.exists(), file, changes }
    }

    /// Reads what the kernel has to tell, which is there by the time the command that did it has ended.
    fn is_on(&mut self) -> bool {
        while let Some(changes) = &self.changes {
            match changes.read_events() {
                Ok(events) => events.iter().for_each(|event| self.take(event)),
                Err(nix::errno::Errno::EAGAIN) => return self.is_on,
                Err(_) => self.changes = None,
            }
        }
        self.file.exists()
    }

    fn take(&mut self, event: &InotifyEvent) {
        let is_lost = event.mask.intersects(AddWatchFlags::IN_Q_OVERFLOW | AddWatchFlags::IN_IGNORED);
        if is_lost {
            self.changes = None;
        } else if event.name.as_deref() == self.file.file_name() {
            self.is_on = event.mask.intersects(AddWatchFlags::IN_CREATE | AddWatchFlags::IN_MOVED_TO);
        }
    }
}

fn watch(directory: &Path) -> nix::Result<Inotify> {
    let changes = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
    let wanted = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_DELETE | AddWatchFlags::IN_MOVE;
    changes.add_watch(directory, wanted)?;
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn blanks_patterns_and_pauses_keep_commands_out() {
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
    fn a_directory_that_was_made_anew_is_looked_at() {
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
