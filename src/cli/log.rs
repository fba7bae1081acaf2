//! The log: a file, only when `SHELLMATE_LOG` asks for one, never the terminal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nix::fcntl::OFlag;
use tracing_subscriber::EnvFilter;

use crate::config::{Paths, private_dir};

/// Past this the file is put aside, in the place of the one put aside before.
const CAP: u64 = 5 << 20;

/// Starts logging at the level the filter names (`debug`, `shellmate::host=trace`).
///
/// Whatever goes wrong, there is no log and nothing is said: this is a tool for us, and the user's terminal is not the place.
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

/// A file that several processes append to, and that any of them may put aside.
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

    /// Puts the file aside, unless another process has done so already, and goes on with a new one.
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
    /// One record is one write, so records of several processes do not mix.
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
    // Neither a link nor a FIFO in the file's place may divert or stop us.
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
    fn a_full_file_is_put_aside_once() {
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
    fn what_is_no_file_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let fifo = temp.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(LogFile::open(fifo, 4).is_err());
        std::os::unix::fs::symlink(temp.path().join("x"), temp.path().join("link")).unwrap();
        assert!(LogFile::open(temp.path().join("link"), 4).is_err());
    }

    #[test]
    fn without_a_wish_there_is_no_log() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().as_os_str().to_owned();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
        for filter in [None, Some(""), Some("=!=")] {
            assert_eq!(try_start(filter, &paths), None);
        }
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
