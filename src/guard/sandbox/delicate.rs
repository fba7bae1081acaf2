//! Files of a project that make other programs run something. A confined command can read but not change them.
//!
//! Mounts protect the files that exist. A missing one cannot be mounted over, so afterwards [`DelicateWatch`] removes those that the
//! command created. Without namespaces it also restores those that the command changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::guard::places::protected_in;

/// The largest file whose content is kept to restore it, and how many files of a directory.
const LARGEST: u64 = 256 * 1024;
const MOST_FILES: usize = 100;

/// The delicate paths below the directories from `cwd` up to the project's root.
pub(super) fn below(project: &Path, cwd: &Path) -> Vec<PathBuf> {
    let directories = cwd.ancestors().take_while(|directory| directory.starts_with(project));
    directories.flat_map(protected_in).collect()
}

/// Delicate paths as they were before a command. A watch that is dropped settles too, because a stopped call does not get to its end.
#[derive(Debug, Default)]
pub(crate) struct DelicateWatch {
    absent: Vec<PathBuf>,
    kept: Vec<KeptPath>,
}

#[derive(Debug)]
struct KeptPath {
    path: PathBuf,
    content: KeptContent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeptContent {
    File(Vec<u8>, u32),
    Directory(BTreeMap<PathBuf, (Vec<u8>, u32)>),
}

impl DelicateWatch {
    /// Notes which paths are absent. With `keep`, also the content of those that exist.
    pub(super) fn new(paths: &[PathBuf], keep: bool) -> DelicateWatch {
        let (existing, absent): (Vec<_>, Vec<_>) =
            paths.iter().cloned().partition(|path| fs::symlink_metadata(path).is_ok());
        let kept = existing.into_iter().filter(|_| keep);
        let kept = kept.filter_map(|path| KeptContent::read(&path).map(|content| KeptPath { path, content }));
        DelicateWatch { absent, kept: kept.collect() }
    }

    /// Removes delicate files that appeared and restores those that changed. Returns what was done, for the model.
    pub(crate) fn settle(&mut self) -> Vec<String> {
        let mut done = Vec::new();
        for path in std::mem::take(&mut self.absent).iter().filter(|path| fs::symlink_metadata(path).is_ok()) {
            if !is_inert(path) && remove(path) {
                done.push(format!("removed {}, which commands in the sandbox may not create", path.display()));
            }
        }
        for KeptPath { path, content } in &std::mem::take(&mut self.kept) {
            if KeptContent::read(path).as_ref() != Some(content) {
                let _ = remove(path);
                if content.write(path).is_ok() {
                    done.push(format!("restored {}, which commands in the sandbox may not change", path.display()));
                }
            }
        }
        done
    }
}

impl Drop for DelicateWatch {
    fn drop(&mut self) {
        self.settle();
    }
}

/// Whether a new file makes nothing run: sample hooks, and the plain settings that `git init` writes.
fn is_inert(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let Ok(kind) = fs::symlink_metadata(path) else { return true };
    if name == "hooks" && kind.is_dir() {
        let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
        return entries.all(|entry| entry.path().extension().is_some_and(|extension| extension == "sample"));
    }
    let is_plain = |path| fs::read_to_string(path).is_ok_and(|text| is_plain_config(&text));
    name == "config" && path.parent().is_some_and(|git| git.ends_with(".git")) && kind.is_file() && is_plain(path)
}

/// Whether git's settings name no program. Only keys that are known to be harmless count.
fn is_plain_config(text: &str) -> bool {
    const CORE: &[&str] = &[
        "repositoryformatversion",
        "filemode",
        "bare",
        "logallrefupdates",
        "ignorecase",
        "precomposeunicode",
        "symlinks",
    ];
    let mut section = String::new();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).all(|line| {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.split([' ', '.']).next().unwrap_or_default().to_lowercase();
            return matches!(&*section, "core" | "user" | "branch" | "remote" | "extensions");
        }
        let Some((key, value)) = line.split_once('=') else { return false };
        let (key, value) = (key.trim().to_lowercase(), value.trim());
        match &*section {
            _ if value.contains(['\\', '"']) => false,
            "core" => CORE.contains(&&*key),
            "user" => matches!(&*key, "name" | "email"),
            "branch" => matches!(&*key, "remote" | "merge"),
            // `ext::` and other helpers run programs.
            "remote" => key == "fetch" || key == "url" && !value.contains("::"),
            "extensions" => key == "objectformat",
            _ => false,
        }
    })
}

fn remove(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(kind) if kind.is_dir() => fs::remove_dir_all(path).is_ok(),
        Ok(_) => fs::remove_file(path).is_ok(),
        Err(_) => true,
    }
}

impl KeptContent {
    /// The content of a file or directory. `None` if it is a link or too large to be kept.
    fn read(path: &Path) -> Option<KeptContent> {
        let kind = fs::symlink_metadata(path).ok()?;
        if kind.is_file() {
            return read_file(path).map(|(bytes, mode)| KeptContent::File(bytes, mode));
        }
        let mut files = BTreeMap::new();
        let mut pending = vec![path.to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).ok()?.flatten() {
                let kind = entry.file_type().ok()?;
                if kind.is_dir() {
                    pending.push(entry.path());
                } else if kind.is_file() && files.len() < MOST_FILES {
                    files.insert(entry.path().strip_prefix(path).ok()?.to_owned(), read_file(&entry.path())?);
                } else {
                    return None;
                }
            }
        }
        Some(KeptContent::Directory(files))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        match self {
            KeptContent::File(bytes, mode) => write_file(path, bytes, *mode),
            KeptContent::Directory(files) => {
                fs::create_dir_all(path)?;
                files.iter().try_for_each(|(below, (bytes, mode))| write_file(&path.join(below), bytes, *mode))
            }
        }
    }
}

fn read_file(path: &Path) -> Option<(Vec<u8>, u32)> {
    let found = fs::metadata(path).ok().filter(|found| found.len() <= LARGEST)?;
    Some((fs::read(path).ok()?, found.permissions().mode()))
}

fn write_file(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_files_are_removed_and_changed_ones_restored() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at(".git/hooks")).unwrap();
        fs::write(at(".git/hooks/pre-commit"), "theirs").unwrap();
        let watched = [at(".git/hooks"), at(".envrc"), at(".husky")];
        assert_eq!(DelicateWatch::new(&watched, true).settle(), Vec::<String>::new());
        let mut watch = DelicateWatch::new(&watched, true);
        fs::write(at(".git/hooks/pre-commit"), "evil").unwrap();
        fs::write(at(".git/hooks/post-commit"), "evil").unwrap();
        fs::write(at(".envrc"), "evil").unwrap();
        std::os::unix::fs::symlink("/etc", at(".husky")).unwrap();
        assert_eq!(watch.settle().len(), 3);
        assert_eq!(fs::read_to_string(at(".git/hooks/pre-commit")).unwrap(), "theirs");
        assert!(!at(".git/hooks/post-commit").exists() && !at(".envrc").exists());
        assert!(fs::symlink_metadata(at(".husky")).is_err() && Path::new("/etc").exists());
        let dropped = DelicateWatch::new(&watched, false);
        fs::write(at(".envrc"), "evil").unwrap();
        drop(dropped);
        assert!(!at(".envrc").exists());
    }

    #[test]
    fn a_new_repository_keeps_what_runs_nothing() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\t\
                     url = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";
        assert!(is_plain_config(plain));
        for evil in [
            "[core]\n\thooksPath = /tmp/x\n",
            "[core]\n\tfsmonitor = touch x\n",
            "[alias]\n\tst = !touch x\n",
            "[core] hooksPath = x\n",
            "[include]\n\tpath = x\n",
            "[remote \"a\"]\n\turl = ext::sh -c touch\n",
            "[remote \"a\"]\n\tuploadpack = touch x\n",
            "[core]\n\tfilemode = true\\\n",
            "[core]\n\tbare\n",
        ] {
            assert!(!is_plain_config(evil), "{evil}");
        }
    }
}
