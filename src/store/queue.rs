//! State that the journal's thread and the database's thread share, and what the session reads of it.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::HistoryLimits;
use super::journal::{Counters, Position};
use super::ticket::Stub;

/// What the writer is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriterTask {
    /// The journal has records, up to this offset, that the database has not.
    Copy { to: u64 },
    /// Nothing is new, and it is time for chores.
    Idle,
    /// The session has ended. The next session copies what is left in the journal.
    End,
}

/// The lock is for the two threads. The session reads only the atomic fields; it takes the lock only when it ends.
#[derive(Default)]
pub(super) struct WriteQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// Sequence number of the last record that was appended to the journal, or given up.
    appended: AtomicU64,
    /// Whether the threads have ended, so that further records would not be written.
    is_over: AtomicBool,
    /// Records that were taken from the session, could not be kept, and are not counted as dropped yet.
    lost: AtomicU64,
    trouble: TroubleLine,
    /// The journal's thread, once it runs.
    journal: OnceLock<Thread>,
    limits: SharedLimits,
}

/// The limits of the history, which the person may change while the threads run.
#[derive(Default)]
struct SharedLimits {
    commands: AtomicU64,
    bytes: AtomicU64,
}

/// One line for the user. The session uses `try_lock`, so it never waits.
#[derive(Default)]
struct TroubleLine {
    is_there: AtomicBool,
    words: Mutex<Option<String>>,
}

#[derive(Default)]
struct QueueState {
    /// In the journal, and not in the database yet.
    journaled: VecDeque<(Position, Stub)>,
    /// Records that were taken from a session and are neither stored nor lost.
    unstored: usize,
    /// Sequence number of the last of them.
    taken: u64,
    /// No more is taken.
    is_shut: bool,
    /// Nothing is appended to the journal any more.
    is_appended: bool,
    /// The database's thread has ended, so further records would not be written.
    has_ended: bool,
    /// Where other programs see how far the database is.
    counters: Option<Counters>,
}

impl WriteQueue {
    pub(super) fn with(counters: Option<Counters>, limits: HistoryLimits) -> WriteQueue {
        let state = QueueState { counters, ..QueueState::default() };
        let queue = WriteQueue { state: Mutex::new(state), ..WriteQueue::default() };
        queue.set_limits(limits);
        queue
    }

    /// The writer keeps to these limits from the next command on.
    pub(super) fn set_limits(&self, HistoryLimits { commands, bytes }: HistoryLimits) {
        self.limits.commands.store(commands, Ordering::Relaxed);
        self.limits.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn limits(&self) -> HistoryLimits {
        let SharedLimits { commands, bytes } = &self.limits;
        HistoryLimits { commands: commands.load(Ordering::Relaxed), bytes: bytes.load(Ordering::Relaxed) }
    }

    /// The thread that calls this takes records from here on.
    pub(super) fn begin_journal(&self) {
        self.journal.get_or_init(thread::current);
        fence(Ordering::SeqCst);
    }

    /// Wakes the journal's thread. One that does not run yet looks for records when it starts.
    pub(super) fn wake_journal(&self) {
        // Either the thread is seen here, or it sees what was pushed before this.
        fence(Ordering::SeqCst);
        self.journal.get().map(Thread::unpark);
    }

    /// Whether the threads have ended, so that further records would not be written.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// A record was taken from the session.
    pub(super) fn taken(&self, sequence: u64) {
        let mut state = self.lock();
        state.unstored += 1;
        state.taken = sequence;
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

    /// Waits until there is something for the writer to do, or until it is `idle_from`.
    pub(super) fn wait_for_turn(&self, idle_from: Option<Instant>) -> WriterTask {
        let mut state = self.lock();
        loop {
            if let Some((position, _)) = state.journaled.back() {
                return WriterTask::Copy { to: position.end };
            }
            if state.is_appended || state.has_ended {
                return WriterTask::End;
            }
            state = match idle_from.map(|from| from.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return WriterTask::Idle,
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Waits before the next try to use a locked database; returns whether there is a next try. At the end of a session there is
    /// none, so that `exit` does not wait for another program's lock.
    pub(super) fn wait_for_retry(&self, delay: Duration) -> bool {
        let goes_on = |state: &QueueState| !state.is_appended && !state.has_ended;
        let waits = |state: &mut QueueState| goes_on(state);
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
        self.trouble.set(|words| words.unwrap_or(trouble));
    }

    /// A record was taken but could not be kept.
    pub(super) fn lose(&self) {
        self.lost.fetch_add(1, Ordering::AcqRel);
        self.lock().settle(1);
    }

    /// How many records were lost since this was last asked.
    pub(super) fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::AcqRel)
    }

    pub(super) fn shut(&self) {
        self.is_over.store(true, Ordering::Release);
        self.lock().is_shut = true;
        self.changed.notify_all();
        self.wake_journal();
    }

    /// The database's thread has ended, with one line for the user if it failed.
    pub(super) fn end(&self, trouble: Option<String>) {
        let mut state = self.lock();
        let was_told = mem::replace(&mut state.has_ended, true);
        self.is_over.store(true, Ordering::Release);
        if let Some(trouble) = trouble.filter(|_| !was_told) {
            self.trouble.set(|_| trouble);
        }
        state.unstored = 0;
        // Do not let programs wait for records that are never written.
        state.counters.iter().for_each(|counters| counters.set_stored(u64::MAX));
        let orphans = mem::take(&mut state.journaled);
        drop(state);
        drop(orphans);
        self.changed.notify_all();
        self.wake_journal();
    }

    pub(super) fn wait_until_ended(&self, patience: Duration) {
        let goes_on = |state: &mut QueueState| !state.has_ended;
        let _ = self.changed.wait_timeout_while(self.lock(), patience, goes_on);
    }

    /// Waits until the journal has the records up to this sequence number.
    #[cfg(test)]
    pub(super) fn wait_until_appended(&self, sequence: u64) {
        let waits = |state: &mut QueueState| self.last_appended() < sequence && !state.has_ended;
        drop(self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner));
    }

    /// The line for the user, returned once. Never waits: while another thread changes it, the result is `None`.
    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.take()
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // A panic cannot leave the state inconsistent, so a poisoned lock is usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TroubleLine {
    fn set(&self, words: impl FnOnce(Option<String>) -> String) {
        let mut there = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        *there = Some(words(there.take()));
        self.is_there.store(true, Ordering::Release);
    }

    fn take(&self) -> Option<String> {
        if !self.is_there.load(Ordering::Acquire) {
            return None;
        }
        let mut there = self.words.try_lock().ok()?;
        self.is_there.store(false, Ordering::Release);
        there.take()
    }
}

impl QueueState {
    fn settle(&mut self, records: usize) {
        self.unstored = self.unstored.saturating_sub(records);
        if self.unstored == 0 {
            self.counters.iter().for_each(|counters| counters.set_stored(self.taken));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_thread_that_hangs_ends() {
        WriteQueue::default().wait_until_ended(Duration::from_millis(20));
    }

    #[test]
    fn a_session_that_ends_does_not_try_again() {
        let queue = WriteQueue::default();
        assert!(queue.wait_for_retry(Duration::from_millis(1)));
        queue.appended();
        assert!(!queue.wait_for_retry(Duration::from_secs(60)));
        assert_eq!(queue.wait_for_turn(None), WriterTask::End);
    }
}
