//! The confinement of one command, with all paths resolved.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::git::GitDirectories;
use super::{Confinement, Network, SandboxError, SandboxLevel, caches, delicate, hidden};
use crate::repository;

/// Directories that are never a project, nor is anything in them.
const SYSTEM: &[&str] = &["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys"];

/// Directories that are no project themselves, although one may be in them.
const TOP: &[&str] =
    &["/", "/home", "/mnt", "/media", "/opt", "/run", "/srv", "/tmp", "/usr", "/var", "/var/tmp", "/Users"];

/// Which paths a command can write, read and see. All paths are real and exist, apart from `delicate`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SandboxProfile {
    /// The command's directory.
    pub cwd: PathBuf,
    /// The directory that the person works in, if it can be written.
    pub project: Option<PathBuf>,
    pub network: Network,
    /// Everything that can be written, the project included. The private temporary directory is not among them.
    pub writable: Vec<PathBuf>,
    /// Delicate paths inside writable ones, whether they exist or not.
    pub delicate: Vec<PathBuf>,
    /// Paths that look empty.
    pub hidden: Vec<PathBuf>,
    /// Paths that stay readable although a private directory is mounted over a parent of theirs.
    pub shown: Vec<PathBuf>,
}

impl SandboxProfile {
    /// Resolves a confinement for a command in `cwd` with these variables.
    pub(crate) fn resolve(
        confinement: &Confinement,
        cwd: &Path,
        environment: &[(OsString, OsString)],
    ) -> Result<SandboxProfile, SandboxError> {
        let variable = |name: &str| environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str());
        let cwd = cwd.canonicalize().map_err(SandboxError::Prepare)?;
        let home = variable("HOME").and_then(|home| Path::new(home).canonicalize().ok());
        let home = home.filter(|home| home.parent().is_some());
        let project = project(&cwd, home.as_deref()).filter(|_| confinement.level == SandboxLevel::Workspace);
        let git = project.as_deref().map(GitDirectories::of).unwrap_or_default();
        let extra = resolved(&confinement.writable)?;

        let own = confinement.own.iter().chain(&confinement.hidden).filter_map(|path| path.canonicalize().ok());
        let mut hidden: Vec<PathBuf> = hidden::existing(home.as_deref(), variable).into_iter().chain(own).collect();
        hidden.sort();
        hidden.dedup();
        check(&cwd, &extra, &hidden)?;

        let mut writable: Vec<PathBuf> = project.iter().cloned().chain(git.writable).collect();
        if confinement.level == SandboxLevel::Workspace {
            writable.extend(caches::writable(home.as_deref(), variable));
        }
        let mut delicate = git.delicate;
        delicate.extend(project.iter().flat_map(|project| delicate::below(project, &cwd)));
        delicate.retain(|path| !extra.iter().any(|extra| path.starts_with(extra) || extra.starts_with(path)));
        writable.extend(extra);
        let programs = variable("PATH").map(std::env::split_paths).into_iter().flatten();
        let programs = programs.filter_map(|directory| directory.canonicalize().ok());
        let shown = home.into_iter().chain([cwd.clone()]).chain(run_parts()).chain(programs).collect();
        Ok(SandboxProfile { cwd, project, network: confinement.network, writable, delicate, hidden, shown })
    }
}

/// The directory that a command in `cwd` may write: the root of its repository, else `cwd`, but never the whole home directory or a
/// directory of the system.
fn project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_too_wide = |path: &Path| {
        home.is_some_and(|home| home.starts_with(path))
            || TOP.iter().any(|top| path == Path::new(top))
            || SYSTEM.iter().any(|system| path.starts_with(system))
    };
    [repository::root_or(cwd), cwd].into_iter().find(|path| !is_too_wide(path)).map(Path::to_owned)
}

/// The real paths of additions. A missing file is created empty, because only an existing path can be made writable.
fn resolved(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SandboxError> {
    let real = |path: &PathBuf| {
        let missing = || SandboxError::NoSuchPlace { path: path.clone() };
        if fs::symlink_metadata(path).is_err() {
            path.parent().filter(|parent| parent.is_dir()).ok_or_else(missing)?;
            fs::File::create_new(path).map_err(SandboxError::Prepare)?;
        }
        path.canonicalize().map_err(|_| missing())
    };
    paths.iter().map(real).collect()
}

/// A hidden path stays hidden, even if a command runs in it or wants to write it.
fn check(cwd: &Path, extra: &[PathBuf], hidden: &[PathBuf]) -> Result<(), SandboxError> {
    let is_hidden = |path: &Path| hidden.iter().any(|hidden| path.starts_with(hidden));
    if is_hidden(cwd) {
        return Err(SandboxError::HiddenDirectory { path: cwd.to_owned() });
    }
    match extra.iter().find(|path| is_hidden(path)) {
        Some(path) => Err(SandboxError::HiddenWrite { path: path.clone() }),
        None => Ok(()),
    }
}

fn run_parts() -> impl Iterator<Item = PathBuf> {
    hidden::SHOWN_IN_RUN.iter().filter_map(|path| Path::new(path).canonicalize().ok())
}

/// The value of a variable.
pub(super) fn variable<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
}
