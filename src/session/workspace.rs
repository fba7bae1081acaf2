//! The session's private directory: its lock, the directive FIFO, the integration script and the spill files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::capture::{SessionLock, lock_session};
use crate::config::Paths;
use crate::store::{PAUSED, UNWRITTEN};

/// The file that names the terminal a session's shell runs on.
const TERMINAL: &str = "tty";

/// More than the kernel lets a program have.
const ENVIRONMENT_CAP: u64 = 4 * 1024 * 1024;

/// The directory, held for as long as the session lives.
pub(super) struct Workspace {
    directory: PathBuf,
    fifo: PathBuf,
    directives: Option<File>,
    _lock: SessionLock,
}

impl Workspace {
    pub(super) fn create(paths: &Paths, session: &str) -> io::Result<Workspace> {
        let (directory, lock) = paths.make_session_dir(session)?;
        let fifo = directory.join("directives");
        mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR)?;
        // Open for both, so that neither this nor the hook's own open ever waits for the other side.
        let directives = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits())
            .open(&fifo)?;
        Ok(Workspace { directory, fifo, directives: Some(directives), _lock: lock })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn fifo(&self) -> &Path {
        &self.fifo
    }

    /// Says which terminal the shell is on, so that a second shellmate on the same one knows.
    pub(super) fn note_terminal(&self, terminal: &Path) {
        use std::os::unix::ffi::OsStrExt;
        let noted = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.directory.join(TERMINAL));
        if let Err(error) = noted.and_then(|mut file| file.write_all(terminal.as_os_str().as_bytes())) {
            tracing::warn!(%error, "the terminal's name was not noted");
        }
    }

    /// Writes down a command for the hook to run, and after it a mark with how it ended, whatever becomes of it.
    pub(super) fn write_run(&self, command: &str, nonce: &str, is_fish: bool) -> io::Result<PathBuf> {
        let write = |name: &str, text: &str| {
            let path = self.directory.join(name);
            let _ = fs::remove_file(&path);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(text.as_bytes()).map(|()| path)
        };
        let source = write("command", &format!("{command}\n"))?;
        let quoted = source.display().to_string().replace('\'', "'\\''");
        let (source, note) = match is_fish {
            true => ("source", "set -g __shellmate_ran $status"),
            false => ("builtin source", "__shellmate_ran=$?"),
        };
        let say = format!("builtin printf '\\033]7771;{nonce};ran;%s\\033\\\\' \"$__shellmate_ran\" >/dev/tty");
        write("run", &format!("{source} '{quoted}'\n{note}\n__shellmate_environment 2>/dev/null\n{say}\n"))
    }

    /// The shell's environment as the hook has written it down, once.
    pub(super) fn environment(&self) -> Option<Vec<u8>> {
        let path = self.directory.join("environment");
        let mut bytes = Vec::new();
        File::open(&path).ok()?.take(ENVIRONMENT_CAP).read_to_end(&mut bytes).ok()?;
        let _ = fs::remove_file(path);
        Some(bytes)
    }

    /// Sends one line to the waiting hook.
    pub(super) fn direct(&self, directive: &str) {
        let Some(mut directives) = self.directives.as_ref() else { return };
        if let Err(error) = directives.write_all(format!("{directive}\n").as_bytes()) {
            tracing::warn!(%error, directive, "the directive was not sent");
        }
    }

    /// Closes the way to the hook: one that waits goes on, and none waits any more.
    pub(super) fn withdraw(&mut self) {
        self.directives = None;
        let _ = fs::remove_file(&self.fifo);
    }
}

impl Drop for Workspace {
    /// Leaves nothing but spill files, which the history may still name.
    fn drop(&mut self) {
        for name in [
            "directives",
            "lock",
            TERMINAL,
            PAUSED,
            UNWRITTEN,
            "bash",
            "bash-rest",
            "keys",
            "keysmap",
            "names",
            "trap",
            "jobs",
            "command",
            "run",
            "environment",
            "fish",
            "zsh/.zshenv",
        ] {
            let _ = fs::remove_file(self.directory.join(name));
        }
        let _ = fs::remove_dir(self.directory.join("zsh"));
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Whether the session with this directory runs its shell on `terminal`.
pub fn hosts(directory: &Path, terminal: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let is_live = lock_session(directory).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    is_live && fs::read(directory.join(TERMINAL)).is_ok_and(|name| name == terminal.as_os_str().as_bytes())
}

/// Random bytes as hex digits: a session's name, or its nonce.
pub(super) fn random_hex<const N: usize>() -> io::Result<String> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
