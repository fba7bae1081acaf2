//! What is wrong with the history and what to do about it, in one line for the user.

use std::io;
use std::path::Path;

use super::StoreError;
use super::file::{self, Identity};

/// Puts an error into words.
pub(super) fn words(error: StoreError, path: &Path) -> String {
    let shown = path.display();
    match &error {
        StoreError::Damaged(_) => format!("{shown} is damaged; a new shell starts a new one"),
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

/// The same for an error of an open database. A damaged one is put aside on the way.
pub(super) fn after_putting_aside(error: StoreError, path: &Path, identity: Option<Identity>) -> String {
    let (StoreError::Damaged(_), Some(identity)) = (&error, identity) else { return words(error, path) };
    let shown = path.display();
    match file::put_aside(path, identity) {
        Ok(Some(aside)) => {
            let name = aside.file_name().unwrap_or(aside.as_os_str()).to_string_lossy();
            format!("{shown} is damaged; kept as {name}, a new shell starts a new one")
        }
        Ok(None) => words(error, path),
        Err(reason) => format!("{shown} is damaged and cannot be renamed ({reason}); move it away"),
    }
}

fn full() -> String {
    "disk is full; free some space and start a new shell".to_owned()
}

/// Without Rust's "(os error 13)".
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
