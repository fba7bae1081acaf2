//! JSON in a file that only its owner can read.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum size of such a file, in bytes.
const CAP: u64 = 64 * 1024;

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrivateFileError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("other users can read or change {}; run `chmod 600` on it and consider what it holds as known", path.display())]
    Open { path: PathBuf },
    #[error("{} is damaged; remove it", path.display())]
    Broken { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Reads the file; `None` if it does not exist.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, PrivateFileError> {
    let trouble = |source| PrivateFileError::Read { path: path.to_owned(), source };
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(trouble(error)),
    };
    if found.permissions().mode() & 0o077 != 0 {
        return Err(PrivateFileError::Open { path: path.to_owned() });
    }
    let broken = || PrivateFileError::Broken { path: path.to_owned() };
    if found.len() > CAP {
        return Err(broken());
    }
    let text = fs::read_to_string(path).map_err(trouble)?;
    serde_json::from_str(&text).map(Some).map_err(|_| broken())
}

/// Replaces the file, whole or not at all. Its directory must exist.
pub(super) fn write(path: &Path, content: &impl Serialize) -> Result<(), PrivateFileError> {
    let write = || {
        let directory = path.parent().unwrap_or(Path::new("."));
        // Created with mode 0600: there is no moment in which others can read it.
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.as_file().set_permissions(Permissions::from_mode(0o600))?;
        serde_json::to_writer_pretty(&mut file, content)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source| PrivateFileError::Write { path: path.to_owned(), source })
}
