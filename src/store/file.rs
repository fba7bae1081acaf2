//! The database file: it is private, many processes use it at once, and it is renamed when it is damaged.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::mem;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::{Connection, OpenFlags};

use super::{StoreError, schema};

/// How long a reader waits for the few moments in which a database cannot even be read.
pub(super) const READER: Duration = Duration::from_secs(5);
/// The time between two tries to open a database that another process is creating. SQLite does not say when it is done.
const REOPEN: Duration = Duration::from_millis(5);
/// Of pages, per connection. The default is 2 MiB, and each terminal has one.
const CACHE_KIB: i64 = 256;
/// The write-ahead log is cut back to this once it has been copied into the database.
const LOG_BYTES: i64 = 4 * 1024 * 1024;

/// Identifies the file that was opened, to notice that another file has taken its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(path: &Path) -> io::Result<Identity> {
        fs::metadata(path).map(|file| Identity { device: file.dev(), inode: file.ino() })
    }
}

/// Makes sure there is a file at `path` that only its owner can read, in a directory that only its owner can enter.
///
/// SQLite gives its `-wal` and `-shm` files the mode of the database.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Create { path, source }
    };
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(at(directory))?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        // Closing any descriptor of a file drops the process's locks on it, SQLite's too. Once in the life of a database,
        // one descriptor stays open.
        Ok(file) => mem::forget(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tighten(path),
        Err(error) => return Err(at(path)(error)),
    }
    Ok(())
}

/// A database someone copied here may be readable by others. Not being allowed to change that is no reason not to write.
fn tighten(path: &Path) {
    if let Ok(file) = fs::metadata(path)
        && file.is_file()
        && file.permissions().mode() & 0o077 != 0
    {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
}

/// Opens an existing database and brings it to our format. A locked one is waited for, now and later, no longer than `patience`:
/// with none the caller tries again when it suits it, and can do something else meanwhile.
pub(super) fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    retry(patience, || prepare(path, patience))
}

/// Tries again while the database is locked. SQLite itself does not wait for a program that changes the mode of the log or reads a
/// log that a killed program left.
fn retry<T>(patience: Duration, open: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(StoreError::Busy(_)) if begun.elapsed() < patience => thread::sleep(REOPEN),
            opened => return opened,
        }
    }
}

fn prepare(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    // No URI: a path is a path, whatever characters it has.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    // Takes hold only while the file is empty, and before the log mode gives it a first page.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // Rows that are moved to another page are zeroed where they were, so that a forgotten command leaves no copy behind.
    connection.pragma_update_and_check(None, "secure_delete", "FAST", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a database without changing anything on the disk.
///
/// SQLite keeps an index of the log in a shared file. Where that cannot be made, as on a full disk, nobody else can be using the
/// database either, so the index is kept in memory.
pub(super) fn connect_read_only(path: &Path) -> Result<Connection, StoreError> {
    let open = |flags, locking_mode: &str| -> Result<Connection, StoreError> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(READER)?;
        connection.pragma_update_and_check(None, "locking_mode", locking_mode, |_| Ok(()))?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        schema::version(&connection)?;
        connection.query_row("SELECT count(*) FROM totals", [], |_| Ok(()))?;
        Ok(connection)
    };
    open(OpenFlags::SQLITE_OPEN_READ_ONLY, "NORMAL")
        .or_else(|_| open(OpenFlags::SQLITE_OPEN_READ_ONLY, "EXCLUSIVE"))
        .or_else(|_| open(OpenFlags::SQLITE_OPEN_READ_WRITE, "EXCLUSIVE"))
}

/// What a file that may not have been brought to our format is.
pub(super) enum DatabaseFormat {
    Ours(Connection),
    /// It has no tables yet.
    Empty,
    Older,
}

/// Opens a database to read it, and takes no lock that a writer would have to wait for.
pub(super) fn connect_unlocked(path: &Path) -> Result<DatabaseFormat, StoreError> {
    retry(READER, || look(path))
}

fn look(path: &Path) -> Result<DatabaseFormat, StoreError> {
    // A connection that may only read cannot restore the index of a log that a killed program left.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(READER)?;
    Ok(match schema::version(&connection)? {
        0 => DatabaseFormat::Empty,
        found if found == schema::known() => DatabaseFormat::Ours(connection),
        _ => DatabaseFormat::Older,
    })
}

/// Renames a damaged database, with its log, and returns its new name. `None` if it was already gone or replaced.
pub(super) fn put_aside(path: &Path, damaged: Identity) -> io::Result<Option<PathBuf>> {
    match Identity::of(path) {
        Ok(found) if found == damaged => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let aside = with_suffix(path, &format!(".damaged-{}", since_1970.as_secs()));
    // The log goes first: a new database that found it would replay it.
    for suffix in ["-wal", "-shm"] {
        match fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::rename(path, &aside)?;
    Ok(Some(aside))
}

/// Of the database and its log.
pub(super) fn bytes_on_disk(path: &Path) -> u64 {
    let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    length(path) + length(&with_suffix(path, "-wal"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_files_and_their_directory_are_private() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state/shellmate/history.db");
        create(&path).unwrap();
        let _connection = connect(&path, READER).unwrap();
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        for suffix in ["", "-wal", "-shm"] {
            assert_eq!(mode(&with_suffix(&path, suffix)), 0o600, "{suffix}");
        }
    }

    #[test]
    fn a_database_open_to_others_is_closed_to_them() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.db");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        create(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_healthy_successor_is_not_put_aside() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.db");
        fs::write(&path, "damaged").unwrap();
        let damaged = Identity::of(&path).unwrap();
        let aside = put_aside(&path, damaged).unwrap().unwrap();
        assert_eq!(fs::read(&aside).unwrap(), b"damaged");
        assert_eq!(put_aside(&path, damaged).unwrap(), None);
        fs::write(&path, "new").unwrap();
        assert_eq!(put_aside(&path, damaged).unwrap(), None);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
