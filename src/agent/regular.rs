//! Opens files that the person names, without waiting for one that is no file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// Opens a file or a directory for reading and says which it is; `None` if it is neither. What was checked is what is read, whatever is
/// put at this path meanwhile: a pipe without a writer is opened at once, and a file of the kernel that has nothing to say yet ends
/// in an error. Devices are not opened, for that alone can change something.
pub(super) fn open(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let is_readable = |metadata: &Metadata| metadata.is_file() || metadata.is_dir();
    if !is_readable(&fs::metadata(path)?) {
        return Ok(None);
    }
    open_at_once(path).map(|opened| Some(opened).filter(|(_, metadata)| is_readable(metadata)))
}

fn open_at_once(path: &Path) -> io::Result<(File, Metadata)> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

/// Why a file has no text to send.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it is not text")]
    NotText,
}

/// The first `cap` bytes of a text file, and the size of the whole. Bytes that are not UTF-8 are replaced.
pub(super) fn text(path: &Path, cap: u64) -> Result<(String, u64), TextError> {
    let Some((file, about)) = open(path)?.filter(|(_, about)| about.is_file()) else { return Err(TextError::NotAFile) };
    let mut bytes = Vec::new();
    file.take(cap).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Err(TextError::NotText);
    }
    Ok((String::from_utf8_lossy(&bytes).into_owned(), about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_put_in_the_place_of_a_file_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        assert!(!open_at_once(&path).unwrap().1.is_file());
        assert!(open(&path).unwrap().is_none() && open(Path::new("/dev/zero")).unwrap().is_none());
    }
}
