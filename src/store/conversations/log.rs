//! The recorder of conversations, as the agent uses it.
//!
//! Nothing here waits: entries go into a bounded queue to a thread that owns a connection. With the queue full, or the thread gone,
//! they are dropped, and the person is told once.

use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::changes::ChangeJob;
use super::insert::Written;
use super::live::LiveLock;
use super::thread::{self, Recording};
use super::{ConversationLimits, EntryKind, KeptPicture, QueryFigures, QueryId, RecordedChange, Words};
use crate::text::MIB;

/// Entries that may wait to be written. They wait for long only if the database is locked or the disk hangs.
const WAITING_ENTRIES: usize = 1024;
/// Bytes of their text. A single larger entry is still taken when nothing else waits.
const WAITING_BYTES: usize = 32 * MIB;

/// Where conversations are recorded, by whom, and how much of them is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConversationSetup {
    pub database: PathBuf,
    pub session: String,
    pub host: String,
    /// Identifies the terminal: it is the same for the next shell in the same window or pane.
    pub terminal: String,
    /// Until `ConversationRecorder::adopt` changes them.
    pub limits: ConversationLimits,
}

/// A handle to the thread that records conversations. The first entry starts the thread. The default records nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConversationRecorder {
    /// `None` if there is no place for a record.
    shared: Option<Arc<RecorderShared>>,
}

#[derive(Debug)]
pub(super) struct RecorderShared {
    setup: ConversationSetup,
    jobs: Mutex<JobChannel>,
    status: Arc<RecorderStatus>,
}

/// What the thread and its handles tell each other.
#[derive(Debug, Default)]
pub(super) struct RecorderStatus {
    /// Bytes of the entries that wait.
    pub(super) bytes: AtomicUsize,
    pub(super) is_closing: AtomicBool,
    /// One line for the person that was not told yet.
    trouble: Mutex<Option<String>>,
    /// Whether the person knows that entries are missing.
    has_told: AtomicBool,
    /// How much is kept. `None` while the person has turned recording off.
    limits: Mutex<Option<ConversationLimits>>,
}

/// The way to the thread.
#[derive(Debug, Default)]
enum JobChannel {
    #[default]
    NotStarted,
    Open(SyncSender<RecorderJob>, Receiver<()>),
    Closed,
}

/// Something for the thread to do.
pub(super) enum RecorderJob {
    Entry(Box<EntryJob>),
    Changes(Arc<LogShared>, ChangeJob),
    /// Answer when everything before this is written.
    Settle(oneshot::Sender<()>),
    /// Note that the conversations of this process ended in order.
    Leave,
    /// Note that the person was told how to continue a conversation.
    Offered(i64),
}

/// An entry to write.
pub(super) struct EntryJob {
    pub(super) log: Arc<LogShared>,
    /// The exchange that a question, a message or an end belongs to.
    pub(super) exchange: Option<Arc<ExchangeShared>>,
    pub(super) at: SystemTime,
    pub(super) body: String,
    /// The pictures that the body refers to.
    pub(super) pictures: Vec<KeptPicture>,
    pub(super) entry: NewEntry,
}

impl EntryJob {
    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.body.len() + self.pictures.iter().map(KeptPicture::size).sum::<usize>()
    }

    /// Notes the rows of the entry, once they are written.
    pub(super) fn note(&self, written: Written) {
        if let (Some(exchange), Some(state)) = (&self.exchange, written.exchange) {
            *exchange.lock() = state;
        }
        let mut log = self.log.lock();
        (log.id, log.tip) = (Some(written.conversation), written.tip);
    }
}

/// The text of an entry, which is JSON, and the pictures that it refers to.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryText {
    pub body: String,
    pub pictures: Vec<KeptPicture>,
}

impl From<String> for EntryText {
    fn from(body: String) -> EntryText {
        EntryText { body, pictures: Vec::new() }
    }
}

/// What is particular to a kind of entry.
#[derive(Serialize, Deserialize)]
pub(super) enum NewEntry {
    Question {
        /// The bytes of a path.
        cwd: Vec<u8>,
        words: String,
    },
    Message {
        kind: EntryKind,
        words: Words,
    },
    /// An event of the exchange for the transcript.
    Event,
    /// The figures are missing if the process that asked was killed.
    End {
        figures: Option<QueryFigures>,
    },
    Compaction,
    Name,
    /// Go back by this many exchanges.
    Rewind(usize),
    /// The conversation is over.
    Closed,
    /// A request to a model that belongs to no exchange. Only its figures are kept.
    Request(QueryFigures),
}

/// One conversation. Clones record to the same one.
#[derive(Debug, Clone)]
pub(crate) struct ConversationLog {
    recorder: ConversationRecorder,
    shared: Arc<LogShared>,
}

/// The rows of a conversation so far. Only the recorder's thread changes them.
#[derive(Debug, Default)]
pub(super) struct LogShared {
    state: Mutex<LogState>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LogState {
    pub(super) id: Option<i64>,
    /// The newest entry on the branch.
    pub(super) tip: Option<i64>,
    /// The entry of another conversation that this one continues.
    pub(super) forked_from: Option<i64>,
    /// Tells other processes that the conversation is in use.
    #[serde(skip)]
    pub(super) live: Option<LiveLock>,
}

impl LogState {
    pub(super) fn without_lock(&self) -> LogState {
        LogState { id: self.id, tip: self.tip, forked_from: self.forked_from, live: None }
    }
}

/// The recording of one exchange.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeLog {
    log: ConversationLog,
    shared: Arc<ExchangeShared>,
}

/// The rows of an exchange so far, and its words for the search index.
#[derive(Debug, Default)]
pub(super) struct ExchangeShared {
    state: Mutex<ExchangeState>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct ExchangeState {
    /// The id of its question. `None` if that could not be written.
    pub(super) question: Option<i64>,
    pub(super) last: Option<i64>,
    pub(super) asked_at: i64,
    pub(super) asked: String,
    pub(super) words: Words,
}

impl ConversationRecorder {
    pub(crate) fn new(setup: ConversationSetup) -> ConversationRecorder {
        let status = RecorderStatus { limits: Mutex::new(Some(setup.limits)), ..RecorderStatus::default() };
        let shared = RecorderShared { setup, jobs: Mutex::default(), status: Arc::new(status) };
        ConversationRecorder { shared: Some(Arc::new(shared)) }
    }

    /// A recorder that records nothing.
    pub(crate) fn off() -> ConversationRecorder {
        ConversationRecorder::default()
    }

    /// Keeps to other limits from here on. Without limits no further conversation is recorded; an exchange that has begun is recorded
    /// to its end.
    pub(crate) fn adopt(&self, limits: Option<ConversationLimits>) {
        if let Some(shared) = &self.shared {
            *lock(&shared.status.limits) = limits;
        }
    }

    /// Whether conversations are recorded now.
    pub(crate) fn is_on(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.status.limits().is_some())
    }

    /// A new conversation. It has no row before its first question.
    pub(crate) fn begin(&self) -> ConversationLog {
        ConversationLog { recorder: self.clone(), shared: Arc::default() }
    }

    pub(super) fn log_of(&self, state: LogState) -> ConversationLog {
        ConversationLog { recorder: self.clone(), shared: Arc::new(LogShared::new(state)) }
    }

    pub(super) fn setup(&self) -> Option<&ConversationSetup> {
        self.shared.as_ref().filter(|_| self.is_on()).map(|shared| &shared.setup)
    }

    /// Notes that the person was told how to continue a conversation.
    pub(super) fn note_offered(&self, conversation: i64) {
        if let Some(shared) = &self.shared {
            shared.send(RecorderJob::Offered(conversation));
        }
    }

    /// Waits until everything so far is written, or can't be.
    pub(crate) async fn settled(&self, patience: Duration) {
        let (stub, settled) = oneshot::channel();
        let Some(shared) = self.shared.as_ref().filter(|shared| shared.is_open()) else { return };
        if shared.send(RecorderJob::Settle(stub)) {
            let _ = tokio::time::timeout(patience, settled).await;
        }
    }

    /// One line for the person, given once.
    pub(crate) fn trouble(&self) -> Option<String> {
        lock(&self.shared.as_ref()?.status.trouble).take()
    }

    /// Takes no more and returns when everything is written, at the latest when `patience` is over. `is_clean` notes that the
    /// conversations of this process ended in order.
    pub(crate) fn close(&self, is_clean: bool, patience: Duration) {
        let Some(shared) = &self.shared else { return };
        if is_clean && shared.is_open() {
            shared.send(RecorderJob::Leave);
        }
        shared.status.is_closing.store(true, Ordering::Release);
        if let JobChannel::Open(sender, ended) = std::mem::replace(&mut *lock(&shared.jobs), JobChannel::Closed) {
            drop(sender);
            let _ = ended.recv_timeout(patience);
        }
    }

    fn record(
        &self,
        log: &Arc<LogShared>,
        exchange: Option<Arc<ExchangeShared>>,
        text: impl Into<EntryText>,
        entry: NewEntry,
    ) {
        if let Some(shared) = &self.shared {
            let EntryText { body, pictures } = text.into();
            let job = EntryJob { log: Arc::clone(log), exchange, at: SystemTime::now(), body, pictures, entry };
            let bytes = job.bytes();
            shared.status.bytes.fetch_add(bytes, Ordering::AcqRel);
            if !shared.send(RecorderJob::Entry(Box::new(job))) {
                shared.status.bytes.fetch_sub(bytes, Ordering::AcqRel);
            }
        }
    }
}

impl RecorderShared {
    /// Whether the thread runs.
    fn is_open(&self) -> bool {
        matches!(*lock(&self.jobs), JobChannel::Open(..))
    }

    /// Gives a job to the thread, which is started if it does not run yet. Returns whether it was taken.
    fn send(&self, job: RecorderJob) -> bool {
        let mut jobs = lock(&self.jobs);
        if let JobChannel::NotStarted = *jobs {
            *jobs = self.start();
        }
        let JobChannel::Open(sender, _) = &*jobs else { return false };
        let waiting = self.status.bytes.load(Ordering::Acquire);
        let own = if let RecorderJob::Entry(entry) = &job { entry.bytes() } else { 0 };
        let is_full = waiting > WAITING_BYTES && waiting > own;
        let is_sent = !is_full && sender.try_send(job).is_ok();
        if !is_sent {
            self.status.tell("some of this conversation is not kept: the history database is locked or too slow");
        }
        is_sent
    }

    fn start(&self) -> JobChannel {
        let (sender, jobs) = sync_channel(WAITING_ENTRIES);
        let (ended, wait) = channel();
        let recording = Recording { setup: self.setup.clone(), jobs, status: Arc::clone(&self.status) };
        match thread::start(recording, ended) {
            Ok(()) => JobChannel::Open(sender, wait),
            Err(error) => {
                self.status.tell(&format!("conversations are not kept: cannot start a thread: {error}"));
                JobChannel::Closed
            }
        }
    }
}

impl RecorderStatus {
    pub(super) fn limits(&self) -> Option<ConversationLimits> {
        *lock(&self.limits)
    }

    /// Keeps words for the person, unless they know that something is wrong already.
    pub(super) fn tell(&self, words: &str) {
        tracing::warn!("{words}");
        if !self.has_told.swap(true, Ordering::AcqRel) {
            *lock(&self.trouble) = Some(words.to_owned());
        }
    }
}

impl ConversationLog {
    /// Whether anything is recorded.
    pub(crate) fn is_on(&self) -> bool {
        self.recorder.is_on()
    }

    /// Begins an exchange with the first message and the person's own words. The text is JSON with the words as `question`.
    pub(crate) fn ask(&self, cwd: PathBuf, words: String, text: impl Into<EntryText>) -> ExchangeLog {
        let shared = Arc::<ExchangeShared>::default();
        let question = NewEntry::Question { cwd: cwd.into_os_string().into_vec(), words };
        self.recorder.record(&self.shared, Some(Arc::clone(&shared)), text, question);
        ExchangeLog { log: self.clone(), shared }
    }

    /// Ends an exchange that a killed process has left, with the words by which it is found. `body` is JSON as for other ends.
    pub(crate) fn end_unfinished(&self, question: i64, asked: String, words: Words, body: String) {
        let state = ExchangeState { question: Some(question), asked, words, ..ExchangeState::default() };
        let exchange = Arc::new(ExchangeShared::new(state));
        self.recorder.record(&self.shared, Some(exchange), body, NewEntry::End { figures: None });
    }

    /// Records a shorter form of everything said so far.
    pub(crate) fn compact(&self, text: impl Into<EntryText>) {
        self.recorder.record(&self.shared, None, text, NewEntry::Compaction);
    }

    /// Records the figures of a request that belongs to no exchange.
    pub(crate) fn count(&self, figures: QueryFigures) {
        self.recorder.record(&self.shared, None, String::new(), NewEntry::Request(figures));
    }

    /// Records a title. `body` is JSON with the title as `name`.
    pub(crate) fn name(&self, body: String) {
        self.recorder.record(&self.shared, None, body, NewEntry::Name);
    }

    /// Records that the last exchanges were taken back. They stay in the tree.
    pub(crate) fn rewind(&self, exchanges: usize) {
        self.recorder.record(&self.shared, None, "{}".to_owned(), NewEntry::Rewind(exchanges));
    }

    /// Records that the conversation has ended in order.
    pub(crate) fn leave(&self) {
        self.recorder.record(&self.shared, None, "{}".to_owned(), NewEntry::Closed);
    }

    /// Records changes that the agent, or an undo, made to files.
    pub(crate) fn change(&self, changes: Vec<RecordedChange>) {
        self.change_with(ChangeJob::Add(changes));
    }

    /// Records that changes were taken back by an undo, or that they count again.
    pub(crate) fn undo(&self, changes: Vec<i64>, by: Option<QueryId>) {
        self.change_with(ChangeJob::Undone(changes, by));
    }

    fn change_with(&self, job: ChangeJob) {
        if let Some(shared) = &self.recorder.shared {
            shared.send(RecorderJob::Changes(Arc::clone(&self.shared), job));
        }
    }

    /// The newest entry on the branch that is written.
    pub(super) fn tip(&self) -> Option<i64> {
        let state = self.shared.lock();
        state.tip.or(state.forked_from)
    }

    /// The id of the conversation, once it has a row.
    pub(crate) fn id(&self) -> Option<i64> {
        self.shared.lock().id
    }
}

impl ExchangeLog {
    /// Records a message.
    pub(crate) fn say(&self, kind: EntryKind, words: Words, text: impl Into<EntryText>) {
        let message = NewEntry::Message { kind, words };
        self.log.recorder.record(&self.log.shared, Some(Arc::clone(&self.shared)), text, message);
    }

    /// Records an event of the exchange in the transcript of the session. `body` is JSON with a `type`.
    pub(crate) fn note(&self, body: String) {
        self.log.recorder.record(&self.log.shared, Some(Arc::clone(&self.shared)), body, NewEntry::Event);
    }

    /// Records the end. `body` is JSON with the name of the model as `model`.
    pub(crate) fn end(self, figures: QueryFigures, body: String) {
        let end = NewEntry::End { figures: Some(figures) };
        self.log.recorder.record(&self.log.shared, Some(self.shared), body, end);
    }

    /// The conversation that it belongs to.
    pub(crate) fn conversation(&self) -> &ConversationLog {
        &self.log
    }
}

impl LogShared {
    pub(super) fn new(state: LogState) -> LogShared {
        LogShared { state: Mutex::new(state) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LogState> {
        lock(&self.state)
    }
}

impl ExchangeShared {
    pub(super) fn new(state: ExchangeState) -> ExchangeShared {
        ExchangeShared { state: Mutex::new(state) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ExchangeState> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
