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
const BYTES: usize = 1024 * 1024;

/// Commands that can be referred to, and the letters shown of each.
const KNOWN: usize = 50;
const TEXT: usize = 200;

/// The newest commands that no query has carried yet.
#[derive(Default)]
pub(super) struct Recent {
    entries: VecDeque<Entry>,
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

    /// Takes what is new, oldest first.
    pub(super) fn take(&mut self) -> Vec<Happened> {
        self.entries.drain(..).map(told).collect()
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
    Happened { id: ticket.id(), command, output, size }
}
