//! Explains to the user, in one line, what is wrong with the history and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::file::{self, Identity};

/// Why recording ended before the session did. Its text is shown to the user after "history is off: ".
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error("{}", advice(.error, .path))]
    Store { path: PathBuf, error: StoreError },
    #[error("{} is damaged; kept as {}, a new shell starts a new one", .path.display(), name(.aside))]
    PutAside { path: PathBuf, aside: PathBuf },
    #[error("{} is damaged and cannot be renamed ({reason}); move it away", .path.display())]
    NotPutAside { path: PathBuf, reason: io::Error },
    #[error("{} was replaced; a new shell uses the new one", .path.display())]
    Replaced { path: PathBuf },
    #[error("cannot start its thread: {0}")]
    Thread(io::Error),
}

impl Trouble {
    pub(super) fn new(error: StoreError, path: &Path) -> Trouble {
        Trouble::Store { path: path.to_owned(), error }
    }

    /// The same for an error of an open database. A damaged one is renamed first, so that a new shell can start a new one.
    pub(super) fn after_putting_aside(error: StoreError, path: &Path, identity: Option<Identity>) -> Trouble {
        let (StoreError::Damaged(_), Some(identity)) = (&error, identity) else { return Trouble::new(error, path) };
        match file::put_aside(path, identity) {
            Ok(Some(aside)) => Trouble::PutAside { path: path.to_owned(), aside },
            Ok(None) => Trouble::new(error, path),
            Err(reason) => Trouble::NotPutAside { path: path.to_owned(), reason },
        }
    }
}

/// Says what is wrong and what to do about it.
fn advice(error: &StoreError, path: &Path) -> String {
    let shown = path.display();
    match error {
        StoreError::Damaged(_) | StoreError::Unsound(_) => format!("{shown} is damaged; a new shell starts a new one"),
        StoreError::Newer { .. } => format!("{shown} was written by a newer shellmate; upgrade this one"),
        StoreError::Full(_) => full(),
        StoreError::ReadOnly(_) => format!("{shown} can only be read; make it writable and start a new shell"),
        StoreError::Busy(_) => format!("{shown} is locked by another program"),
        StoreError::Append(source) if source.kind() == io::ErrorKind::StorageFull => full(),
        StoreError::Create { source, .. } if source.kind() == io::ErrorKind::StorageFull => full(),
        StoreError::Create { path, source } | StoreError::Look { path, source } => {
            let path = path.display();
            format!("cannot create {path}: {}; make its directory writable or set XDG_STATE_HOME", plain(source))
        }
        StoreError::Journal(source) | StoreError::Append(source) => {
            format!("cannot use the journal beside {shown}: {}; `shellmate doctor` looks closer", plain(source))
        }
        StoreError::Open(source) | StoreError::Sql(source) => {
            format!("cannot use {shown}: {source}; `shellmate doctor` looks closer")
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn full() -> String {
    "disk is full; free some space and start a new shell".to_owned()
}

/// The error's text without Rust's "(os error 13)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
