//! The way of a record: from the session to the journal's thread, and from there to the writer's.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Record;
use super::backlog::Backlog;
use super::journal::Position;
use super::ticket::Stub;
use crate::text::MIB;

/// Records that may wait to be appended to the journal. The thread that does this does nothing else, so they wait for long only
/// if the disk hangs. With the queue full the newest record is dropped, and one notice counts the dropped ones.
const WAITING_COMMANDS: usize = 2048;
/// Of text and output. A single larger record is still taken when nothing else waits.
const WAITING_BYTES: usize = 4 * MIB;

/// A record with the other half of its sender's ticket.
pub(super) struct Job {
    pub(super) record: Record,
    pub(super) sequence: u64,
    pub(super) stub: Stub,
}

/// What the writer is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The journal has records, up to this offset, that the database has not.
    Copy { to: u64 },
    /// The time is up and nothing is new.
    Idle,
    /// The session has ended. What the journal still has is for the next one.
    End,
}

/// Shared by the handles and the two threads. The lock is only ever held to move a few words, never over I/O.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Sequence number of the last record that was appended to the journal, or given up.
    appended: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Not in the journal yet.
    waiting: VecDeque<Job>,
    bytes: usize,
    /// In the journal, and not in the database yet.
    journaled: VecDeque<(Position, Stub)>,
    /// Records that were taken from a session and are neither stored nor lost.
    unstored: usize,
    /// No more is taken.
    is_shut: bool,
    /// Nothing is appended to the journal any more.
    is_appended: bool,
    /// The writer is gone: nothing that is pushed now would ever be written.
    has_ended: bool,
    trouble: Option<String>,
    dropped: Dropped,
    /// Held while `unstored` is not zero.
    backlog: Option<Backlog>,
}

/// Whether records were lost to a full queue or journal.
#[derive(Default)]
enum Dropped {
    #[default]
    None,
    Some(u64),
    /// One notice is enough; the log has the rest.
    Told,
}

impl Queue {
    pub(super) fn with(backlog: Backlog) -> Queue {
        let state = State { backlog: Some(backlog), ..State::default() };
        Queue { state: Mutex::new(state), ..Queue::default() }
    }

    pub(super) fn push(&self, record: Record, sequence: u64, stub: Stub) {
        let mut state = self.lock();
        if state.is_shut || state.has_ended {
            return;
        }
        let bytes = record.bytes();
        let too_many = state.waiting.len() >= WAITING_COMMANDS;
        let too_large = !state.waiting.is_empty() && state.bytes + bytes > WAITING_BYTES;
        if too_many || too_large {
            state.dropped.count(1);
            return;
        }
        state.bytes += bytes;
        state.unstored += 1;
        state.waiting.push_back(Job { record, sequence, stub });
        state.backlog.iter_mut().for_each(Backlog::hold);
        // The other thread may run the moment it is woken, and must not find the lock held.
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for records and takes all there are; `None` when there will be no more.
    pub(super) fn take(&self) -> Option<VecDeque<Job>> {
        let idle = |state: &mut State| state.waiting.is_empty() && !state.is_shut && !state.has_ended;
        let mut state = self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        state.bytes = 0;
        let jobs = mem::take(&mut state.waiting);
        if jobs.is_empty() { None } else { Some(jobs) }
    }

    /// The journal has this record.
    pub(super) fn journaled(&self, position: Position, stub: Stub) {
        self.appended.store(position.sequence, Ordering::Release);
        self.lock().journaled.push_back((position, stub));
        self.changed.notify_all();
    }

    /// Sequence number of the last record that is in the journal.
    pub(super) fn last_appended(&self) -> u64 {
        self.appended.load(Ordering::Acquire)
    }

    /// Nothing more is appended to the journal.
    pub(super) fn appended(&self) {
        self.lock().is_appended = true;
        self.changed.notify_all();
    }

    /// Waits, for `patience` at most, until there is something for the writer to do.
    pub(super) fn wait_for_turn(&self, patience: Option<Duration>) -> Turn {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut state = self.lock();
        loop {
            if let Some((position, _)) = state.journaled.back() {
                return Turn::Copy { to: position.end };
            }
            if state.is_appended || state.has_ended {
                return Turn::End;
            }
            state = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Turn::Idle,
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits before the next try to use a locked database; returns whether there is a next try. At the end of a session there is
    /// none: `exit` waits for nobody's lock.
    pub(super) fn wait_for_retry(&self, delay: Duration) -> bool {
        let goes_on = |state: &State| !state.is_appended && !state.has_ended;
        let waits = |state: &mut State| goes_on(state);
        let (state, _) =
            self.changed.wait_timeout_while(self.lock(), delay, waits).unwrap_or_else(PoisonError::into_inner);
        goes_on(&state)
    }

    pub(super) fn is_shut(&self) -> bool {
        self.lock().is_shut
    }

    /// The database has the records up to this sequence number, with these ids.
    pub(super) fn stored(&self, last: u64, ids: &[(u64, i64)]) {
        let mut state = self.lock();
        let mut ids = ids.iter();
        let mut done = 0;
        while state.journaled.front().is_some_and(|(position, _)| position.sequence <= last)
            && let Some((position, stub)) = state.journaled.pop_front()
        {
            if let Some((_, id)) = ids.find(|(sequence, _)| *sequence == position.sequence) {
                stub.stored(*id);
            }
            done += 1;
        }
        state.settle(done);
    }

    /// One line for the user about something that does not end the recording.
    pub(super) fn tell(&self, trouble: String) {
        self.lock().trouble.get_or_insert(trouble);
    }

    /// Counts records that were taken but could not be kept.
    pub(super) fn lost(&self, records: usize) {
        let mut state = self.lock();
        state.dropped.count(records as u64);
        state.settle(records);
    }

    pub(super) fn shut(&self) {
        self.lock().is_shut = true;
        self.changed.notify_all();
    }

    /// The writer is done, well or with one line about why not.
    pub(super) fn end(&self, trouble: Option<String>) {
        let mut state = self.lock();
        let was_told = mem::replace(&mut state.has_ended, true);
        if trouble.is_some() && !was_told {
            state.trouble = trouble;
            // Why recording is off says more than how many are missing.
            state.dropped = Dropped::Told;
        }
        state.unstored = 0;
        state.backlog.iter_mut().for_each(Backlog::release);
        let orphans = mem::take(&mut state.journaled);
        drop(state);
        drop(orphans);
        self.changed.notify_all();
    }

    pub(super) fn wait_until_ended(&self, patience: Duration) {
        let goes_on = |state: &mut State| !state.has_ended;
        let _ = self.changed.wait_timeout_while(self.lock(), patience, goes_on);
    }

    #[cfg(test)]
    pub(super) fn wait_until_appended(&self) {
        let waits = |state: &mut State| state.unstored > state.journaled.len() && !state.has_ended;
        drop(self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn trouble(&self) -> Option<String> {
        let mut state = self.lock();
        state.trouble.take().or_else(|| state.dropped.tell())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing inside can be left half done, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn settle(&mut self, records: usize) {
        self.unstored = self.unstored.saturating_sub(records);
        if self.unstored == 0 {
            self.backlog.iter_mut().for_each(Backlog::release);
        }
    }
}

impl Dropped {
    fn count(&mut self, more: u64) {
        match self {
            Dropped::None => *self = Dropped::Some(more),
            Dropped::Some(records) => *records += more,
            Dropped::Told => {}
        }
        tracing::warn!(more, "commands were not recorded: the disk or the database does not keep up");
    }

    fn tell(&mut self) -> Option<String> {
        let Dropped::Some(records) = *self else { return None };
        *self = Dropped::Told;
        let commands = if records == 1 { "1 command was".to_owned() } else { format!("{records} commands were") };
        Some(format!("{commands} not recorded: the history database is locked or too slow"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ticket;
    use super::super::tests::{printed, record};
    use super::*;

    #[test]
    fn a_full_queue_drops_the_newest_and_says_so_once() {
        let queue = Queue::default();
        for _ in 0..WAITING_COMMANDS + 3 {
            queue.push(record("true"), 0, Ticket::new().0);
        }
        assert_eq!(
            queue.trouble().as_deref(),
            Some("3 commands were not recorded: the history database is locked or too slow")
        );
        queue.push(record("true"), 0, Ticket::new().0);
        assert_eq!(queue.trouble(), None);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(WAITING_COMMANDS));
    }

    #[test]
    fn waiting_output_is_bounded_but_one_large_record_always_fits() {
        let queue = Queue::default();
        let large = printed("yes", &"y".repeat(WAITING_BYTES + 1));
        queue.push(large.clone(), 0, Ticket::new().0);
        queue.push(large, 0, Ticket::new().0);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(1));
    }

    #[test]
    fn what_waited_is_taken_after_shutting_and_then_nothing() {
        let queue = Queue::default();
        queue.push(record("true"), 0, Ticket::new().0);
        queue.shut();
        queue.push(record("late"), 0, Ticket::new().0);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(1));
        assert!(queue.take().is_none());
    }

    #[test]
    fn waiting_for_a_writer_that_never_ends_is_over_in_time() {
        let begun = Instant::now();
        Queue::default().wait_until_ended(Duration::from_millis(20));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_session_that_ends_does_not_try_again() {
        let queue = Queue::default();
        assert!(queue.wait_for_retry(Duration::from_millis(1)));
        queue.appended();
        assert!(!queue.wait_for_retry(Duration::from_secs(60)));
        assert_eq!(queue.wait_for_turn(None), Turn::End);
    }
}
