//! The private temporary directory of a session's commands.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;

/// A directory that stands in for `/tmp` while a command runs. It is created for the first command and removed with the last clone.
///
/// It is on disk and keeps its files between commands. `TMPDIR` names it, with the same path inside and outside of the sandbox, so the
/// tools that read files find what a command wrote there.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrivateTemp(Arc<Mutex<Option<TempDir>>>);

/// The parts of a private temporary directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TempParts {
    /// Stands in for `/tmp`.
    pub(super) tmp: PathBuf,
    /// Stands in for `/run`.
    pub(super) run: PathBuf,
    /// An empty directory, mounted over hidden directories.
    pub(super) no_directory: PathBuf,
    /// An empty file, mounted over hidden files.
    pub(super) no_file: PathBuf,
}

impl PrivateTemp {
    /// Creates the directory if it does not exist yet.
    pub(super) fn parts(&self) -> io::Result<TempParts> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have cleaned up the temporary directory meanwhile.
        if let Some(root) = made.as_ref().filter(|root| root.path().join("tmp").is_dir()) {
            return Ok(parts(root.path()));
        }
        let within = std::env::temp_dir().canonicalize()?;
        let private = Permissions::from_mode(0o700);
        let root = tempfile::Builder::new().prefix("shellmate-run-").permissions(private).tempdir_in(within)?;
        let parts = parts(root.path());
        let create = |path: &Path, mode| fs::DirBuilder::new().mode(mode).create(path);
        create(&parts.tmp, 0o700)?;
        create(&parts.run, 0o700)?;
        create(&parts.no_directory, 0o500)?;
        fs::write(&parts.no_file, "")?;
        fs::set_permissions(&parts.no_file, Permissions::from_mode(0o400))?;
        *made = Some(root);
        Ok(parts)
    }
}

fn parts(root: &Path) -> TempParts {
    TempParts {
        tmp: root.join("tmp"),
        run: root.join("run"),
        no_directory: root.join("hidden"),
        no_file: root.join("hidden-file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_is_private_shared_by_clones_and_removed_at_the_end() {
        let temp = PrivateTemp::default();
        let parts = temp.parts().unwrap();
        assert_eq!(temp.clone().parts().unwrap(), parts);
        let root = parts.tmp.parent().unwrap().to_owned();
        assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
        drop(temp);
        assert!(!root.exists());
    }
}
