//! Reads a configuration file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use super::{ByteSize, Config, Origins, Problem};

/// The largest configuration file. A larger file is not a configuration but a log or a core dump.
const FILE_CAP: u64 = 1 << 20;

/// A usable configuration, where its values come from, and the problems of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub config: Config,
    /// The parts of the files that were ignored, in order.
    pub problems: Vec<Problem>,
    pub origins: Origins,
}

impl Loaded {
    /// All problems: those of the files, then patterns, rules and other values that cannot be used.
    pub(crate) fn all_problems(&self) -> Vec<Problem> {
        let values = self.located(self.config.value_problems());
        self.problems.iter().cloned().chain(values).collect()
    }

    /// Problems of values, with the file and the line of each.
    pub(crate) fn located(&self, problems: Vec<Problem>) -> impl Iterator<Item = Problem> {
        problems.into_iter().map(|problem| self.origins.locate(problem))
    }
}

/// Identifies a state of a file by its time, size and inode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp(Option<[i64; 5]>);

impl Stamp {
    /// The current state of the file. A missing file has a stamp too.
    pub(super) fn of(path: &Path) -> Stamp {
        Stamp(fs::metadata(path).ok().map(|found| {
            let (size, inode, device) = (found.size(), found.ino(), found.dev());
            [found.mtime(), found.mtime_nsec(), size.cast_signed(), inode.cast_signed(), device.cast_signed()]
        }))
    }
}

/// Whether everyone can write a file.
pub(super) fn is_open_to_all(found: &Metadata) -> bool {
    found.mode() & 0o002 != 0
}

/// Returns `None` if there is no file. Does not block on a FIFO and never reads a device.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let mut file = match OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return missing(path),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    read_capped(&mut file).map(Some)
}

/// Distinguishes a dangling link, which is an error, from a missing file, which is not.
fn missing(path: &Path) -> io::Result<Option<String>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(io::Error::other("it is a link to a file that does not exist")),
        Ok(_) | Err(_) => Ok(None),
    }
}

fn read_capped(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(FILE_CAP + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_CAP {
        return Err(io::Error::other(format!("it is larger than {}", ByteSize::new(FILE_CAP))));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        io::Error::other(format!("line {line} is not UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigReader, Layer};

    fn load(path: &Path) -> Loaded {
        ConfigReader::new([(Layer::User, path.to_owned())]).read()
    }

    fn complaint(path: &Path) -> String {
        let loaded = load(path);
        assert_eq!(loaded.config, Config::default());
        assert_eq!(loaded.problems.len(), 1);
        let line = loaded.problems[0].to_string();
        assert!(line.starts_with(&format!("{}: ", path.display())), "{line}");
        line
    }

    #[test]
    fn a_missing_file_gives_the_defaults() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(ConfigReader::default().read(), Loaded::default());
        assert_eq!(load(&temp.path().join("none/config.toml")), Loaded::default());
    }

    #[test]
    fn pipes_devices_and_huge_files_are_not_read() {
        let temp = tempfile::tempdir().unwrap();
        let fifo = temp.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [Path::new("/dev/zero"), temp.path(), &fifo] {
            assert!(complaint(path).contains("it is not a regular file"));
        }
    }

    #[test]
    fn an_unusable_file_gives_the_defaults_and_one_problem() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        fs::write(&path, vec![b'#'; 1 << 21]).unwrap();
        assert!(complaint(&path).ends_with("it is larger than 1 MiB; none of it is used"));
        fs::write(&path, b"# a\n\xff = 1").unwrap();
        assert!(complaint(&path).contains("line 2 is not UTF-8"));
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert!(complaint(&path).contains("a link to a file that does not exist"));
    }

    #[test]
    fn problems_name_the_file_and_the_line() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        fs::write(&path, "[history]\nenabled = false\ncommands = -1\n").unwrap();
        let loaded = load(&path);
        assert!(!loaded.config.history.enabled);
        let expected = format!("{}:3: history.commands: expected a whole number, not -1", path.display());
        assert_eq!(loaded.problems[0].to_string(), expected);
    }
}
