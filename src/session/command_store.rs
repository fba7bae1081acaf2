//! Writes finished commands to the history.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::capture::Size;
use crate::store::{CommandRecord, HandedOver, HistoryLimits, RecordingSession, Store};

use super::books::{Books, Finished};
use super::memory;

/// Outputs of this size leave holes in the heap.
const MUCH: usize = 64 * 1024;

/// Deletes old files and watches the configuration. The receiver is closed when the files are deleted.
pub(super) type Chores = Box<dyn FnOnce() -> Receiver<()>>;

/// Where and by whom commands are recorded.
pub(super) struct HistoryPlace {
    /// The private directory of the session.
    pub(super) directory: PathBuf,
    /// `None` if there is no place for it.
    pub(super) database: Option<PathBuf>,
    pub(super) session: RecordingSession,
}

impl HistoryPlace {
    /// No place for a history.
    #[cfg(test)]
    pub(super) fn none() -> HistoryPlace {
        let session = RecordingSession { id: "0".repeat(16), host: "here".into(), shell: "bash".into() };
        HistoryPlace { directory: PathBuf::from("/no/such/directory"), database: None, session }
    }

    fn store(&self, limits: HistoryLimits) -> Store {
        let prepare = |path: PathBuf| Store::prepare(&self.directory, path, limits, self.session.clone());
        self.database.clone().map_or_else(Store::off, prepare)
    }
}

/// The history of commands, for the session.
pub(super) struct CommandStore {
    /// Off until the history is turned on.
    store: Store,
    place: HistoryPlace,
    /// Work that waits for the end of the first command or for a quiet moment at the first prompt, so that it does not slow down
    /// the shell's start.
    chores: Option<Chores>,
    /// Closed when old files are deleted.
    tidied: Option<Receiver<()>>,
    /// Commands that would survive the end of the process and are not in the history yet.
    handed_over: Vec<HandedOver>,
    /// Whether there is memory to return in a quiet moment.
    has_unused_memory: bool,
}

impl CommandStore {
    /// Records within these limits. Nothing is recorded without limits.
    pub(super) fn new(place: HistoryPlace, limits: Option<HistoryLimits>, chores: Chores) -> CommandStore {
        CommandStore {
            store: limits.map_or_else(Store::off, |limits| place.store(limits)),
            place,
            chores: Some(chores),
            tidied: None,
            handed_over: Vec::new(),
            has_unused_memory: false,
        }
    }

    /// Whether there is work for a quiet moment.
    pub(super) fn has_chores(&self, has_prompted: bool) -> bool {
        self.chores.is_some() && has_prompted || self.has_unused_memory
    }

    /// Does one piece of the work that could wait.
    pub(super) fn do_chores(&mut self) {
        if self.chores.is_some() {
            self.open();
        } else if std::mem::take(&mut self.has_unused_memory) {
            memory::give_back();
        }
    }

    fn open(&mut self) {
        if let Some(chores) = self.chores.take() {
            self.tidied = Some(chores());
            self.store.start();
            // The code of the start is no longer needed when the threads that open the history are done.
            self.has_unused_memory = true;
        }
    }

    /// Records within other limits from the next command on. Nothing is recorded without limits.
    pub(super) fn adopt(&mut self, limits: Option<HistoryLimits>) {
        if let Some(limits) = limits.filter(|_| self.store.is_off()) {
            self.store = self.place.store(limits);
            if self.chores.is_none() {
                self.store.start();
            }
        }
        self.store.adopt(limits);
    }

    /// Copies finished commands to memory that survives the end of the process, before the screen shows that they have ended. No
    /// disk is involved.
    pub(super) fn hand_over(&mut self, finished: &mut Vec<Finished>, size: Size) {
        if finished.is_empty() {
            return;
        }
        self.open();
        for Finished { command, output } in finished.drain(..) {
            self.handed_over.push(self.store.hand_over(CommandRecord { command, output, size }));
        }
    }

    /// Adds the commands that were handed over to the history and to the next query.
    pub(super) fn remember(&mut self, books: &mut Books) {
        if self.handed_over.is_empty() {
            return;
        }
        for handed_over in std::mem::take(&mut self.handed_over) {
            let CommandRecord { command, output, size } = handed_over.record.clone();
            // The first command uses code that later ones do not.
            let is_first = books.recent.is_unused();
            self.has_unused_memory |= is_first || output.head.len() + output.tail.len() >= MUCH;
            let ticket = self.store.write(handed_over);
            books.recent.push(ticket, command, Arc::new(output), size);
        }
        if let Some(trouble) = self.store.trouble() {
            books.notice(trouble);
        }
    }

    /// Waits until everything is written, for at most `patience`.
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
    use std::time::{Instant, SystemTime};

    use super::*;
    use crate::capture::{Capture, Limits, Spiller};
    use crate::session::scripted_tests::books;
    use crate::store::{Filter, History};
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
            channel().1
        };
        (CommandStore::new(HistoryPlace::none(), None, Box::new(chores)), opened)
    }

    #[test]
    fn saved_limits_count_from_the_next_command_on() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("history.db");
        let (directory, session) = (home.path().to_owned(), HistoryPlace::none().session);
        let place = HistoryPlace { directory, database: Some(database.clone()), session };
        let mut store = CommandStore::new(place, None, Box::new(|| channel().1));
        let mut books = books("nonce");
        let limits = Some(HistoryLimits::default());
        let few = Some(HistoryLimits { commands: 2, ..HistoryLimits::default() });
        let steps = [(None, "a"), (limits, "b"), (limits, "c"), (None, "d"), (limits, "e"), (few, "f")];
        for (limits, text) in steps {
            store.adopt(limits);
            store.hand_over(&mut vec![finished(text, 3)], Size::new(24, 80));
            store.remember(&mut books);
        }
        assert_eq!(books.recent.peek().len(), steps.len(), "a question gets them all");
        let kept = || -> Option<Vec<Vec<u8>>> {
            let history = History::open(&database).ok()?;
            let mut kept: Vec<Vec<u8>> =
                history.list(&Filter::default()).ok()?.into_iter().map(|entry| entry.command).collect();
            kept.sort();
            Some(kept)
        };
        let end = Instant::now() + Duration::from_secs(30);
        while kept() != Some(vec![b"e".to_vec(), b"f".to_vec()]) {
            assert!(Instant::now() < end, "{:?}", kept());
            std::thread::yield_now();
        }
        store.close(Duration::from_secs(30));
    }

    #[test]
    fn the_history_is_opened_once_when_it_is_first_needed() {
        let (mut store, opened) = store();
        assert!(!store.has_chores(false), "the shell is still starting");
        assert!(store.has_chores(true));
        store.do_chores();
        assert!(store.has_chores(true), "the memory of the start is returned next");
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
    fn memory_is_returned_after_the_first_command_and_after_a_large_output() {
        let (mut store, _) = store();
        store.do_chores();
        store.do_chores();
        let mut books = books("nonce");
        for (bytes, returns) in [(10, true), (10, false), (MUCH, true), (10, false)] {
            store.hand_over(&mut vec![finished("ls", bytes)], Size::new(24, 80));
            store.remember(&mut books);
            assert_eq!(store.has_chores(true), returns, "{bytes}");
            store.do_chores();
            assert!(!store.has_chores(true));
        }
    }
}
