//! Files as the tools read and change them.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::held::{Held, HeldError, Opener};
use super::seen::Fingerprint;
use super::{Context, paths};
use crate::text::{MIB, human};

/// Files up to this size are read, compared and edited as a whole.
pub(super) const WHOLE: u64 = 8 * MIB as u64;

/// A file as it is now, small enough to be held.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) print: Fingerprint,
}

/// Opens an ordinary file by its real path; the error is for the model. A pipe or a device might never answer.
pub(super) fn open(path: &Path, context: &Context) -> Result<(File, Metadata), String> {
    let opened = match Opener::default().open(path) {
        Ok(file) => Ok(file),
        Err(HeldError::Io(error)) => Err(error),
        Err(HeldError::Link | HeldError::Replaced) => return Err(not_real(path, context)),
    };
    ordinary(opened, path, context)
}

/// Says that a real path does not lead anywhere without a link.
pub(super) fn not_real(path: &Path, context: &Context) -> String {
    let name = paths::shown(path, context);
    format!("cannot read {name}: a part of its path is not a directory, or has just become a symbolic link")
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
        () if !about.is_file() => Err(format!("{name} is not an ordinary file")),
        () => Ok((file, about)),
    }
}

/// A file that is to be changed: its real path, and a hold on it.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    held: Held,
}

impl Target {
    /// Takes hold of the file that was named; the error is for the model.
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

    /// The file as it is now; none if it does not exist.
    pub(super) fn read(&self, context: &Context) -> Result<Option<Content>, String> {
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
            Some(bytes) => Ok(Some(Content { print: Fingerprint::of(&about, Some(&bytes)), bytes })),
            None => Err(format!("{name} is larger than {}; change it with a command", human::size(WHOLE))),
        }
    }

    /// Writes the file; the error is for the model.
    pub(super) fn write(&self, content: &[u8], context: &Context) -> Result<Fingerprint, String> {
        let name = || paths::shown(&self.path, context);
        self.held.replace(content).map_err(|error| match error {
            HeldError::Replaced => format!(
                "{error} since the user was asked about {}; nothing was written. Look at the path again before you go on",
                name()
            ),
            HeldError::Link | HeldError::Io(_) => format!("cannot write {}: {error}", name()),
        })
    }
}

/// All of a file, or none of it if it is too large. Files of the kernel have no size until they are read.
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
    fn a_pipe_is_not_waited_for() {
        let home = Home::new();
        nix::unistd::mkfifo(&home.path("app/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let error = open(&home.path("app/pipe"), &home.context()).unwrap_err();
        assert_eq!(error, "pipe is not an ordinary file");
    }
}
