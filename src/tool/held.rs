//! Protects a file that a call is about to change from being swapped while the person decides.
//!
//! Between the question and the write another program could replace a directory with a symbolic link: the person approves
//! `work/sub/authorized_keys`, and the write goes to `~/.ssh`. Therefore the directory is opened once, when the call is described, and
//! every later step is relative to that descriptor: reading, creating directories, writing, renaming. The path to the directory is opened
//! one component at a time with `O_NOFOLLOW`. This has the effect of `openat2` with `RESOLVE_NO_SYMLINKS`, and also works on kernels and in
//! sandboxes without that call.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, fchown};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, readlinkat, renameat};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmodat, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, symlinkat, unlinkat};
use thiserror::Error;

/// How many names are tried for the temporary file.
const TRIES: u32 = 100;
/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

#[derive(Debug, Error)]
pub(crate) enum HeldError {
    #[error("its directory was replaced by a link or by another directory")]
    Replaced,
    #[error("it is a symbolic link")]
    Link,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for HeldError {
    fn from(errno: Errno) -> HeldError {
        HeldError::Io(errno.into())
    }
}

/// A file, given by an open descriptor of its directory and its name there.
#[derive(Debug)]
pub(crate) struct Held {
    /// The nearest parent directory that existed when the file was opened.
    base: PathBuf,
    directory: OwnedFd,
    /// The directories between `base` and the file. They are created when the file is written.
    missing: Vec<OsString>,
    name: OsString,
}

impl Held {
    /// Opens the directory of a file, given by its real path, in which no component is a link.
    pub(crate) fn hold(path: &Path) -> Result<Held, HeldError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(HeldError::Io(io::ErrorKind::IsADirectory.into()));
        };
        let mut base = PathBuf::from("/");
        let mut directory = root()?;
        let mut parts = parent.components().filter_map(normal);
        let mut missing = Vec::new();
        while let Some(part) = parts.next() {
            match enter(&directory, part) {
                Ok(entered) => {
                    directory = entered;
                    base.push(part);
                }
                Err(HeldError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                    missing = [part].into_iter().chain(parts).map(OsStr::to_owned).collect();
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Held { base, directory, missing, name: name.to_owned() })
    }

    /// Opens the file for reading. Returns `None` if it does not exist.
    pub(super) fn open(&self) -> Result<Option<File>, HeldError> {
        match self.parent(Missing::Stay).and_then(|parent| open_in(&parent, &self.name)) {
            Ok(file) => Ok(Some(file)),
            Err(HeldError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the content of the file atomically: readers see the old or the new content, never a part. Mode and owner are kept.
    pub(super) fn replace(&self, content: &[u8]) -> Result<File, HeldError> {
        self.put(content, None)
    }

    /// The same, with these permission bits if there are any. Missing directories are made.
    pub(crate) fn put(&self, content: &[u8], mode: Option<u32>) -> Result<File, HeldError> {
        self.check_place()?;
        let parent = self.parent(Missing::Make)?;
        let before = match fstatat(&parent, self.name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
            Ok(about) => Some(about),
            Err(Errno::ENOENT) => None,
            Err(errno) => return Err(errno.into()),
        };
        let is_private = before.is_some() || mode.is_some();
        let mut draft = TemporaryFile::create(&parent, is_private)?;
        draft.file.write_all(content)?;
        if let Some(before) = &before {
            // Only root can set the owner. For other users the file becomes their own, as with any editor that renames.
            let _ = fchown(&draft.file, Some(before.st_uid), Some(before.st_gid));
        }
        if let Some(mode) = mode.or(before.map(|before| before.st_mode & PERMISSIONS)) {
            draft.file.set_permissions(Permissions::from_mode(mode & PERMISSIONS))?;
        }
        draft.file.sync_all()?;
        let file = draft.file.try_clone()?;
        draft.rename(&self.name)?;
        Ok(file)
    }

    /// Puts a symbolic link in the place of the file, atomically.
    pub(crate) fn put_link(&self, target: &OsStr) -> Result<(), HeldError> {
        self.check_place()?;
        let parent = self.parent(Missing::Make)?;
        for number in 0..TRIES {
            let name = temporary_name(number);
            match symlinkat(target, &parent, name.as_str()) {
                Ok(()) => {
                    let renamed = renameat(&parent, name.as_str(), &parent, self.name.as_os_str());
                    if renamed.is_err() {
                        let _ = unlinkat(&parent, name.as_str(), UnlinkatFlags::NoRemoveDir);
                    }
                    return Ok(renamed?);
                }
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EEXIST.into())
    }

    /// Removes the file, or the link. A directory is not removed.
    pub(crate) fn remove(&self) -> Result<(), HeldError> {
        self.check_place()?;
        Ok(unlinkat(&self.parent(Missing::Stay)?, self.name.as_os_str(), UnlinkatFlags::NoRemoveDir)?)
    }

    /// Removes the directory of this name if it is empty.
    pub(crate) fn remove_directory(&self) -> Result<(), HeldError> {
        self.check_place()?;
        Ok(unlinkat(&self.parent(Missing::Stay)?, self.name.as_os_str(), UnlinkatFlags::RemoveDir)?)
    }

    /// Makes a directory of this name.
    pub(crate) fn make_directory(&self) -> Result<(), HeldError> {
        self.check_place()?;
        Ok(mkdirat(&self.parent(Missing::Make)?, self.name.as_os_str(), Mode::from_bits_truncate(0o777))?)
    }

    /// Sets the permission bits, unless the name is a link.
    pub(crate) fn set_mode(&self, mode: u32) -> Result<(), HeldError> {
        self.check_place()?;
        let (parent, mode) = (self.parent(Missing::Stay)?, Mode::from_bits_truncate(mode & PERMISSIONS));
        Ok(fchmodat(&parent, self.name.as_os_str(), mode, FchmodatFlags::NoFollowSymlink)?)
    }

    /// Opens the file's directory.
    fn parent(&self, missing: Missing) -> Result<OwnedFd, HeldError> {
        let mut directory = self.directory.try_clone()?;
        for part in &self.missing {
            if missing == Missing::Make {
                match mkdirat(&directory, part.as_os_str(), Mode::from_bits_truncate(0o777)) {
                    Ok(()) | Err(Errno::EEXIST) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            directory = enter(&directory, part)?;
        }
        Ok(directory)
    }

    /// Fails if the path that the person saw no longer leads to the open directory.
    fn check_place(&self) -> Result<(), HeldError> {
        let now = directory(&self.base).map_err(|_| HeldError::Replaced)?;
        let [now, held] = [fstat(&now)?, fstat(&self.directory)?];
        if (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino) { Ok(()) } else { Err(HeldError::Replaced) }
    }
}

/// Opens files by their real paths, in which no component is a link. Keeps the directory of the last file open, because files come in
/// the order of their paths.
///
/// A path is judged when a call is described, after its links are resolved. A link that is found when the file is opened was created
/// later, and could lead to a file that needs approval.
#[derive(Debug, Default)]
pub(crate) struct Opener {
    parent: Option<(PathBuf, OwnedFd)>,
}

impl Opener {
    pub(crate) fn open(&mut self, path: &Path) -> Result<File, HeldError> {
        let Some(name) = path.file_name() else { return open_in(&root()?, OsStr::new(".")) };
        open_in(self.parent(path)?, name)
    }

    /// The metadata of a file, without following a link.
    pub(crate) fn about(&mut self, path: &Path) -> Result<FileStat, HeldError> {
        let Some(name) = path.file_name() else { return Ok(fstat(root()?)?) };
        Ok(fstatat(self.parent(path)?, name, AtFlags::AT_SYMLINK_NOFOLLOW)?)
    }

    /// The target of a symbolic link.
    pub(crate) fn link(&mut self, path: &Path) -> Result<OsString, HeldError> {
        let name = path.file_name().ok_or(Errno::EINVAL)?;
        Ok(readlinkat(self.parent(path)?, name)?)
    }

    fn parent(&mut self, path: &Path) -> Result<&OwnedFd, HeldError> {
        let parent = path.parent().unwrap_or(path);
        let opened = match self.parent.take() {
            Some((known, opened)) if known == parent => opened,
            Some(_) | None => directory(parent)?,
        };
        Ok(&self.parent.insert((parent.to_owned(), opened)).1)
    }
}

/// Opens a file in a directory for reading, unless it is a link. Does not block on a pipe without a writer.
fn open_in(directory: &OwnedFd, name: &OsStr) -> Result<File, HeldError> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    match openat(directory, name, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(Errno::ELOOP) => Err(HeldError::Link),
        Err(errno) => Err(errno.into()),
    }
}

/// How missing directories are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Stay,
}

fn normal(part: Component<'_>) -> Option<&OsStr> {
    match part {
        Component::Normal(name) => Some(name),
        Component::RootDir | Component::CurDir | Component::ParentDir | Component::Prefix(_) => None,
    }
}

fn root() -> Result<OwnedFd, HeldError> {
    Ok(nix::fcntl::open("/", DIRECTORY, Mode::empty())?)
}

/// Opens a directory by its real path.
fn directory(path: &Path) -> Result<OwnedFd, HeldError> {
    path.components().filter_map(normal).try_fold(root()?, |above, part| enter(&above, part))
}

/// Opens a directory in a directory, unless it is a link.
fn enter(directory: &OwnedFd, name: &OsStr) -> Result<OwnedFd, HeldError> {
    match openat(directory, name, DIRECTORY, Mode::empty()) {
        Ok(entered) => Ok(entered),
        Err(Errno::ELOOP | Errno::ENOTDIR) => Err(HeldError::Replaced),
        Err(errno) => Err(errno.into()),
    }
}

/// With `O_PATH` a directory can be opened without read permission.
#[cfg(target_os = "linux")]
const DIRECTORY: OFlag = OFlag::O_PATH.union(OFlag::O_DIRECTORY).union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);
#[cfg(not(target_os = "linux"))]
const DIRECTORY: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_NOFOLLOW).union(OFlag::O_CLOEXEC);

/// A temporary file next to the file it replaces. It is removed on drop unless it was renamed.
struct TemporaryFile<'a> {
    file: File,
    directory: &'a OwnedFd,
    name: String,
}

fn temporary_name(number: u32) -> String {
    format!(".shellmate-{}-{number}", std::process::id())
}

impl<'a> TemporaryFile<'a> {
    fn create(directory: &'a OwnedFd, is_private: bool) -> Result<TemporaryFile<'a>, HeldError> {
        // A new file gets the default mode and the umask. A replacement is private until the mode of the old file is set.
        let mode = Mode::from_bits_truncate(if is_private { 0o600 } else { 0o666 });
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        for number in 0..TRIES {
            let name = temporary_name(number);
            match openat(directory, name.as_str(), flags, mode) {
                Ok(file) => return Ok(TemporaryFile { file: file.into(), directory, name }),
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EEXIST.into())
    }

    fn rename(mut self, name: &OsStr) -> Result<(), HeldError> {
        renameat(self.directory, self.name.as_str(), self.directory, name)?;
        self.name.clear();
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            let _ = unlinkat(self.directory, self.name.as_str(), UnlinkatFlags::NoRemoveDir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn a_replaced_file_keeps_its_mode_and_leaves_no_temporary_file() {
        let home = Home::new();
        home.write("app/run.sh", "old");
        let path = home.path("app/run.sh");
        fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
        Held::hold(&path).unwrap().replace(b"new").unwrap();
        assert_eq!(home.read("app/run.sh"), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o751);
        assert_eq!(fs::read_dir(home.path("app")).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_has_the_default_mode() {
        let home = Home::new();
        Held::hold(&home.path("app/deep/er/new")).unwrap().replace(b"new").unwrap();
        home.write("app/other", "");
        let mode = |name| fs::metadata(home.path(name)).unwrap().mode();
        assert_eq!(mode("app/deep/er/new"), mode("app/other"));
    }

    #[test]
    fn a_path_through_a_link_is_refused() {
        let home = Home::new();
        fs::create_dir(home.path("real")).unwrap();
        symlink(home.path("real"), home.path("app/link")).unwrap();
        assert!(matches!(Held::hold(&home.path("app/link/file")), Err(HeldError::Replaced)));
        assert!(matches!(Held::hold(Path::new("/")), Err(HeldError::Io(_))));
    }

    #[test]
    fn a_directory_that_was_moved_is_not_written_to() {
        let home = Home::new();
        fs::create_dir(home.path("app/sub")).unwrap();
        let held = Held::hold(&home.path("app/sub/file")).unwrap();
        fs::rename(home.path("app/sub"), home.path("elsewhere")).unwrap();
        assert!(matches!(held.replace(b"new"), Err(HeldError::Replaced)));
        fs::create_dir(home.path("app/sub")).unwrap();
        assert!(matches!(held.replace(b"new"), Err(HeldError::Replaced)), "another directory of that name");
        assert_eq!(fs::read_dir(home.path("elsewhere")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(home.path("app/sub")).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_directory_that_becomes_a_link_is_not_entered() {
        let home = Home::new();
        fs::create_dir(home.path("elsewhere")).unwrap();
        let held = Held::hold(&home.path("app/new/deep/file")).unwrap();
        symlink(home.path("elsewhere"), home.path("app/new")).unwrap();
        assert!(matches!(held.replace(b"new"), Err(HeldError::Replaced)));
        assert_eq!(fs::read_dir(home.path("elsewhere")).unwrap().count(), 0);
    }
}
