//! Records on their way from the session to the thread that appends them to the journal.
//!
//! The session never waits and takes no lock. The queue is bounded: if it is full, the newest record is dropped and counted. The
//! journal's thread polls the queue and parks when it is empty.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread;

use super::CommandRecord;
use super::queue::WriteQueue;
use super::ticket::Stub;
use crate::text::MIB;

/// The most records in the queue. The journal's thread does nothing else, so the queue fills only if the disk hangs.
const WAITING_COMMANDS: usize = 2048;
/// The most bytes of text and output in the queue. A single larger record is accepted if the queue is empty.
const WAITING_BYTES: usize = 4 * MIB;

/// A record with the other half of its sender's ticket.
pub(super) struct Job {
    pub(super) record: CommandRecord,
    pub(super) sequence: u64,
    pub(super) stub: Stub,
}

/// The session's end.
pub(super) struct Inbox {
    jobs: SyncSender<Job>,
    /// Bytes of the records that wait.
    bytes: Arc<AtomicUsize>,
    queue: Arc<WriteQueue>,
    dropped: Cell<Dropped>,
}

/// The journal thread's end.
pub(super) struct Jobs {
    jobs: Receiver<Job>,
    bytes: Arc<AtomicUsize>,
}

/// Whether records were lost because the queue or the journal was full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dropped {
    Some(u64),
    /// One notice is enough; the log has the rest.
    Told,
}

pub(super) fn inbox(queue: Arc<WriteQueue>) -> (Inbox, Jobs) {
    let (sender, jobs) = sync_channel(WAITING_COMMANDS);
    let bytes = Arc::<AtomicUsize>::default();
    let inbox = Inbox { jobs: sender, bytes: Arc::clone(&bytes), queue, dropped: Cell::new(Dropped::Some(0)) };
    (inbox, Jobs { jobs, bytes })
}

impl Inbox {
    /// Gives a record to the journal's thread, or drops it if the queue is full.
    pub(super) fn push(&self, record: CommandRecord, sequence: u64, stub: Stub) {
        if self.queue.is_over() {
            return;
        }
        let bytes = record.bytes();
        let waiting = self.bytes.load(Ordering::Acquire);
        let too_large = waiting > 0 && waiting + bytes > WAITING_BYTES;
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
        let sent = match too_large {
            true => Err(TrySendError::Full(())),
            false => self.jobs.try_send(Job { record, sequence, stub }).map_err(without_job),
        };
        if let Err(error) = sent {
            self.bytes.fetch_sub(bytes, Ordering::AcqRel);
            // If the journal's thread has ended, the notice that recording is off follows with its reason.
            if error == TrySendError::Full(()) {
                self.drop_records(1);
            }
        }
        self.queue.wake_journal();
    }

    /// One line for the user. Each is returned once. If another thread is just writing one, it is returned next time.
    pub(super) fn trouble(&self) -> Option<String> {
        self.drop_records(self.queue.take_lost());
        if let Some(trouble) = self.queue.trouble() {
            if self.queue.is_over() {
                // The reason why recording is off is more useful than the number of lost records.
                self.dropped.set(Dropped::Told);
            }
            return Some(trouble);
        }
        match self.dropped.get() {
            Dropped::Some(0) | Dropped::Told => None,
            Dropped::Some(records) => {
                self.dropped.set(Dropped::Told);
                let commands =
                    if records == 1 { "1 command was".to_owned() } else { format!("{records} commands were") };
                Some(format!("{commands} not recorded: the history database is locked or too slow"))
            }
        }
    }

    fn drop_records(&self, records: u64) {
        if records > 0 {
            tracing::warn!(records, "commands were not recorded: the disk or the database does not keep up");
            if let Dropped::Some(before) = self.dropped.get() {
                self.dropped.set(Dropped::Some(before + records));
            }
        }
    }
}

/// The reason why a job could not be sent.
fn without_job(error: TrySendError<Job>) -> TrySendError<()> {
    match error {
        TrySendError::Full(_) => TrySendError::Full(()),
        TrySendError::Disconnected(_) => TrySendError::Disconnected(()),
    }
}

impl Jobs {
    /// Waits for the next record; `None` when there will be no more.
    pub(super) fn next(&self, queue: &WriteQueue) -> Option<Job> {
        loop {
            // Read before the queue is polled, so that a record that came before the end is still found.
            let is_over = queue.is_over();
            match self.jobs.try_recv() {
                Ok(job) => {
                    self.bytes.fetch_sub(job.record.bytes(), Ordering::AcqRel);
                    return Some(job);
                }
                Err(TryRecvError::Empty) if !is_over => thread::park(),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ticket;
    use super::super::tests::{printed, record};
    use super::*;

    /// An inbox, and a count of the records that wait in it.
    fn open() -> (Inbox, impl Fn() -> usize) {
        let queue = Arc::<WriteQueue>::default();
        let (inbox, jobs) = inbox(queue);
        (inbox, move || jobs.jobs.try_iter().count())
    }

    #[test]
    fn a_full_queue_drops_the_newest_and_says_so_once() {
        let (inbox, waiting) = open();
        for _ in 0..WAITING_COMMANDS + 3 {
            inbox.push(record("true"), 0, Ticket::new().0);
        }
        assert_eq!(
            inbox.trouble().as_deref(),
            Some("3 commands were not recorded: the history database is locked or too slow")
        );
        inbox.push(record("true"), 0, Ticket::new().0);
        assert_eq!(inbox.trouble(), None);
        assert_eq!(waiting(), WAITING_COMMANDS);
    }

    #[test]
    fn waiting_output_is_bounded_but_one_large_record_always_fits() {
        let (inbox, waiting) = open();
        let large = printed("yes", &"y".repeat(WAITING_BYTES + 1));
        inbox.push(large.clone(), 0, Ticket::new().0);
        inbox.push(large, 0, Ticket::new().0);
        assert_eq!(waiting(), 1);
    }

    #[test]
    fn waiting_records_are_returned_after_the_end() {
        let queue = Arc::<WriteQueue>::default();
        let (inbox, jobs) = inbox(Arc::clone(&queue));
        inbox.push(record("true"), 0, Ticket::new().0);
        queue.shut();
        inbox.push(record("late"), 0, Ticket::new().0);
        assert!(jobs.next(&queue).is_some());
        assert!(jobs.next(&queue).is_none());
    }
}
