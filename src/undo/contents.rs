//! The kept contents of files, by their SHA-256, in a private directory.
//!
//! Contents that are kept together are written to one file, a pack, which never changes after it has its name. The directory is bounded
//! in bytes and in age: the oldest packs go first, and a content that is needed again is written again if its pack is old. A content that a
//! change refers to may therefore be gone, which `/undo` says.

use std::collections::{HashMap, HashSet};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::pack::{self, PackEntry};
use super::state::ContentName;
use crate::store::QueryId;
use crate::text::MIB;

/// The file whose time says when packs were last removed.
const SWEPT: &str = "swept";
/// A draft of this age was left by a process that was killed.
const LEFTOVER: Duration = Duration::from_secs(24 * 60 * 60);
/// The packs are looked at again for a missing content, but not more often than this.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Smaller packs are on the disk before the agent goes on.
const SYNCED: u64 = MIB as u64;

/// How many bytes are kept, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UndoLimits {
    pub bytes: u64,
    pub age: Duration,
}

/// Why a kept content cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContentError {
    #[error("its old content is no longer kept")]
    Gone,
    #[error("its kept content is damaged")]
    Damaged,
}

/// The directory with kept contents.
#[derive(Debug)]
pub(crate) struct ContentStore {
    directory: PathBuf,
    limits: UndoLimits,
    known: Mutex<KnownPacks>,
}

/// What is in the packs, as far as this process knows.
#[derive(Debug, Default)]
struct KnownPacks {
    loaded_at: Option<Instant>,
    /// When packs had last been removed at that time.
    generation: Option<(i64, i64)>,
    places: HashMap<ContentName, ContentPlace>,
}

/// Where a content is.
#[derive(Debug, Clone)]
struct ContentPlace {
    pack: Arc<Path>,
    entry: PackEntry,
    kept_at: SystemTime,
}

impl ContentStore {
    pub(crate) fn new(directory: PathBuf, limits: UndoLimits) -> ContentStore {
        ContentStore { directory, limits, known: Mutex::default() }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The most bytes that one scan may add.
    pub(super) fn room(&self) -> u64 {
        self.limits.bytes / 2
    }

    /// Begins a pack. It is written when it is committed.
    pub(super) fn draft(&self) -> PackDraft<'_> {
        let mut known = lock(&self.known);
        if known.generation != self.generation() {
            *known = KnownPacks::default();
        }
        PackDraft {
            store: self,
            file: None,
            path: PathBuf::new(),
            entries: Vec::new(),
            names: HashSet::new(),
            bytes: 0,
        }
    }

    /// Reads a content and checks it.
    pub(super) fn read(&self, name: ContentName) -> Result<Vec<u8>, ContentError> {
        let place = self.place(name).ok_or(ContentError::Gone)?;
        let file = File::open(&place.pack).map_err(|_| ContentError::Gone)?;
        let mut bytes = vec![0; usize::try_from(place.entry.length).map_err(|_| ContentError::Damaged)?];
        file.read_exact_at(&mut bytes, place.entry.offset).map_err(|_| ContentError::Damaged)?;
        if ContentName::of(&bytes) == name { Ok(bytes) } else { Err(ContentError::Damaged) }
    }

    pub(super) fn has(&self, name: ContentName) -> bool {
        self.place(name).is_some()
    }

    /// Whether a content is there and stays for a while.
    fn is_fresh(&self, name: ContentName) -> bool {
        let known = self.loaded();
        let age = known.places.get(&name).and_then(|place| place.kept_at.elapsed().ok());
        age.is_some_and(|age| age < self.limits.age / 2)
    }

    /// Where a content is. Another process may have kept it, or removed it, since we looked.
    fn place(&self, name: ContentName) -> Option<ContentPlace> {
        let find = |known: MutexGuard<'_, KnownPacks>| {
            let place = known.places.get(&name).cloned().filter(|place| place.pack.exists());
            (place, known.loaded_at.is_some_and(|then| then.elapsed() > LOOK_AGAIN))
        };
        match find(self.loaded()) {
            (None, true) => {
                *lock(&self.known) = KnownPacks::default();
                find(self.loaded()).0
            }
            (place, _) => place,
        }
    }

    fn loaded(&self) -> MutexGuard<'_, KnownPacks> {
        let mut known = lock(&self.known);
        if known.loaded_at.is_none() {
            (known.loaded_at, known.generation) = (Some(Instant::now()), self.generation());
            for pack in packs(&self.directory) {
                known.add(&pack.path, pack.time, pack::entries(&pack.path).unwrap_or_default());
            }
        }
        known
    }

    /// When packs were last removed. While this stays the same, a kept content is still there.
    pub(super) fn generation(&self) -> Option<(i64, i64)> {
        let about = fs::metadata(self.directory.join(SWEPT)).ok()?;
        Some((about.mtime(), about.mtime_nsec()))
    }

    /// Removes packs beyond the limits of age and bytes, the oldest first.
    pub(super) fn sweep(&self, now: SystemTime) {
        let oldest = now.checked_sub(self.limits.age).unwrap_or(SystemTime::UNIX_EPOCH);
        let packs = packs(&self.directory);
        let mut bytes: u64 = packs.iter().map(|pack| pack.bytes).sum();
        let mut has_removed = false;
        for pack in packs {
            if pack.time >= oldest && bytes <= self.limits.bytes {
                break;
            }
            has_removed |= fs::remove_file(&pack.path).is_ok();
            bytes = bytes.saturating_sub(pack.bytes);
        }
        if has_removed {
            mark_swept(&self.directory);
            *lock(&self.known) = KnownPacks::default();
        }
        remove_leftovers(&self.directory, now);
    }
}

impl KnownPacks {
    fn add(&mut self, pack: &Path, kept_at: SystemTime, entries: Vec<PackEntry>) {
        let pack: Arc<Path> = pack.into();
        for entry in entries {
            self.places.insert(entry.name, ContentPlace { pack: Arc::clone(&pack), entry, kept_at });
        }
    }
}

/// A pack that is being written. Nothing is kept before it is committed.
pub(super) struct PackDraft<'a> {
    store: &'a ContentStore,
    /// The file, once there is something to write.
    file: Option<BufWriter<File>>,
    path: PathBuf,
    entries: Vec<PackEntry>,
    names: HashSet<ContentName>,
    bytes: u64,
}

impl PackDraft<'_> {
    /// Adds a content and returns its name. One that is kept already is not written again.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<ContentName> {
        let name = ContentName::of(bytes);
        if self.names.contains(&name) || self.store.is_fresh(name) {
            return Ok(name);
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                self.path = self.store.directory.join(format!("{}.draft", QueryId::fresh().0));
                let open = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path);
                let file = open().or_else(|_| {
                    DirBuilder::new().recursive(true).mode(0o700).create(&self.store.directory)?;
                    open()
                })?;
                self.file.insert(BufWriter::with_capacity(MIB, file))
            }
        };
        file.write_all(bytes)?;
        let length = bytes.len() as u64;
        self.entries.push(PackEntry { name, offset: self.bytes, length });
        self.names.insert(name);
        self.bytes += length;
        Ok(name)
    }

    /// Gives the pack its name.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let entries = std::mem::take(&mut self.entries);
        file.write_all(&pack::footer(&entries))?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if self.bytes <= SYNCED {
            file.sync_all()?;
        }
        let path = self.path.with_extension(pack::EXTENSION);
        fs::rename(&self.path, &path)?;
        self.path.clear();
        self.store.loaded().add(&path, SystemTime::now(), entries);
        self.store.sweep(SystemTime::now());
        Ok(())
    }
}

impl Drop for PackDraft<'_> {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes every kept content but these. A pack in which some are still needed is written again without the others.
pub(crate) fn retain(directory: &Path, used: &HashSet<String>) -> io::Result<()> {
    for PackFile { path, time, .. } in packs(directory) {
        let entries = pack::entries(&path).unwrap_or_default();
        let kept: Vec<PackEntry> =
            entries.iter().filter(|entry| used.contains(&entry.name.to_string())).copied().collect();
        if kept.len() == entries.len() && !kept.is_empty() {
            continue;
        }
        if kept.is_empty() {
            fs::remove_file(&path)?;
        } else {
            let draft = path.with_extension("draft");
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            pack::copy(&File::open(&path)?, kept, &mut file)?;
            file.set_modified(time)?;
            fs::rename(&draft, &path)?;
        }
        mark_swept(directory);
    }
    Ok(())
}

fn mark_swept(directory: &Path) {
    let path = directory.join(SWEPT);
    if let Ok(file) = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// A file with contents.
struct PackFile {
    path: PathBuf,
    bytes: u64,
    time: SystemTime,
}

/// All packs, oldest first.
fn packs(directory: &Path) -> Vec<PackFile> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let packs = entries.filter(|path| path.extension().is_some_and(|extension| extension == pack::EXTENSION));
    let mut packs: Vec<PackFile> = packs
        .filter_map(|path| {
            let about = fs::symlink_metadata(&path).ok()?;
            Some(PackFile { path, bytes: about.len(), time: about.modified().ok()? })
        })
        .collect();
    packs.sort_by(|one, other| (one.time, &one.path).cmp(&(other.time, &other.path)));
    packs
}

fn remove_leftovers(directory: &Path, now: SystemTime) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let age = || now.duration_since(entry.metadata().ok()?.modified().ok()?).ok();
        if path.extension().is_some_and(|extension| extension == "draft") && age().is_some_and(|age| age > LEFTOVER) {
            let _ = fs::remove_file(path);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
