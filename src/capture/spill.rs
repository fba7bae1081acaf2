//! Writes output to spill files.
//!
//! The shell's output must never wait for a disk, so a separate thread writes the files. The first spill starts the thread, which
//! gets the bytes through a bounded queue. If the queue is full or the disk fails, that spill is cut short and its length says
//! so.

use super::total;
use crate::text::MIB;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

/// How many blocks may wait for the disk, 4 MiB in all: at 500 MB/s the writer may be 8 ms late.
const QUEUE: usize = 32;

/// A spill file reserves this many bytes of the user's share of the disk at a time.
const RESERVED: u64 = MIB as u64;

/// Opens spill files in one directory. Clones share the directory and the thread.
#[derive(Clone, Debug)]
pub(crate) struct Spiller(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    per_user: AtomicU64,
    opened: AtomicU64,
    /// Empty until the first spill; contains `None` if no thread could be started.
    queue: OnceLock<Option<SpillQueue>>,
    pending: Arc<AtomicUsize>,
}

/// The queue to the writer. Adding a chunk never waits and takes no lock; the writer, too, looks for chunks and sleeps without a
/// lock.
#[derive(Clone, Debug)]
struct SpillQueue {
    chunks: SyncSender<Chunk>,
    writer: Thread,
}

impl SpillQueue {
    /// Returns whether there was room.
    fn push(&self, chunk: Chunk) -> bool {
        let is_taken = self.chunks.try_send(chunk).is_ok();
        self.writer.unpark();
        is_taken
    }
}

impl Spiller {
    /// All sessions of the user share this many bytes from the next spill on.
    pub(crate) fn set_total(&self, per_user: u64) {
        if let Some(shared) = &self.0 {
            shared.per_user.store(per_user, Ordering::Relaxed);
        }
    }

    /// Spills go to `<directory>/<n>.out`. All sessions of the user, whose directories are beside this one, share `per_user`
    /// bytes. The oldest spills are deleted to stay below that.
    pub(crate) fn new(directory: PathBuf, per_user: u64) -> Self {
        Self(Some(Arc::new(Shared {
            directory,
            per_user: AtomicU64::new(per_user),
            opened: AtomicU64::new(0),
            queue: OnceLock::new(),
            pending: Arc::default(),
        })))
    }

    /// A spiller that opens no spills.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Waits until all chunks so far are written or dropped. Returns whether that happened in time.
    #[cfg(test)]
    pub(crate) fn settle(&self, timeout: std::time::Duration) -> bool {
        let is_done = |shared: &Arc<Shared>| shared.pending.load(Ordering::Acquire) == 0;
        let begun = std::time::Instant::now();
        while self.0.as_ref().is_some_and(|shared| !is_done(shared)) && begun.elapsed() < timeout {
            thread::yield_now();
        }
        self.0.as_ref().is_none_or(is_done)
    }

    /// Opens a spill of at most `limit` bytes; the file itself appears with the first chunk.
    pub(super) fn open(&self, limit: u64) -> Option<Spill> {
        let shared = self.0.as_ref()?;
        let queue = shared.queue.get_or_init(|| start_writer(shared.pending.clone())).clone()?;
        let per_user = shared.per_user.load(Ordering::Relaxed);
        let limit = limit.min(per_user);
        if limit == 0 {
            return None;
        }
        let number = shared.opened.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Spill {
            queue,
            pending: shared.pending.clone(),
            room: limit,
            accepted: 0,
            target: Arc::new(SpillTarget {
                path: shared.directory.join(format!("{number}.out")),
                limit,
                per_user,
                file: OnceLock::new(),
                written: AtomicU64::new(0),
                reserved: AtomicU64::new(0),
                failed: AtomicBool::new(false),
            }),
        })
    }
}

/// One spill, as the thread that reads the shell's output sees it.
#[derive(Debug)]
pub(super) struct Spill {
    queue: SpillQueue,
    /// How many chunks are not written yet.
    pending: Arc<AtomicUsize>,
    /// How many more bytes are accepted; zero once the spill has been cut short.
    room: u64,
    /// Bytes that the queue has accepted.
    accepted: u64,
    target: Arc<SpillTarget>,
}

impl Spill {
    pub(super) fn path(&self) -> &Path {
        &self.target.path
    }

    /// Adds the next bytes. The writer reads them in place; they are not copied.
    pub(super) fn push(&mut self, block: Arc<Vec<u8>>) {
        let length = usize::try_from(self.room).unwrap_or(usize::MAX).min(block.len());
        if length == 0 {
            return;
        }
        self.room -= length as u64;
        self.pending.fetch_add(1, Ordering::AcqRel);
        let chunk = Chunk { block, length, target: self.target.clone() };
        if !self.target.failed.load(Ordering::Relaxed) && self.queue.push(chunk) {
            self.accepted += length as u64;
        } else {
            self.pending.fetch_sub(1, Ordering::AcqRel);
            self.room = 0;
        }
    }

    /// Adds the last bytes.
    pub(super) fn finish(mut self, rest: Vec<u8>) -> Spilled {
        self.push(Arc::new(rest));
        Spilled { accepted: self.accepted, target: self.target }
    }
}

/// A finished spill. Its file has these bytes once the writer has caught up.
#[derive(Clone, Debug)]
pub(super) struct Spilled {
    accepted: u64,
    target: Arc<SpillTarget>,
}

impl Spilled {
    /// How many bytes from the start of the output are in the file; zero if the disk failed.
    pub(super) fn bytes(&self) -> u64 {
        if self.target.failed.load(Ordering::Relaxed) { 0 } else { self.accepted }
    }
}

#[derive(Debug)]
struct Chunk {
    block: Arc<Vec<u8>>,
    /// How many bytes of the block fit into the file.
    length: usize,
    target: Arc<SpillTarget>,
}

/// The file of one spill. Only the writer uses it.
#[derive(Debug)]
struct SpillTarget {
    path: PathBuf,
    /// The most bytes of this file.
    limit: u64,
    /// The most bytes of all spill files of the user.
    per_user: u64,
    file: OnceLock<File>,
    written: AtomicU64,
    /// How many bytes of `per_user` this file has reserved.
    reserved: AtomicU64,
    failed: AtomicBool,
}

impl SpillTarget {
    fn write(&self, bytes: &[u8]) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = self.append(bytes) {
            tracing::warn!(path = %self.path.display(), %error, "spill stopped");
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = self.create()?;
                self.file.get_or_init(|| file)
            }
        };
        let written = self.written.load(Ordering::Relaxed) + bytes.len() as u64;
        self.reserve(written)?;
        file.write_all(bytes)?;
        self.written.store(written, Ordering::Relaxed);
        Ok(())
    }

    /// Reserves space in the user's share, a little more than is needed.
    fn reserve(&self, needed: u64) -> io::Result<()> {
        let reserved = self.reserved.load(Ordering::Relaxed);
        let Some(root) = self.path.parent().and_then(Path::parent) else { return Ok(()) };
        if needed <= reserved {
            return Ok(());
        }
        let more = (needed - reserved).max(RESERVED).min(self.limit - reserved);
        self.reserved.store(reserved + more, Ordering::Relaxed);
        total::reserve(root, &self.path, more, self.per_user)
    }

    fn create(&self) -> io::Result<File> {
        if let Some(directory) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW).open(&self.path)
    }
}

fn start_writer(pending: Arc<AtomicUsize>) -> Option<SpillQueue> {
    let (chunks, received) = sync_channel::<Chunk>(QUEUE);
    match thread::Builder::new().name("spill".to_owned()).spawn(move || write_all(&received, &pending)) {
        Ok(writer) => Some(SpillQueue { chunks, writer: writer.thread().clone() }),
        Err(error) => {
            tracing::warn!(%error, "no spill writer");
            None
        }
    }
}

/// Writes chunks until the queue is closed.
fn write_all(chunks: &Receiver<Chunk>, pending: &AtomicUsize) {
    loop {
        match chunks.try_recv() {
            Ok(chunk) => {
                chunk.target.write(&chunk.block[..chunk.length]);
                // The chunk counts as written only after its file is closed and its block can be reused.
                drop(chunk);
                pending.fetch_sub(1, Ordering::AcqRel);
            }
            Err(TryRecvError::Empty) => thread::park(),
            Err(TryRecvError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_full_queue_ends_the_spill_without_waiting() {
        let (chunks, stuck) = sync_channel(QUEUE);
        let queue = SpillQueue { chunks, writer: thread::current() };
        let shared = Shared {
            directory: PathBuf::from("/nowhere/session"),
            per_user: u64::MAX.into(),
            opened: AtomicU64::new(0),
            queue: OnceLock::from(Some(queue)),
            pending: Arc::default(),
        };
        let spiller = Spiller(Some(Arc::new(shared)));
        let mut spill = spiller.open(u64::MAX).unwrap();
        let block = Arc::new(vec![b'x'; 1000]);
        for _ in 0..2 * QUEUE {
            spill.push(block.clone());
        }
        assert_eq!(Arc::strong_count(&block), QUEUE + 1, "nothing is handed over once the spill has stopped");
        assert_eq!(spill.finish(Vec::new()).bytes(), (QUEUE * 1000) as u64);
        assert!(!spiller.settle(Duration::from_millis(1)));
        assert_eq!(stuck.try_iter().count(), QUEUE);
    }
}
