//! The contents of a project's `.shellmate` directory.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use ring::digest::{Context, SHA256, digest};

use crate::repository;

/// The name of the directory.
const NAME: &str = ".shellmate";
/// The most files that are read, and the most bytes of all together.
const MOST: usize = 500;
const LARGEST: usize = 4 * 1024 * 1024;
/// How deep directories may be nested.
const DEPTH: usize = 16;

/// Why a `.shellmate` directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectFilesError {
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("{} is a symbolic link", .0.display())]
    Link(PathBuf),
    #[error("{} is not a regular file", .0.display())]
    Special(PathBuf),
    #[error("{} has more than {MOST} files or 4 MiB", .0.display())]
    TooLarge(PathBuf),
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProjectFile {
    pub(super) bytes: Vec<u8>,
    pub(super) is_executable: bool,
}

impl ProjectFile {
    /// The hash of the contents.
    pub(super) fn hash(&self) -> String {
        hex(digest(&SHA256, &self.bytes).as_ref())
    }

    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }
}

/// What a project brings. It is read once, so that exactly what was approved is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFiles {
    root: PathBuf,
    /// By their paths below `.shellmate`.
    pub(super) files: BTreeMap<String, ProjectFile>,
}

impl ProjectFiles {
    /// Where the project that a directory is in would have its `.shellmate` directory.
    pub(crate) fn place(directory: &Path) -> PathBuf {
        repository::real_root_or(directory).join(NAME)
    }

    /// Reads the `.shellmate` directory of the project that a directory is in. `None` if there is none, or nothing in it. Costs one `stat`
    /// then.
    pub(crate) fn of(directory: &Path) -> Option<Result<ProjectFiles, ProjectFilesError>> {
        let root = repository::real_root_or(directory);
        let path = ProjectFiles::place(directory);
        let about = fs::symlink_metadata(&path).ok()?;
        if about.is_symlink() {
            return Some(Err(ProjectFilesError::Link(path)));
        }
        if !about.is_dir() {
            return Some(Err(ProjectFilesError::NotADirectory(path)));
        }
        let mut reading = FilesReading { top: path.clone(), files: BTreeMap::new(), size: 0 };
        match reading.directory(&path, 0) {
            Ok(()) if reading.files.is_empty() => None,
            Ok(()) => Some(Ok(ProjectFiles { root, files: reading.files })),
            Err(error) => Some(Err(error)),
        }
    }

    /// The root of the project.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The directory itself.
    pub(crate) fn directory(&self) -> PathBuf {
        self.root.join(NAME)
    }

    /// The contents of a file.
    pub(crate) fn file(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(|file| file.bytes.as_slice())
    }

    /// The paths of all files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether there are skills.
    pub(crate) fn has_skills(&self) -> bool {
        self.names().any(|name| name.starts_with("skills/"))
    }

    /// Identifies names, contents and permissions of all files.
    pub(super) fn fingerprint(&self) -> String {
        let mut context = Context::new(&SHA256);
        for (name, file) in &self.files {
            let mode: &[u8] = if file.is_executable { b"x" } else { b"-" };
            for part in [name.as_bytes(), mode, &file.bytes] {
                context.update(&(part.len() as u64).to_le_bytes());
                context.update(part);
            }
        }
        hex(context.finish().as_ref())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A directory that is being read.
struct FilesReading {
    top: PathBuf,
    files: BTreeMap<String, ProjectFile>,
    size: usize,
}

impl FilesReading {
    fn directory(&mut self, path: &Path, depth: usize) -> Result<(), ProjectFilesError> {
        let unreadable = |source| ProjectFilesError::Unreadable { path: path.to_owned(), source };
        for entry in fs::read_dir(path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
            match kind {
                _ if kind.is_symlink() => return Err(ProjectFilesError::Link(path)),
                _ if kind.is_dir() && depth < DEPTH => self.directory(&path, depth + 1)?,
                _ if kind.is_dir() => return Err(self.too_large()),
                _ => self.file(path)?,
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf) -> Result<(), ProjectFilesError> {
        let room = LARGEST - self.size;
        let (bytes, is_executable) = match read(&path, room) {
            Ok(Some(read)) => read,
            Ok(None) => return Err(ProjectFilesError::Special(path)),
            Err(source) => return Err(ProjectFilesError::Unreadable { path, source }),
        };
        if bytes.len() > room || self.files.len() == MOST {
            return Err(self.too_large());
        }
        self.size += bytes.len();
        let below = path.strip_prefix(&self.top).unwrap_or(&path);
        // A name that is no text is still a name: two different ones must not become the same.
        let name = below.to_str().map_or_else(|| format!("{below:?}"), str::to_owned);
        self.files.insert(name, ProjectFile { bytes, is_executable });
        Ok(())
    }

    fn too_large(&self) -> ProjectFilesError {
        ProjectFilesError::TooLarge(self.top.clone())
    }
}

/// Reads a regular file, one byte more than there is room for at most. `None` if it is something else; a FIFO is not waited for.
fn read(path: &Path, room: usize) -> io::Result<Option<(Vec<u8>, bool)>> {
    let file = match OpenOptions::new().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path) {
        Ok(file) => file,
        // A socket, or a device without a driver.
        Err(error) if error.raw_os_error() == Some(nix::libc::ENXIO) => return Ok(None),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(room as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some((bytes, about.permissions().mode() & 0o111 != 0)))
}
