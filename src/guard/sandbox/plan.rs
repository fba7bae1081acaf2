//! The mounts of a sandbox, in order. bubblewrap and the helper carry out the same plan.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SandboxProfile;
use super::orders::WirePath;
use super::temporary::TempParts;

/// Directories that a private one is mounted over.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];
const RUN: &str = "/run";

/// Parts of `/proc` with which root could change the system even without capabilities. They are read-only.
pub(super) const KERNEL_SETTINGS: &[&str] =
    &["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"];

/// One mount. Everything else is mounted read-only at its own place before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bind {
    pub(super) source: WirePath,
    pub(super) target: WirePath,
    pub(super) access: BindAccess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum BindAccess {
    Write,
    Read,
}

impl Bind {
    fn new(source: &Path, target: &Path, access: BindAccess) -> Bind {
        Bind { source: WirePath::from(source), target: WirePath::from(target), access }
    }

    fn in_place(path: &Path, access: BindAccess) -> Bind {
        Bind::new(path, path, access)
    }
}

/// The mounts for a profile. A mount on a deeper path comes later, so it wins.
pub(super) fn binds(profile: &SandboxProfile, temp: &TempParts) -> Vec<Bind> {
    let covers = covers(temp);
    let is_covered = |path: &Path| covers.iter().any(|cover| path.starts_with(cover.target.as_path()));
    let mut shown = vec![Bind::in_place(&temp.tmp, BindAccess::Write)];
    let covered = profile.shown.iter().filter(|path| is_covered(path) && !is_cover(path, &covers));
    shown.extend(covered.map(|path| Bind::in_place(path, BindAccess::Read)));
    shown.extend(profile.writable.iter().map(|path| Bind::in_place(path, BindAccess::Write)));

    let is_seen = |path: &Path| !is_covered(path) || shown.iter().any(|bind| path.starts_with(bind.target.as_path()));
    let delicate: Vec<&PathBuf> = profile.delicate.iter().filter(|path| path.exists()).collect();
    let parents = delicate.iter().flat_map(|path| guarded_parents(path, &profile.writable));
    let mut inner: Vec<Bind> = parents.map(|path| Bind::in_place(&path, BindAccess::Write)).collect();
    let real = delicate.iter().filter_map(|path| path.canonicalize().ok());
    inner.extend(real.filter(|path| is_seen(path)).map(|path| Bind::in_place(&path, BindAccess::Read)));
    inner.extend(profile.hidden.iter().filter(|path| is_seen(path) && !is_cover(path, &covers)).map(|path| {
        let nothing = if path.is_dir() { &temp.no_directory } else { &temp.no_file };
        Bind::new(nothing, path, BindAccess::Read)
    }));
    shown.extend(inner);
    shown.sort_by_key(|bind| bind.target.as_path().components().count());
    shown.dedup();
    covers.into_iter().chain(shown).collect()
}

/// The mounts that hide `/run` and the shared temporary directories.
fn covers(temp: &TempParts) -> Vec<Bind> {
    let temporary = TEMPORARY.iter().map(|target| (target, &temp.tmp));
    let all = temporary.chain([(&RUN, &temp.run)]);
    let real = all.filter_map(|(target, source)| Some((Path::new(target).canonicalize().ok()?, source)));
    let mut covers: Vec<Bind> = Vec::new();
    for (target, source) in real {
        let bind = Bind::new(source, &target, BindAccess::Write);
        if !covers.iter().any(|cover| cover.target == bind.target) {
            covers.push(bind);
        }
    }
    covers
}

fn is_cover(path: &Path, covers: &[Bind]) -> bool {
    covers.iter().any(|cover| cover.target.as_path() == path)
}

/// The directories between a writable one and a delicate path in it. A mounted directory cannot be renamed, so no other one with
/// different content can take its place.
pub(super) fn guarded_parents(path: &Path, writable: &[PathBuf]) -> Vec<PathBuf> {
    let is_inside = |parent: &&Path| writable.iter().any(|root| parent.starts_with(root) && *parent != root.as_path());
    path.ancestors().skip(1).take_while(is_inside).map(Path::to_owned).collect()
}

/// The directories that the plan makes writable, for Landlock.
pub(super) fn writable(binds: &[Bind]) -> Vec<WirePath> {
    binds.iter().filter(|bind| bind.access == BindAccess::Write).map(|bind| bind.target.clone()).collect()
}

/// The parts of the file system that can be read if nothing is mounted over hidden paths.
pub(super) fn readable(profile: &SandboxProfile) -> Vec<PathBuf> {
    let shared = TEMPORARY.iter().chain([&RUN]).map(PathBuf::from);
    let hidden: Vec<PathBuf> = profile.hidden.iter().cloned().chain(shared).collect();
    without(Path::new("/"), &hidden)
}

/// The paths that together are all of `root` apart from `hidden`.
pub(super) fn without(root: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| root.starts_with(hidden)) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(root)) {
        return vec![root.to_owned()];
    }
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    // A link is followed by the kernel, and its target is judged instead.
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| without(&entry.path(), hidden)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::sandbox::Network;

    fn temp() -> TempParts {
        TempParts {
            tmp: "/tmp/private/tmp".into(),
            run: "/tmp/private/run".into(),
            no_directory: "/tmp/private/hidden".into(),
            no_file: "/tmp/private/hidden-file".into(),
        }
    }

    #[test]
    fn deeper_mounts_come_later_and_nothing_is_hidden_twice() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for directory in ["app/.git/hooks", ".ssh", "other"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        let profile = SandboxProfile {
            cwd: root.join("app"),
            project: Some(root.join("app")),
            network: Network::On,
            writable: vec![root.join("app")],
            delicate: vec![root.join("app/.git/hooks"), root.join("app/.envrc")],
            hidden: vec![root.join(".ssh"), "/run/user".into()],
            shown: vec![root.clone()],
        };
        let binds = binds(&profile, &temp());
        let at = |path: &str| binds.iter().position(|bind| bind.target.as_path() == root.join(path)).unwrap();
        assert!(at("") < at("app") && at("app") < at("app/.git") && at("app/.git") < at("app/.git/hooks"));
        assert_eq!(binds[at("app/.git")].access, BindAccess::Write);
        assert_eq!(binds[at("app/.git/hooks")].access, BindAccess::Read);
        assert_eq!(binds[at(".ssh")].source.as_path(), Path::new("/tmp/private/hidden"));
        assert!(!binds.iter().any(|bind| bind.target.as_path() == Path::new("/run/user")), "it is below a cover");
        assert!(!binds.iter().any(|bind| bind.target.as_path().ends_with(".envrc")), "it does not exist");
    }

    #[test]
    fn what_is_left_without_hidden_paths_covers_everything_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for directory in ["a", "b/c", "b/d"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        let mut left = without(&root, &[root.join("b/c")]);
        left.sort();
        assert_eq!(left, [root.join("a"), root.join("b/d")]);
        assert_eq!(without(&root.join("b/c"), &[root.join("b/c")]), Vec::<PathBuf>::new());
    }
}
