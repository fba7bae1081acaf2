//! Facts about the repository, read from plain files in `.git`.

use std::path::{Path, PathBuf};

use crate::reflex::world::{FileKind, World};

/// How many parent directories are searched for `.git`.
const MOST_LEVELS: usize = 12;
/// How deep `refs` is searched for branches.
const MOST_DEPTH: usize = 4;

/// A repository found from the directory the command ran in.
pub(super) struct Repo<'a> {
    world: &'a dyn World,
    /// The git directory of this worktree.
    directory: PathBuf,
    /// The git directory that all worktrees share.
    common: PathBuf,
}

impl<'a> Repo<'a> {
    pub(super) fn find(world: &'a dyn World) -> Option<Self> {
        let mut at = PathBuf::from(".git");
        for _ in 0..MOST_LEVELS {
            match world.kind(&at) {
                Some(FileKind::Directory) => return Some(Repo { world, common: at.clone(), directory: at }),
                Some(FileKind::File | FileKind::Program) => {
                    let text = world.read(&at)?;
                    let directory = at.parent()?.join(text.strip_prefix("gitdir:")?.trim());
                    let common = match world.read(&directory.join("commondir")) {
                        Some(text) => directory.join(text.trim()),
                        None => directory.clone(),
                    };
                    return Some(Repo { world, directory, common });
                }
                None => at = Path::new("..").join(at),
            }
        }
        None
    }

    /// Whether the git directory has a file of this name, such as `MERGE_HEAD`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.world.kind(&self.directory.join(name)).is_some()
    }

    /// Local branches.
    pub(super) fn branches(&self) -> Vec<String> {
        self.refs("refs/heads/")
    }

    /// Branches of remotes, such as `origin/main`.
    pub(super) fn remote_branches(&self) -> Vec<String> {
        let mut found = self.refs("refs/remotes/");
        found.retain(|name| !name.ends_with("/HEAD"));
        found
    }

    /// The names of remotes.
    pub(super) fn remotes(&self) -> Vec<String> {
        let config = self.world.read(&self.common.join("config")).unwrap_or_default();
        let name = |line: &str| Some(line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]")?.to_owned());
        config.lines().filter_map(name).collect()
    }

    fn refs(&self, prefix: &str) -> Vec<String> {
        let mut found = Vec::new();
        self.walk(prefix, "", MOST_DEPTH, &mut found);
        let packed = self.world.read(&self.common.join("packed-refs")).unwrap_or_default();
        let name = |line: &str| Some(line.split_once(' ')?.1.strip_prefix(prefix)?.to_owned());
        found.extend(packed.lines().filter_map(name));
        found.sort();
        found.dedup();
        found
    }

    fn walk(&self, prefix: &str, inside: &str, depth: usize, found: &mut Vec<String>) {
        for entry in self.world.entries(&self.common.join(prefix).join(inside)) {
            let name = if inside.is_empty() { entry.name } else { format!("{inside}/{}", entry.name) };
            match entry.kind {
                FileKind::Directory if depth > 0 => self.walk(prefix, &name, depth - 1, found),
                FileKind::Directory => {}
                FileKind::File | FileKind::Program => found.push(name),
            }
        }
    }
}

/// The default branch: `main` or `master`, whichever exists.
pub(super) fn default_branch(world: &dyn World) -> Option<String> {
    let branches = Repo::find(world)?.branches();
    branches.into_iter().find(|name| ["main", "master", "trunk", "develop"].contains(&name.as_str()))
}

/// `main` for `master`, and `master` for `main`.
pub(super) fn counterpart(branch: &str) -> Option<String> {
    let (before, name) =
        branch.rsplit_once('/').map_or(("", branch), |(_, name)| (&branch[..branch.len() - name.len()], name));
    match name {
        "main" => Some(format!("{before}master")),
        "master" => Some(format!("{before}main")),
        _ => None,
    }
}

/// The branch that was meant: the most similar existing one, or the counterpart if the branches are unknown.
pub(super) fn meant_branch(wrong: &str, world: &dyn World) -> Option<String> {
    let other = counterpart(wrong);
    let Some(repo) = Repo::find(world) else { return other };
    let mut names = repo.branches();
    let remote = repo.remote_branches();
    if wrong.contains('/') {
        names.extend(remote.iter().cloned());
    }
    names.extend(remote.iter().filter_map(|name| Some(name.split_once('/')?.1.to_owned())));
    if let Some(other) = other.filter(|other| names.contains(other)) {
        return Some(other);
    }
    crate::reflex::typo::nearest(wrong, names.iter().map(String::as_str)).map(str::to_owned)
}
