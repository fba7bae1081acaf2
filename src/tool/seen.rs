//! The files that the model has read.
//!
//! A model may only edit a file that it has read and that has not changed since.

use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The files that a conversation has read, by their real paths. Clones share their content.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<HashMap<PathBuf, SeenFile>>>);

#[derive(Debug, Clone)]
struct SeenFile {
    print: Fingerprint,
    /// The ranges of lines that the model has seen in this state of the file.
    shown: Vec<Range<usize>>,
}

/// Identifies a state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// A hash of the content. `None` for a file that is too large to be read as a whole.
    content: Option<u64>,
}

impl Fingerprint {
    pub(super) fn of(about: &Metadata, content: Option<&[u8]>) -> Fingerprint {
        let hash = |bytes: &[u8]| {
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            hasher.finish()
        };
        Fingerprint { length: about.len(), modified: about.modified().ok(), content: content.map(hash) }
    }

    /// Compares two states. A file that was touched but has the same content counts as unchanged.
    pub(super) fn is_same_as(&self, other: &Fingerprint) -> bool {
        match (self.content, other.content) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => (self.length, self.modified) == (other.length, other.modified),
        }
    }
}

/// What the model knows about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKnowledge {
    Never,
    Changed,
    AsItIs,
}

impl Seen {
    /// Compares the current state of a file with the one that was read.
    pub(super) fn compare(&self, path: &Path, now: &Fingerprint) -> FileKnowledge {
        match self.lock().get(path) {
            None => FileKnowledge::Never,
            Some(entry) if entry.print.is_same_as(now) => FileKnowledge::AsItIs,
            Some(_) => FileKnowledge::Changed,
        }
    }

    /// Whether exactly these lines have been shown and the file has not changed since.
    pub(super) fn has_shown(&self, path: &Path, now: &Fingerprint, lines: &Range<usize>) -> bool {
        self.lock().get(path).is_some_and(|entry| entry.print.is_same_as(now) && entry.shown.contains(lines))
    }

    /// Records that these lines were shown.
    pub(super) fn show(&self, path: &Path, now: Fingerprint, lines: Range<usize>) {
        let mut files = self.lock();
        let entry = files.entry(path.to_owned()).or_insert_with(|| SeenFile { print: now, shown: Vec::new() });
        if !entry.print.is_same_as(&now) {
            entry.shown.clear();
        }
        entry.print = now;
        if !entry.shown.contains(&lines) {
            entry.shown.push(lines);
        }
    }

    /// Records that the model wrote the file. It knows the content, but has not seen numbered lines of it.
    pub(super) fn wrote(&self, path: &Path, now: Fingerprint) {
        self.lock().insert(path.to_owned(), SeenFile { print: now, shown: Vec::new() });
    }

    /// Forgets which lines were shown, because the model no longer has them. What it knows of the files' states stays.
    pub(crate) fn forget_lines(&self) {
        self.lock().values_mut().for_each(|entry| entry.shown.clear());
    }

    /// An independent copy.
    pub(crate) fn fork(&self) -> Seen {
        Seen(Arc::new(Mutex::new(self.lock().clone())))
    }

    /// Adds the files that another has read. If both have read a file, the other's state replaces this one. If that state is outdated, the
    /// file counts as changed and must be read again.
    pub(crate) fn join(&self, other: &Seen) {
        let theirs = other.lock().clone();
        self.lock().extend(theirs);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, SeenFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
