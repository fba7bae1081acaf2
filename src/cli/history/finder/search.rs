//! The thread that reads the history and searches it while the person types.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::store::{Filter, History, HistoryPosition, StoreError};

use super::index::{CommandIndex, Scan};

/// Lines that are searched before the thread looks for a new order: a few milliseconds.
const LINES: usize = 20_000;
/// The least time between two reports of one search.
const PAUSE: Duration = Duration::from_millis(40);

/// What a search has found so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SearchHits {
    /// Which search this is.
    pub(super) number: u64,
    /// The ids of the best commands, the best first.
    pub(super) best: Vec<i64>,
    /// How many commands match.
    pub(super) count: usize,
    /// Whether the whole history was searched.
    pub(super) is_done: bool,
}

/// The end of the thread that gives orders and takes results. Its descriptor is readable when there is a result.
pub(super) struct SearchThread {
    orders: Sender<SearchOrder>,
    results: Receiver<Result<SearchHits, StoreError>>,
    wake: UnixStream,
}

struct SearchOrder {
    number: u64,
    typed: String,
}

impl SearchThread {
    /// Starts the thread. It searches the commands that pass the filter.
    pub(super) fn start(database: &Path, filter: Filter) -> io::Result<SearchThread> {
        let (wake, awaken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        awaken.set_nonblocking(true)?;
        let ((orders, taken), (found, results)) = (channel(), channel());
        let database = database.to_owned();
        let work = move || {
            let report = |hits: Result<SearchHits, StoreError>| {
                // If the socket is full, the other end is about to wake up anyway.
                let is_wanted = found.send(hits).is_ok();
                let _ = (&awaken).write(&[1]);
                is_wanted
            };
            let history = History::open(&database);
            if let Err(error) = history.and_then(|history| search(&history, &filter, &taken, &report)) {
                report(Err(error));
            }
        };
        thread::Builder::new().name("search".to_owned()).spawn(work)?;
        Ok(SearchThread { orders, results, wake })
    }

    /// Begins a search. It ends the one before.
    pub(super) fn begin(&self, number: u64, typed: &str) {
        // A thread that has ended has reported why.
        let _ = self.orders.send(SearchOrder { number, typed: typed.to_owned() });
    }

    /// The newest result, if there is one.
    pub(super) fn take(&self) -> Option<Result<SearchHits, StoreError>> {
        let mut bytes = [0; 64];
        while (&self.wake).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        self.results.try_iter().last()
    }
}

impl AsFd for SearchThread {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// Reads the history slice by slice, and searches what it has read for the newest order, until nobody gives orders any more.
fn search(
    history: &History,
    filter: &Filter,
    orders: &Receiver<SearchOrder>,
    report: &impl Fn(Result<SearchHits, StoreError>) -> bool,
) -> Result<(), StoreError> {
    let mut index = CommandIndex::default();
    let mut unread = Some(HistoryPosition::END);
    let Ok(mut order) = orders.recv() else { return Ok(()) };
    'orders: loop {
        let mut scan = Scan::new(&order.typed);
        let mut reported: Option<(Instant, usize)> = None;
        loop {
            match newest(orders) {
                Err(()) => return Ok(()),
                Ok(Some(next)) => {
                    order = next;
                    continue 'orders;
                }
                Ok(None) => {}
            }
            let has_more = scan.advance(&index, LINES);
            if !has_more && let Some(before) = unread {
                unread = history.visit_before(before, filter, |line| index.add(line))?;
                let is_enough = filter.limit.is_some_and(|limit| index.len() >= limit) || !index.has_room();
                unread = unread.filter(|_| !is_enough);
            }
            let is_done = !has_more && unread.is_none() && !scan.advance(&index, LINES);
            let is_due = reported.is_none_or(|(at, count)| at.elapsed() >= PAUSE && count < scan.count());
            // The first result shows something at once. Until then, the screen keeps the result of the last search.
            if is_done || is_due && scan.count() > 0 {
                let hits = SearchHits { number: order.number, best: scan.best(), count: scan.count(), is_done };
                if !report(Ok(hits)) {
                    return Ok(());
                }
                reported = Some((Instant::now(), scan.count()));
            }
            if is_done {
                index.complete();
                let Ok(next) = orders.recv() else { return Ok(()) };
                order = next;
                continue 'orders;
            }
        }
    }
}

/// The newest order that waits, if there is one. Fails if nobody gives orders any more.
fn newest(orders: &Receiver<SearchOrder>) -> Result<Option<SearchOrder>, ()> {
    let mut newest = None;
    loop {
        match orders.try_recv() {
            Ok(order) => newest = Some(order),
            Err(TryRecvError::Empty) => return Ok(newest),
            Err(TryRecvError::Disconnected) => return Err(()),
        }
    }
}
