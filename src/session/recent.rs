//! What happened lately, for the next query.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::agent::Happened;
use crate::capture::{Output, Size};
use crate::input;
use crate::store::Ticket;
use crate::track::Command;

/// Commands the first query is told of.
const COMMANDS: usize = 20;
/// Output held for all of them together; the newest is held whatever its size, which capture bounds.
const BYTES: usize = 256 * 1024;

/// Commands that can be referred to, and the letters shown of each.
const KNOWN: usize = 50;
const TEXT: usize = 200;

/// The newest commands that no query has carried yet.
#[derive(Default)]
pub(super) struct Recent {
    entries: VecDeque<Entry>,
    /// What a request carries that is not over yet, by its number.
    carried: Vec<(u64, Vec<Entry>)>,
    /// What can be referred to by its number, oldest first.
    known: VecDeque<(Ticket, String)>,
    last: Option<Entry>,
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
        let text: String = String::from_utf8_lossy(&command.text).chars().take(TEXT).collect();
        self.known.push_back((ticket.clone(), text));
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
        let entry = Entry { ticket, command, output, size };
        self.last = Some(entry.clone());
        self.keep(entry);
    }

    fn keep(&mut self, entry: Entry) {
        self.entries.push_back(entry);
        while self.entries.len() > COMMANDS || self.entries.len() > 1 && self.bytes() > BYTES {
            self.entries.pop_front();
        }
    }

    /// What can be referred to, newest first.
    pub(super) fn listed(&self) -> Vec<input::Recent> {
        let named = |(ticket, text): &(Ticket, String)| Some(input::Recent { id: ticket.id()?, text: text.clone() });
        self.known.iter().rev().filter_map(named).collect()
    }

    /// The last command, told or not.
    pub(super) fn last(&self) -> Option<Happened> {
        self.last.clone().map(told)
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
        self.entries.iter().cloned().map(told).collect()
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.output.head.len() + entry.output.tail.len()).sum()
    }
}

fn told(entry: Entry) -> Happened {
    let Entry { ticket, command, output, size } = entry;
    Happened { ticket, command, output, size }
}
