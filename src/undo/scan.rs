//! The files of a project, before and after a command.
//!
//! A scan keeps the content of every file and builds an index of the tree. The next scan reuses what has the same size, times and inode,
//! so it only reads metadata. Like git, a scan leaves out `.git` and ignored files, and does not follow links.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::stat::FileStat;

use super::state::{LARGEST_KEPT, Observer, PathState};
use crate::text::MIB;
use crate::tool::walk_like_git;

/// A project with more files, or with more bytes in files that would be kept, is not scanned.
pub(super) const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 128 * MIB as u64;
/// New files of one command that are noted. A command that creates more cannot be undone completely.
const MOST_CREATED: usize = 20_000;
/// The time limit for reading the names and metadata of a project.
const PATIENCE: Duration = Duration::from_secs(5);
/// The clock of file systems may lag behind by a few milliseconds. A file that changed as recently as this may change again
/// without a new time.
const RECENT: Duration = Duration::from_millis(20);

/// Why a project is not scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unscanned {
    #[error("it has more than {MOST_FILES} files")]
    ManyFiles,
    #[error("its files are larger than {} MiB, or than half of `undo.size`", MOST_BYTES / MIB as u64)]
    ManyBytes,
    #[error("reading it takes too long")]
    Slow,
}

/// How far a scan goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanLimits {
    files: usize,
    bytes: u64,
}

impl ScanLimits {
    /// With so much room in the store.
    pub(super) fn before(room: u64) -> ScanLimits {
        ScanLimits { files: MOST_FILES, bytes: MOST_BYTES.min(room) }
    }

    /// A command may have created files.
    pub(super) const AFTER: ScanLimits = ScanLimits { files: MOST_FILES + MOST_CREATED, bytes: u64::MAX };
}

/// The files, links and directories of a project, by their real paths.
#[derive(Debug)]
pub(super) struct TreeIndex {
    entries: HashMap<PathBuf, IndexEntry>,
    /// The state of the store in which the contents were kept.
    generation: Option<(i64, i64)>,
    /// When the scan had ended.
    at: SystemTime,
}

#[derive(Debug, Clone)]
struct IndexEntry {
    stamp: FileStamp,
    state: PathState,
    /// Whether an equal stamp later means an equal content.
    is_settled: bool,
}

/// The metadata by which a change is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    size: i64,
    mode: u32,
    /// In nanoseconds.
    mtime: i64,
    ctime: i64,
}

impl FileStamp {
    fn of(about: &FileStat) -> FileStamp {
        let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
        FileStamp {
            inode: about.st_ino,
            size: about.st_size,
            mode: about.st_mode,
            mtime: nanos(about.st_mtime, about.st_mtime_nsec),
            ctime: nanos(about.st_ctime, about.st_ctime_nsec),
        }
    }

    fn is_older_than(&self, time: SystemTime) -> bool {
        let nanos = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let nanos = i64::try_from(nanos).unwrap_or(i64::MAX);
        self.mtime < nanos && self.ctime < nanos
    }
}

/// The state of a path before and after a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ScannedChange {
    pub(super) path: PathBuf,
    pub(super) before: PathState,
    pub(super) after: PathState,
}

impl TreeIndex {
    /// Scans a project. `known` is an earlier index of it; `skipped` are directories that are left out.
    pub(super) fn scan(
        root: &Path,
        skipped: &[PathBuf],
        known: Option<&TreeIndex>,
        limits: ScanLimits,
        observer: &mut Observer<'_>,
    ) -> Result<TreeIndex, Unscanned> {
        let began = SystemTime::now();
        let found = walk(root, skipped, limits, observer)?;
        let generation = observer.store.generation();
        // Contents that were kept may be gone since.
        let known = known.filter(|known| known.generation == generation);
        let settled = began.checked_sub(RECENT).unwrap_or(began);
        let mut entries = HashMap::with_capacity(found.len());
        for (path, about) in found {
            let stamp = FileStamp::of(&about);
            let same = known.and_then(|known| known.entries.get(&path));
            let is_same = |same: &&IndexEntry| same.is_settled && same.stamp == stamp && !same.state.was_not_kept();
            let state = match same.filter(is_same) {
                Some(same) => same.state.clone(),
                None => observer.state(&path, &about),
            };
            entries.insert(path, IndexEntry { stamp, state, is_settled: stamp.is_older_than(settled) });
        }
        let generation = observer.store.generation();
        Ok(TreeIndex { entries, generation, at: SystemTime::now() })
    }

    /// What has changed between two scans, ordered by path.
    pub(super) fn changes_to(&self, later: &TreeIndex, observer: &mut Observer<'_>) -> Vec<ScannedChange> {
        let mut changes = Vec::new();
        for (path, entry) in &self.entries {
            let after = match later.entries.get(path) {
                Some(later) => later.state.clone(),
                // It may be there still, and be ignored now.
                None => observer.look(path),
            };
            if entry.state != after {
                changes.push(ScannedChange { path: path.clone(), before: entry.state.clone(), after });
            }
        }
        let inodes = LazyCell::new(|| self.entries.values().map(|entry| entry.stamp.inode).collect::<HashSet<u64>>());
        for (path, entry) in &later.entries {
            if !self.entries.contains_key(path) && self.is_new(path, entry, |inode| inodes.contains(&inode)) {
                let (path, after) = (path.clone(), entry.state.clone());
                changes.push(ScannedChange { path, before: PathState::Absent, after });
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    }

    /// What has changed of the paths in this index, ordered by path. New paths are not found.
    pub(super) fn changes_of_known(&self, observer: &mut Observer<'_>) -> Vec<ScannedChange> {
        let mut changes = Vec::new();
        for (path, entry) in &self.entries {
            let is_same = observer.opener.about(path).is_ok_and(|about| FileStamp::of(&about) == entry.stamp);
            let after = if is_same { entry.state.clone() } else { observer.look(path) };
            if entry.state != after {
                changes.push(ScannedChange { path: path.clone(), before: entry.state.clone(), after });
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    }

    /// Whether a path that was not in this index did not exist before. It may have been ignored until the command changed an ignore
    /// file, or have been moved here from elsewhere. A file that was moved within the project counts as new.
    fn is_new(&self, path: &Path, entry: &IndexEntry, is_known: impl Fn(u64) -> bool) -> bool {
        let since = self.at.checked_sub(RECENT).unwrap_or(self.at);
        let created = path.symlink_metadata().and_then(|about| about.created());
        match created {
            Ok(created) if created >= since => true,
            Ok(_) => is_known(entry.stamp.inode),
            // Without a time of birth, the time of the last change of the inode must do.
            Err(_) => !entry.stamp.is_older_than(since),
        }
    }
}

/// The paths below a project's root with their metadata.
fn walk(
    root: &Path,
    skipped: &[PathBuf],
    limits: ScanLimits,
    observer: &mut Observer<'_>,
) -> Result<Vec<(PathBuf, FileStat)>, Unscanned> {
    let skipped = skipped.to_vec();
    let walk = walk_like_git(root, move |path| !skipped.iter().any(|skipped| skipped == path));
    let began = Instant::now();
    let (mut found, mut bytes) = (Vec::new(), 0);
    for entry in walk.flatten().skip(1) {
        if began.elapsed() > PATIENCE {
            return Err(Unscanned::Slow);
        }
        if found.len() == limits.files {
            return Err(Unscanned::ManyFiles);
        }
        let Ok(about) = observer.opener.about(entry.path()) else { continue };
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            bytes += u64::try_from(about.st_size).ok().filter(|size| *size <= LARGEST_KEPT).unwrap_or_default();
        }
        if bytes > limits.bytes {
            return Err(Unscanned::ManyBytes);
        }
        found.push((entry.into_path(), about));
    }
    Ok(found)
}

/// The directory whose files a command may change: the repository, or else the directory itself. `None` if that is a home directory, or
/// holds one, or is `/` or directly below it.
pub(super) fn project_of(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let cwd = cwd.canonicalize().ok()?;
    let home = home.and_then(|home| home.canonicalize().ok());
    let is_project = |path: &&Path| {
        let holds_home = home.as_ref().is_some_and(|home| home.starts_with(path));
        !holds_home && path.components().count() > 2
    };
    let repository = cwd.ancestors().find(|path| path.join(".git").exists());
    repository.filter(is_project).or(Some(cwd.as_path())).filter(is_project).map(Path::to_owned)
}
