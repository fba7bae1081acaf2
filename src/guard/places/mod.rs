//! Which paths matter: private files, start files, shellmate's own directories, delicate files of a project.
//!
//! A path is judged by its spelling. It arrives absolute and with its links resolved.

mod delicate;
mod private;

use std::path::{Path, PathBuf};

pub(crate) use delicate::{EditReach, GIT_DELICATE, is_delicate, protected_in};
use private::PrivateFile;
pub(crate) use private::{hidden_in_home, hidden_of_system};

/// Where an intent is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The shell's directory.
    pub cwd: &'a Path,
    /// The root of the repository, or the shell's directory outside of one.
    pub project: &'a Path,
    pub home: Option<&'a Path>,
    /// shellmate's own directories.
    pub own: &'a OwnPlaces,
    /// The shell's `PATH`.
    pub path: &'a std::ffi::OsStr,
    /// Whether commands run confined. Without that, auto mode is silent about edits only.
    pub confines: bool,
}

/// shellmate's own directories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OwnPlaces {
    /// The directory of the configuration, with hooks, skills and commands.
    pub config: Option<PathBuf>,
    /// The directories of the store, the grants, the logs and the running sessions.
    pub private: Vec<PathBuf>,
    /// The parts of them that the agent may read: long results and notes.
    pub readable: Vec<PathBuf>,
}

/// Whether a file may hold a secret, so that searches and imports pass it over. A secret of the project is the person's to show, unless
/// it is a key.
pub(crate) fn holds_credentials(path: &Path, project: &Path, home: Option<&Path>) -> bool {
    let in_project = is_project(project, home) && path.starts_with(project);
    match private::holds(path, home) {
        PrivateFile::Always(_) => true,
        PrivateFile::OutsideProject(_) => !in_project,
        PrivateFile::No => private::may_be_key(path),
    }
}

/// Whether a directory can be a project. The home directory and the whole disk cannot: that says nothing about their files.
fn is_project(project: &Path, home: Option<&Path>) -> bool {
    project.parent().is_some() && home.is_none_or(|home| !home.starts_with(project))
}

/// What is known about a path that the agent wants to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// Nothing speaks against it.
    Ordinary,
    /// Somebody else's business unless the person agrees: a hidden file in the home directory, or a key in the project.
    Personal,
    /// The words say what it holds.
    Private(&'static str),
    /// A file that is executed when a shell, a session or a timer starts.
    StartFile,
    /// A file of shellmate.
    Own,
}

impl Surroundings<'_> {
    /// Whether a path is in the project.
    pub(crate) fn in_project(&self, path: &Path) -> bool {
        is_project(self.project, self.home) && path.starts_with(self.project)
    }

    /// What a read of this path would show.
    pub(crate) fn kind_for_reading(&self, path: &Path) -> PathKind {
        if self.own.readable.iter().any(|readable| path.starts_with(readable)) {
            return PathKind::Ordinary;
        }
        if self.own.private.iter().any(|private| path.starts_with(private)) {
            return PathKind::Own;
        }
        match private::holds(path, self.home) {
            PrivateFile::Always(what) => return PathKind::Private(what),
            PrivateFile::OutsideProject(what) if !self.in_project(path) => return PathKind::Private(what),
            PrivateFile::OutsideProject(_) | PrivateFile::No => {}
        }
        if private::may_be_key(path) || self.is_hidden_in_home(path) { PathKind::Personal } else { PathKind::Ordinary }
    }

    /// What a change of this path would reach.
    pub(crate) fn kind_for_writing(&self, path: &Path) -> PathKind {
        let own = self.own.private.iter().chain(&self.own.config);
        if own.into_iter().any(|own| path.starts_with(own)) {
            return PathKind::Own;
        }
        match private::holds(path, self.home) {
            PrivateFile::Always(what) => return PathKind::Private(what),
            PrivateFile::OutsideProject(what) if !self.in_project(path) => return PathKind::Private(what),
            PrivateFile::OutsideProject(_) | PrivateFile::No => {}
        }
        if private::starts_programs(path, self.home) { PathKind::StartFile } else { PathKind::Ordinary }
    }

    /// Whether a path is below the home directory, outside the project, and has a name that begins with a dot.
    fn is_hidden_in_home(&self, path: &Path) -> bool {
        let Some(below) = self.home.and_then(|home| path.strip_prefix(home).ok()) else { return false };
        let is_hidden = below.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
        let config = self.own.config.as_deref();
        is_hidden
            && !self.in_project(path)
            && !config.is_some_and(|config| path.starts_with(config))
            && !private::is_harmless(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(look: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let own = OwnPlaces {
            config: Some("/home/me/.config/shellmate".into()),
            private: vec!["/home/me/.local/state/shellmate".into(), "/run/user/1000/shellmate".into()],
            readable: vec!["/run/user/1000/shellmate/7".into(), "/home/me/.local/state/shellmate/memory".into()],
        };
        let (home, project) = (Path::new("/home/me"), Path::new("/home/me/app"));
        look(&Surroundings {
            cwd: project,
            project,
            home: Some(home),
            own: &own,
            path: "/usr/bin".as_ref(),
            confines: false,
        })
    }

    fn read(path: &str) -> PathKind {
        with(|around| around.kind_for_reading(Path::new(path)))
    }

    fn written(path: &str) -> PathKind {
        with(|around| around.kind_for_writing(Path::new(path)))
    }

    #[test]
    fn ordinary_files_are_free_to_read() {
        for path in [
            "/home/me/app/src/main.rs",
            "/home/me/app/.env",
            "/home/me/app/.npmrc",
            "/home/me/app/.github/workflows/ci.yml",
            "/home/me/app/dotfiles/.muttrc",
            "/home/me/app/.bundle/config",
            "/home/me/app/id_rsa.pub",
            "/home/me/notes.txt",
            "/home/me/.gitconfig",
            "/home/me/.config/git/config",
            "/home/me/.cargo/registry/src/a/lib.rs",
            "/home/me/.config/shellmate/skills/a/SKILL.md",
            "/run/user/1000/shellmate/7/out-1.txt",
            "/etc/hosts",
            "/etc/passwd",
            "/usr/include/stdio.h",
            "/proc/cpuinfo",
        ] {
            assert_eq!(read(path), PathKind::Ordinary, "{path}");
        }
    }

    #[test]
    fn private_files_are_known_by_their_place() {
        for path in [
            "/home/me/.ssh/id_ed25519",
            "/home/me/.ssh",
            "/home/me/.aws/credentials",
            "/home/me/.netrc",
            "/home/me/other/.env",
            "/home/me/other/.env.production",
            "/home/me/app/id_ed25519",
            "/home/me/.bash_history",
            "/home/me/.mozilla/firefox/a/logins.json",
            "/etc/shadow",
            "/proc/self/environ",
            "/proc/12/mem",
            "/root/.ssh/id_rsa",
            "/home/other/.ssh/id_rsa",
            "/mnt/backup/me/.aws/credentials",
            "/home/me/old/.config/gh/hosts.yml",
            "/var/lib/ci/.docker/config.json",
        ] {
            assert!(matches!(read(path), PathKind::Private(_)), "{path}: {:?}", read(path));
            assert!(matches!(written(path), PathKind::Private(_)), "{path}: {:?}", written(path));
        }
    }

    #[test]
    fn hidden_files_of_the_home_directory_and_keys_of_the_project_are_personal() {
        for path in ["/home/me/.config/app/state.json", "/home/me/x/.hidden/a", "/home/me/app/deploy/server.pem"] {
            assert_eq!(read(path), PathKind::Personal, "{path}");
        }
    }

    #[test]
    fn start_files_and_own_files_are_known() {
        for path in [
            "/home/me/.bashrc",
            "/home/me/.config/fish/conf.d/a.fish",
            "/home/me/.config/autostart/a.desktop",
            "/home/me/.config/systemd/user/a.service",
            "/var/spool/cron/crontabs/me",
            "/etc/profile.d/a.sh",
            "/etc/cron.d/a",
        ] {
            assert_eq!(written(path), PathKind::StartFile, "{path}");
        }
        for path in ["/home/me/.config/shellmate/config.toml", "/home/me/.local/state/shellmate/grants.json"] {
            assert_eq!(written(path), PathKind::Own, "{path}");
        }
        assert_eq!(read("/home/me/.local/state/shellmate/history.db"), PathKind::Own);
        assert_eq!(written("/run/user/1000/shellmate/7/x"), PathKind::Own);
    }

    #[test]
    fn a_home_directory_is_no_project() {
        let (own, home) = (OwnPlaces::default(), Path::new("/home/me"));
        for project in [home, Path::new("/home"), Path::new("/")] {
            let around =
                Surroundings { cwd: project, project, home: Some(home), own: &own, path: "".as_ref(), confines: false };
            assert!(!around.in_project(&home.join("a")), "{project:?}");
            assert!(matches!(around.kind_for_reading(&home.join(".netrc")), PathKind::Private(_)));
        }
    }
}
