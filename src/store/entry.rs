//! Reads rows of the database back into commands.

use std::ffi::OsString;
use std::num::NonZeroU16;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlResult, ValueRef};

use super::import::unknown;
use crate::capture;

/// One command of the history, without its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistoryEntry {
    pub id: i64,
    pub session: String,
    pub host: String,
    /// `None` if it is unknown, as for some imported commands. So are status, start and duration.
    pub cwd: Option<PathBuf>,
    /// The command line as typed, not always UTF-8.
    pub command: Vec<u8>,
    pub status: Option<i32>,
    pub started_at: Option<SystemTime>,
    pub duration: Option<Duration>,
    /// How many bytes it printed, kept or not.
    pub output_bytes: u64,
    pub truncated: bool,
    pub full_screen: bool,
    /// The file with the whole output. It may have been removed since.
    pub spill: Option<PathBuf>,
    /// The history that the command was imported from. Such a command has no output.
    pub imported: Option<String>,
}

/// One command of the history with the kept parts of its output.
#[derive(Debug, Clone)]
pub(crate) struct StoredCommand {
    pub entry: HistoryEntry,
    pub output: capture::Output,
    pub size: capture::Size,
}

impl StoredCommand {
    /// All that can still be had of the output: from the spill file if there is one, else what the history keeps.
    pub(crate) fn whole(&self) -> capture::Whole<'_> {
        self.output.whole(self.entry.spill.as_deref())
    }
}

/// The columns `entry` reads, of `commands AS c`.
pub(super) const COLUMNS: &str = "c.id, c.session, c.host, c.cwd, c.text, c.status, c.started_at, c.duration, c.seen, \
                                  c.truncated, c.full_screen, c.spill, c.origin, c.unknown";

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<HistoryEntry> {
    let bits: i64 = row.get(13)?;
    let is_known = |bit: i64| bits & bit == 0;
    Ok(HistoryEntry {
        id: row.get(0)?,
        session: row.get(1)?,
        host: row.get(2)?,
        cwd: is_known(unknown::DIRECTORY).then(|| row.get(3).map(path)).transpose()?,
        command: row.get::<_, ColumnBytes>(4)?.0,
        status: is_known(unknown::STATUS).then(|| row.get(5)).transpose()?,
        started_at: is_known(unknown::START).then(|| row.get(6).map(time)).transpose()?,
        duration: is_known(unknown::DURATION).then(|| row.get(7).map(duration)).transpose()?,
        output_bytes: row.get::<_, i64>(8)?.try_into().unwrap_or_default(),
        truncated: row.get(9)?,
        full_screen: row.get(10)?,
        spill: row.get::<_, Option<ColumnBytes>>(11)?.map(path),
        imported: row.get(12)?,
    })
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(micros.try_into().unwrap_or_default())
}

/// Reads what follows `COLUMNS`: rows, cols, head, tail, missing.
pub(super) fn stored(row: &Row<'_>) -> rusqlite::Result<StoredCommand> {
    let entry = entry(row)?;
    let missing = row.get::<_, i64>(18)?.try_into().unwrap_or_default();
    let output = capture::Output::restored(entry.output_bytes, row.get(16)?, row.get(17)?, missing, entry.full_screen);
    let size = capture::Size { rows: side(row.get(14)?), cols: side(row.get(15)?) };
    Ok(StoredCommand { entry, output, size })
}

/// A size from the database, at least 1: people can edit a database by hand.
fn side(length: i64) -> NonZeroU16 {
    u16::try_from(length).ok().and_then(NonZeroU16::new).unwrap_or(NonZeroU16::MIN)
}

pub(super) fn time(micros: i64) -> SystemTime {
    let distance = Duration::from_micros(micros.unsigned_abs());
    let time = if micros < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The bytes of a TEXT or BLOB column.
pub(super) struct ColumnBytes(pub(super) Vec<u8>);

impl FromSql for ColumnBytes {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(ColumnBytes(value.as_bytes()?.to_vec()))
    }
}

pub(super) fn path(bytes: ColumnBytes) -> PathBuf {
    OsString::from_vec(bytes.0).into()
}
