//! Configures a terminal before it starts.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::counting;
use super::shell::{PATH, Shell};
use super::term::Term;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_shellmate");

#[must_use = "nothing runs before `start`"]
pub(crate) struct Builder {
    pub(super) shell: Shell,
    place: TempDir,
    env: Vec<(OsString, OsString)>,
    args: Vec<OsString>,
    arg0: Option<OsString>,
    program: PathBuf,
    dir: Option<PathBuf>,
    /// Whether the first starts lie behind, which show one line more.
    is_settled: bool,
    pub(super) rows: u16,
    pub(super) cols: u16,
}

impl Builder {
    pub(super) fn new(shell: Shell) -> Builder {
        let place = tempfile::Builder::new().prefix("shellmate-test-").tempdir().expect("a temporary directory");
        let at = |name: &str| place.path().join(name).into_os_string();
        // Most homes have the last ones. In fish, two programs that create `share` at the same time disturb each other, and a
        // fish without generated completions starts a program that reads every manual page of the machine.
        for name in ["home", "run", "tmp", "home/.local/share", "home/.local/share/fish/generated_completions"] {
            std::fs::create_dir_all(at(name)).expect("a directory");
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o700)).expect("our own directory");
        }
        let mut env: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), at("home")),
            ("XDG_CONFIG_HOME".into(), at("home/.config")),
            ("XDG_STATE_HOME".into(), at("home/.local/state")),
            ("XDG_DATA_HOME".into(), at("home/.local/share")),
            ("XDG_CACHE_HOME".into(), at("home/.cache")),
            ("XDG_RUNTIME_DIR".into(), at("run")),
            ("TMPDIR".into(), at("tmp")),
            ("TMUX_TMPDIR".into(), at("tmp")),
            ("SHELL".into(), shell.path().into()),
            ("PATH".into(), PATH.into()),
            ("TERM".into(), "xterm-256color".into()),
            ("LANG".into(), "C.UTF-8".into()),
        ];
        if let Some(level) = std::env::var_os("SHELLMATE_LOG") {
            env.push(("SHELLMATE_LOG".into(), level));
        }
        let builder = Builder {
            shell,
            place,
            env,
            args: Vec::new(),
            // As typed by a user. With a path, the shell would be started by its path too.
            arg0: Some("shellmate".into()),
            program: PROGRAM.into(),
            dir: None,
            is_settled: true,
            rows: 40,
            cols: 100,
        };
        builder.file(shell.rc_file(), shell.counting_prompt())
    }

    /// Appends to the shell's start file, after the counting prompt.
    pub(crate) fn rc(self, text: &str) -> Builder {
        let name = self.shell.rc_file();
        let so_far = std::fs::read_to_string(self.home().join(name)).unwrap_or_default();
        self.file(name, format!("{so_far}{text}\n"))
    }

    /// Writes a file below HOME, in place of what is there.
    pub(crate) fn file(self, name: &str, text: impl AsRef<[u8]>) -> Builder {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().expect("below HOME")).expect("a directory");
        std::fs::write(path, text).expect("a file below HOME");
        self
    }

    /// Makes a FIFO below HOME. A reader waits for a writer, and a writer for a reader.
    pub(crate) fn fifo(self, name: &str) -> Builder {
        nix::unistd::mkfifo(&self.home().join(name), nix::sys::stat::Mode::S_IRWXU).expect("a pipe below HOME");
        self
    }

    /// Writes the configuration.
    pub(crate) fn config(self, text: &str) -> Builder {
        self.file(".config/shellmate/config.toml", text)
    }

    /// Turns the sandbox off, for tests of other things: the home directory they work in is never a project, and processes in a sandbox
    /// have other numbers.
    pub(crate) fn no_sandbox(self) -> Builder {
        self.config("[sandbox]\nlevel = \"off\"\n")
    }

    pub(crate) fn env(mut self, key: &str, value: impl Into<OsString>) -> Builder {
        self = self.no_env(key);
        self.env.push((key.into(), value.into()));
        self
    }

    pub(crate) fn no_env(mut self, key: &str) -> Builder {
        self.env.retain(|(name, _)| name != key);
        self
    }

    pub(crate) fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Builder {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(crate) fn arg0(mut self, name: &str) -> Builder {
        self.arg0 = Some(name.into());
        self
    }

    /// Starts the plain shell instead of the program under test.
    pub(crate) fn bare(mut self) -> Builder {
        self.program = self.shell.path();
        // Started like shellmate: by name, with a dash for a login shell.
        self.arg0 = Some(match self.arg0.take() {
            Some(name) if name.as_encoded_bytes().starts_with(b"-") => format!("-{}", self.shell.name()).into(),
            _ => self.shell.name().into(),
        });
        self
    }

    /// Starts some other program in the terminal.
    pub(crate) fn program(mut self, path: impl Into<PathBuf>) -> Builder {
        self.program = path.into();
        self.arg0 = None;
        self
    }

    /// Starts the program under `valgrind`, for `instructions`.
    pub(crate) fn counted(mut self) -> Builder {
        let arguments = counting::valgrind(self.place()).map(OsString::from).into_iter();
        self.args.splice(0..0, arguments.chain([self.program.into()]));
        self.program = counting::VALGRIND.into();
        self.arg0 = None;
        self
    }

    pub(crate) fn dir(mut self, dir: impl Into<PathBuf>) -> Builder {
        self.dir = Some(dir.into());
        self
    }

    pub(crate) fn size(mut self, rows: u16, cols: u16) -> Builder {
        (self.rows, self.cols) = (rows, cols);
        self
    }

    pub(crate) fn shell(&self) -> Shell {
        self.shell
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// The temporary directory that holds everything.
    pub(crate) fn place(&self) -> &Path {
        self.place.path()
    }

    /// Returns the command that would be started, for tests without a terminal.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.environment_of(&self.program);
        command.args(&self.args);
        if let Some(name) = &self.arg0 {
            command.arg0(name);
        }
        command
    }

    pub(super) fn environment_of(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.env.iter().map(|(key, value)| (key, value)));
        command.current_dir(self.dir.clone().unwrap_or_else(|| self.home()));
        command
    }

    /// Leaves the home directory without any trace of an earlier start.
    pub(crate) fn newcomer(mut self) -> Builder {
        self.is_settled = false;
        self
    }

    pub(crate) fn start(self) -> Term {
        if self.is_settled {
            self.settle();
        }
        Term::start(self)
    }

    /// Counts three starts, unless the test has made something else of the state directory.
    fn settle(&self) {
        let state = self.env.iter().find(|(name, _)| name == "XDG_STATE_HOME");
        // Relative directories do not count, for the program neither.
        let state = state.map(|(_, state)| PathBuf::from(state)).filter(|state| state.is_absolute());
        let directory = state.unwrap_or_else(|| self.home().join(".local/state")).join("shellmate");
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory);
        let mut file = std::fs::OpenOptions::new();
        let file = file.write(true).create(true).truncate(true).mode(0o600).open(directory.join("starts"));
        if let (Ok(()), Ok(mut file)) = (made, file) {
            file.write_all(b"...").ok();
        }
    }
}
