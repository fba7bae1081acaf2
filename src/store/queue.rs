//! The commands that wait to be written, and word of the writer's health.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Record;
use super::backlog::Backlog;
use super::ticket::Stub;
use crate::text::MIB;

/// Enough for a pasted script while another terminal holds the database.
const WAITING_COMMANDS: usize = 512;
/// Of text and output. A single larger record is still taken when nothing else waits.
const WAITING_BYTES: usize = 4 * MIB;

/// How long a writer that was told to end keeps trying. The program itself leaves when its own patience is over.
const LAST_TRIES: Duration = Duration::from_secs(10);

/// A record with the other half of its sender's ticket.
pub(super) struct Job {
    pub(super) record: Record,
    pub(super) stub: Stub,
}

/// Shared by the handles and the writer. The lock is only ever held to move a few words, never over I/O.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    bytes: usize,
    /// Since when no more is taken; the writer ends when it has written what waits.
    shut: Option<Instant>,
    /// The writer is gone: nothing that is pushed now would ever be written.
    ended: bool,
    trouble: Option<String>,
    dropped: Dropped,
    /// Held while anything that was pushed is not written.
    backlog: Option<Backlog>,
}

/// Whether records were lost to a full queue.
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
        Queue { state: Mutex::new(state), changed: Condvar::default() }
    }

    pub(super) fn push(&self, record: Record, stub: Stub) {
        let mut state = self.lock();
        if state.shut.is_some() || state.ended {
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
        state.waiting.push_back(Job { record, stub });
        state.backlog.iter_mut().for_each(Backlog::hold);
        // The writer may run the moment it is woken, and must not find the lock held.
        drop(state);
        self.changed.notify_all();
    }

    /// Waits for records and takes all there are; `None` when there will be no more. What was taken before is written by now.
    pub(super) fn take(&self) -> Option<VecDeque<Job>> {
        let idle = |state: &mut State| state.waiting.is_empty() && state.shut.is_none();
        let mut state = self.lock();
        if state.waiting.is_empty() {
            state.backlog.iter_mut().for_each(Backlog::release);
        }
        let mut state = self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        state.bytes = 0;
        let jobs = mem::take(&mut state.waiting);
        if jobs.is_empty() { None } else { Some(jobs) }
    }

    pub(super) fn shut(&self) {
        self.lock().shut.get_or_insert_with(Instant::now);
        self.changed.notify_all();
    }

    /// Whether it is time to stop waiting for a locked database. In a live session it never is.
    pub(super) fn is_late(&self) -> bool {
        self.lock().shut.is_some_and(|since| since.elapsed() > LAST_TRIES)
    }

    /// Counts records that were taken but could not be written.
    pub(super) fn lost(&self, records: usize) {
        self.lock().dropped.count(records as u64);
    }

    /// The writer is done, well or with one line about why not. What still waits is let go.
    pub(super) fn end(&self, trouble: Option<String>) {
        let mut state = self.lock();
        state.ended = true;
        state.backlog.iter_mut().for_each(Backlog::release);
        if trouble.is_some() {
            state.trouble = trouble;
            // Why recording is off says more than how many are missing.
            state.dropped = Dropped::Told;
        }
        let orphans = mem::take(&mut state.waiting);
        state.bytes = 0;
        drop(state);
        drop(orphans);
        self.changed.notify_all();
    }

    pub(super) fn wait_until_ended(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            (state, _) = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
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

impl Dropped {
    fn count(&mut self, more: u64) {
        match self {
            Dropped::None => *self = Dropped::Some(more),
            Dropped::Some(records) => *records += more,
            Dropped::Told => {}
        }
        tracing::warn!(more, "commands were not recorded: the database does not keep up");
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
            queue.push(record("true"), Ticket::new().0);
        }
        assert_eq!(
            queue.trouble().as_deref(),
            Some("3 commands were not recorded: the history database is locked or too slow")
        );
        queue.push(record("true"), Ticket::new().0);
        assert_eq!(queue.trouble(), None);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(WAITING_COMMANDS));
    }

    #[test]
    fn waiting_output_is_bounded_but_one_large_record_always_fits() {
        let queue = Queue::default();
        let large = printed("yes", &"y".repeat(WAITING_BYTES + 1));
        queue.push(large.clone(), Ticket::new().0);
        queue.push(large, Ticket::new().0);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(1));
    }

    #[test]
    fn what_waited_is_taken_after_shutting_and_then_nothing() {
        let queue = Queue::default();
        queue.push(record("true"), Ticket::new().0);
        queue.shut();
        queue.push(record("late"), Ticket::new().0);
        assert_eq!(queue.take().map(|jobs| jobs.len()), Some(1));
        assert!(queue.take().is_none());
    }

    #[test]
    fn waiting_for_a_writer_that_never_ends_is_over_in_time() {
        let begun = Instant::now();
        Queue::default().wait_until_ended(Duration::from_millis(20));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}
