//! What is remembered: every command, in SQLite, for all terminals of a user.
//!
//! The only room that says SQL. A record is first copied to memory that outlives the process (`journal::handover`), then goes
//! through a bounded queue to a thread that appends it to the session's journal (`journal`); a second thread copies it from there into the database, which all terminals share. So a slow disk or a locked
//! database never reaches the session, and a killed process loses nothing but the command that runs. Trouble is one line of text,
//! asked for when there is a good moment to show it. Reading (`History`) is a connection of its own and never waits for a writer.
//! Touches: track::Command, capture::Output.

mod appender;
mod backlog;
mod chore;
mod drain;
mod entry;
mod error;
mod file;
mod forget;
mod history;
mod insert;
mod journal;
mod prune;
mod queue;
mod schema;
mod search;
mod spills;
mod stats;
#[cfg(test)]
mod tests;
mod ticket;
mod trouble;
mod whole;
mod writer;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::{capture, track};

pub(crate) use backlog::{Backlog, UNWRITTEN, wait_until_written};
pub(crate) use drain::copy_leftovers;
pub(crate) use entry::{Entry, Stored};
pub(crate) use error::StoreError;
pub(crate) use forget::Forget;
pub(crate) use history::{Filter, History};
pub(crate) use spills::Spills;
pub(crate) use stats::Stats;
pub(crate) use ticket::Ticket;

use journal::HandOver;
use queue::Queue;

/// A file of this name in a session's private directory means: record nothing.
pub(crate) const PAUSED: &str = "paused";

/// How much is kept before the oldest goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    pub commands: u64,
    /// Of text and output as stored; the search index comes on top.
    pub bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { commands: 100_000, bytes: 1024 * 1024 * 1024 }
    }
}

/// Who writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    pub id: String,
    pub host: String,
    pub shell: String,
}

/// One finished command with what it printed.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub command: track::Command,
    pub output: capture::Output,
    /// Of the terminal it ran in: the output means something only at that width.
    pub size: capture::Size,
}

impl Record {
    /// What it costs in memory while it waits, and on disk afterwards.
    fn bytes(&self) -> usize {
        self.command.text.len() + self.command.cwd.as_os_str().len() + self.output.head.len() + self.output.tail.len()
    }
}

/// A record that is kept even if the process is killed, and that the journal's thread does not have yet.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub record: Record,
    sequence: u64,
}

/// A handle to the threads that write. Clones share them; they end when the last one is gone or one is closed.
#[derive(Clone)]
pub(crate) struct Store {
    /// None records nothing.
    handle: Option<Arc<Handle>>,
}

struct Handle {
    queue: Arc<Queue>,
    hand_over: Mutex<HandOver>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.queue.shut();
    }
}

impl Store {
    /// Starts recording to the database at `path`. Returns at once; what goes wrong later is told by `trouble`.
    pub(crate) fn open(path: PathBuf, options: Options, session: Session) -> Store {
        Store::start(path, options, session, Queue::default())
    }

    /// The same, and lets others see whether commands wait to be written.
    pub(crate) fn open_with(backlog: Backlog, path: PathBuf, options: Options, session: Session) -> Store {
        Store::start(path, options, session, Queue::with(backlog))
    }

    fn start(path: PathBuf, options: Options, session: Session, queue: Queue) -> Store {
        let queue = Arc::new(queue);
        let hand_over = HandOver::new(&path, &session);
        appender::start(path, options, session, hand_over.place(), Arc::clone(&queue));
        Store { handle: Some(Arc::new(Handle { queue, hand_over: Mutex::new(hand_over) })) }
    }

    /// Records nothing.
    pub(crate) fn off() -> Store {
        Store { handle: None }
    }

    /// Copies a command to memory that outlives the process. From here on it is kept even if the process is killed.
    pub(crate) fn hand_over(&self, record: Record) -> HandedOver {
        let sequence = self.handle.as_ref().map_or(0, |handle| {
            let mut hand_over = handle.hand_over.lock().unwrap_or_else(PoisonError::into_inner);
            hand_over.keep(&record, handle.queue.last_appended())
        });
        HandedOver { record, sequence }
    }

    /// Hands a command over and writes it.
    #[cfg(test)]
    pub(crate) fn record(&self, record: Record) -> Ticket {
        self.write(self.hand_over(record))
    }

    /// Gives a command to the journal's thread. Never waits: with the queue full, which takes a disk that hangs, the record is
    /// dropped and counted as trouble.
    pub(crate) fn write(&self, HandedOver { record, sequence }: HandedOver) -> Ticket {
        let (stub, ticket) = Ticket::new();
        if let Some(handle) = &self.handle {
            handle.queue.push(record, sequence, stub);
        }
        ticket
    }

    /// Waits until everything recorded so far is in the journal.
    #[cfg(test)]
    fn wait_until_appended(&self) {
        if let Some(handle) = &self.handle {
            handle.queue.wait_until_appended();
        }
    }

    /// One line for the user, given once.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.handle.as_ref()?.queue.trouble()
    }

    /// Takes no more and returns when what is waiting is in the database or, if that is locked, in the journal; at the latest when
    /// `patience` is over.
    pub(crate) fn close(&self, patience: Duration) {
        if let Some(handle) = &self.handle {
            handle.queue.shut();
            handle.queue.wait_until_ended(patience);
        }
    }
}
