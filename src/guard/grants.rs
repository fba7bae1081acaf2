//! What the person has said yes to for the rest of the session.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Intent, Surroundings, holds_credentials};

/// One standing yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Grant {
    /// This command, letter for letter, in this directory.
    Command { command: String, cwd: PathBuf },
    /// The same in the person's own shell.
    ShellCommand { command: String, cwd: PathBuf },
    /// Edits of this file, or of anything below this directory.
    Edits(PathBuf),
    /// Reading these.
    Reads(Vec<PathBuf>),
}

impl Grant {
    /// What a lasting yes to this intent would mean; none where a yes can only be for once.
    pub(crate) fn offered(intent: &Intent, around: &Surroundings<'_>) -> Option<Grant> {
        match intent {
            Intent::Run { command, cwd } => Some(Grant::Command { command: command.clone(), cwd: cwd.clone() }),
            Intent::RunInShell { command, cwd } => {
                Some(Grant::ShellCommand { command: command.clone(), cwd: cwd.clone() })
            }
            Intent::Write { path } => Some(Grant::Edits(scope(path, around).to_owned())),
            Intent::Read { paths } => Some(Grant::Reads(paths.clone())),
            Intent::Ask | Intent::Suggest { .. } => None,
        }
    }
}

/// The standing yeses of one session. Clones share them, so that a yes to one answer counts for all others at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants(Arc<Mutex<Vec<Grant>>>);

impl Grants {
    pub(crate) fn add(&self, grant: Grant) {
        let mut grants = self.lock();
        if !grants.contains(&grant) {
            grants.push(grant);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Grant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn cover(&self, intent: &Intent, around: &Surroundings<'_>) -> bool {
        self.lock().iter().any(|grant| match (grant, intent) {
            (Grant::Command { command, cwd }, Intent::Run { command: wanted, cwd: at })
            | (Grant::ShellCommand { command, cwd }, Intent::RunInShell { command: wanted, cwd: at }) => {
                command == wanted && cwd == at
            }
            (Grant::Edits(granted), Intent::Write { path }) => {
                granted == path || path.starts_with(granted) && !is_delicate(path, around)
            }
            (Grant::Reads(granted), Intent::Read { paths }) => paths.iter().all(|path| granted.contains(path)),
            (Grant::Command { .. } | Grant::ShellCommand { .. } | Grant::Edits(_) | Grant::Reads(_), _) => false,
        })
    }
}

/// A yes to one edit is a yes to its project, or to its directory elsewhere; in the home directory itself, to the one file.
fn scope<'a>(path: &'a Path, around: &Surroundings<'a>) -> &'a Path {
    let too_wide = |directory: &Path| directory.parent().is_none() || Some(directory) == around.home;
    if is_delicate(path, around) {
        return path;
    }
    if path.starts_with(around.project) && !too_wide(around.project) {
        return around.project;
    }
    path.parent().filter(|parent| !too_wide(parent)).unwrap_or(path)
}

/// Whether a change here reaches further than the file: keys, and what git runs by itself.
fn is_delicate(path: &Path, around: &Surroundings<'_>) -> bool {
    path.iter().any(|part| part == ".git") || holds_credentials(path, around.project, around.home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(grants: &Grants, intent: &Intent) -> bool {
        with_surroundings(grants, |around| grants.cover(intent, around))
    }

    fn with_surroundings<T>(grants: &Grants, ask: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let home = Path::new("/home/me");
        ask(&Surroundings { project: &home.join("app"), home: Some(home), private: &[], grants })
    }

    fn write(path: &str) -> Intent {
        Intent::Write { path: path.into() }
    }

    fn granted(intent: &Intent) -> Grants {
        let grants = Grants::default();
        let grant = with_surroundings(&grants, |around| Grant::offered(intent, around)).unwrap();
        grants.add(grant);
        grants
    }

    #[test]
    fn a_command_is_granted_letter_for_letter_and_where_it_was() {
        let run = |command: &str, cwd: &str| Intent::Run { command: command.into(), cwd: cwd.into() };
        let grants = granted(&run("cargo test", "/home/me/app"));
        assert!(covered(&grants, &run("cargo test", "/home/me/app")));
        assert!(!covered(&grants, &run("cargo test; rm -r /", "/home/me/app")));
        assert!(!covered(&grants, &run("cargo test", "/home/me/other")));
        let in_shell = Intent::RunInShell { command: "cargo test".into(), cwd: "/home/me/app".into() };
        assert!(!covered(&grants, &in_shell));
    }

    #[test]
    fn an_edit_grants_its_project_but_not_what_git_runs() {
        let grants = granted(&write("/home/me/app/src/a.rs"));
        assert!(covered(&grants, &write("/home/me/app/Cargo.toml")));
        assert!(!covered(&grants, &write("/home/me/app/.git/hooks/pre-commit")));
        assert!(!covered(&grants, &write("/home/me/apple/a.rs")));
        let elsewhere = granted(&write("/etc/nginx/nginx.conf"));
        assert!(covered(&elsewhere, &write("/etc/nginx/sites/a")));
        assert!(!covered(&elsewhere, &write("/etc/passwd")));
    }

    #[test]
    fn in_the_home_directory_only_the_file_is_granted() {
        let grants = granted(&write("/home/me/.bashrc"));
        assert!(covered(&grants, &write("/home/me/.bashrc")));
        assert!(!covered(&grants, &write("/home/me/.profile")));
        let key = granted(&write("/home/me/.ssh/config"));
        assert!(covered(&key, &write("/home/me/.ssh/config")));
        assert!(!covered(&key, &write("/home/me/.ssh/authorized_keys")));
    }

    #[test]
    fn a_secret_once_shown_may_be_read_again() {
        let read = |path: &str| Intent::Read { paths: vec![path.into()] };
        let grants = granted(&read("/home/me/.netrc"));
        assert!(covered(&grants, &read("/home/me/.netrc")));
        assert!(!covered(&grants, &read("/home/me/.pgpass")));
    }
}
