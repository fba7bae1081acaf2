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
    /// What a request carries that is not over yet, by its number.
    carried: Vec<(u64, Vec<Entry>)>,
}

struct Entry {
    ticket: Ticket,
    command: Command,
    output: Arc<Output>,
    size: Size,
}

impl Recent {
    pub(super) fn push(&mut self, ticket: Ticket, command: Command, output: Arc<Output>, size: Size) {
        self.keep(Entry { ticket, command, output, size });
    }

    fn keep(&mut self, entry: Entry) {
        self.entries.push_back(entry);
        while self.entries.len() > COMMANDS || self.entries.len() > 1 && self.bytes() > BYTES {
            self.entries.pop_front();
        }
    }

    /// Takes what is new for a request to carry, oldest first.
    pub(super) fn take(&mut self, request: u64) -> Vec<Happened> {
        let told = self.peek();
        self.carried.push((request, self.entries.drain(..).collect()));
        told
    }

    /// The request is over. What it carried to nobody is for the next.
    pub(super) fn settle(&mut self, request: u64, was_told: bool) {
        let Some(at) = self.carried.iter().position(|(number, _)| *number == request) else { return };
        let (_, carried) = self.carried.remove(at);
        if !was_told {
            let newer = std::mem::take(&mut self.entries);
            carried.into_iter().chain(newer).for_each(|entry| self.keep(entry));
        }
    }

    /// What is new, without taking it.
    pub(super) fn peek(&self) -> Vec<Happened> {
        let told = |entry: &Entry| Happened {
            id: entry.ticket.id(),
            command: entry.command.clone(),
            output: entry.output.clone(),
            size: entry.size,
        };
        self.entries.iter().map(told).collect()
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.output.head.len() + entry.output.tail.len()).sum()
    }
}
