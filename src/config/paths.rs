//! Where things are kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

use super::Problem;
use crate::capture::{self, SessionLock, lock_session};

/// The places shellmate keeps its files, for one user.
///
/// The configuration and the state have no place when neither the environment nor the password database names a home; the
/// runtime files always have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    config: Option<PathBuf>,
    state: Option<PathBuf>,
    runtime: Option<PathBuf>,
    temporary: PathBuf,
}

impl Paths {
    /// Derives the places from the environment, as the XDG base directory specification says: what is not absolute is ignored.
    pub(crate) fn from_env(get: impl Fn(&str) -> Option<OsString>, uid: u32, passwd_home: Option<PathBuf>) -> Self {
        let absolute = |name: &str| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").or_else(|| passwd_home.filter(|path| path.is_absolute()));
        let below_home = |relative: &str| home.as_ref().map(|home| home.join(relative));
        let temporary = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        Self {
            config: absolute("XDG_CONFIG_HOME").or_else(|| below_home(".config")).map(|dir| dir.join("shellmate")),
            state: absolute("XDG_STATE_HOME").or_else(|| below_home(".local/state")).map(|dir| dir.join("shellmate")),
            runtime: absolute("XDG_RUNTIME_DIR").map(|dir| dir.join("shellmate")),
            temporary: temporary.join(format!("shellmate-{uid}")),
        }
    }

    /// Reads the process's own environment and the password database.
    pub(crate) fn current() -> Self {
        let uid = geteuid();
        let get = |name: &str| std::env::var_os(name);
        // The password database may be slow (LDAP), so it is asked only when HOME is no help.
        let passwd_home = match get("HOME").map(PathBuf::from) {
            Some(home) if home.is_absolute() => None,
            Some(_) | None => nix::unistd::User::from_uid(uid).ok().flatten().map(|user| user.dir),
        };
        Self::from_env(get, uid.as_raw(), passwd_home)
    }

    /// Leaves out directories that are not safe to use, and says which and why. A session then has no state, or the defaults.
    ///
    /// Whoever can write the state directory can replace what we keep there, keys included; whoever can write the configuration
    /// directory can name the shell we start.
    pub(crate) fn vetted(mut self) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut vet = |place: &mut Option<PathBuf>, fault: fn(&Path) -> Option<&'static str>| {
            if let Some(path) = place
                && let Some(why) = fault(path)
            {
                let path = path.display();
                problems
                    .push(Problem::new(&format!("{path} is not used: it {why}; `shellmate doctor` says what to do")));
                *place = None;
            }
        };
        vet(&mut self.state, state_fault);
        vet(&mut self.config, config_fault);
        (self, problems)
    }

    pub(crate) fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("config.toml"))
    }

    /// Where the user's own themes are.
    pub(crate) fn themes_dir(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("themes"))
    }

    pub(crate) fn state_dir(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    pub(crate) fn history_db(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("history.db"))
    }

    /// The keys a person gave us to keep.
    pub(crate) fn keys_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("keys.json"))
    }

    /// The servers of this machine that the person has agreed to use.
    pub(crate) fn servers_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("servers.json"))
    }

    /// Where the queries of the conversation line are kept.
    pub(crate) fn query_history(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("queries"))
    }

    pub(crate) fn log_dir(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("log"))
    }

    /// Where the sessions' directories are.
    pub(crate) fn runtime_root(&self) -> &Path {
        self.runtime.as_deref().unwrap_or(&self.temporary)
    }

    /// The places a session's directory may be in, best first.
    ///
    /// After `su` or in a container `XDG_RUNTIME_DIR` often names a directory that is missing or somebody else's; a session then
    /// lives below the temporary directory.
    pub(crate) fn runtime_roots(&self) -> impl Iterator<Item = &Path> {
        self.runtime.as_deref().into_iter().chain([self.temporary.as_path()])
    }

    /// Makes the private directory of a session in the first place that can be used, locks it, and returns where that is.
    ///
    /// It gets its name only when it is locked: a session that starts at the same moment and tidies up tries the lock of every
    /// directory it finds.
    pub(crate) fn make_session_dir(&self, id: &str) -> io::Result<(PathBuf, SessionLock)> {
        let mut made = Err(io::Error::from(io::ErrorKind::NotFound));
        for root in self.runtime_roots() {
            made = make_locked(root, id);
            if made.is_ok() {
                break;
            }
        }
        made
    }
}

fn make_locked(root: &Path, id: &str) -> io::Result<(PathBuf, SessionLock)> {
    let (new, dir) = (root.join(capture::new_name(id)), root.join(id));
    private_dir(root)?;
    private_dir(&new)?;
    let lock = lock_session(&new)?;
    fs::rename(&new, &dir)?;
    Ok((dir, lock))
}

/// Makes `path` a directory that only this user can enter.
///
/// What is missing is created with mode 0700, parents too. An existing one must be a directory itself, not a link to one, owned
/// by us and never writable for others: below `/tmp` its name can be guessed, and whoever made it first could have left things
/// in it. One that others can merely read is closed to them.
pub(crate) fn private_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(refusal("is a symbolic link"));
    }
    // The checks hold for what was opened, whatever the name stands for a moment later.
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
    let dir = fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let found = dir.metadata()?;
    if found.uid() != geteuid().as_raw() {
        return Err(refusal("belongs to another user"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(refusal("can be written by others (chmod 700 it once you know what is in it)"));
    }
    if found.mode() & 0o7777 != 0o700 {
        dir.set_permissions(fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

const WRITABLE: &str = "can be written by others";
const FOREIGN: &str = "belongs to another user";

/// Why an existing state directory is not safe to use, by the rules of `private_dir`.
fn state_fault(path: &Path) -> Option<&'static str> {
    let found = fs::symlink_metadata(path).ok()?;
    match found {
        _ if found.is_symlink() => Some("is a symbolic link"),
        _ if found.uid() != geteuid().as_raw() => Some(FOREIGN),
        _ if found.is_dir() && found.mode() & 0o022 != 0 => Some(WRITABLE),
        _ => None,
    }
}

/// Why an existing configuration directory is not safe to use. A link to one is fine, and so is one of root's: people keep their
/// configuration elsewhere. One that only its group can write, as a umask of 002 makes it, is closed to the group.
fn config_fault(path: &Path) -> Option<&'static str> {
    let found = fs::metadata(path).ok().filter(|found| found.is_dir())?;
    let is_ours = found.uid() == geteuid().as_raw();
    let mode = found.mode() & 0o7777;
    match mode & 0o022 {
        _ if !is_ours && found.uid() != 0 => Some(FOREIGN),
        0 => None,
        0o020 if is_ours && fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o020)).is_ok() => None,
        _ => Some(WRITABLE),
    }
}

fn refusal(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn paths(env: &[(&str, &str)], passwd_home: Option<&str>) -> Paths {
        let get = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        Paths::from_env(get, 1000, passwd_home.map(PathBuf::from))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn defaults_are_below_home() {
        let paths = paths(&[("HOME", "/home/a")], Some("/elsewhere"));
        assert_eq!(paths.config_file(), Some(PathBuf::from("/home/a/.config/shellmate/config.toml")));
        assert_eq!(paths.state_dir(), Some(Path::new("/home/a/.local/state/shellmate")));
        assert_eq!(paths.history_db(), Some(PathBuf::from("/home/a/.local/state/shellmate/history.db")));
        assert_eq!(paths.log_dir(), Some(PathBuf::from("/home/a/.local/state/shellmate/log")));
        assert_eq!(paths.runtime_root().join("x"), PathBuf::from("/tmp/shellmate-1000/x"));
    }

    #[test]
    fn the_environment_moves_them() {
        let paths = paths(
            &[
                ("HOME", "/home/a"),
                ("XDG_CONFIG_HOME", "/c"),
                ("XDG_STATE_HOME", "/s"),
                ("XDG_RUNTIME_DIR", "/r"),
                ("TMPDIR", "/t"),
            ],
            None,
        );
        assert_eq!(paths.config_file(), Some(PathBuf::from("/c/shellmate/config.toml")));
        assert_eq!(paths.state_dir(), Some(Path::new("/s/shellmate")));
        assert_eq!(paths.runtime_root().join("x"), PathBuf::from("/r/shellmate/x"));
    }

    #[test]
    fn what_is_not_absolute_is_ignored() {
        let relative =
            [("HOME", ""), ("XDG_CONFIG_HOME", "c"), ("XDG_STATE_HOME", ""), ("XDG_RUNTIME_DIR", "r"), ("TMPDIR", ".")];
        let from_passwd = paths(&relative, Some("/home/b"));
        assert_eq!(from_passwd.config_file(), Some(PathBuf::from("/home/b/.config/shellmate/config.toml")));
        assert_eq!(from_passwd.runtime_root(), Path::new("/tmp/shellmate-1000"));
        let homeless = paths(&relative, None);
        assert_eq!((homeless.config_file(), homeless.state_dir(), homeless.log_dir()), (None, None, None));
    }

    #[test]
    fn a_private_directory_is_made_with_its_parents() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a/b");
        private_dir(&dir).unwrap();
        private_dir(&dir).unwrap();
        assert_eq!((mode(&dir), mode(dir.parent().unwrap())), (0o700, 0o700));
    }

    #[test]
    fn a_readable_directory_is_closed_and_a_writable_one_refused() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("d");
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        private_dir(&dir).unwrap();
        assert_eq!(mode(&dir), 0o700);
        for loose in [0o770, 0o702, 0o1777] {
            fs::set_permissions(&dir, fs::Permissions::from_mode(loose)).unwrap();
            assert!(private_dir(&dir).is_err(), "{loose:o}");
            assert_eq!(mode(&dir), loose);
        }
    }

    #[test]
    fn a_state_or_configuration_directory_that_others_can_write_is_not_used() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().to_str().unwrap();
        let vetted = || paths(&[("HOME", home)], None).vetted();
        assert_eq!(vetted().1, Vec::new(), "nothing is there yet");
        let (state, config) = (temp.path().join(".local/state/shellmate"), temp.path().join(".config/shellmate"));
        for dir in [&state, &config] {
            fs::create_dir_all(dir).unwrap();
            fs::set_permissions(dir, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let (left, problems) = vetted();
        assert_eq!((left.history_db(), left.keys_file(), left.config_file()), (None, None, None));
        let message = problems[0].to_string();
        assert!(message.contains(state.to_str().unwrap()) && message.contains(WRITABLE), "{message}");
        assert_eq!(problems.len(), 2);

        for dir in [&state, &config] {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o775)).unwrap();
        }
        let (left, problems) = vetted();
        assert_eq!((left.state_dir(), left.config_file().is_some(), problems.len()), (None, true, 1));
        assert_eq!((mode(&state), mode(&config)), (0o775, 0o755), "only the configuration is closed to its group");

        fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(vetted().1, Vec::new());
        let elsewhere = temp.path().join("elsewhere");
        for dir in [&state, &config] {
            fs::rename(dir, &elsewhere).unwrap();
            symlink(&elsewhere, dir).unwrap();
            let problems = vetted().1;
            assert_eq!(problems.len(), usize::from(dir == &state), "{problems:?}");
            fs::remove_file(dir).unwrap();
            fs::rename(&elsewhere, dir).unwrap();
        }
    }

    #[test]
    fn sessions_that_start_while_others_sweep_all_get_their_directory() {
        let temp = tempfile::tempdir().unwrap();
        let paths = paths(&[("TMPDIR", temp.path().to_str().unwrap())], None);
        let start = |thread: usize| {
            for n in 0..40 {
                let (dir, _lock) = paths.make_session_dir(&format!("{thread}-{n}")).unwrap();
                // Without the stamp every sweep is a full one.
                let _ = fs::remove_file(paths.runtime_root().join(".swept"));
                let now = std::time::SystemTime::now();
                capture::sweep_if_due(paths.runtime_root(), capture::Retention::default(), now, |_| false);
                assert!(dir.join("lock").exists());
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let start = &start;
                scope.spawn(move || start(thread));
            }
        });
    }

    #[test]
    fn links_and_files_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let (real, link, dangling, file) = (
            temp.path().join("real"),
            temp.path().join("link"),
            temp.path().join("dangling"),
            temp.path().join("file"),
        );
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        symlink(temp.path().join("nowhere"), &dangling).unwrap();
        fs::write(&file, "").unwrap();
        assert!(private_dir(&link).unwrap_err().to_string().contains("symbolic link"));
        assert!(private_dir(&dangling).is_err());
        assert!(!temp.path().join("nowhere").exists());
        assert!(private_dir(&file).is_err());
    }

    #[test]
    fn a_session_lives_below_the_temporary_directory_when_the_runtime_one_is_unusable() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs::write(&file, "").unwrap();
        let tmp = temp.path().to_str().unwrap();
        let paths = paths(&[("XDG_RUNTIME_DIR", file.to_str().unwrap()), ("TMPDIR", tmp)], None);
        let (dir, _lock) = paths.make_session_dir("x").unwrap();
        assert_eq!(dir, temp.path().join("shellmate-1000/x"));
        assert_eq!((mode(&dir), mode(dir.parent().unwrap())), (0o700, 0o700));
    }
}
