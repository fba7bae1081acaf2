//! The projects that the person trusts: a file in the state directory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::files::ProjectFiles;
use super::{difference, identity};
use crate::guard::shared_file;
use crate::repository;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;
/// The most projects that are kept. The oldest make room.
const MOST: usize = 200;
/// The most states of one project, such as those of its branches.
const MOST_STATES: usize = 8;
/// The most bytes of one state that are kept to show later what has changed.
const COPY: usize = 64 * 1024;

/// Why the file could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    #[error("there is no directory for the trusted projects; `shellmate doctor` says why")]
    NoDirectory,
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Whether a project is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrustState {
    Trusted,
    /// The person was never asked, or said no.
    New,
    /// It was trusted with other contents. The lines show what has changed.
    Changed(Vec<String>),
}

/// A project of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TrustedProject {
    pub root: PathBuf,
    pub since: SystemTime,
    /// Whether its contents are still the trusted ones.
    pub is_current: bool,
}

/// The file with the trusted projects.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustStore {
    path: Option<PathBuf>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustFile {
    /// The newest last.
    projects: Vec<TrustRecord>,
}

/// A project with contents that the person has agreed to.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TrustRecord {
    /// The directory that identifies the project.
    identity: PathBuf,
    root: PathBuf,
    fingerprint: String,
    /// In seconds since 1970.
    since: u64,
    files: BTreeMap<String, TrustedFile>,
}

/// A file as it was when the person agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TrustedFile {
    pub(super) hash: String,
    pub(super) is_executable: bool,
    /// The contents, if they are text and there was room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

impl TrustStore {
    pub(crate) fn new(path: Option<PathBuf>) -> TrustStore {
        TrustStore { path }
    }

    /// The file, if there is a directory for it.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the file is there, but cannot be read as a list of projects.
    pub(crate) fn is_damaged(&self) -> bool {
        self.path().is_some_and(|path| shared_file::is_damaged::<TrustFile>(path, LARGEST))
    }

    /// Whether these contents of a project are trusted.
    pub(crate) fn state(&self, project: &ProjectFiles) -> TrustState {
        let (identity, fingerprint) = (identity::of(project.root()), project.fingerprint());
        let known: Vec<TrustRecord> =
            self.load().projects.into_iter().filter(|record| record.identity == identity).collect();
        match known.last() {
            _ if known.iter().any(|record| record.fingerprint == fingerprint) => TrustState::Trusted,
            Some(last) => TrustState::Changed(difference::lines(&last.files, project)),
            None => TrustState::New,
        }
    }

    /// Trusts these contents.
    pub(crate) fn trust(&self, project: &ProjectFiles) -> Result<(), TrustError> {
        let record = TrustRecord {
            identity: identity::of(project.root()),
            root: project.root().to_owned(),
            fingerprint: project.fingerprint(),
            since: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            files: copies(project),
        };
        self.change(|projects| {
            projects.retain(|other| other.identity != record.identity || other.fingerprint != record.fingerprint);
            let states = projects.iter().filter(|other| other.identity == record.identity).count();
            let mut excess = (states + 1).saturating_sub(MOST_STATES);
            projects.retain(|other| {
                let is_dropped = excess > 0 && other.identity == record.identity;
                excess -= usize::from(is_dropped);
                !is_dropped
            });
            projects.push(record);
            let excess = projects.len().saturating_sub(MOST);
            projects.drain(..excess);
        })
    }

    /// Takes the trust back from the project that a directory is in, or was in. Returns whether it was trusted.
    pub(crate) fn revoke(&self, directory: &Path) -> Result<bool, TrustError> {
        let root = repository::real_root_or(directory);
        let identity = identity::of(&root);
        let mut was_trusted = false;
        self.change(|projects| {
            let before = projects.len();
            projects.retain(|record| record.identity != identity && record.root != root && record.root != directory);
            was_trusted = projects.len() < before;
        })?;
        Ok(was_trusted)
    }

    /// The trusted projects, the newest first. Each is there once.
    pub(crate) fn list(&self) -> Vec<TrustedProject> {
        let mut listed: Vec<TrustedProject> = Vec::new();
        for record in self.load().projects.into_iter().rev() {
            if listed.iter().any(|other| other.root == record.root) {
                continue;
            }
            let now = ProjectFiles::of(&record.root).and_then(Result::ok);
            let is_current = now.is_some_and(|files| self.state(&files) == TrustState::Trusted);
            listed.push(TrustedProject {
                root: record.root,
                since: UNIX_EPOCH + Duration::from_secs(record.since),
                is_current,
            });
        }
        listed
    }

    /// The contents of the file. A missing or broken file trusts nobody: the person is asked again.
    fn load(&self) -> TrustFile {
        let Some(path) = &self.path else { return TrustFile::default() };
        shared_file::load(path, LARGEST)
    }

    /// Replaces the file after a change.
    fn change(&self, change: impl FnOnce(&mut Vec<TrustRecord>)) -> Result<(), TrustError> {
        let path = self.path.as_deref().ok_or(TrustError::NoDirectory)?;
        let changed = shared_file::change(path, LARGEST, |file: &mut TrustFile| change(&mut file.projects));
        changed.map_err(|source| TrustError::Write { path: path.to_owned(), source })
    }
}

/// The files with hashes, and their texts as far as there is room.
fn copies(project: &ProjectFiles) -> BTreeMap<String, TrustedFile> {
    let mut room = COPY;
    let copied = project.files.iter().map(|(name, file)| {
        let text = file.text().filter(|text| text.len() <= room);
        room -= text.map_or(0, str::len);
        let text = text.map(str::to_owned);
        (name.clone(), TrustedFile { hash: file.hash(), is_executable: file.is_executable, text })
    });
    copied.collect()
}
