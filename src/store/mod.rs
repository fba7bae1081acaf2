//! The history: every command with its output, in one SQLite database for all terminals of a user.
//!
//! Only this room uses SQL. A finished command passes through three places:
//!
//! 1. The session copies it to shared memory, which survives the process (`journal::handover`).
//! 2. A thread takes it from a bounded queue and appends it to the session's journal, a file (`journal`).
//! 3. A second thread copies it from the journal into the database.
//!
//! The session never waits for a disk or a lock, and a killed process loses only the command that was still running. If recording
//! fails, [`Store::trouble`] returns one line for the user. Readers ([`History`]) have their own connection and never wait for a writer.
//! Touches: track::Command, capture::Output.

mod appender;
mod backlog;
mod chore;
mod conversations;
mod database;
mod drain;
mod entry;
mod error;
mod file;
mod forget;
mod history;
mod import;
mod inbox;
mod insert;
mod journal;
mod lines;
mod newest;
mod order;
mod phrase;
mod prune;
mod queue;
mod schema;
mod search;
mod spills;
mod stats;
#[cfg(test)]
mod tests;
mod ticket;
mod transcripts;
mod trouble;
mod unfinished;
mod writer;

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{capture, track};

pub(crate) use backlog::{UNWRITTEN, wait_until_written};
pub(crate) use conversations::{
    ConversationLimits, ConversationLog, ConversationRecorder, ConversationSetup, Conversations, EntryKind, EntryText,
    ExchangeLog, ForgetConversations, FoundExchange, KeptPicture, ListScope, ListedConversation, PictureFiles,
    QueryFigures, QueryId, RecordedChange, StoredEntry, StoredExchange, Words,
};
pub(crate) use drain::copy_leftovers;
pub(crate) use entry::{HistoryEntry, StoredCommand};
pub(crate) use error::StoreError;
pub(crate) use forget::Forget;
pub(crate) use history::{Filter, History, Soundness};
pub(crate) use import::{ImportCounts, ImportError, ImportFile, ImportMode, ImportRules, ImportSource, import};
pub(crate) use lines::RecordedLine;
pub(crate) use newest::NewestCommands;
pub(crate) use order::HistoryPosition;
pub(crate) use phrase::{Phrases, words};
pub(crate) use spills::Spills;
pub(crate) use stats::{BusyTimes, ProgramRuns, Stats};
pub(crate) use ticket::Ticket;
pub(crate) use transcripts::{ListedTranscript, TranscriptEvent, Transcripts};

use appender::ThreadStart;
use inbox::{Inbox, inbox};
use journal::HandOver;
use queue::WriteQueue;

/// The version of the SQLite library in the binary.
pub(crate) fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// A file of this name in a session's private directory means: record nothing.
pub(crate) const PAUSED: &str = "paused";

/// Limits of the history. The oldest commands are removed beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HistoryLimits {
    pub commands: u64,
    /// Bytes of command texts and outputs, without the search index.
    pub bytes: u64,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { commands: 100_000, bytes: 1024 * 1024 * 1024 }
    }
}

/// The session that records commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordingSession {
    pub id: String,
    pub host: String,
    pub shell: String,
}

/// One finished command with what it printed.
#[derive(Debug, Clone)]
pub(crate) struct CommandRecord {
    pub command: track::Command,
    pub output: capture::Output,
    /// Size of the terminal it ran in, which the output was written for.
    pub size: capture::Size,
}

impl CommandRecord {
    /// Bytes of the record, in memory and on disk.
    fn bytes(&self) -> usize {
        self.command.text.len() + self.command.cwd.as_os_str().len() + self.output.head.len() + self.output.tail.len()
    }
}

/// A record in shared memory, which survives the process, and not yet in the queue of the journal's thread.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub record: CommandRecord,
    /// `None` if it is not recorded.
    sequence: Option<u64>,
}

/// A handle to the threads that write. They end when it is dropped or closed. Only `close` waits.
pub(crate) struct Store {
    /// `None` if nothing was ever recorded.
    handle: Option<Handle>,
    /// Whether the person has turned recording off meanwhile.
    is_paused: Cell<bool>,
}

struct Handle {
    queue: Arc<WriteQueue>,
    inbox: Inbox,
    hand_over: RefCell<HandOver>,
    /// The arguments of the threads, until they are started.
    start: Cell<Option<ThreadStart>>,
}

impl Handle {
    fn start(&self) {
        if let Some(start) = self.start.take() {
            appender::start(start, Arc::clone(&self.queue));
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        match self.start.take() {
            Some(start) => start.handed.iter().for_each(journal::HandOverPlace::remove),
            None => self.queue.shut(),
        }
    }
}

impl Store {
    /// Starts recording to the database at `path`. Returns at once; `trouble` reports what fails later.
    #[cfg(test)]
    pub(crate) fn open(path: PathBuf, limits: HistoryLimits, session: RecordingSession) -> Store {
        let store = Store::new(path, limits, session);
        store.start();
        store
    }

    /// Prepares recording to the database at `path`. A link in the session's directory lets other programs see whether commands wait
    /// to be written. Nothing is written before `start`, but commands can be handed over.
    pub(crate) fn prepare(directory: &Path, path: PathBuf, limits: HistoryLimits, session: RecordingSession) -> Store {
        let store = Store::new(path, limits, session);
        if let Some(handle) = &store.handle {
            handle.hand_over.borrow().link(&directory.join(UNWRITTEN));
        }
        store
    }

    fn new(path: PathBuf, limits: HistoryLimits, session: RecordingSession) -> Store {
        let hand_over = HandOver::new(&path, &session);
        let queue = Arc::new(WriteQueue::with(hand_over.counters(), limits));
        let (inbox, jobs) = inbox(Arc::clone(&queue));
        let start = ThreadStart { path, session, handed: hand_over.place(), jobs };
        let (hand_over, start) = (RefCell::new(hand_over), Cell::new(Some(start)));
        Store { handle: Some(Handle { queue, inbox, hand_over, start }), is_paused: Cell::new(false) }
    }

    /// Starts the threads.
    pub(crate) fn start(&self) {
        self.handle.iter().for_each(Handle::start);
    }

    /// A store that records nothing.
    pub(crate) fn off() -> Store {
        Store { handle: None, is_paused: Cell::new(false) }
    }

    /// Whether this store can never record.
    pub(crate) fn is_off(&self) -> bool {
        self.handle.is_none()
    }

    /// Commands that are handed over from here on are recorded within these limits, or not at all.
    pub(crate) fn adopt(&self, limits: Option<HistoryLimits>) {
        self.is_paused.set(limits.is_none());
        if let Some((handle, limits)) = self.handle.as_ref().zip(limits) {
            handle.queue.set_limits(limits);
        }
    }

    /// Copies a command to memory that outlives the process. From here on it is kept even if the process is killed.
    pub(crate) fn hand_over(&self, record: CommandRecord) -> HandedOver {
        let handle = self.handle.as_ref().filter(|_| !self.is_paused.get());
        let sequence = handle.map(|handle| handle.hand_over.borrow_mut().keep(&record, handle.queue.last_appended()));
        HandedOver { record, sequence }
    }

    /// Hands a command over and writes it.
    #[cfg(test)]
    pub(crate) fn record(&self, record: CommandRecord) -> Ticket {
        self.write(self.hand_over(record))
    }

    /// Gives a command to the journal's thread. Never waits: if the queue is full, because the disk hangs, the record
    /// is dropped and reported as trouble.
    pub(crate) fn write(&self, HandedOver { record, sequence }: HandedOver) -> Ticket {
        let (stub, ticket) = Ticket::new();
        if let (Some(handle), Some(sequence)) = (&self.handle, sequence) {
            handle.inbox.push(record, sequence, stub);
        }
        ticket
    }

    /// Waits until everything recorded so far is in the journal.
    #[cfg(test)]
    fn wait_until_appended(&self) {
        if let Some(handle) = &self.handle {
            handle.queue.wait_until_appended(handle.hand_over.borrow().last());
        }
    }

    /// One line for the user about a failure. Each is returned once.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.handle.as_ref()?.inbox.trouble()
    }

    /// Accepts no more records. Returns when all records are in the database, or in the journal if the database is locked, and after
    /// `patience` at the latest.
    pub(crate) fn close(&self, patience: Duration) {
        if let Some(handle) = &self.handle {
            handle.start();
            handle.queue.shut();
            handle.queue.wait_until_ended(patience);
        }
    }
}
