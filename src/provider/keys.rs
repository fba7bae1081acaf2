//! Keys a person gave us to keep: one file, theirs alone, by the names of the variables they stand in for.
//!
//! The environment always comes first. Nothing here is ever printed.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::choose::Env;

/// A longer file is not one of ours.
const CAP: u64 = 64 * 1024;

/// The keys in the file.
#[derive(Default, Clone, PartialEq, Eq)]
pub struct Keys(BTreeMap<String, String>);

/// Why the keys could not be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} can be read by others; chmod 600 it, and think of its keys as known", path.display())]
    Open { path: PathBuf },
    #[error("{} is not a list of keys; remove it and log in again", path.display())]
    Broken { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Keys {
    /// Reads the file; one that is not there has no keys.
    pub fn load(path: &Path) -> Result<Keys, KeysError> {
        let trouble = |source| KeysError::Read { path: path.to_owned(), source };
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Keys::default()),
            Err(error) => return Err(trouble(error)),
        };
        if found.permissions().mode() & 0o077 != 0 {
            return Err(KeysError::Open { path: path.to_owned() });
        }
        let broken = || KeysError::Broken { path: path.to_owned() };
        if found.len() > CAP {
            return Err(broken());
        }
        let text = fs::read_to_string(path).map_err(trouble)?;
        serde_json::from_str(&text).map(Keys).map_err(|_| broken())
    }

    /// Writes the file anew, whole or not at all, for its owner alone. Its directory must be there.
    pub fn save(&self, path: &Path) -> Result<(), KeysError> {
        let write = || {
            let directory = path.parent().unwrap_or(Path::new("."));
            // Made with mode 0600, so that there is no moment in which others could read it.
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.as_file().set_permissions(Permissions::from_mode(0o600))?;
            serde_json::to_writer_pretty(&mut file, &self.0)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|source| KeysError::Write { path: path.to_owned(), source })
    }

    /// Keeps a key in place of this variable.
    pub fn keep(&mut self, variable: &str, secret: &str) {
        self.0.insert(variable.to_owned(), secret.to_owned());
    }

    /// Forgets it; false if there was none.
    pub fn forget(&mut self, variable: &str) -> bool {
        self.0.remove(variable).is_some()
    }

    pub fn has(&self, variable: &str) -> bool {
        self.0.contains_key(variable)
    }

    /// The variable as the environment has it, or the key kept in its place.
    pub fn read(&self, env: Env<'_>, variable: &str) -> Option<String> {
        env(variable).filter(|value| !value.trim().is_empty()).or_else(|| self.0.get(variable).cloned())
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        assert_eq!(Keys::load(&path).unwrap(), Keys::default());
        let mut keys = Keys::default();
        keys.keep("OPENAI_API_KEY", "sk-1");
        keys.save(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut again = Keys::load(&path).unwrap();
        assert_eq!(again, keys);
        assert!(!format!("{again:?}").contains("sk-1"));
        assert!(again.forget("OPENAI_API_KEY") && !again.forget("OPENAI_API_KEY"));
        again.save(&path).unwrap();
        assert!(!Keys::load(&path).unwrap().has("OPENAI_API_KEY"));
    }

    #[test]
    fn a_file_that_others_can_read_or_that_is_none_is_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Keys::load(&path), Err(KeysError::Open { .. })));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "sk-1").unwrap();
        let error = Keys::load(&path).unwrap_err();
        assert!(matches!(error, KeysError::Broken { .. }) && !format!("{error:?} {error}").contains("sk-1"));
    }

    #[test]
    fn the_environment_comes_first() {
        let mut keys = Keys::default();
        keys.keep("A", "kept");
        keys.keep("B", "kept");
        let env = |name: &str| match name {
            "A" => Some("set".to_owned()),
            "B" => Some(" ".to_owned()),
            _ => None,
        };
        assert_eq!(keys.read(&env, "A").as_deref(), Some("set"));
        assert_eq!(keys.read(&env, "B").as_deref(), Some("kept"));
        assert_eq!(keys.read(&env, "C"), None);
    }
}
