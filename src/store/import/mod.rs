//! Takes commands over from the histories of bash, zsh, fish and Atuin.
//!
//! Such a command has its text and what else its history knows; it has no output. What is unknown is marked in the column `unknown`.
//! Imported commands get ids below 0, and a place in the order of time (`order`). The table `imports` has a hash of every command that
//! was ever imported, so that a second import adds only what is new and a forgotten command stays forgotten. Files are read within
//! limits: the last part of a large file, and no line that is too long.

mod atuin;
mod lines;
mod shells;
mod stage;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use regex::bytes::RegexSet;
use rusqlite::Connection;

use super::{HistoryLimits, StoreError, file, schema};
use stage::Stage;

/// The table with the hashes, and the columns that tell imported commands from recorded ones. `origin` is NULL for a recorded one.
pub(super) const IMPORTS: &str = "
    ALTER TABLE commands ADD COLUMN origin TEXT;
    ALTER TABLE commands ADD COLUMN unknown INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE imports (key INTEGER NOT NULL, nth INTEGER NOT NULL, PRIMARY KEY (key, nth)) STRICT, WITHOUT ROWID;
";

/// The bits of the column `unknown`.
pub(super) mod unknown {
    pub(in crate::store) const START: i64 = 1;
    pub(in crate::store) const DURATION: i64 = 2;
    pub(in crate::store) const STATUS: i64 = 4;
    pub(in crate::store) const DIRECTORY: i64 = 8;
}

/// A program whose history can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportSource {
    Atuin,
    Zsh,
    Fish,
    Bash,
}

impl ImportSource {
    /// Those that know most about a command come first: of two files with the same command, the first counts.
    pub(crate) const ALL: [ImportSource; 4] =
        [ImportSource::Atuin, ImportSource::Zsh, ImportSource::Fish, ImportSource::Bash];

    pub(crate) fn name(self) -> &'static str {
        match self {
            ImportSource::Atuin => "atuin",
            ImportSource::Zsh => "zsh",
            ImportSource::Fish => "fish",
            ImportSource::Bash => "bash",
        }
    }

    /// Recognises a file by its first bytes. bash's history has no sign of its own.
    pub(crate) fn of_file(path: &Path) -> Result<ImportSource, ImportError> {
        let start = beginning(path)?;
        let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(match first {
            _ if start.starts_with(b"SQLite format 3\0") => ImportSource::Atuin,
            line if line.starts_with(b"- cmd:") => ImportSource::Fish,
            line if shells::is_extended(line) => ImportSource::Zsh,
            _ => ImportSource::Bash,
        })
    }
}

impl FromStr for ImportSource {
    type Err = UnknownSource;

    fn from_str(name: &str) -> Result<ImportSource, UnknownSource> {
        let found = ImportSource::ALL.into_iter().find(|source| source.name() == name);
        found.ok_or_else(|| UnknownSource(name.to_owned()))
    }
}

/// A name of no known program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` has no history that can be imported; bash, zsh, fish and atuin do")]
pub(crate) struct UnknownSource(String);

/// Why an import is impossible.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error("cannot read {}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not a file of commands: it is binary", .0.display())]
    Binary(PathBuf),
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("cannot read the database {}", .path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("{} is not a database of Atuin", .0.display())]
    NotAtuin(PathBuf),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A file to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportFile {
    pub source: ImportSource,
    pub path: PathBuf,
}

/// What is imported, and how.
#[derive(Debug)]
pub(crate) struct ImportRules<'a> {
    /// Commands that match are left out, as when they are recorded.
    pub ignore: &'a RegexSet,
    pub limits: HistoryLimits,
    pub mode: ImportMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportMode {
    Write,
    /// Nothing is written.
    CountOnly,
}

/// What became of the commands of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ImportCounts {
    /// Commands in the file.
    pub read: u64,
    pub added: u64,
    /// Private: they match `history.ignore` or begin with a blank.
    pub ignored: u64,
    pub too_long: u64,
    /// Older than the history has room for.
    pub left_out: u64,
}

impl ImportCounts {
    /// Commands that were imported or recorded before, or that an earlier file has too.
    pub(crate) fn known(&self) -> u64 {
        self.read.saturating_sub(self.added + self.ignored + self.too_long + self.left_out)
    }
}

/// A command of another history. Times are in microseconds, `started_at` since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ForeignCommand {
    text: Vec<u8>,
    started_at: Option<i64>,
    duration: Option<i64>,
    status: Option<i32>,
    cwd: Option<Vec<u8>>,
    session: Option<String>,
    host: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum ForeignItem {
    Command(ForeignCommand),
    TooLong,
}

/// Imports files into the database, which is created if it is missing. Returns the counts of each file, or why it cannot be read;
/// nothing of such a file is imported.
pub(crate) fn import(
    database: &Path,
    files: &[ImportFile],
    rules: &ImportRules<'_>,
) -> Result<Vec<Result<ImportCounts, ImportError>>, StoreError> {
    let mut connection = connect(database, rules.mode)?;
    let mut stage = Stage::new(&mut connection, rules.limits.commands)?;
    let (mut counts, mut failures) = (Vec::new(), Vec::new());
    stage.begin()?;
    for (number, file) in files.iter().enumerate() {
        let mut count = ImportCounts::default();
        let done = read(file, rules.limits.commands, &mut |item| {
            count.read += 1;
            match item {
                ForeignItem::TooLong => count.too_long += 1,
                ForeignItem::Command(command) if is_private(&command.text, rules.ignore) => count.ignored += 1,
                ForeignItem::Command(command) => stage.add(number, file.source, &command)?,
            }
            Ok(())
        });
        match done {
            Err(ImportError::Store(error)) => return Err(error),
            Err(_) => stage.discard(number)?,
            Ok(()) => {}
        }
        failures.push(done.err());
        counts.push(count);
    }
    stage.end()?;
    stage.choose(&mut counts)?;
    match rules.mode {
        ImportMode::Write => stage.write()?,
        ImportMode::CountOnly => {}
    }
    Ok(counts.into_iter().zip(failures).map(|(count, failure)| failure.map_or(Ok(count), Err)).collect())
}

fn connect(database: &Path, mode: ImportMode) -> Result<Connection, StoreError> {
    if mode == ImportMode::CountOnly && !database.exists() {
        let mut connection = Connection::open_in_memory()?;
        schema::migrate(&mut connection)?;
        return Ok(connection);
    }
    file::create(database)?;
    file::connect(database, file::READER)
}

fn is_private(text: &[u8], ignore: &RegexSet) -> bool {
    text.first().is_some_and(u8::is_ascii_whitespace) || ignore.is_match(text)
}

/// Hands out the commands of a file, the oldest first.
fn read(
    file: &ImportFile,
    most: u64,
    visit: &mut dyn FnMut(ForeignItem) -> Result<(), StoreError>,
) -> Result<(), ImportError> {
    let ImportFile { source, path } = file;
    if *source == ImportSource::Atuin {
        beginning(path)?;
        return atuin::read(path, most, visit);
    }
    let start = beginning(path)?;
    if start.contains(&0) {
        return Err(ImportError::Binary(path.clone()));
    }
    let unreadable = |source| ImportError::Read { path: path.clone(), source };
    let mut lines = open(path).and_then(|file| lines::lines(file).map_err(unreadable))?;
    // The readers know only errors of input, so an error of the store is kept here.
    let mut failed = None;
    let mut visit = |item| {
        visit(item).map_err(|error| {
            failed = Some(error);
            io::Error::other("the history cannot be written")
        })
    };
    let has_times = start.split(|byte| *byte == b'\n').next().is_some_and(|line| shells::timestamp(line).is_some());
    let done = match source {
        ImportSource::Bash => shells::bash(&mut lines, has_times, &mut visit),
        ImportSource::Zsh => shells::zsh(&mut lines, &mut visit),
        ImportSource::Fish => shells::fish(&mut lines, &mut visit),
        ImportSource::Atuin => Ok(()),
    };
    match failed {
        Some(error) => Err(error.into()),
        None => done.map_err(unreadable),
    }
}

/// Opens a regular file. Another kind could block for ever.
fn open(path: &Path) -> Result<File, ImportError> {
    let unreadable = |source| ImportError::Read { path: path.to_owned(), source };
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(ImportError::NotAFile(path.to_owned()));
    }
    File::open(path).map_err(unreadable)
}

fn beginning(path: &Path) -> Result<Vec<u8>, ImportError> {
    let file = open(path)?;
    lines::beginning(&file).map_err(|source| ImportError::Read { path: path.to_owned(), source })
}
