//! The thread that writes.

use std::collections::VecDeque;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::file::{self, Identity};
use super::queue::{Job, Queue};
use super::{Options, Session, StoreError, insert, prune, schema};

/// Between two tries to open a database that many terminals open for the first time at once.
const REOPEN: Duration = Duration::from_millis(20);

/// Starts the thread; when it ends, for whatever reason, the queue knows.
pub(super) fn start(path: PathBuf, options: Options, session: Session, queue: Arc<Queue>) {
    let shared = Arc::clone(&queue);
    let work = move || guarded(&queue, || Writer { path, options, session, queue: &queue }.run());
    if let Err(error) = thread::Builder::new().name("store".to_owned()).spawn(work) {
        shared.end(Some(format!("history is off: cannot start its thread: {error}")));
    }
}

/// Runs the thread's work and turns whatever ends it into a line for the user.
fn guarded(queue: &Queue, work: impl FnOnce() -> Result<(), String>) {
    let trouble = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => None,
        Ok(Err(trouble)) => Some(format!("history is off: {trouble}")),
        Err(_) => Some("history is off: a mistake of ours; the log may say more, a new shell starts afresh".to_owned()),
    };
    if let Some(trouble) = &trouble {
        tracing::warn!("{trouble}");
    }
    queue.end(trouble);
}

struct Writer<'a> {
    path: PathBuf,
    options: Options,
    session: Session,
    queue: &'a Queue,
}

/// An open database, and which file it is.
struct Database {
    connection: Connection,
    identity: Identity,
}

impl Writer<'_> {
    fn run(&self) -> Result<(), String> {
        let mut database = self.open()?;
        while let Some(jobs) = self.queue.take() {
            // Removed, or put aside by another terminal: what we wrote there nobody would read.
            if Identity::of(&self.path).ok() != Some(database.identity) {
                drop(database);
                database = self.open()?;
            }
            self.keep(&mut database, jobs).map_err(|error| self.words(error, Some(database.identity)))?;
        }
        Ok(())
    }

    fn open(&self) -> Result<Database, String> {
        loop {
            let created = file::create(&self.path);
            let identity = Identity::of(&self.path).ok();
            let opened = created.and_then(|()| file::connect(&self.path));
            match (opened, identity) {
                (Ok(connection), Some(identity)) => return Ok(Database { connection, identity }),
                // Switching to the log mode does not wait for others, and a file can be replaced between two looks.
                (Err(StoreError::Busy(_)), _) | (Ok(_), None) if !self.queue.is_late() => thread::sleep(REOPEN),
                (Ok(_), None) => return Err(format!("{} disappeared", self.path.display())),
                (Err(error), identity) => return Err(self.words(error, identity)),
            }
        }
    }

    /// Writes a batch, then prunes. A locked database is waited for.
    fn keep(&self, database: &mut Database, jobs: VecDeque<Job>) -> Result<(), StoreError> {
        let jobs: Vec<(Job, String)> = jobs
            .into_iter()
            .map(|job| {
                let searched = insert::searched(&job.record);
                (job, searched)
            })
            .collect();
        loop {
            match write(&mut database.connection, &self.session, &jobs) {
                Err(StoreError::Busy(_)) if self.queue.is_late() => {
                    self.queue.lost(jobs.len());
                    return Ok(());
                }
                Err(StoreError::Busy(_)) => {}
                Err(error) => return Err(error),
                Ok(()) => break,
            }
        }
        match prune::prune(&mut database.connection, self.options) {
            // The next batch, or another terminal, will.
            Err(StoreError::Busy(_)) => Ok(()),
            other => other,
        }
    }

    /// What is wrong and what to do about it. A damaged database is put aside on the way.
    fn words(&self, error: StoreError, identity: Option<Identity>) -> String {
        let path = self.path.display();
        match &error {
            StoreError::Damaged(_) => match identity.map(|identity| file::put_aside(&self.path, identity)) {
                Some(Ok(Some(aside))) => {
                    format!("{path} is damaged; kept as {}, a new shell starts a new one", name(&aside))
                }
                Some(Ok(None)) | None => format!("{path} is damaged; a new shell starts a new one"),
                Some(Err(reason)) => format!("{path} is damaged and cannot be renamed ({reason}); move it away"),
            },
            StoreError::Newer { .. } => {
                format!("{path} was written by a newer shellmate; upgrade this one")
            }
            StoreError::Full(_) => "disk is full; free some space and start a new shell".to_owned(),
            StoreError::ReadOnly(_) => format!("{path} can only be read; make it writable and start a new shell"),
            StoreError::Busy(_) => format!("{path} is locked by another program"),
            StoreError::Create { path, source } | StoreError::Look { path, source } => {
                let path = path.display();
                format!("cannot create {path}: {}; make its directory writable or set XDG_STATE_HOME", plain(source))
            }
            StoreError::Open(source) | StoreError::Sql(source) => {
                format!("cannot use {path}: {source}; `shellmate doctor` looks closer")
            }
        }
    }
}

/// Writes a batch in one transaction. Nothing of it is there until all of it is.
fn write(connection: &mut Connection, session: &Session, jobs: &[(Job, String)]) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A newer program may have moved the tables on while we sat at a prompt.
    schema::version(&transaction)?;
    let mut ids = Vec::with_capacity(jobs.len());
    for (job, searched) in jobs {
        ids.push(insert::insert(&transaction, session, &job.record, searched)?);
    }
    transaction.commit()?;
    for ((job, _), id) in jobs.iter().zip(ids) {
        job.stub.stored(id);
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Without Rust's "(os error 13)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{printed, record, session};
    use super::super::{Record, Ticket};
    use super::*;

    #[test]
    fn a_panic_becomes_trouble() {
        let queue = Queue::default();
        guarded(&queue, || panic!("boom"));
        assert!(queue.trouble().unwrap().starts_with("history is off: a mistake of ours"));
        queue.push(record("true"), Ticket::new().0);
        queue.wait_until_ended(Duration::ZERO);
        assert_eq!(queue.trouble(), None);
    }

    #[test]
    fn a_full_disk_is_named_and_leaves_what_was_written() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.db");
        let queue = Queue::default();
        let writer = Writer { path, options: Options::default(), session: session("a"), queue: &queue };
        let mut database = writer.open().unwrap();
        let batch = |record: Record| VecDeque::from([Job { record, stub: Ticket::new().0 }]);
        writer.keep(&mut database, batch(record("true"))).unwrap();
        let pages: i64 = database.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        database.connection.pragma_update_and_check(None, "max_page_count", pages + 1, |_| Ok(())).unwrap();
        let error = writer.keep(&mut database, batch(printed("yes", &"y".repeat(100_000)))).unwrap_err();
        assert_eq!(writer.words(error, Some(database.identity)), "disk is full; free some space and start a new shell");
        let kept: i64 = database.connection.query_row("SELECT count(*) FROM commands", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
    }
}
