//! The identity of a project, by which it is trusted.

use std::fs;
use std::path::{Path, PathBuf};

/// A `.git` file and the files in git's directories that are read are shorter than this.
const LARGEST: u64 = 8 * 1024;

/// The directory that identifies a project: git's own, which all worktrees of a repository share, or the root outside of a repository.
pub(super) fn of(root: &Path) -> PathBuf {
    common_directory(root).unwrap_or_else(|| root.to_owned())
}

/// git's directory of the repository at this root. A linked worktree counts as part of a repository only if the repository lists it:
/// otherwise any directory could claim to be a worktree of a trusted one.
fn common_directory(root: &Path) -> Option<PathBuf> {
    let link = root.join(".git");
    let about = fs::symlink_metadata(&link).ok()?;
    if about.is_dir() {
        return link.canonicalize().ok();
    }
    if !about.is_file() {
        return None;
    }
    let own = root.join(line(&link)?.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let listed = own.join(line(&own.join("gitdir"))?).canonicalize().ok()?;
    if listed != link.canonicalize().ok()? {
        return None;
    }
    own.join(line(&own.join("commondir"))?).canonicalize().ok()
}

/// The only line of a small file.
fn line(path: &Path) -> Option<String> {
    let about = fs::symlink_metadata(path).ok().filter(|about| about.is_file() && about.len() <= LARGEST);
    about.and_then(|_| fs::read_to_string(path).ok()).map(|text| text.trim().to_owned())
}
