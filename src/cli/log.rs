//! The log file, which is written only if `SHELLMATE_LOG` is set.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nix::fcntl::OFlag;
use tracing_subscriber::EnvFilter;

use crate::config::{Paths, private_dir};

/// When the file is larger than this, it is renamed to `shellmate.log.old` and a new one is started.
const CAP: u64 = 5 << 20;

/// Starts logging at the level the filter names (`debug`, `shellmate::host=trace`).
///
/// If that fails there is no log and no message: the log is for developers and must not disturb the terminal.
pub(crate) fn start(filter: Option<&str>, paths: &Paths) {
    let _ = try_start(filter, paths);
}

fn try_start(filter: Option<&str>, paths: &Paths) -> Option<()> {
    let filter = EnvFilter::try_new(filter.filter(|filter| !filter.is_empty())?).ok()?;
    private_dir(paths.state_dir()?).ok()?;
    let dir = paths.log_dir()?;
    private_dir(&dir).ok()?;
    let file = LogFile::open(dir.join("shellmate.log"), CAP).ok()?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(Mutex::new(file));
    tracing::subscriber::set_global_default(subscriber.finish()).ok()
}

/// A file that several processes append to and any of them may rotate.
struct LogFile {
    path: PathBuf,
    file: File,
    size: u64,
    cap: u64,
}

impl LogFile {
    fn open(path: PathBuf, cap: u64) -> io::Result<Self> {
        let (file, size) = append(&path)?;
        Ok(Self { path, file, size, cap })
    }

    /// Renames the file, unless another process has already done that, and opens a new one.
    fn rotate(&mut self) -> io::Result<()> {
        let (ours, named) = (self.file.metadata()?, fs::metadata(&self.path));
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())) {
            fs::rename(&self.path, self.path.with_extension("log.old"))?;
        }
        (self.file, self.size) = append(&self.path)?;
        Ok(())
    }
}

impl Write for LogFile {
    /// Each record is one write, so records of several processes do not mix.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        if self.size > self.cap {
            self.rotate()?;
        }
        let written = self.file.write(record)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn append(path: &Path) -> io::Result<(File, u64)> {
    // A symbolic link must not divert the log, and a FIFO must not block.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags.bits()).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, found.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_rotated_once() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("shellmate.log");
        let (mut one, mut two) = (LogFile::open(path.clone(), 4).unwrap(), LogFile::open(path.clone(), 4).unwrap());
        one.write_all(b"first\n").unwrap();
        two.write_all(b"second\n").unwrap();
        one.write_all(b"third\n").unwrap();
        two.write_all(b"fourth\n").unwrap();
        assert_eq!(fs::read_to_string(temp.path().join("shellmate.log.old")).unwrap(), "first\nsecond\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "third\nfourth\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_a_regular_file_is_accepted() {
        let temp = tempfile::tempdir().unwrap();
        let fifo = temp.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(LogFile::open(fifo, 4).is_err());
        std::os::unix::fs::symlink(temp.path().join("x"), temp.path().join("link")).unwrap();
        assert!(LogFile::open(temp.path().join("link"), 4).is_err());
    }

    #[test]
    fn no_log_is_written_unless_asked_for() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().as_os_str().to_owned();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
        for filter in [None, Some(""), Some("=!=")] {
            assert_eq!(try_start(filter, &paths), None);
        }
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
