//! Stored keys, in a file that only the user can read. Each has the name of the variable that it stands for.
//!
//! A variable in the environment has precedence over the stored key. Keys are never printed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use super::choose::Variables;
use super::private_file::{self, PrivateFileError};

/// The keys in the file.
#[derive(Default, Clone, PartialEq, Eq)]
pub(crate) struct Keys(BTreeMap<String, String>);

impl Keys {
    /// Reads the file. A missing file holds no keys.
    pub(crate) fn load(path: &Path) -> Result<Keys, PrivateFileError> {
        private_file::read(path).map(|keys| Keys(keys.unwrap_or_default()))
    }

    /// Replaces the file. Its directory must exist.
    pub(crate) fn save(&self, path: &Path) -> Result<(), PrivateFileError> {
        private_file::write(path, &self.0)
    }

    /// Stores a key under the name of this variable.
    pub(crate) fn keep(&mut self, variable: &str, secret: &str) {
        self.0.insert(variable.to_owned(), secret.to_owned());
    }

    /// Removes a key. Returns whether there was one.
    pub(crate) fn forget(&mut self, variable: &str) -> bool {
        self.0.remove(variable).is_some()
    }

    /// The stored key.
    pub(crate) fn get(&self, variable: &str) -> Option<&str> {
        self.0.get(variable).map(String::as_str)
    }

    pub(crate) fn has(&self, variable: &str) -> bool {
        self.0.contains_key(variable)
    }
}

/// The exported variables, and stored keys for those that are not set.
pub(crate) struct WithKeys<'a, V> {
    pub exported: V,
    pub keys: &'a Keys,
}

impl<V: Fn(&str) -> Option<String> + Send + Sync> Variables for WithKeys<'_, V> {
    fn get(&self, name: &str) -> Option<String> {
        self.exported(name).or_else(|| self.keys.0.get(name).cloned())
    }

    fn exported(&self, name: &str) -> Option<String> {
        (self.exported)(name).filter(|value| !value.trim().is_empty())
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

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
    fn a_file_that_others_can_read_or_that_is_damaged_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys.json");
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Keys::load(&path), Err(PrivateFileError::Open { .. })));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        fs::write(&path, "sk-1").unwrap();
        let error = Keys::load(&path).unwrap_err();
        assert!(matches!(error, PrivateFileError::Broken { .. }) && !format!("{error:?} {error}").contains("sk-1"));
    }

    #[test]
    fn a_variable_comes_before_a_kept_key() {
        let mut keys = Keys::default();
        keys.keep("A", "kept");
        keys.keep("B", "kept");
        let env = |name: &str| match name {
            "A" => Some("set".to_owned()),
            "B" => Some(" ".to_owned()),
            _ => None,
        };
        let variables = WithKeys { exported: env, keys: &keys };
        assert_eq!(variables.get("A").as_deref(), Some("set"));
        assert_eq!(variables.get("B").as_deref(), Some("kept"));
        assert_eq!(variables.get("C"), None);
        assert_eq!(variables.exported("B"), None);
    }
}
