//! Files as the tools read and replace them.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

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

/// Opens an ordinary file; the error is for the model. A pipe or a device might never answer.
pub(super) fn open(path: &Path, context: &Context) -> Result<(File, Metadata), String> {
    let name = paths::shown(path, context);
    let said = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => paths::missing(path, context),
        _ => format!("cannot read {name}: {error}"),
    };
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path).map_err(said)?;
    let about = file.metadata().map_err(said)?;
    match () {
        () if about.is_dir() => Err(format!("{name} is a directory; use ls")),
        () if !about.is_file() => Err(format!("{name} is not an ordinary file")),
        () => Ok((file, about)),
    }
}

/// Reads a file that is to be edited.
pub(super) fn read(path: &Path, context: &Context) -> Result<Content, String> {
    let (file, about) = open(path, context)?;
    let name = paths::shown(path, context);
    let bytes = whole(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    match bytes {
        Some(bytes) => Ok(Content { print: Fingerprint::of(&about, Some(&bytes)), bytes }),
        None => Err(format!("{name} is larger than {}; change it with a command", human::size(WHOLE))),
    }
}

/// All of a file, or none of it if it is too large. Files of the kernel have no size until they are read.
pub(super) fn whole(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(WHOLE + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= WHOLE).then_some(bytes))
}

/// Puts new content in place of a file at once: whoever looks sees the old or the new, never a part. Mode and owner stay.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<Fingerprint> {
    let Some(directory) = path.parent() else { return Err(io::ErrorKind::IsADirectory.into()) };
    fs::create_dir_all(directory)?;
    let before = match fs::metadata(path) {
        Ok(about) => Some(about),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".shellmate-");
    if before.is_none() {
        // Narrowed by the umask, as for any new file.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(content)?;
    if let Some(before) = &before {
        // Only root may give a file away; without that it becomes ours, as with any editor that renames.
        let _ = fchown(file.as_file(), Some(before.uid()), Some(before.gid()));
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    let file = file.persist(path).map_err(|error| error.error)?;
    Ok(Fingerprint::of(&file.metadata()?, Some(content)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;

    #[test]
    fn a_replaced_file_keeps_its_mode_and_leaves_nothing_behind() {
        let home = Home::new();
        home.write("app/run.sh", "old");
        let path = home.path("app/run.sh");
        fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(home.read("app/run.sh"), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o751);
        assert_eq!(fs::read_dir(home.path("app")).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_new_file() {
        let home = Home::new();
        replace(&home.path("app/deep/er/new"), b"new").unwrap();
        home.write("app/other", "");
        let mode = |name| fs::metadata(home.path(name)).unwrap().mode();
        assert_eq!(mode("app/deep/er/new"), mode("app/other"));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let home = Home::new();
        nix::unistd::mkfifo(&home.path("app/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let error = open(&home.path("app/pipe"), &home.context()).unwrap_err();
        assert_eq!(error, "pipe is not an ordinary file");
    }
}
