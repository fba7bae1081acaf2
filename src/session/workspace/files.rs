//! The files of the session's private directory.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::capture::{SessionLock, lock_session};
use crate::config::{Paths, private_dir};
use crate::store::{PAUSED, UNWRITTEN};

/// The file that names the terminal a session's shell runs on.
const TERMINAL: &str = "tty";

/// The file with the command that the hook is to run.
const COMMAND: &str = "command";

/// The file that asks the hook for another nonce.
const RENEW: &str = "renew";

/// The file in which the hook writes down what the shell exports.
const ENVIRONMENT: &str = "environment";

/// Files that hooks write. They exist beforehand, so that their mode does not depend on the umask of the person's shell.
const OF_HOOKS: [&str; 6] = [ENVIRONMENT, "names", "trap", "keys", "keysmap", "jobs"];

/// More than the kernel lets a program have.
const ENVIRONMENT_CAP: u64 = 4 * 1024 * 1024;

/// The directory, held for as long as the session lives.
pub(super) struct Files {
    directory: PathBuf,
    fifo: PathBuf,
    directives: Option<File>,
    /// FIFOs that were in its place while the hook has not heard.
    old: Vec<File>,
    _lock: SessionLock,
}

impl Files {
    pub(super) fn create(paths: &Paths, session: &str) -> io::Result<Files> {
        let (directory, lock) = paths.make_session_dir(session)?;
        let fifo = directory.join("directives");
        let directives = Some(make_fifo(&fifo)?);
        make_files_of_hooks(&directory)?;
        Ok(Files { directory, fifo, directives, old: Vec::new(), _lock: lock })
    }

    /// Makes the directory anew if somebody has deleted it, or completes it, as a cleaner of runtime directories may delete only the old
    /// files in it. True if that was needed.
    pub(super) fn mend(&mut self) -> io::Result<bool> {
        if self.directives.is_none() || self.fifo.symlink_metadata().is_ok() {
            return Ok(false);
        }
        if let Some(root) = self.directory.parent() {
            private_dir(root)?;
        }
        private_dir(&self.directory)?;
        self.directives = Some(make_fifo(&self.fifo)?);
        make_files_of_hooks(&self.directory)?;
        match lock_session(&self.directory) {
            Ok(lock) => self._lock = lock,
            // Its file was not deleted, and this session still holds it.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(true)
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
        if let Err(error) = private_file(&self.directory.join(TERMINAL))
            .and_then(|mut file| file.write_all(terminal.as_os_str().as_bytes()))
        {
            tracing::warn!(%error, "the terminal's name was not noted");
        }
    }

    /// Writes down a command for the hook to look at.
    pub(super) fn write_command(&self, command: &str) -> io::Result<()> {
        let path = self.directory.join(COMMAND);
        let _ = fs::remove_file(&path);
        private_file(&path)?.write_all(command.as_bytes())
    }

    /// The command was run, or never will be.
    pub(super) fn remove_command(&self) {
        let _ = fs::remove_file(self.directory.join(COMMAND));
    }

    /// The shell's environment as the hook has written it down, once.
    pub(super) fn environment(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = OpenOptions::new().read(true).write(true).open(self.directory.join(ENVIRONMENT)).ok()?;
        (&file).take(ENVIRONMENT_CAP).read_to_end(&mut bytes).ok()?;
        if let Err(error) = file.set_len(0) {
            tracing::warn!(%error, "the environment stays in its file");
        }
        Some(bytes).filter(|bytes| !bytes.is_empty())
    }

    /// Has the hook choose another nonce before the next prompt.
    pub(super) fn ask_for_nonce(&self) {
        let asked = private_file(&self.directory.join(RENEW));
        if let Some(error) = asked.err().filter(|error| error.kind() != io::ErrorKind::AlreadyExists) {
            tracing::warn!(%error, "the nonce is not renewed");
        }
    }

    /// The hook has chosen one.
    pub(super) fn has_nonce(&self) {
        let _ = fs::remove_file(self.directory.join(RENEW));
    }

    /// Sends one line to the waiting hook.
    pub(super) fn direct(&self, directive: &str) {
        let Some(mut directives) = self.directives.as_ref() else { return };
        if let Err(error) = directives.write_all(format!("{directive}\n").as_bytes()) {
            tracing::warn!(%error, directive, "the directive was not sent");
        }
    }

    /// Sends one line through a new FIFO in the place of the old one, at which another program may be reading. A newline in each old
    /// one has the hook come and look at the new one, unless that program gets it first.
    pub(super) fn direct_anew(&mut self, directive: &str) {
        let _ = fs::remove_file(&self.fifo);
        match make_fifo(&self.fifo) {
            Ok(directives) => self.old.extend(self.directives.replace(directives)),
            Err(error) => tracing::warn!(%error, "there is no new way to the hook"),
        }
        self.direct(directive);
        for mut old in &self.old {
            let _ = old.write_all(b"\n");
        }
    }

    /// The hook has heard.
    pub(super) fn forget_old_fifos(&mut self) {
        self.old.clear();
    }

    /// Closes the way to the hook: one that waits goes on, and none waits any more.
    pub(super) fn withdraw(&mut self) {
        self.directives = None;
        let _ = fs::remove_file(&self.fifo);
    }
}

impl Drop for Files {
    /// Leaves nothing but spill files, which the history may still name.
    fn drop(&mut self) {
        let ours = ["directives", "lock", TERMINAL, PAUSED, UNWRITTEN, COMMAND, RENEW];
        let scripts = ["bash", "bash-lazy", "fish", "zsh/.zshenv"];
        for name in ours.iter().chain(&scripts).chain(&OF_HOOKS) {
            let _ = fs::remove_file(self.directory.join(name));
        }
        let _ = fs::remove_dir(self.directory.join("zsh"));
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Makes a file that only this user can read, whatever the umask.
fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Makes the files that are missing.
fn make_files_of_hooks(directory: &Path) -> io::Result<()> {
    OF_HOOKS.iter().try_for_each(|name| match private_file(&directory.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    })
}

/// Opens a new FIFO for both, so that neither this nor the hook's own open ever waits for the other side.
fn make_fifo(path: &Path) -> io::Result<File> {
    mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?;
    let flags = (OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)
}

/// The variables in a file of `NAME=value`, each with a zero byte behind it.
pub(super) fn variables(bytes: &[u8]) -> Vec<(OsString, OsString)> {
    let pairs = bytes.split(|&byte| byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|&byte| byte == b'=')?;
        Some((OsString::from_vec(entry[..equals].to_vec()), OsString::from_vec(entry[equals + 1..].to_vec())))
    });
    pairs.collect()
}

/// Whether the session with this directory runs its shell on `terminal`.
pub(crate) fn hosts(directory: &Path, terminal: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let is_live = lock_session(directory).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
    is_live && fs::read(directory.join(TERMINAL)).is_ok_and(|name| name == terminal.as_os_str().as_bytes())
}

/// Random bytes as hex digits: a session's name, or its nonce.
pub(in crate::session) fn random_hex<const N: usize>() -> io::Result<String> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
