//! The repository that a conversation belongs to.

use std::path::{Path, PathBuf};

/// How many directories are looked at.
const DEPTH: usize = 64;

/// The real path of the repository's root, or of the directory itself if it is in no repository.
pub(super) fn of(directory: &Path) -> PathBuf {
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let root = real.ancestors().take(DEPTH).find(|one| one.join(".git").exists());
    root.map(Path::to_owned).unwrap_or(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_real_path_of_the_root_or_the_directory() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("app/src/deep")).unwrap();
        std::fs::create_dir(home.join("app/.git")).unwrap();
        std::os::unix::fs::symlink(home.join("app"), home.join("link")).unwrap();
        assert_eq!(of(&home.join("link/src/deep")), home.join("app"));
        assert_eq!(of(&home), home);
        assert_eq!(of(&home.join("missing")), home.join("missing"));
    }
}
