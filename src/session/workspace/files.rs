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

/// The file with the command that the hook should run.
const COMMAND: &str = "command";

/// The file that asks the hook for another nonce.
const RENEW: &str = "renew";

/// The file into which the hook writes the shell's exported variables.
const ENVIRONMENT: &str = "environment";

/// Files that hooks write. They exist beforehand, so that their mode does not depend on the umask of the person's shell.
const OF_HOOKS: [&str; 6] = [ENVIRONMENT, "names", "trap", "keys", "keysmap", "jobs"];

/// The kernel allows a program less than this.
const ENVIRONMENT_CAP: u64 = 4 * 1024 * 1024;

/// The directory, locked while the session runs.
pub(super) struct Files {
    directory: PathBuf,
    fifo: PathBuf,
    directives: Option<File>,
    /// Earlier FIFOs, until the hook has received the line.
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

    /// Creates the directory again if it was deleted, or the missing files in it: a cleaner of runtime directories may delete
    /// only old files. Returns whether that was needed.
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
            // The lock file was not deleted, and this session still holds the lock.
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

    /// Notes the shell's terminal, so that a second shellmate on the same terminal can find out.
    pub(super) fn note_terminal(&self, terminal: &Path) {
        use std::os::unix::ffi::OsStrExt;
        if let Err(error) = private_file(&self.directory.join(TERMINAL))
            .and_then(|mut file| file.write_all(terminal.as_os_str().as_bytes()))
        {
            tracing::warn!(%error, "the terminal's name was not noted");
        }
    }

    /// Writes a command for the hook to its file.
    pub(super) fn write_command(&self, command: &str) -> io::Result<()> {
        let path = self.directory.join(COMMAND);
        let _ = fs::remove_file(&path);
        private_file(&path)?.write_all(command.as_bytes())
    }

    /// The command has run, or will not run.
    pub(super) fn remove_command(&self) {
        let _ = fs::remove_file(self.directory.join(COMMAND));
    }

    /// Whether the person has paused recording in this terminal.
    pub(super) fn is_paused(&self) -> bool {
        self.directory.join(PAUSED).exists()
    }

    /// The shell's environment, as the hook has written it. The file is read once.
    pub(super) fn environment(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = OpenOptions::new().read(true).write(true).open(self.directory.join(ENVIRONMENT)).ok()?;
        (&file).take(ENVIRONMENT_CAP).read_to_end(&mut bytes).ok()?;
        if let Err(error) = file.set_len(0) {
            tracing::warn!(%error, "the environment stays in its file");
        }
        Some(bytes).filter(|bytes| !bytes.is_empty())
    }

    /// Asks the hook for another nonce before the next prompt.
    pub(super) fn ask_for_nonce(&self) {
        let asked = private_file(&self.directory.join(RENEW));
        if let Some(error) = asked.err().filter(|error| error.kind() != io::ErrorKind::AlreadyExists) {
            tracing::warn!(%error, "the nonce is not renewed");
        }
    }

    /// The hook has chosen a nonce.
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

    /// Sends one line through a new FIFO in place of the old one, which another program may be reading. A newline in each old
    /// FIFO makes the hook open the new one, unless that program reads the newline first.
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

    /// The hook has received the line.
    pub(super) fn forget_old_fifos(&mut self) {
        self.old.clear();
    }

    /// Deletes the FIFO: a waiting hook continues, and no hook waits any more.
    pub(super) fn withdraw(&mut self) {
        self.directives = None;
        let _ = fs::remove_file(&self.fifo);
    }
}

impl Drop for Files {
    /// Deletes everything except spill files, to which the history may refer.
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

/// Creates a file that only this user can read, whatever the umask is.
fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Creates the missing files.
fn make_files_of_hooks(directory: &Path) -> io::Result<()> {
    OF_HOOKS.iter().try_for_each(|name| match private_file(&directory.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    })
}

/// Opens a new FIFO for reading and writing, so that neither this call nor the hook's waits for the other side.
fn make_fifo(path: &Path) -> io::Result<File> {
    mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?;
    let flags = (OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)
}

/// The variables in a file of `NAME=value` entries, each followed by a zero byte.
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

/// Random bytes in hexadecimal: the name of a session, or its nonce.
pub(in crate::session) fn random_hex<const N: usize>() -> io::Result<String> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
