//! Finds the conversation that was cut off when this terminal was used last.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::log::{ConversationRecorder, ConversationSetup};
use super::read::{LISTED, collect, listed};
use super::{Conversations, ListedConversation};
use crate::store::StoreError;
use crate::store::insert::{TextOrBlob, micros_since_1970};

/// A conversation that has not been used for longer is not offered.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

impl ConversationRecorder {
    /// The newest conversation that was begun in this directory and was cut off in this terminal, for example by a crash. It is given
    /// once: from then on it counts as closed, until something is asked in it. Reads the database, and never creates it.
    pub(crate) fn take_cut_off(&self, cwd: &Path) -> Result<Option<ListedConversation>, StoreError> {
        let Some(setup) = self.setup().filter(|setup| !setup.terminal.is_empty()) else { return Ok(None) };
        let found = Conversations::open(&setup.database)?.cut_off(setup, cwd, SystemTime::now())?;
        if let Some(found) = &found {
            self.note_offered(found.id);
        }
        Ok(found)
    }
}

impl Conversations {
    fn cut_off(
        &self,
        setup: &ConversationSetup,
        cwd: &Path,
        now: SystemTime,
    ) -> Result<Option<ListedConversation>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        // A terminal has the same name on every host that shares the home directory.
        let sql = format!(
            "SELECT {LISTED} FROM conversation_list AS l WHERE is_open AND terminal = ? AND touched_at >= ?
             AND EXISTS (SELECT 1 FROM conversations AS c WHERE c.id = l.id AND c.host = ? AND c.cwd = ?)
             ORDER BY touched_at DESC, id DESC"
        );
        let since = now.checked_sub(LONGEST).map_or(i64::MIN, micros_since_1970);
        let cwd = TextOrBlob(cwd.as_os_str().as_bytes());
        let all = collect(connection, &sql, (&setup.terminal, since, &setup.host, cwd), listed)?;
        Ok(all.into_iter().find(|one| !self.is_live(one.id)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::store::{ConversationLimits, ConversationLog};

    const PATIENCE: Duration = Duration::from_secs(60);
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Home {
            Home(tempfile::tempdir().unwrap())
        }

        fn setup(&self, host: &str, terminal: &str) -> ConversationSetup {
            let limits = ConversationLimits { age: DAY * 365, bytes: u64::MAX };
            let (session, host, terminal) = ("a".into(), host.into(), terminal.into());
            ConversationSetup { database: self.0.path().join("history.db"), session, host, terminal, limits }
        }

        fn recorder(&self, terminal: &str) -> ConversationRecorder {
            ConversationRecorder::new(self.setup("box", terminal))
        }

        /// Asks in a new conversation, which is then cut off or closed.
        fn ask(&self, terminal: &str, words: &str, is_clean: bool) {
            let recorder = self.recorder(terminal);
            let log = recorder.begin();
            ask(&log, words);
            // The agent's thread may end before the session closes the recorder.
            drop(log);
            recorder.close(is_clean, PATIENCE);
        }

        /// The title of what a new session of a terminal offers.
        fn offer(&self, terminal: &str, cwd: &str) -> Option<String> {
            let recorder = self.recorder(terminal);
            let found = recorder.take_cut_off(cwd.as_ref()).unwrap();
            recorder.close(true, PATIENCE);
            found.map(|one| one.title())
        }
    }

    fn ask(log: &ConversationLog, words: &str) {
        let body = serde_json::json!({ "question": words, "message": {} }).to_string();
        log.ask(PathBuf::from("/app"), words.into(), body);
    }

    #[test]
    fn it_is_offered_once_in_its_terminal_and_directory() {
        let home = Home::new();
        home.ask("tmux:%1", "older", false);
        home.ask("tmux:%1", "newer", false);
        assert_eq!(home.offer("tmux:%1", "/app/src"), None);
        assert_eq!(home.offer("tmux:%2", "/app"), None);
        assert_eq!(home.offer("", "/app"), None);
        let elsewhere = ConversationRecorder::new(home.setup("other", "tmux:%1"));
        assert_eq!(elsewhere.take_cut_off("/app".as_ref()).unwrap(), None);
        assert_eq!(home.offer("tmux:%1", "/app").as_deref(), Some("newer"));
        assert_eq!(home.offer("tmux:%1", "/app").as_deref(), Some("older"));
        assert_eq!(home.offer("tmux:%1", "/app"), None);
    }

    #[test]
    fn one_that_was_closed_is_not_offered() {
        let home = Home::new();
        home.ask("tmux:%1", "closed", true);
        assert_eq!(home.offer("tmux:%1", "/app"), None);
    }

    #[test]
    fn one_that_is_in_use_is_not_offered() {
        let home = Home::new();
        let recorder = home.recorder("tmux:%1");
        let log = recorder.begin();
        ask(&log, "in use");
        recorder.close(false, PATIENCE);
        assert_eq!(home.offer("tmux:%1", "/app"), None);
        drop(log);
        assert_eq!(home.offer("tmux:%1", "/app").as_deref(), Some("in use"));
    }

    #[test]
    fn one_that_is_older_than_a_week_is_not_offered() {
        let home = Home::new();
        home.ask("tmux:%1", "old", false);
        let setup = home.setup("box", "tmux:%1");
        let read = Conversations::open(&setup.database).unwrap();
        let after = |days: u32| read.cut_off(&setup, "/app".as_ref(), SystemTime::now() + DAY * days).unwrap();
        assert!(after(6).is_some());
        assert!(after(8).is_none());
    }

    #[test]
    fn one_that_was_resumed_in_another_terminal_is_offered_there() {
        let home = Home::new();
        home.ask("tmux:%1", "looked at", false);
        let other = home.recorder("tmux:%2");
        drop(other.resume(1).unwrap());
        other.close(false, PATIENCE);
        assert_eq!(home.offer("tmux:%1", "/app"), None, "it was resumed since");
        let other = home.recorder("tmux:%2");
        let resumed = other.resume(1).unwrap().unwrap();
        ask(&resumed.log, "more");
        other.close(false, PATIENCE);
        drop(resumed);
        assert_eq!(home.offer("tmux:%1", "/app"), None, "it belongs to the other terminal");
        assert_eq!(home.offer("tmux:%2", "/app").as_deref(), Some("looked at"));
    }

    #[test]
    fn no_database_is_created() {
        let home = Home::new();
        assert_eq!(home.offer("tmux:%1", "/app"), None);
        assert_eq!(ConversationRecorder::off().take_cut_off("/app".as_ref()).unwrap(), None);
        assert_eq!(std::fs::read_dir(home.0.path()).unwrap().count(), 0);
    }
}
