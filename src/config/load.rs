//! Reading the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use super::{Config, Problem, Size};

/// A configuration larger than this is a mistake: a log, a core file, a device.
const FILE_CAP: u64 = 1 << 20;

/// A configuration that can be used, whatever the file was like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub config: Config,
    /// What was passed over, in the order of the file.
    pub problems: Vec<Problem>,
    /// Which file this was, and in which state.
    pub stamp: Stamp,
}

/// Tells one state of a file from another: a saved file has another time, size or inode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stamp(Option<[i64; 5]>);

impl Stamp {
    /// The state of the file now; one that is not there has a stamp, too.
    pub(crate) fn of(path: Option<&Path>) -> Stamp {
        Stamp(path.and_then(|path| fs::metadata(path).ok()).map(|found| {
            let (size, inode, device) = (found.size(), found.ino(), found.dev());
            [found.mtime(), found.mtime_nsec(), size.cast_signed(), inode.cast_signed(), device.cast_signed()]
        }))
    }
}

impl Config {
    /// Reads a configuration; a missing file, or none, is the defaults.
    ///
    /// Never waits for what is not a regular file and never fails: what can't be used is left at its default and named.
    pub(crate) fn load(path: Option<&Path>) -> Loaded {
        // Taken first: a file that is saved while it is read is read again.
        let stamp = Stamp::of(path);
        let Some(path) = path else { return Loaded::default() };
        let mut loaded = match read(path) {
            Ok(Some(text)) => Self::parse(&text),
            Ok(None) => return Loaded::default(),
            Err(error) => {
                Loaded { problems: vec![Problem::new(&format!("cannot be read: {error}"))], ..Loaded::default() }
            }
        };
        loaded.stamp = stamp;
        loaded.problems = loaded.problems.into_iter().map(|problem| problem.file(path)).collect();
        loaded
    }
}

/// Returns nothing when there is no file. Opening does not wait for the other end of a FIFO, and a device is never read.
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

/// A link to nowhere is a mistake somebody would like to hear of; no file at all is not.
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
        return Err(io::Error::other(format!("it is larger than {}", Size::new(FILE_CAP))));
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

    fn complaint(path: &Path) -> String {
        let loaded = Config::load(Some(path));
        assert_eq!(loaded.config, Config::default());
        assert_eq!(loaded.problems.len(), 1);
        let line = loaded.problems[0].to_string();
        assert!(line.starts_with(&format!("{}: ", path.display())), "{line}");
        line
    }

    #[test]
    fn a_missing_file_is_the_defaults() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(None), Loaded::default());
        assert_eq!(Config::load(Some(&temp.path().join("none/config.toml"))), Loaded::default());
    }

    #[test]
    fn what_is_no_file_neither_hangs_nor_grows() {
        let temp = tempfile::tempdir().unwrap();
        let fifo = temp.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [Path::new("/dev/zero"), temp.path(), &fifo] {
            assert!(complaint(path).ends_with("it is not a regular file"));
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_the_defaults_and_one_line() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        fs::write(&path, vec![b'#'; 1 << 21]).unwrap();
        assert!(complaint(&path).ends_with("it is larger than 1 MiB"));
        fs::write(&path, b"# a\n\xff = 1").unwrap();
        assert!(complaint(&path).ends_with("line 2 is not UTF-8"));
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("nowhere", &path).unwrap();
        assert!(complaint(&path).ends_with("a link to a file that does not exist"));
    }

    #[test]
    fn problems_name_file_and_line() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        fs::write(&path, "[history]\nenabled = false\ncommands = -1\n").unwrap();
        let loaded = Config::load(Some(&path));
        assert!(!loaded.config.history.enabled);
        let expected =
            format!("{}:3: history.commands: invalid value: integer `-1`, expected a whole number", path.display());
        assert_eq!(loaded.problems[0].to_string(), expected);
    }
}
