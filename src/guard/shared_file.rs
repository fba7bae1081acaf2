//! A small JSON file that all terminals share: read as a whole, replaced as a whole under a lock.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::{Flock, FlockArg};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The contents of a file of at most `largest` bytes. A missing, broken or larger file has the default contents.
pub(super) fn load<T: DeserializeOwned + Default>(path: &Path, largest: u64) -> T {
    let is_small = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= largest);
    let text = if is_small { fs::read(path).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Whether there is something at this path that cannot be read as such a file.
pub(super) fn is_damaged<T: DeserializeOwned>(path: &Path, largest: u64) -> bool {
    let Ok(about) = fs::metadata(path) else { return false };
    let text = if about.is_file() && about.len() <= largest { fs::read(path).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice::<T>(&text).is_err()
}

/// Changes the contents of a file. Another terminal that changes it meanwhile waits, and a reader sees the old or the new contents.
pub(super) fn change<T: Serialize + DeserializeOwned + Default>(
    path: &Path,
    largest: u64,
    change: impl FnOnce(&mut T),
) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let _lock = lock(path)?;
    let mut contents: T = load(path, largest);
    change(&mut contents);
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut new, &contents)?;
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

fn lock(path: &Path) -> io::Result<Flock<File>> {
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path.with_extension("lock"))?;
    Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_of_another_terminal_is_lost() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state/list.json");
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                let path = &path;
                scope.spawn(move || {
                    for count in 0..5 {
                        change(path, 1024, |list: &mut Vec<u32>| list.push(thread * 10 + count)).unwrap();
                    }
                });
            }
        });
        assert_eq!(load::<Vec<u32>>(&path, 1024).len(), 20);
        assert_eq!(load::<Vec<u32>>(&path, 10), Vec::<u32>::new(), "it is too large");
    }
}
