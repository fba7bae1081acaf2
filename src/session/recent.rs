//! What happened lately, for the next query.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::agent::Happened;
use crate::capture::{Output, Size};
use crate::store::Ticket;
use crate::track::Command;

/// Commands the first query is told of.
const COMMANDS: usize = 20;
/// Output held for all of them together; the newest is held whatever its size, which capture bounds.
const BYTES: usize = 1024 * 1024;

/// The newest commands that no query has carried yet.
#[derive(Default)]
pub(super) struct Recent {
    entries: VecDeque<Entry>,
    /// The last command, carried or not.
    latest: Option<Entry>,
}

#[derive(Clone)]
struct Entry {
    ticket: Ticket,
    command: Command,
    output: Arc<Output>,
    size: Size,
}

impl Recent {
    pub(super) fn push(&mut self, ticket: Ticket, command: Command, output: Arc<Output>, size: Size) {
        let entry = Entry { ticket, command, output, size };
        self.latest = Some(entry.clone());
        self.entries.push_back(entry);
        while self.entries.len() > COMMANDS || self.entries.len() > 1 && self.bytes() > BYTES {
            self.entries.pop_front();
        }
    }

    /// Takes what is new, oldest first.
    pub(super) fn take(&mut self) -> Vec<Happened> {
        self.entries.drain(..).map(Entry::told).collect()
    }

    /// What is new, without taking it.
    pub(super) fn peek(&self) -> Vec<Happened> {
        self.entries.iter().cloned().map(Entry::told).collect()
    }

    /// The last command.
    pub(super) fn latest(&self) -> Option<Happened> {
        self.latest.clone().map(Entry::told)
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.output.head.len() + entry.output.tail.len()).sum()
    }
}

impl Entry {
    fn told(self) -> Happened {
        let Entry { ticket, command, output, size } = self;
        Happened { id: ticket.id(), command, output, size }
    }
}
