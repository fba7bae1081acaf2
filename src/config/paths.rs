//! The directories and files that shellmate uses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

use super::{ConfigReader, Layer, Problem};
use crate::capture::{self, SessionLock, lock_session};
use crate::guard::TrustStore;

/// The directories of shellmate for one user.
///
/// If neither the environment nor the password database names a home directory, there is no configuration and no state directory. There is
/// always a runtime directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The configuration of the machine.
    system: PathBuf,
    config: Option<PathBuf>,
    state: Option<PathBuf>,
    runtime: Option<PathBuf>,
    temporary: PathBuf,
}

impl Paths {
    /// Derives the directories from the environment, following the XDG base directory specification. Relative paths are ignored.
    pub(crate) fn from_env(get: impl Fn(&str) -> Option<OsString>, uid: u32, passwd_home: Option<PathBuf>) -> Self {
        let absolute = |name: &str| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").or_else(|| passwd_home.filter(|path| path.is_absolute()));
        let below_home = |relative: &str| home.as_ref().map(|home| home.join(relative));
        let temporary = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        Self {
            system: system_config(&absolute),
            config: absolute("XDG_CONFIG_HOME").or_else(|| below_home(".config")).map(|dir| dir.join("shellmate")),
            state: absolute("XDG_STATE_HOME").or_else(|| below_home(".local/state")).map(|dir| dir.join("shellmate")),
            runtime: absolute("XDG_RUNTIME_DIR").map(|dir| dir.join("shellmate")),
            temporary: temporary.join(format!("shellmate-{uid}")),
        }
    }

    /// Reads the environment of this process and the password database.
    pub(crate) fn current() -> Self {
        let uid = geteuid();
        let get = |name: &str| std::env::var_os(name);
        // The password database may be slow (LDAP), so it is read only if HOME is unusable.
        let passwd_home = match get("HOME").map(PathBuf::from) {
            Some(home) if home.is_absolute() => None,
            Some(_) | None => nix::unistd::User::from_uid(uid).ok().flatten().map(|user| user.dir),
        };
        Self::from_env(get, uid.as_raw(), passwd_home)
    }

    /// Drops directories that are not safe to use, and reports why. A session then has no state, or uses the default configuration.
    ///
    /// Anyone who can write to the state directory can replace its files, including API keys. Anyone who can write to the configuration
    /// directory can choose the shell that is started.
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

    /// The configuration files of the machine and of the person, in the order in which they are read.
    pub(crate) fn config_layers(&self) -> Vec<(Layer, PathBuf)> {
        let user = self.config_file().map(|file| (Layer::User, file));
        [(Layer::System, self.system.clone())].into_iter().chain(user).collect()
    }

    pub(crate) fn config_reader(&self) -> ConfigReader {
        ConfigReader::new(self.config_layers())
    }

    pub(crate) fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("config.toml"))
    }

    /// The directory of the configuration.
    pub(crate) fn config_dir(&self) -> Option<PathBuf> {
        self.config.clone()
    }

    /// The directory of the user's own themes.
    pub(crate) fn themes_dir(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("themes"))
    }

    pub(crate) fn state_dir(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    pub(crate) fn history_db(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("history.db"))
    }

    /// The directory of the person's notes.
    pub(crate) fn memory_dir(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("memory"))
    }

    /// The directory of the contents that an undo brings back.
    pub(crate) fn undo_dir(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("undo"))
    }

    /// The file with approvals that outlive a session.
    pub(crate) fn grants_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("grants.json"))
    }

    /// The file with stored API keys.
    pub(crate) fn keys_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("keys.json"))
    }

    /// The file with the local model servers that the person has agreed to use.
    pub(crate) fn servers_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("servers.json"))
    }

    /// The file with the lists of models that providers have sent.
    pub(crate) fn models_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("models.json"))
    }

    /// The person's own hooks.
    pub(crate) fn hooks_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|dir| dir.join("hooks.json"))
    }

    /// The projects that the person trusts.
    pub(crate) fn trust_store(&self) -> TrustStore {
        TrustStore::new(self.state.as_ref().map(|dir| dir.join("trust.json")))
    }

    /// The history of the conversation line.
    pub(crate) fn query_history(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("queries"))
    }

    /// The file with what the last `shellmate init` has changed.
    pub(crate) fn init_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("init.json"))
    }

    /// The file that counts the first starts.
    pub(crate) fn starts_file(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("starts"))
    }

    pub(crate) fn log_dir(&self) -> Option<PathBuf> {
        self.state.as_ref().map(|dir| dir.join("log"))
    }

    /// The directory that contains the sessions' directories.
    pub(crate) fn runtime_root(&self) -> &Path {
        self.runtime.as_deref().unwrap_or(&self.temporary)
    }

    /// The directories that may contain a session's directory, in order of preference.
    ///
    /// After `su` or in a container, `XDG_RUNTIME_DIR` often names a directory that is missing or belongs to another user. The session's
    /// directory is then below the temporary directory.
    pub(crate) fn runtime_roots(&self) -> impl Iterator<Item = &Path> {
        self.runtime.as_deref().into_iter().chain([self.temporary.as_path()])
    }

    /// Creates and locks the private directory of a session in the first usable directory, and returns its path.
    ///
    /// The directory gets its final name only after it is locked, because another session that is cleaning up removes every directory whose lock
    /// it can take.
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

/// The configuration of the machine. A debug build reads the file that `SHELLMATE_SYSTEM_CONFIG` names, for tests.
fn system_config(named: &dyn Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let other = if cfg!(debug_assertions) { named("SHELLMATE_SYSTEM_CONFIG") } else { None };
    other.unwrap_or_else(|| PathBuf::from("/etc/shellmate/config.toml"))
}

fn make_locked(root: &Path, id: &str) -> io::Result<(PathBuf, SessionLock)> {
    let (new, dir) = (root.join(capture::new_name(id)), root.join(id));
    private_dir(root)?;
    private_dir(&new)?;
    let lock = lock_session(&new)?;
    fs::rename(&new, &dir)?;
    Ok((dir, lock))
}

/// Makes `path` a directory that only this user can access.
///
/// Missing directories are created with mode 0700, parents included. An existing directory must not be a link, must belong to this user and
/// must not be writable by others: names below `/tmp` can be guessed, and another user could have created it and put files in it. If others
/// can only read it, their permissions are removed.
pub(crate) fn private_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(refusal("is a symbolic link"));
    }
    // The checks apply to the opened directory, even if the path is replaced meanwhile.
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

/// Why an existing state directory is not safe to use, following the rules of `private_dir`.
fn state_fault(path: &Path) -> Option<&'static str> {
    let found = fs::symlink_metadata(path).ok()?;
    match found {
        _ if found.is_symlink() => Some("is a symbolic link"),
        _ if found.uid() != geteuid().as_raw() => Some(FOREIGN),
        _ if found.is_dir() && found.mode() & 0o022 != 0 => Some(WRITABLE),
        _ => None,
    }
}

/// Why an existing configuration directory is not safe to use. A link is allowed, because people keep their configuration elsewhere, and so is
/// a directory of root. If only its group can write to it, as with a umask of 002, that permission is removed.
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
    fn xdg_variables_override_the_defaults() {
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
    fn relative_paths_are_ignored() {
        let relative =
            [("HOME", ""), ("XDG_CONFIG_HOME", "c"), ("XDG_STATE_HOME", ""), ("XDG_RUNTIME_DIR", "r"), ("TMPDIR", ".")];
        let from_passwd = paths(&relative, Some("/home/b"));
        assert_eq!(from_passwd.config_file(), Some(PathBuf::from("/home/b/.config/shellmate/config.toml")));
        assert_eq!(from_passwd.runtime_root(), Path::new("/tmp/shellmate-1000"));
        let homeless = paths(&relative, None);
        assert_eq!((homeless.config_file(), homeless.state_dir(), homeless.log_dir()), (None, None, None));
    }

    #[test]
    fn a_private_directory_is_created_with_its_parents() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a/b");
        private_dir(&dir).unwrap();
        private_dir(&dir).unwrap();
        assert_eq!((mode(&dir), mode(dir.parent().unwrap())), (0o700, 0o700));
    }

    #[test]
    fn a_readable_directory_is_made_private_and_a_writable_one_refused() {
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
    fn sessions_that_start_during_a_cleanup_keep_their_directory() {
        let temp = tempfile::tempdir().unwrap();
        let paths = paths(&[("TMPDIR", temp.path().to_str().unwrap())], None);
        let start = |thread: usize| {
            for n in 0..40 {
                let (dir, _lock) = paths.make_session_dir(&format!("{thread}-{n}")).unwrap();
                // Without the stamp every cleanup is complete.
                let _ = fs::remove_file(paths.runtime_root().join(".swept"));
                let now = std::time::SystemTime::now();
                capture::sweep_if_due(paths.runtime_root(), capture::Retention::default(), now, |_| {
                    capture::SpillUse::Unnamed
                });
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
    fn without_a_usable_runtime_directory_the_temporary_one_is_used() {
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
