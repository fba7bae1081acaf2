//! Output on disk.
//!
//! The shell's output must never wait for a disk, so a thread of its own writes it. It is started at the first spill and fed
//! through a bounded queue; when the queue is full or the disk fails, that one spill stops short and says so.

use super::sweep;
use crate::text::KIB;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

/// Bytes handed to the writer at a time: large enough that the queue costs nothing, small enough to stay in the cache.
const CHUNK: usize = 64 * KIB;

/// Chunks that may wait for the disk, 4 MiB in all: at 500 MB/s the writer may be 8 ms late.
const QUEUE: usize = 64;

/// Opens spill files in one directory. Clones share the directory and the thread.
#[derive(Clone, Debug)]
pub(crate) struct Spiller(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    per_user: u64,
    opened: AtomicU64,
    /// Empty until the first spill; `None` inside if no thread could be started.
    queue: OnceLock<Option<SyncSender<Chunk>>>,
    pending: Arc<Pending>,
}

impl Spiller {
    /// Spills go to `<directory>/<n>.out`. Older spills of any of the user's sessions, the directories beside this one, give
    /// way so that all of them stay below `per_user` bytes.
    pub(crate) fn new(directory: PathBuf, per_user: u64) -> Self {
        Self(Some(Arc::new(Shared {
            directory,
            per_user,
            opened: AtomicU64::new(0),
            queue: OnceLock::new(),
            pending: Arc::default(),
        })))
    }

    /// Never spills.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Waits until everything handed over so far is written or given up; returns whether that happened in time.
    #[cfg(test)]
    pub(crate) fn settle(&self, timeout: std::time::Duration) -> bool {
        self.0.as_ref().is_none_or(|shared| shared.pending.settle(timeout))
    }

    /// Opens a spill of at most `limit` bytes; the file itself appears with the first chunk.
    pub(super) fn open(&self, limit: u64) -> Option<Spill> {
        let shared = self.0.as_ref()?;
        let queue = shared.queue.get_or_init(|| start_writer(shared.pending.clone())).clone()?;
        let limit = limit.min(shared.per_user);
        if limit == 0 {
            return None;
        }
        let number = shared.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let (give_back, returned) = channel();
        Some(Spill {
            queue,
            pending: shared.pending.clone(),
            returned,
            chunk: Vec::new(),
            room: limit,
            accepted: 0,
            target: Arc::new(Target {
                path: shared.directory.join(format!("{number}.out")),
                others: shared.per_user - limit,
                give_back,
                file: OnceLock::new(),
                failed: AtomicBool::new(false),
            }),
        })
    }
}

/// One spill, on the side of the shell's output.
#[derive(Debug)]
pub(super) struct Spill {
    queue: SyncSender<Chunk>,
    pending: Arc<Pending>,
    /// Written chunks come back to be filled again.
    returned: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    /// Bytes that may still be taken; zero once the spill has stopped.
    room: u64,
    /// Bytes the queue took.
    accepted: u64,
    target: Arc<Target>,
}

impl Spill {
    pub(super) fn path(&self) -> &Path {
        &self.target.path
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while self.room > 0 && !bytes.is_empty() {
            if self.chunk.capacity() == 0 {
                self.chunk = self.returned.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK));
            }
            let room = usize::try_from(self.room).unwrap_or(usize::MAX).min(CHUNK - self.chunk.len());
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.chunk.extend_from_slice(now);
            self.room -= now.len() as u64;
            bytes = later;
            if self.chunk.len() == CHUNK || self.room == 0 {
                self.hand_over();
            }
        }
    }

    /// Takes back the last bytes, as far as they were not handed over yet.
    pub(super) fn take_back(&mut self, count: usize) {
        let left = self.chunk.len().saturating_sub(count);
        self.room += (self.chunk.len() - left) as u64;
        self.chunk.truncate(left);
    }

    pub(super) fn finish(mut self) -> Spilled {
        self.hand_over();
        Spilled { accepted: self.accepted, target: self.target }
    }

    fn hand_over(&mut self) {
        let bytes = std::mem::take(&mut self.chunk);
        let length = bytes.len() as u64;
        if length == 0 {
            return;
        }
        self.pending.add();
        let chunk = Chunk { bytes, target: self.target.clone() };
        if !self.target.failed.load(Ordering::Relaxed) && self.queue.try_send(chunk).is_ok() {
            self.accepted += length;
        } else {
            self.pending.done();
            self.room = 0;
        }
    }
}

/// One finished spill: what its file holds, or will when the writer has caught up.
#[derive(Clone, Debug)]
pub(super) struct Spilled {
    accepted: u64,
    target: Arc<Target>,
}

impl Spilled {
    /// Bytes from the start of the output that are in the file; zero if the disk failed.
    pub(super) fn bytes(&self) -> u64 {
        if self.target.failed.load(Ordering::Relaxed) { 0 } else { self.accepted }
    }
}

#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    target: Arc<Target>,
}

/// The file of one spill; only the writer touches it.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    /// What all other spills of the user may take together.
    others: u64,
    give_back: Sender<Vec<u8>>,
    file: OnceLock<File>,
    failed: AtomicBool,
}

impl Target {
    fn write(&self, mut bytes: Vec<u8>) {
        if self.failed.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = self.append(&bytes) {
            tracing::warn!(path = %self.path.display(), %error, "spill stopped");
            self.failed.store(true, Ordering::Relaxed);
        }
        bytes.clear();
        // Nobody is there to take it once the command has ended.
        let _ = self.give_back.send(bytes);
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = self.create()?;
                self.file.get_or_init(|| file)
            }
        };
        file.write_all(bytes)
    }

    fn create(&self) -> io::Result<File> {
        if let Some(directory) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            if let Some(root) = directory.parent() {
                sweep::make_room(root, self.others);
            }
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW).open(&self.path)
    }
}

fn start_writer(pending: Arc<Pending>) -> Option<SyncSender<Chunk>> {
    let (sender, chunks) = sync_channel::<Chunk>(QUEUE);
    let writer = move || {
        for chunk in chunks {
            chunk.target.write(chunk.bytes);
            // The file is closed before the chunk counts as written.
            drop(chunk.target);
            pending.done();
        }
    };
    match thread::Builder::new().name("spill".to_owned()).spawn(writer) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "no spill writer");
            None
        }
    }
}

/// How many chunks are on their way to the disk.
#[derive(Debug, Default)]
struct Pending {
    chunks: Mutex<usize>,
    none: Condvar,
}

impl Pending {
    fn add(&self) {
        *self.chunks.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn done(&self) {
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        *chunks -= 1;
        if *chunks == 0 {
            self.none.notify_all();
        }
    }

    #[cfg(test)]
    fn settle(&self, timeout: std::time::Duration) -> bool {
        let chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let (chunks, _) =
            self.none.wait_timeout_while(chunks, timeout, |chunks| *chunks > 0).unwrap_or_else(PoisonError::into_inner);
        *chunks == 0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_full_queue_ends_the_spill_without_waiting() {
        let (queue, stuck) = sync_channel(QUEUE);
        let shared = Shared {
            directory: PathBuf::from("/nowhere/session"),
            per_user: u64::MAX,
            opened: AtomicU64::new(0),
            queue: OnceLock::from(Some(queue)),
            pending: Arc::default(),
        };
        let spiller = Spiller(Some(Arc::new(shared)));
        let mut spill = spiller.open(u64::MAX).unwrap();
        let chunk = vec![b'x'; CHUNK];
        for _ in 0..2 * QUEUE {
            spill.push(&chunk);
        }
        assert_eq!(spill.chunk.capacity(), 0, "nothing is copied once the spill has stopped");
        assert_eq!(spill.finish().bytes(), (QUEUE * CHUNK) as u64);
        assert!(!spiller.settle(Duration::from_millis(1)));
        assert_eq!(stuck.try_iter().count(), QUEUE);
    }

    #[test]
    fn chunks_are_filled_again_once_written() {
        let directory = tempfile::tempdir().unwrap();
        let spiller = Spiller::new(directory.path().join("session"), u64::MAX);
        let mut spill = spiller.open(u64::MAX).unwrap();
        for _ in 0..3 * QUEUE {
            spill.push(&[b'x'; CHUNK]);
            assert!(spiller.settle(Duration::from_secs(10)));
        }
        assert_eq!(spill.returned.try_iter().count(), 1);
        assert_eq!(spill.finish().bytes(), (3 * QUEUE * CHUNK) as u64);
    }
}
