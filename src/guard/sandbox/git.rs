//! The directories of git that belong to a project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::guard::places::GIT_DELICATE;

/// How many directories of submodules and worktrees are looked at.
const MOST_MODULES: usize = 200;

/// The directories in which git keeps a project's commits, and the delicate paths in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GitDirectories {
    /// `.git`, or the directories that it points to in a worktree or a submodule.
    pub(super) writable: Vec<PathBuf>,
    /// Hooks and settings, whether they exist or not.
    pub(super) delicate: Vec<PathBuf>,
}

impl GitDirectories {
    /// Finds them for a project. A `.git` file is believed only if the directory it names points back to the project: a repository from
    /// elsewhere could name any directory.
    pub(super) fn of(project: &Path) -> GitDirectories {
        let dot_git = project.join(".git");
        let mut found = GitDirectories::default();
        let linked = match fs::symlink_metadata(&dot_git) {
            Ok(kind) if kind.is_file() => linked(project, &dot_git),
            Ok(kind) if kind.is_dir() => vec![dot_git.clone()],
            Ok(_) | Err(_) => Vec::new(),
        };
        // Without a repository, one that the command creates must not come with hooks.
        let places = if linked.is_empty() { vec![dot_git] } else { linked.clone() };
        for directory in places.iter().cloned().chain(linked.iter().flat_map(|directory| modules(directory))) {
            found.delicate.extend(GIT_DELICATE.iter().map(|name| directory.join(name)));
        }
        found.writable = linked;
        found
    }
}

/// The directory that a `.git` file points to, and the one it shares with other worktrees.
fn linked(project: &Path, dot_git: &Path) -> Vec<PathBuf> {
    let Some(directory) = named_in(dot_git, "gitdir:").and_then(|path| project.join(path).canonicalize().ok()) else {
        return Vec::new();
    };
    if !directory.join("HEAD").is_file() {
        return Vec::new();
    }
    let back = named_in(&directory.join("gitdir"), "").and_then(|path| directory.join(path).canonicalize().ok());
    if back.is_some_and(|back| back == dot_git) {
        let common = named_in(&directory.join("commondir"), "");
        let common = common.and_then(|path| directory.join(path).canonicalize().ok());
        let common = common.filter(|common| directory.starts_with(common.join("worktrees")));
        // A worktree without a common directory cannot be used; the name is not believed then.
        return common.map(|common| vec![common]).unwrap_or_default();
    }
    // A submodule's directory is in `.git/modules` of the repository around it.
    let is_ours = |outer: &Path| directory.starts_with(outer.join(".git/modules"));
    if project.ancestors().skip(1).any(is_ours) { vec![directory] } else { Vec::new() }
}

/// The path in a file of one line.
fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = text.strip_prefix(prefix)?.trim();
    (!path.is_empty()).then(|| PathBuf::from(path))
}

/// The directories of submodules and worktrees inside a git directory.
fn modules(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.join("modules"), directory.join("worktrees")];
    let mut looked = 0;
    while let Some(next) = pending.pop().filter(|_| looked < MOST_MODULES) {
        looked += 1;
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if path.join("HEAD").is_file() {
                pending.push(path.join("modules"));
                found.push(path);
            } else {
                // A submodule's name may contain slashes.
                pending.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_worktree_shares_its_repository_and_a_forged_one_shares_nothing() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        write(&at("main/.git/worktrees/tree/HEAD"), "ref");
        write(&at("main/.git/worktrees/tree/commondir"), "../..\n");
        write(&at("main/.git/worktrees/tree/gitdir"), &format!("{}\n", at("tree/.git").display()));
        write(&at("tree/.git"), &format!("gitdir: {}\n", at("main/.git/worktrees/tree").display()));
        let found = GitDirectories::of(&at("tree"));
        assert_eq!(found.writable, [at("main/.git")]);
        assert!(found.delicate.contains(&at("main/.git/hooks")));
        assert!(found.delicate.contains(&at("main/.git/worktrees/tree/config.worktree")));

        write(&at("forged/.git"), &format!("gitdir: {}\n", at("main/.git/worktrees/tree").display()));
        assert_eq!(GitDirectories::of(&at("forged")).writable, Vec::<PathBuf>::new());
        write(&at("home/HEAD"), "");
        write(&at("evil/.git"), "gitdir: ../home\n");
        assert_eq!(GitDirectories::of(&at("evil")).writable, Vec::<PathBuf>::new());
    }

    #[test]
    fn a_submodule_is_found_in_the_repository_around_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        write(&root.join(".git/modules/lib/HEAD"), "ref");
        write(&root.join("lib/.git"), "gitdir: ../.git/modules/lib\n");
        assert_eq!(GitDirectories::of(&root.join("lib")).writable, [root.join(".git/modules/lib")]);
        assert!(GitDirectories::of(&root).delicate.contains(&root.join(".git/modules/lib/hooks")));
    }
}
