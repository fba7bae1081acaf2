//! What is remembered: every command, in SQLite, for all terminals of a user.
//!
//! The only room that says SQL. Writing happens on a thread of its own behind a bounded queue, so a slow or broken disk never
//! reaches the session; trouble is one line of text, asked for when there is a good moment to show it. A batch is one
//! transaction and commits as soon as the queue is empty, so a killed process loses at most the command in flight. Reading
//! (`History`) is a connection of its own and never waits for a writer. Touches: track::Command, capture::Output.

mod backlog;
mod entry;
mod error;
mod file;
mod forget;
mod history;
mod insert;
mod prune;
mod queue;
mod schema;
mod search;
mod stats;
#[cfg(test)]
mod tests;
mod ticket;
mod whole;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{capture, track};

pub use backlog::{Backlog, UNWRITTEN, wait_until_written};
pub use entry::{Entry, Stored};
pub use error::StoreError;
pub use forget::{Forget, Forgotten};
pub use history::{Filter, History};
pub use stats::Stats;
pub use ticket::Ticket;

use queue::Queue;

/// A file of this name in a session's private directory means: record nothing.
pub const PAUSED: &str = "paused";

/// How much is kept before the oldest goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
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
pub struct Session {
    pub id: String,
    pub host: String,
    pub shell: String,
}

/// One finished command with what it printed.
#[derive(Debug, Clone)]
pub struct Record {
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

/// A handle to the thread that writes. Clones share the thread; it ends when the last one is gone or one is closed.
#[derive(Clone)]
pub struct Store {
    /// None records nothing.
    handle: Option<Arc<Handle>>,
}

struct Handle {
    queue: Arc<Queue>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.queue.shut();
    }
}

impl Store {
    /// Starts recording to the database at `path`. Returns at once; what goes wrong later is told by `trouble`.
    pub fn open(path: PathBuf, options: Options, session: Session) -> Store {
        Store::start(path, options, session, Queue::default())
    }

    /// The same, and lets others see whether commands wait to be written.
    pub fn open_with(backlog: Backlog, path: PathBuf, options: Options, session: Session) -> Store {
        Store::start(path, options, session, Queue::with(backlog))
    }

    fn start(path: PathBuf, options: Options, session: Session, queue: Queue) -> Store {
        let queue = Arc::new(queue);
        writer::start(path, options, session, Arc::clone(&queue));
        Store { handle: Some(Arc::new(Handle { queue })) }
    }

    /// Records nothing.
    pub fn off() -> Store {
        Store { handle: None }
    }

    /// Hands a command to the thread. Never waits: with the queue full the record is dropped and counted as trouble.
    pub fn record(&self, record: Record) -> Ticket {
        let (stub, ticket) = Ticket::new();
        if let Some(handle) = &self.handle {
            handle.queue.push(record, stub);
        }
        ticket
    }

    /// One line for the user, given once.
    pub fn trouble(&self) -> Option<String> {
        self.handle.as_ref()?.queue.trouble()
    }

    /// Takes no more, writes what is waiting, and returns: when it is written or when `patience` is over.
    pub fn close(&self, patience: Duration) {
        if let Some(handle) = &self.handle {
            handle.queue.shut();
            handle.queue.wait_until_ended(patience);
        }
    }
}
