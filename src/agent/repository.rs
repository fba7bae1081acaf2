//! The repository that a directory is in.

use std::path::Path;

/// How many directories are looked at between a repository's root and the current directory.
const DEPTH: usize = 64;

/// The root of the repository that a directory is in.
pub(super) fn root(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().take(DEPTH).find(|directory| directory.join(".git").exists())
}

/// The root of the repository that a directory is in, or the directory itself outside of one.
pub(super) fn root_or(cwd: &Path) -> &Path {
    root(cwd).unwrap_or(cwd)
}

/// A directory and its parents up to the repository's root, innermost first.
pub(super) fn directories(cwd: &Path) -> Vec<&Path> {
    let root = root_or(cwd);
    cwd.ancestors().take(DEPTH).take_while(|one| one.starts_with(root)).collect()
}
