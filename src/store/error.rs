//! Errors of the database.

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the history could not be written or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("cannot create {path}")]
    Create { path: PathBuf, source: io::Error },
    #[error("cannot look at {path}")]
    Look { path: PathBuf, source: io::Error },
    #[error("cannot open the history database")]
    Open(#[source] rusqlite::Error),
    #[error("the history database was written by a newer shellmate (format {found}, this one knows {known})")]
    Newer { found: i64, known: i64 },
    #[error("the history database is damaged or not a database")]
    Damaged(#[source] rusqlite::Error),
    #[error("the history database is damaged: {0}")]
    Unsound(String),
    #[error("the disk is full")]
    Full(rusqlite::Error),
    #[error("the history database can only be read")]
    ReadOnly(rusqlite::Error),
    #[error("the history database is locked by another program")]
    Busy(rusqlite::Error),
    #[error("cannot read the journal of the history")]
    Journal(#[source] io::Error),
    #[error("cannot append to the journal of the history")]
    Append(#[source] io::Error),
    #[error("cannot use the history database")]
    Sql(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let extended = error.sqlite_error().map(|error| error.extended_code);
        if extended == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
            // The index of the log could not be enlarged.
            return StoreError::Full(error);
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(error),
            Some(ErrorCode::DiskFull) => StoreError::Full(error),
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(error),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(error),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreError::Open(error),
            _ => StoreError::Sql(error),
        }
    }
}
