//! The thread that appends to the journal. It starts the one that writes to the database.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use super::inbox::Jobs;
use super::journal::{self, AppendError, HandOverPlace, Journal};
use super::queue::WriteQueue;
use super::trouble::Trouble;
use super::{RecordingSession, StoreError, file, writer};

/// The arguments of the thread.
pub(super) struct ThreadStart {
    /// The path of the database.
    pub(super) path: PathBuf,
    pub(super) session: RecordingSession,
    /// Where the session keeps its commands until the journal has them.
    pub(super) handed: Option<HandOverPlace>,
    pub(super) jobs: Jobs,
}

/// Starts the thread. The queue is told when it ends, for whatever reason.
pub(super) fn start(start: ThreadStart, queue: Arc<WriteQueue>) {
    let shared = Arc::clone(&queue);
    let work = move || {
        queue.begin_journal();
        if let Some(trouble) = trouble_of(|| run(start, &queue)) {
            queue.end(Some(trouble));
        }
    };
    if let Err(error) = thread::Builder::new().name("journal".to_owned()).spawn(work) {
        shared.end(trouble_of(|| Err(Trouble::Thread(error))));
    }
}

/// Runs a thread's work and returns a line for the user about whatever ended it early.
pub(super) fn trouble_of(work: impl FnOnce() -> Result<(), Trouble>) -> Option<String> {
    let trouble = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return None,
        Ok(Err(trouble)) => format!("history is off: {trouble}"),
        Err(_) => "history is off: internal error; the log may say more, and a new shell records again".to_owned(),
    };
    tracing::warn!("{trouble}");
    Some(trouble)
}

fn run(start: ThreadStart, queue: &Arc<WriteQueue>) -> Result<(), Trouble> {
    let ThreadStart { path, session, handed, jobs } = start;
    let (id, remove) =
        (handed.as_ref().map(|place| place.id.as_str()), || handed.iter().for_each(HandOverPlace::remove));
    let trouble = |error| Trouble::new(error, &path);
    file::create(&path).inspect_err(|_| remove()).map_err(trouble)?;
    let create = |source| trouble(StoreError::Create { path: journal::directory(&path), source });
    match journal::make_room(&path) {
        0 => {}
        removed => queue.tell(crowded_out(removed)),
    }
    let journal = Arc::new(Journal::create(&path, session, id).inspect_err(|_| remove()).map_err(create)?);
    writer::start(path.clone(), Arc::clone(&journal), Arc::clone(queue))?;
    let appended = append(&journal, &jobs, queue);
    if appended.is_ok() {
        // Before the journal: without it the commands here would look new.
        remove();
    }
    // The writer ends once it knows, and the journal's lock goes with the last of the two.
    drop(journal);
    queue.appended();
    appended.map_err(|error| trouble(StoreError::Append(error)))
}

/// The notice about journals that had to be removed before they were copied.
fn crowded_out(journals: usize) -> String {
    let terminals = if journals == 1 { "an ended terminal".to_owned() } else { format!("{journals} ended terminals") };
    format!("the last commands of {terminals} are lost: the history could not be written for too long")
}

/// Appends records until the session has ended.
fn append(journal: &Journal, jobs: &Jobs, queue: &WriteQueue) -> io::Result<()> {
    while let Some(job) = jobs.next(queue) {
        queue.taken(job.sequence);
        match journal.append(job.sequence, &journal::encode_command(&job.record)) {
            Ok(position) => queue.journaled(position, job.stub),
            Err(AppendError::TooLarge) => queue.lose(),
            Err(AppendError::Io(error)) => return Err(error),
        }
    }
    Ok(())
}
