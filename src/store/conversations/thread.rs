//! The thread that writes conversations. Each entry is one short transaction.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, TransactionBehavior};

use super::changes::ChangeJob;
use super::live::LiveLock;
use super::log::{ConversationSetup, EntryJob, LogShared, LogState, NewEntry, RecorderJob, RecorderStatus};
use super::{changes, insert, remove, unwritten};
use crate::store::database::{Database, LONGEST_RETRY, RETRY, with_jitter};
use crate::store::insert::micros_since_1970;
use crate::store::trouble::Trouble;
use crate::store::{StoreError, schema, transcripts};

/// The person hears about a database that has been locked for this long.
const LOCKED: Duration = Duration::from_secs(2);
/// How long a session that ends waits for a locked database. What is not written by then waits in a file.
const FAREWELL: Duration = Duration::from_millis(500);

/// How long the thread waits for entries before it removes something old.
const BREATH: Duration = Duration::from_millis(20);

/// What the thread works with.
pub(super) struct Recording {
    pub(super) setup: ConversationSetup,
    pub(super) jobs: Receiver<RecorderJob>,
    pub(super) status: Arc<RecorderStatus>,
}

/// Starts the thread. `ended` is dropped when it ends.
pub(super) fn start(recording: Recording, ended: Sender<()>) -> io::Result<()> {
    let work = move || {
        let _ended = ended;
        let mut recording = recording;
        let trouble = match panic::catch_unwind(AssertUnwindSafe(|| recording.run())) {
            Ok(Ok(())) => return,
            Ok(Err(trouble)) => trouble.to_string(),
            Err(_) => "internal error; the log may say more".to_owned(),
        };
        recording.status.tell(&format!("conversations are not kept: {trouble}"));
    };
    thread::Builder::new().name("conversations".to_owned()).spawn(work).map(drop)
}

impl Recording {
    fn run(&mut self) -> Result<(), Trouble> {
        // Conversations that were asked something and not left since. Whoever asked may be gone when the session ends.
        let mut open: Vec<i64> = Vec::new();
        let Some(mut database) = self.open()? else { return self.put_aside(Vec::new(), &open) };
        let mut has_chores = true;
        while let Some(job) = self.next(&mut database, &mut has_chores)? {
            match job {
                RecorderJob::Entry(job) => {
                    self.status.bytes.fetch_sub(job.bytes(), Ordering::AcqRel);
                    match self.write(&mut database, &job)? {
                        WriteEnd::Written(id) => note_open(&mut open, id, &job.entry),
                        WriteEnd::NoRows => {}
                        WriteEnd::Locked => return self.put_aside(vec![*job], &open),
                    }
                }
                RecorderJob::Changes(log, job) => {
                    self.write_changes(&mut database, &log, &job)?;
                }
                RecorderJob::Settle(stub) => {
                    let _ = stub.send(());
                }
                RecorderJob::Leave => {
                    if !self.close(&mut database, &open)? {
                        return self.put_aside(open.iter().map(|id| closing_of(*id)).collect(), &[]);
                    }
                }
                RecorderJob::Offered(id) => {
                    if !self.close(&mut database, &[id])? {
                        return self.put_aside(vec![closing_of(id)], &open);
                    }
                }
            }
        }
        Ok(())
    }

    /// The session ends while the database is locked: everything that is not written waits in a file.
    fn put_aside(&self, mut jobs: Vec<EntryJob>, open: &[i64]) -> Result<(), Trouble> {
        for job in self.jobs.try_iter() {
            match job {
                RecorderJob::Entry(job) => jobs.push(*job),
                RecorderJob::Settle(_) => {}
                RecorderJob::Changes(..) => tracing::warn!("changes to files are not recorded: the database is locked"),
                RecorderJob::Leave => {
                    let mut begun: Vec<Arc<LogShared>> = jobs.iter().map(|job| Arc::clone(&job.log)).collect();
                    begun.dedup_by(|one, other| Arc::ptr_eq(one, other));
                    jobs.extend(open.iter().map(|id| closing_of(*id)).chain(begun.into_iter().map(closing)));
                }
                RecorderJob::Offered(id) => jobs.push(closing_of(id)),
            }
        }
        if let Err(error) = unwritten::put_aside(&self.setup, jobs) {
            tracing::error!(%error, "the end of a conversation is lost");
        }
        Ok(())
    }

    /// Waits for the next job, and removes old conversations meanwhile, in small pieces. `None` when there will be no more jobs.
    fn next(&self, database: &mut Database, has_chores: &mut bool) -> Result<Option<RecorderJob>, Trouble> {
        while *has_chores {
            match self.jobs.recv_timeout(BREATH) {
                Ok(job) => return Ok(Some(job)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let pruned = self.prune_some(&mut database.connection);
            *has_chores = match pruned {
                Err(StoreError::Busy(_)) => true,
                pruned => pruned.map_err(|error| database.trouble(error))?,
            };
        }
        let job = self.jobs.recv().ok();
        // Only an entry makes the conversations larger.
        *has_chores = matches!(job, Some(RecorderJob::Entry(_)));
        Ok(job)
    }

    /// Removes something old, in one short transaction. Returns whether there may be more.
    fn prune_some(&self, connection: &mut Connection) -> Result<bool, StoreError> {
        let Some(limits) = self.status.limits() else { return Ok(false) };
        Ok(transcripts::prune_some(connection)? || remove::prune_some(connection, &self.setup.database, limits)?)
    }

    fn open(&self) -> Result<Option<Database>, Trouble> {
        let mut patience = Patience::new(&self.status);
        let database = Database::open(&self.setup.database, || patience.wait())?;
        if database.is_some() {
            unwritten::write_now(&self.setup.database);
        }
        Ok(database)
    }

    fn write(&self, database: &mut Database, job: &EntryJob) -> Result<WriteEnd, Trouble> {
        let written = self.transact(database, |database| {
            let transaction = database.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // A newer program may have moved the tables on while we waited for a question.
            schema::version(&transaction)?;
            let written = insert::write(&transaction, &self.setup, job)?;
            transaction.commit()?;
            Ok(written)
        })?;
        let written = match written {
            None => return Ok(WriteEnd::Locked),
            Some(None) => return Ok(WriteEnd::NoRows),
            Some(Some(written)) => written,
        };
        let id = written.conversation;
        {
            let mut log = job.log.lock();
            if log.id != Some(id) || log.live.is_none() {
                log.live = self.take_lock(id);
            }
        }
        job.note(written);
        Ok(WriteEnd::Written(id))
    }

    fn write_changes(&self, database: &mut Database, log: &LogShared, job: &ChangeJob) -> Result<(), Trouble> {
        let id = log.lock().id;
        let written = self.transact(database, |database| {
            let transaction = database.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            schema::version(&transaction)?;
            let id = id.map(|id| insert::exists(&transaction, id).map(|exists| exists.then_some(id))).transpose()?;
            changes::write(&transaction, id.flatten(), job)?;
            Ok(transaction.commit()?)
        });
        written.map(drop)
    }

    /// Runs a transaction. A locked database is waited for. `None` if it is still locked when the session ends.
    fn transact<T>(
        &self,
        database: &mut Database,
        mut work: impl FnMut(&mut Database) -> Result<T, StoreError>,
    ) -> Result<Option<T>, Trouble> {
        if database.is_replaced() {
            return Err(Trouble::Replaced { path: self.setup.database.clone() });
        }
        let mut patience = Patience::new(&self.status);
        loop {
            match work(database) {
                Ok(done) => return Ok(Some(done)),
                Err(StoreError::Busy(_)) => {
                    if !patience.wait() {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(database.trouble(error)),
            }
        }
    }

    fn take_lock(&self, conversation: i64) -> Option<LiveLock> {
        LiveLock::take(&self.setup.database, conversation).unwrap_or_else(|error| {
            tracing::warn!(%error, conversation, "other terminals cannot see that a conversation is in use");
            None
        })
    }

    /// Notes that conversations ended in order, or need not be offered again. Returns whether that is written.
    fn close(&self, database: &mut Database, ids: &[i64]) -> Result<bool, Trouble> {
        let at = micros_since_1970(SystemTime::now());
        for &id in ids {
            if self.transact(database, |database| insert::close(&database.connection, id, at))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What became of an entry.
enum WriteEnd {
    /// It is written, in this conversation.
    Written(i64),
    /// It belongs to something that has no rows, for example because that was forgotten.
    NoRows,
    /// The database is still locked at the end of the session.
    Locked,
}

/// An entry that notes that a conversation ended in order.
fn closing(log: Arc<LogShared>) -> EntryJob {
    let (body, pictures) = ("{}".to_owned(), Vec::new());
    EntryJob { log, exchange: None, at: SystemTime::now(), body, pictures, entry: NewEntry::Closed }
}

fn closing_of(id: i64) -> EntryJob {
    closing(Arc::new(LogShared::new(LogState { id: Some(id), ..LogState::default() })))
}

/// Notes whether an entry opens or closes its conversation, as the trigger of the table does.
fn note_open(open: &mut Vec<i64>, id: i64, entry: &NewEntry) {
    match entry {
        NewEntry::Question { .. } if !open.contains(&id) => open.push(id),
        NewEntry::Closed => open.retain(|one| *one != id),
        _ => {}
    }
}

/// Waits for a locked database, longer each time.
struct Patience<'a> {
    status: &'a RecorderStatus,
    begun: Instant,
    delay: Duration,
    closing: Option<Instant>,
}

impl Patience<'_> {
    fn new(status: &RecorderStatus) -> Patience<'_> {
        Patience { status, begun: Instant::now(), delay: RETRY, closing: None }
    }

    /// Waits a little; false if it is time to give up.
    fn wait(&mut self) -> bool {
        if self.status.is_closing.load(Ordering::Acquire) {
            let closing = self.closing.get_or_insert_with(Instant::now);
            if closing.elapsed() > FAREWELL {
                return false;
            }
        }
        if self.begun.elapsed() > LOCKED {
            self.status.tell("this conversation is not kept yet: the history database is locked by another program");
        }
        // SQLite does not say when another process has released its lock.
        thread::sleep(with_jitter(self.delay));
        self.delay = (self.delay * 2).min(LONGEST_RETRY);
        true
    }
}
