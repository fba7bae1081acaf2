//! The thread that writes conversations. Each entry is one short transaction.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::TransactionBehavior;

use super::live::LiveLock;
use super::log::{ConversationSetup, EntryJob, ExchangeShared, LogShared, NewEntry, RecorderJob, RecorderStatus};
use super::{insert, remove};
use crate::store::database::{Database, LONGEST_RETRY, RETRY, with_jitter};
use crate::store::insert::micros_since_1970;
use crate::store::trouble::Trouble;
use crate::store::{StoreError, schema};

/// The person hears about a database that has been locked for this long.
const LOCKED: Duration = Duration::from_secs(2);
/// How long a session that ends waits for a locked database.
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
        let Some(mut database) = self.open()? else { return Ok(()) };
        let mut live: Vec<Weak<LogShared>> = Vec::new();
        let mut has_chores = true;
        while let Some(job) = self.next(&mut database, &mut has_chores)? {
            match job {
                RecorderJob::Entry(job) => {
                    self.status.bytes.fetch_sub(job.body.len(), Ordering::AcqRel);
                    if self.write(&mut database, &job)? && !live.iter().any(|one| one.as_ptr() == Arc::as_ptr(&job.log))
                    {
                        live.retain(|one| one.strong_count() > 0);
                        live.push(Arc::downgrade(&job.log));
                    }
                }
                RecorderJob::Settle(stub) => {
                    let _ = stub.send(());
                }
                RecorderJob::Leave => self.leave(&mut database, &live)?,
            }
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
            let pruned = remove::prune_some(&mut database.connection, &self.setup.database, self.setup.limits);
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

    fn open(&self) -> Result<Option<Database>, Trouble> {
        let mut patience = Patience::new(&self.status);
        Database::open(&self.setup.database, || patience.wait())
    }

    /// Writes an entry. Returns whether it was written.
    fn write(&self, database: &mut Database, job: &EntryJob) -> Result<bool, Trouble> {
        let exchange = exchange_of(&job.entry);
        let written = self.transact(database, |database| {
            let transaction = database.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // A newer program may have moved the tables on while we waited for a question.
            schema::version(&transaction)?;
            let state = exchange.map(|exchange| exchange.lock().clone());
            let written = insert::write(&transaction, &self.setup, job, &job.log.lock(), state)?;
            transaction.commit()?;
            Ok(written)
        })?;
        let Some(Some(written)) = written else { return Ok(false) };
        if let (Some(exchange), Some(state)) = (exchange, written.exchange) {
            *exchange.lock() = state;
        }
        let mut log = job.log.lock();
        if log.id != Some(written.conversation) || log.live.is_none() {
            log.live = self.take_lock(written.conversation);
        }
        (log.id, log.tip) = (Some(written.conversation), written.tip);
        Ok(true)
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

    /// Notes that the live conversations ended in order.
    fn leave(&self, database: &mut Database, live: &[Weak<LogShared>]) -> Result<(), Trouble> {
        let ids: Vec<i64> = live.iter().filter_map(Weak::upgrade).filter_map(|log| log.lock().id).collect();
        let at = micros_since_1970(SystemTime::now());
        for id in ids {
            self.transact(database, |database| insert::close(&database.connection, id, at))?;
        }
        Ok(())
    }
}

fn exchange_of(entry: &NewEntry) -> Option<&Arc<ExchangeShared>> {
    match entry {
        NewEntry::Question { exchange, .. } | NewEntry::Message { exchange, .. } | NewEntry::End { exchange, .. } => {
            Some(exchange)
        }
        NewEntry::Compaction | NewEntry::Name | NewEntry::Rewind(_) | NewEntry::Closed => None,
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
        thread::sleep(with_jitter(self.delay));
        self.delay = (self.delay * 2).min(LONGEST_RETRY);
        true
    }
}
