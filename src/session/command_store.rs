//! Commands that have ended, on their way to the history.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::capture::Size;
use crate::store::{CommandRecord, HandedOver, Store};

use super::books::{Books, Finished};
use super::memory;

/// Output of this size leaves holes in the heap.
const MUCH: usize = 64 * 1024;

/// Opens the history and tidies up. The receiver is closed when tidying up is done.
pub(super) type Chores = Box<dyn FnOnce() -> (Store, Receiver<()>)>;

/// The history of commands, as the session writes it.
pub(super) struct CommandStore {
    store: Store,
    /// What can wait until a command has ended or all is calm at the first prompt, so that it does not compete with the shell's start.
    chores: Option<Chores>,
    /// Closed when tidying up is done.
    tidied: Option<Receiver<()>>,
    /// Commands that are safe even if we are killed, and not in the history yet.
    handed_over: Vec<HandedOver>,
    /// Whether a large output has ended and its memory was not given back yet.
    had_much: bool,
}

impl CommandStore {
    pub(super) fn new(chores: Chores) -> CommandStore {
        CommandStore {
            store: Store::off(),
            chores: Some(chores),
            tidied: None,
            handed_over: Vec::new(),
            had_much: false,
        }
    }

    /// Whether there is something to do once all is calm.
    pub(super) fn has_chores(&self, has_prompted: bool) -> bool {
        self.chores.is_some() && has_prompted || self.had_much
    }

    /// Does what could wait.
    pub(super) fn do_chores(&mut self) {
        self.open();
        if std::mem::take(&mut self.had_much) {
            memory::give_back();
        }
    }

    fn open(&mut self) {
        if let Some(chores) = self.chores.take() {
            let (store, tidied) = chores();
            self.store = store;
            self.tidied = Some(tidied);
        }
    }

    /// Puts the commands that have ended where they are safe even if we are killed, before the screen shows that they have ended.
    /// That is a copy to memory: no disk is involved.
    pub(super) fn hand_over(&mut self, finished: &mut Vec<Finished>, size: Size) {
        if finished.is_empty() {
            return;
        }
        self.open();
        for Finished { command, output } in finished.drain(..) {
            self.handed_over.push(self.store.hand_over(CommandRecord { command, output, size }));
        }
    }

    /// Remembers the commands that were handed over, in the history and for the next query.
    pub(super) fn remember(&mut self, books: &mut Books) {
        if self.handed_over.is_empty() {
            return;
        }
        for handed_over in std::mem::take(&mut self.handed_over) {
            let CommandRecord { command, output, size } = handed_over.record.clone();
            self.had_much |= output.head.len() + output.tail.len() >= MUCH;
            let ticket = self.store.write(handed_over);
            books.recent.push(ticket, command, Arc::new(output), size);
        }
        if let Some(trouble) = self.store.trouble() {
            books.notice(trouble);
        }
    }

    /// Waits until everything is kept, or too long.
    pub(super) fn close(self, patience: Duration) {
        self.store.close(patience);
        if let Some(tidied) = self.tidied {
            let _ = tidied.recv_timeout(patience);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::mpsc::channel;
    use std::time::SystemTime;

    use super::*;
    use crate::capture::{Capture, Limits, Spiller};
    use crate::session::scripted_tests::books;
    use crate::track::Command;

    fn finished(text: &str, bytes: usize) -> Finished {
        let mut capture = Capture::new(Limits::default(), Spiller::none());
        capture.push(&vec![b'x'; bytes]);
        let (started_at, duration) = (SystemTime::UNIX_EPOCH, Duration::ZERO);
        let command = Command { text: text.into(), cwd: "/".into(), status: 0, started_at, duration };
        Finished { command, output: capture.finish() }
    }

    fn store() -> (CommandStore, Rc<Cell<u32>>) {
        let opened = Rc::new(Cell::new(0));
        let count = Rc::clone(&opened);
        let chores = move || {
            count.set(count.get() + 1);
            (Store::off(), channel().1)
        };
        (CommandStore::new(Box::new(chores)), opened)
    }

    #[test]
    fn the_history_is_opened_once_when_it_is_first_needed() {
        let (mut store, opened) = store();
        assert!(!store.has_chores(false), "the shell is still starting");
        assert!(store.has_chores(true));
        store.do_chores();
        store.do_chores();
        assert_eq!(opened.get(), 1);
        assert!(!store.has_chores(true));
    }

    #[test]
    fn a_command_that_has_ended_opens_the_history_at_once() {
        let (mut store, opened) = store();
        let (mut ended, mut books) = (vec![finished("ls", 3)], books("nonce"));
        store.hand_over(&mut ended, Size::new(24, 80));
        assert!(ended.is_empty());
        assert_eq!(opened.get(), 1);
        assert!(books.recent.peek().is_empty(), "it is remembered after the screen has shown its end");
        store.remember(&mut books);
        assert_eq!(books.recent.peek().len(), 1);
        store.remember(&mut books);
        assert_eq!(books.recent.peek().len(), 1);
    }

    #[test]
    fn memory_is_given_back_after_a_large_output() {
        let (mut store, _) = store();
        store.do_chores();
        let mut books = books("nonce");
        store.hand_over(&mut vec![finished("ls", 10)], Size::new(24, 80));
        store.remember(&mut books);
        assert!(!store.has_chores(true));
        store.hand_over(&mut vec![finished("cat", MUCH)], Size::new(24, 80));
        store.remember(&mut books);
        assert!(store.has_chores(true));
        store.do_chores();
        assert!(!store.has_chores(true));
    }
}
