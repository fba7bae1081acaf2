//! Finished commands, for the next query.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::agent::Happened;
use crate::capture::{Output, Size};
use crate::input;
use crate::store::Ticket;
use crate::track::Command;

/// How many commands the first query is told about.
const COMMANDS: usize = 20;
/// The most bytes of output of all of them together. The newest is kept whatever its size, which the capture limits.
const BYTES: usize = 256 * 1024;

/// How many commands can be referred to, and how many characters of each are shown.
const KNOWN: usize = 50;
const TEXT: usize = 200;

/// The newest commands that no query has been told about.
#[derive(Default)]
pub(in crate::session) struct Recent {
    entries: VecDeque<KeptCommand>,
    /// The commands that a running request was told about, by its number.
    carried: Vec<(u64, Vec<KeptCommand>)>,
    /// Commands that can be referred to by their number, oldest first.
    known: VecDeque<(Ticket, String)>,
    last: Option<KeptCommand>,
}

#[derive(Clone)]
struct KeptCommand {
    ticket: Ticket,
    command: Command,
    output: Arc<Output>,
    size: Size,
}

impl Recent {
    pub(in crate::session) fn push(&mut self, ticket: Ticket, command: Command, output: Arc<Output>, size: Size) {
        let text: String = String::from_utf8_lossy(&command.text).chars().take(TEXT).collect();
        self.known.push_back((ticket.clone(), text));
        if self.known.len() > KNOWN {
            self.known.pop_front();
        }
        let entry = KeptCommand { ticket, command, output, size };
        self.last = Some(entry.clone());
        self.keep(entry);
    }

    fn keep(&mut self, entry: KeptCommand) {
        self.entries.push_back(entry);
        while self.entries.len() > COMMANDS || self.entries.len() > 1 && self.bytes() > BYTES {
            self.entries.pop_front();
        }
    }

    /// Whether no command has ended yet.
    pub(in crate::session) fn is_unused(&self) -> bool {
        self.last.is_none()
    }

    /// The commands that can be referred to, newest first.
    pub(in crate::session) fn listed(&self) -> Vec<input::RecentCommand> {
        let named =
            |(ticket, text): &(Ticket, String)| Some(input::RecentCommand { id: ticket.id()?, text: text.clone() });
        self.known.iter().rev().filter_map(named).collect()
    }

    /// The last command, whether or not a query was told about it.
    pub(in crate::session) fn last(&self) -> Option<Happened> {
        self.last.clone().map(told)
    }

    /// Takes the new commands for a request, oldest first.
    pub(in crate::session) fn take(&mut self, request: u64) -> Vec<Happened> {
        let told = self.peek();
        self.carried.push((request, self.entries.drain(..).collect()));
        told
    }

    /// The request is over. If no model has seen its commands, the next request gets them.
    pub(in crate::session) fn settle(&mut self, request: u64, was_told: bool) {
        let Some(at) = self.carried.iter().position(|(number, _)| *number == request) else { return };
        let (_, carried) = self.carried.remove(at);
        if !was_told {
            let newer = std::mem::take(&mut self.entries);
            carried.into_iter().chain(newer).for_each(|entry| self.keep(entry));
        }
    }

    /// The new commands, without taking them.
    pub(in crate::session) fn peek(&self) -> Vec<Happened> {
        self.entries.iter().cloned().map(told).collect()
    }

    fn bytes(&self) -> usize {
        self.entries.iter().map(|entry| entry.output.head.len() + entry.output.tail.len()).sum()
    }
}

fn told(entry: KeptCommand) -> Happened {
    let KeptCommand { ticket, command, output, size } = entry;
    Happened { ticket, command, output, size }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::capture::{Capture, Limits, Spiller};
    use crate::store::Store;

    fn push(recent: &mut Recent, text: &str, bytes: usize) {
        let mut capture = Capture::new(Limits::default(), Spiller::none());
        capture.push(&vec![b'x'; bytes]);
        let (started_at, duration) = (SystemTime::UNIX_EPOCH, Duration::ZERO);
        let command = Command { text: text.into(), cwd: "/".into(), status: 0, started_at, duration };
        let (output, size) = (capture.finish(), Size::new(24, 80));
        let record = crate::store::CommandRecord { command: command.clone(), output: output.clone(), size };
        let store = Store::off();
        let ticket = store.write(store.hand_over(record));
        recent.push(ticket, command, Arc::new(output), size);
    }

    fn texts(happened: &[Happened]) -> Vec<String> {
        happened.iter().map(|happened| String::from_utf8_lossy(&happened.command.text).into_owned()).collect()
    }

    #[test]
    fn a_query_is_told_about_each_command_once() {
        let mut recent = Recent::default();
        push(&mut recent, "one", 1);
        assert_eq!(texts(&recent.peek()), ["one"]);
        assert_eq!(texts(&recent.take(1)), ["one"]);
        assert_eq!(texts(&recent.take(2)), Vec::<String>::new());
        assert_eq!(recent.last().map(|last| last.command.text), Some(b"one".to_vec()), "it can still be referred to");
    }

    #[test]
    fn commands_that_no_model_has_seen_are_for_the_next_query() {
        let mut recent = Recent::default();
        push(&mut recent, "one", 1);
        recent.take(1);
        push(&mut recent, "two", 1);
        recent.settle(1, false);
        assert_eq!(texts(&recent.peek()), ["one", "two"], "oldest first");
        recent.take(2);
        recent.settle(2, true);
        assert_eq!(texts(&recent.peek()), Vec::<String>::new());
        recent.settle(7, false);
    }

    #[test]
    fn memory_for_recent_commands_is_bounded() {
        let mut recent = Recent::default();
        for number in 0..COMMANDS + 5 {
            push(&mut recent, &number.to_string(), 1);
        }
        assert_eq!(recent.peek().len(), COMMANDS);
        for number in 0..KNOWN {
            push(&mut recent, &number.to_string(), 30_000);
        }
        assert!(recent.bytes() <= BYTES);
        assert_eq!(recent.known.len(), KNOWN);
        push(&mut recent, "large", BYTES);
        assert_eq!(texts(&recent.peek()).last().map(String::as_str), Some("large"));
    }
}
