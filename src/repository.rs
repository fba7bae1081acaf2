//! The repository that a directory is in. It is looked for by the name `.git`; git itself is not asked.

use std::path::{Path, PathBuf};

/// How many directories are looked at on the way up from a directory to its repository's root.
const DEPTH: usize = 64;

/// The root of the repository that a directory is in.
pub(crate) fn root(directory: &Path) -> Option<&Path> {
    directory.ancestors().take(DEPTH).find(|one| one.join(".git").exists())
}

/// The root of the repository that a directory is in, or the directory itself outside of one.
pub(crate) fn root_or(directory: &Path) -> &Path {
    root(directory).unwrap_or(directory)
}

/// The real path of `root_or`, by which a project is known whichever symbolic link leads to it.
pub(crate) fn real_root_or(directory: &Path) -> PathBuf {
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    root_or(&real).to_owned()
}

/// A directory and its parents up to the repository's root, innermost first.
pub(crate) fn directories(directory: &Path) -> Vec<&Path> {
    let root = root_or(directory);
    directory.ancestors().take(DEPTH).take_while(|one| one.starts_with(root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_root_is_the_same_through_a_symbolic_link() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("app/src/deep")).unwrap();
        std::fs::create_dir(home.join("app/.git")).unwrap();
        std::os::unix::fs::symlink(home.join("app"), home.join("link")).unwrap();
        assert_eq!(real_root_or(&home.join("link/src/deep")), home.join("app"));
        assert_eq!(real_root_or(&home), home);
        assert_eq!(real_root_or(&home.join("missing")), home.join("missing"));
    }
}
