//! Finds the shell to host.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::HostError;

/// The places that may name a shell, in order of precedence.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShellSearch {
    /// `--shell`.
    pub flag: Option<PathBuf>,
    /// `SHELLMATE_SHELL`.
    pub variable: Option<PathBuf>,
    /// `shell` in the configuration.
    pub configured: Option<PathBuf>,
    /// `$SHELL`.
    pub environment: Option<PathBuf>,
    /// Reads the passwd entry. This may need the network, so it is called only if nothing before it names a shell.
    pub passwd: Option<fn() -> Option<PathBuf>>,
    /// `$PATH`, in which names are looked up.
    pub path: Option<OsString>,
    /// The path of shellmate's own binary, which is never hosted.
    pub ourselves: Option<PathBuf>,
}

/// Where the shell's name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellSource {
    Flag,
    Variable,
    Configuration,
    Environment,
    Passwd,
    Fallback,
}

/// The shell to host, and where its name comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundShell {
    pub path: PathBuf,
    pub source: ShellSource,
}

/// Returns the first shell that exists, can be executed and is not shellmate itself. An unusable `--shell` is an error.
pub(crate) fn find(search: &ShellSearch) -> Result<FoundShell, HostError> {
    if let Some(wanted) = &search.flag {
        let path = locate(wanted, search)?;
        return Ok(FoundShell { path, source: ShellSource::Flag });
    }
    let named = [
        (&search.variable, ShellSource::Variable),
        (&search.configured, ShellSource::Configuration),
        (&search.environment, ShellSource::Environment),
    ];
    let named = named.into_iter().filter_map(|(path, source)| Some((path.clone()?, source)));
    let passwd = std::iter::once_with(|| Some((search.passwd?()?, ShellSource::Passwd))).flatten();
    let fallback = ["zsh", "bash", "sh", "/bin/sh"].map(|name| (PathBuf::from(name), ShellSource::Fallback));
    named
        .chain(passwd)
        .chain(fallback)
        .find_map(|(wanted, source)| Some(FoundShell { path: locate(&wanted, search).ok()?, source }))
        .ok_or(HostError::NoShell)
}

fn locate(wanted: &Path, search: &ShellSearch) -> Result<PathBuf, HostError> {
    let not_found = || HostError::NotFound { name: wanted.to_owned() };
    if wanted.as_os_str().is_empty() {
        return Err(not_found());
    }
    let candidates: Vec<PathBuf> = if wanted.components().count() > 1 || wanted.is_absolute() {
        vec![wanted.to_owned()]
    } else {
        let path = search.path.clone().unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        std::env::split_paths(&path).map(|directory| directory.join(wanted)).collect()
    };
    let mut error = not_found();
    for path in candidates {
        let Ok(metadata) = path.metadata() else { continue };
        if metadata.is_dir() || metadata.permissions().mode() & 0o111 == 0 {
            error = HostError::NotExecutable { path, source: std::io::ErrorKind::PermissionDenied.into() };
        } else if search.ourselves.as_deref().is_some_and(|us| is_a_copy(us, &path, &metadata)) {
            error = HostError::Itself { path };
        } else {
            return Ok(path);
        }
    }
    Err(error)
}

/// Whether a program is shellmate: this file, or one of the same name elsewhere. The login shell may be the copy of a package while
/// another one runs.
fn is_a_copy(ourselves: &Path, path: &Path, metadata: &Metadata) -> bool {
    let is_same = ourselves.metadata().is_ok_and(|us| (us.dev(), us.ino()) == (metadata.dev(), metadata.ino()));
    let is_named_so = |path: &Path| path.file_name() == Some(OsStr::new(env!("CARGO_PKG_NAME")));
    is_same || is_named_so(path) || path.canonicalize().is_ok_and(|real| is_named_so(&real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(ourselves: &Path) -> ShellSearch {
        ShellSearch { path: Some("/usr/bin:/bin".into()), ourselves: Some(ourselves.into()), ..ShellSearch::default() }
    }

    #[test]
    fn the_first_usable_shell_other_than_shellmate_is_chosen() {
        let dir = tempfile::tempdir().unwrap();
        let us = dir.path().join("shellmate");
        std::fs::copy("/bin/sh", &us).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&us, &link).unwrap();
        let mut search = search(&us);
        search.variable = Some("/nonexistent/zsh".into());
        search.environment = Some(link.clone());
        search.passwd = Some(|| Some("/bin/bash".into()));
        assert_eq!(find(&search).unwrap(), FoundShell { path: "/bin/bash".into(), source: ShellSource::Passwd });
        search.configured = Some("sh".into());
        assert_eq!(find(&search).unwrap().source, ShellSource::Configuration);
        search.flag = Some(link);
        assert!(matches!(find(&search), Err(HostError::Itself { .. })));
    }

    #[test]
    fn another_copy_of_shellmate_is_not_hosted() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (us, login) = (one.path().join("shellmate"), other.path().join("shellmate"));
        std::fs::copy("/bin/sh", &us).unwrap();
        std::fs::copy("/bin/sh", &login).unwrap();
        let link = other.path().join("my-shell");
        std::os::unix::fs::symlink(&login, &link).unwrap();
        for login in [login, link] {
            let search = ShellSearch { environment: Some(login), configured: None, ..search(&us) };
            assert_eq!(find(&search).unwrap().source, ShellSource::Fallback);
        }
    }

    #[test]
    fn a_shell_flag_without_such_a_program_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let plain = dir.path().join("not-executable");
        std::fs::write(&plain, "").unwrap();
        let mut search = search(dir.path());
        search.flag = Some("no-such-shell".into());
        assert!(matches!(find(&search), Err(HostError::NotFound { .. })));
        search.flag = Some(plain);
        assert!(matches!(find(&search), Err(HostError::NotExecutable { .. })));
    }
}
