//! The files with notes: private, and never followed through a link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use super::{FILE, MemoryError};

/// The most characters of a directory's name in the name of its file.
const NAME: usize = 40;

/// The name of a directory's file: the last part of its path for the person, and a fingerprint of the whole path.
pub(super) fn name(project: &Path) -> String {
    let last = project.file_name().unwrap_or_default().to_string_lossy();
    let safe: String = last.chars().take(NAME).map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    // FNV-1a, which stays the same in every version.
    let hash = project
        .as_os_str()
        .as_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{safe}-{hash:016x}.md")
}

/// The text of a file. `None` if there is none.
pub(super) fn read(path: &Path) -> Option<String> {
    let file = open(path, OpenOptions::new().read(true)).ok()?;
    let mut bytes = Vec::new();
    file.take(FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Creates a file with this heading, unless it exists. Its directory is created with it.
pub(super) fn create(path: &Path, heading: &str) -> Result<(), MemoryError> {
    if let Some(directory) = path.parent() {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| trouble(path, error))?;
    }
    match open(path, OpenOptions::new().write(true).create_new(true)) {
        Ok(mut file) => file.write_all(heading.as_bytes()).map_err(|error| trouble(path, error)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(trouble(path, error)),
    }
}

/// Adds a line. Two terminals may do so at the same time.
pub(super) fn append(path: &Path, line: &str) -> Result<(), MemoryError> {
    let mut file = open(path, OpenOptions::new().append(true).read(true)).map_err(|error| trouble(path, error))?;
    let about = file.metadata().map_err(|error| trouble(path, error))?;
    if !about.is_file() {
        return Err(MemoryError::NotOurs(path.display().to_string()));
    }
    if about.len() + line.len() as u64 > FILE {
        return Err(MemoryError::Full(path.display().to_string()));
    }
    // An editor may have left the last line without its end.
    let ends = read(path).is_none_or(|text| text.is_empty() || text.ends_with('\n'));
    let line = if ends { line.to_owned() } else { format!("\n{line}") };
    file.write_all(line.as_bytes()).map_err(|error| trouble(path, error))
}

pub(super) fn remove(path: &Path) -> Result<(), MemoryError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(trouble(path, error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Opens a file without following a link and without waiting for a pipe.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    options.mode(0o600).custom_flags(flags.bits()).open(path)
}

fn trouble(path: &Path, source: io::Error) -> MemoryError {
    MemoryError::Write { path: path.display().to_string(), source }
}
