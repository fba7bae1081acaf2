//! Reading and changing files.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::held::{Held, HeldError, Opener};
use super::seen::Fingerprint;
use super::{ChangeScope, Context, paths};
use crate::text::{MIB, human};

/// Files up to this size are read, compared and edited as a whole.
pub(super) const WHOLE: u64 = 8 * MIB as u64;

/// The current content of a file that is small enough to be read as a whole.
pub(super) struct FileContent {
    pub(super) bytes: Vec<u8>,
    pub(super) print: Fingerprint,
}

/// Opens a regular file by its real path. The error is for the model. Pipes and devices are refused, because reading them may block.
pub(super) fn open(path: &Path, context: &Context) -> Result<(File, Metadata), String> {
    let opened = match Opener::default().open(path) {
        Ok(file) => Ok(file),
        Err(HeldError::Io(error)) => Err(error),
        Err(HeldError::Link | HeldError::Replaced) => return Err(not_real(path, context)),
    };
    ordinary(opened, path, context)
}

/// The error for a real path that can no longer be opened without following a link.
pub(super) fn not_real(path: &Path, context: &Context) -> String {
    let name = paths::shown(path, context);
    format!("cannot read {name}: a part of its path is not a directory, or has become a symbolic link")
}

fn ordinary(opened: io::Result<File>, path: &Path, context: &Context) -> Result<(File, Metadata), String> {
    let name = paths::shown(path, context);
    let said = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => paths::missing(path, context),
        _ => format!("cannot read {name}: {error}"),
    };
    let file = opened.map_err(said)?;
    let about = file.metadata().map_err(said)?;
    match () {
        () if about.is_dir() => Err(format!("{name} is a directory; use ls")),
        () if !about.is_file() => Err(format!("{name} is not a regular file")),
        () => Ok((file, about)),
    }
}

/// A file that is to be changed: its real path, and an open descriptor of its directory.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    held: Held,
}

impl Target {
    /// Opens the directory of the named file. The error is for the model.
    pub(super) fn named(named: &str, context: &Context) -> Result<Target, String> {
        let path = paths::resolve(named, context);
        match Held::hold(&path) {
            Ok(held) => Ok(Target { path, held }),
            Err(HeldError::Io(error)) if error.kind() == io::ErrorKind::IsADirectory => {
                Err(format!("{} is a directory; use ls", paths::shown(&path, context)))
            }
            Err(error) => Err(format!("cannot change {}: {error}", paths::shown(&path, context))),
        }
    }

    /// The current content of the file, or `None` if it does not exist.
    pub(super) fn read(&self, context: &Context) -> Result<Option<FileContent>, String> {
        let name = paths::shown(&self.path, context);
        let opened = match self.held.open() {
            Ok(Some(file)) => Ok(file),
            Ok(None) => return Ok(None),
            Err(HeldError::Link) => return Err(format!("{name} is a link to a file that does not exist")),
            Err(HeldError::Io(error)) => Err(error),
            Err(error @ HeldError::Replaced) => return Err(format!("cannot read {name}: {error}")),
        };
        let (file, about) = ordinary(opened, &self.path, context)?;
        let bytes = whole(file).map_err(|error| format!("cannot read {name}: {error}"))?;
        match bytes {
            Some(bytes) => Ok(Some(FileContent { print: Fingerprint::of(&about, Some(&bytes)), bytes })),
            None => Err(format!("{name} is larger than {}; change it with a command", human::size(WHOLE))),
        }
    }

    /// Writes the file. The error is for the model.
    pub(super) fn write(&self, content: &[u8], context: &Context) -> Result<Fingerprint, String> {
        let name = || paths::shown(&self.path, context);
        let kept = context.ports.changes.as_ref().map(|changes| changes.before(ChangeScope::File(&self.path)));
        let written = self.held.replace(content);
        kept.into_iter().for_each(|note_changes| note_changes());
        let file = written.map_err(|error| match error {
            HeldError::Replaced => format!(
                "{error} since the user was asked about {}; nothing was written. Look at the path again before you go on",
                name()
            ),
            HeldError::Link | HeldError::Io(_) => format!("cannot write {}: {error}", name()),
        })?;
        let about = file.metadata().map_err(|error| format!("cannot look at {}: {error}", name()))?;
        Ok(Fingerprint::of(&about, Some(content)))
    }
}

/// Reads a whole file, or returns `None` if it is too large. The size is not checked first, because files in `/proc` report 0.
pub(super) fn whole(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(WHOLE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= WHOLE).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;

    #[test]
    fn a_pipe_is_refused_without_blocking() {
        let home = Home::new();
        nix::unistd::mkfifo(&home.path("app/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let error = open(&home.path("app/pipe"), &home.context()).unwrap_err();
        assert_eq!(error, "pipe is not a regular file");
    }
}
