//! What the model has read.
//!
//! An edit of a file the model has not read, or that has changed since, would be an edit of something it does not know.

use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The files a conversation has read, by their real paths. Clones share one memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<HashMap<PathBuf, Entry>>>);

#[derive(Debug, Clone)]
struct Entry {
    print: Fingerprint,
    /// The ranges of lines that were shown as they are now.
    shown: Vec<Range<usize>>,
}

/// Tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// None for a file too large to be read as a whole.
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

    /// A touched file with the same content has not changed.
    pub(super) fn is_same_as(&self, other: &Fingerprint) -> bool {
        match (self.content, other.content) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => (self.length, self.modified) == (other.length, other.modified),
        }
    }
}

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Never,
    Changed,
    AsItIs,
}

impl Seen {
    /// Compares a file with what was read of it.
    pub(super) fn compare(&self, path: &Path, now: &Fingerprint) -> Known {
        match self.lock().get(path) {
            None => Known::Never,
            Some(entry) if entry.print.is_same_as(now) => Known::AsItIs,
            Some(_) => Known::Changed,
        }
    }

    /// Whether these very lines have been shown and are still the same.
    pub(super) fn has_shown(&self, path: &Path, now: &Fingerprint, lines: &Range<usize>) -> bool {
        self.lock().get(path).is_some_and(|entry| entry.print.is_same_as(now) && entry.shown.contains(lines))
    }

    /// Notes that these lines were shown.
    pub(super) fn show(&self, path: &Path, now: Fingerprint, lines: Range<usize>) {
        let mut files = self.lock();
        let entry = files.entry(path.to_owned()).or_insert_with(|| Entry { print: now, shown: Vec::new() });
        if !entry.print.is_same_as(&now) {
            entry.shown.clear();
        }
        entry.print = now;
        if !entry.shown.contains(&lines) {
            entry.shown.push(lines);
        }
    }

    /// Notes that the model wrote the file as it is now: it knows the content, but none of its lines were shown.
    pub(super) fn wrote(&self, path: &Path, now: Fingerprint) {
        self.lock().insert(path.to_owned(), Entry { print: now, shown: Vec::new() });
    }

    /// A memory of its own that begins with this one.
    pub(crate) fn fork(&self) -> Seen {
        Seen(Arc::new(Mutex::new(self.lock().clone())))
    }

    /// Takes over what another has read. Where both know a file, the other's knowledge is the later; if it is out of date all the
    /// same, the file will be found changed and has to be read again.
    pub(crate) fn join(&self, other: &Seen) {
        let theirs = other.lock().clone();
        self.lock().extend(theirs);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
