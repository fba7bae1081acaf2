//! The thread that writes to the database. It copies the session's journal and the journals that ended sessions left. When idle, it
//! removes the oldest commands beyond the limits.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::appender::trouble_of;
use super::chore::Chore;
use super::database::{Database, LONGEST_RETRY, RETRY, with_jitter};
use super::journal::Journal;
use super::queue::{WriteQueue, WriterTask};
use super::trouble::Trouble;
use super::{StoreError, drain};

/// The pause between two attempts to open a database that several terminals create at the same time.
const REOPEN: Duration = Duration::from_millis(20);
/// How long an ending session still copies. The next session copies the rest.
const FAREWELL: Duration = Duration::from_millis(100);
/// The least time between two chores, so that other terminals can write in between.
const BREATH: Duration = Duration::from_millis(5);

pub(super) fn start(path: PathBuf, journal: Arc<Journal>, queue: Arc<WriteQueue>) -> Result<(), Trouble> {
    let work = move || {
        let at = journal.source().start();
        let mut writer = Writer { path, at, journal: &journal, queue: &queue };
        let trouble = trouble_of(|| writer.run());
        // Another process may copy the rest from here on.
        drop(journal);
        queue.end(trouble);
    };
    let thread = thread::Builder::new().name("store".to_owned()).spawn(work);
    thread.map(drop).map_err(Trouble::Thread)
}

struct Writer<'a> {
    path: PathBuf,
    journal: &'a Journal,
    /// Offset in the journal of the first record that the database has not.
    at: u64,
    queue: &'a WriteQueue,
}

/// The result of an attempt to copy from the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Copied,
    /// The session ends and the database is locked.
    Stuck,
}

impl Writer<'_> {
    fn run(&mut self) -> Result<(), Trouble> {
        let Some(mut database) = self.open()? else { return Ok(()) };
        let mut chore = Chore::first();
        // A moment and not a pause after each task: new commands must not put the chores off for ever.
        let mut rests_until = Instant::now();
        let mut ends: Option<Instant> = None;
        loop {
            if self.queue.is_shut() {
                let ends = *ends.get_or_insert_with(|| Instant::now() + FAREWELL);
                if Instant::now() > ends {
                    break;
                }
            }
            match self.queue.wait_for_turn((!chore.is_done()).then_some(rests_until)) {
                WriterTask::Copy { to } => {
                    if self.copy(&mut database, to)? == Progress::Stuck {
                        break;
                    }
                    if chore.is_done() {
                        chore = Chore::CheckLimits;
                    }
                }
                WriterTask::End if !chore.is_about_leftovers() => break,
                turn @ (WriterTask::End | WriterTask::Idle) => {
                    let began = Instant::now();
                    self.reopen_if_replaced(&mut database)?;
                    let step = chore.step(&mut database.connection, &self.path, self.queue.limits());
                    let (next, is_busy) = step.map_err(|error| database.trouble(error))?;
                    if is_busy && turn == WriterTask::End {
                        break;
                    }
                    chore = next;
                    let rest = if is_busy { LONGEST_RETRY } else { began.elapsed().max(BREATH) };
                    rests_until = Instant::now() + rest;
                }
            }
        }
        self.journal.close();
        Ok(())
    }

    /// Opens the database; `None` if it is locked and the session ends.
    fn open(&self) -> Result<Option<Database>, Trouble> {
        Database::open(&self.path, || self.queue.wait_for_retry(REOPEN))
    }

    /// Opens the database anew if its file was replaced.
    fn reopen_if_replaced(&self, database: &mut Database) -> Result<(), Trouble> {
        if database.is_replaced()
            && let Some(new) = self.open()?
        {
            *database = new;
        }
        Ok(())
    }

    /// Copies records up to the offset `to`, in one transaction. A locked database is waited for while the session lives.
    fn copy(&mut self, database: &mut Database, to: u64) -> Result<Progress, Trouble> {
        let mut delay = RETRY;
        loop {
            self.reopen_if_replaced(database)?;
            match drain::copy(&mut database.connection, self.journal.source(), self.at, to) {
                Ok(Some(copied)) => {
                    self.at = self.journal.cut(copied.at);
                    self.queue.stored(copied.last, &copied.ids);
                    return Ok(Progress::Copied);
                }
                Ok(None) => {
                    let error = StoreError::Journal(io::ErrorKind::InvalidData.into());
                    return Err(Trouble::new(error, &self.path));
                }
                Err(StoreError::Busy(_)) => {
                    if !self.queue.wait_for_retry(with_jitter(delay)) {
                        return Ok(Progress::Stuck);
                    }
                    delay = (delay * 2).min(LONGEST_RETRY);
                }
                Err(error) => return Err(database.trouble(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::super::tests::session;
    use super::*;

    #[test]
    fn a_panic_becomes_trouble() {
        let queue = WriteQueue::default();
        queue.end(trouble_of(|| panic!("boom")));
        assert!(queue.trouble().unwrap().starts_with("history is off: internal error"));
        assert!(queue.is_over());
        queue.wait_until_ended(Duration::ZERO);
        assert_eq!(queue.trouble(), None);
    }

    #[test]
    fn a_full_disk_is_named_and_leaves_what_was_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.db");
        let queue = WriteQueue::default();
        file::create(&path).unwrap();
        let journal = Journal::create(&path, session("a"), None).unwrap();
        let at = journal.source().start();
        let mut writer = Writer { path, at, journal: &journal, queue: &queue };
        let mut database = writer.open().unwrap().unwrap();
        let append = |sequence, text: &str, output: usize| {
            let record = super::super::tests::printed(text, &"y".repeat(output));
            journal.append(sequence, &super::super::journal::encode_command(&record)).unwrap().end
        };
        let to = append(1, "true", 0);
        writer.copy(&mut database, to).unwrap();
        let pages: i64 = database.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        database.connection.pragma_update_and_check(None, "max_page_count", pages + 1, |_| Ok(())).unwrap();
        let to = append(2, "yes", 100_000);
        let trouble = writer.copy(&mut database, to).unwrap_err();
        assert_eq!(trouble.to_string(), "disk is full; free some space and start a new shell");
        let kept: i64 = database.connection.query_row("SELECT count(*) FROM commands", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
    }
}
