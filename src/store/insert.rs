//! Inserts records as rows.

use std::os::unix::ffi::OsStrExt;
use std::panic::{self, AssertUnwindSafe};
use std::str;
use std::time::{Duration, SystemTime};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use super::journal::Kept;
use super::{CommandRecord, RecordingSession, StoreError};
use crate::text::KIB;

/// How much of an output can be searched: the first and the last half of this.
const SEARCHED_BYTES: usize = 64 * KIB;

/// The part of a record's output that the search index gets. Rendering it is slow, so it is done before the database is locked.
pub(super) fn searched(record: &CommandRecord) -> String {
    // The bytes can come from any program. If rendering them panics, the command is recorded without searchable output.
    let text = panic::catch_unwind(AssertUnwindSafe(|| record.output.text(record.size))).unwrap_or_default();
    ends(text, SEARCHED_BYTES)
}

/// Inserts a record and returns its id.
pub(super) fn insert(
    connection: &Connection,
    session: &RecordingSession,
    kept: &Kept,
    searched: &str,
) -> Result<i64, StoreError> {
    let Kept { record: record @ CommandRecord { command, output, size }, truncated } = kept;
    connection
        .prepare_cached(
            "INSERT INTO commands (session, host, shell, cwd, text, status, started_at, duration,
                                   seen, missing, truncated, full_screen, spill, bytes)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute((
            &session.id,
            &session.host,
            &session.shell,
            TextOrBlob(command.cwd.as_os_str().as_bytes()),
            TextOrBlob(&command.text),
            command.status,
            micros_since_1970(command.started_at),
            micros(command.duration),
            count(output.seen),
            count(output.missing()),
            truncated,
            output.full_screen,
            output.spill.as_ref().map(|path| TextOrBlob(path.as_os_str().as_bytes())),
            record.bytes() as i64,
        ))?;
    let id = connection.last_insert_rowid();
    connection.prepare_cached("INSERT INTO outputs (id, rows, cols, head, tail) VALUES (?, ?, ?, ?, ?)")?.execute((
        id,
        size.rows.get(),
        size.cols.get(),
        &output.head,
        &output.tail,
    ))?;
    connection.prepare_cached("INSERT INTO words (rowid, command, output) VALUES (?, ?, ?)")?.execute((
        id,
        String::from_utf8_lossy(&command.text),
        searched,
    ))?;
    Ok(id)
}

/// Text where it is UTF-8, so that people can read the table, else a blob: nothing is lost.
pub(super) struct TextOrBlob<'a>(pub(super) &'a [u8]);

impl ToSql for TextOrBlob<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match str::from_utf8(self.0) {
            Ok(_) => ValueRef::Text(self.0),
            Err(_) => ValueRef::Blob(self.0),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

/// SQLite's integers have a sign.
fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Negative before 1970.
pub(super) fn micros_since_1970(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => micros(after),
        Err(before) => -micros(before.duration()),
    }
}

/// The first and last half of `limit` bytes, cut between characters.
pub(super) fn ends(text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=limit / 2).rev().find(boundary).unwrap_or_default();
    let tail = (text.len() - limit / 2..text.len()).find(boundary).unwrap_or(text.len());
    // A newline, so that no word is made up from two halves.
    [&text[..head], "\n", &text[tail..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_keeps_both_ends_and_joins_no_words() {
        assert_eq!(ends("abcdefghij".to_owned(), 4), "ab\nij");
        assert_eq!(ends("abc".to_owned(), 4), "abc");
        assert_eq!(ends("éééé".to_owned(), 6), "é\né");
    }

    #[test]
    fn the_searched_text_is_bounded() {
        let record = super::super::tests::printed("yes", &"y\r\n".repeat(SEARCHED_BYTES));
        assert!(searched(&record).len() <= SEARCHED_BYTES + 1);
    }

    #[test]
    fn times_before_1970_survive() {
        let time = SystemTime::UNIX_EPOCH - Duration::from_secs(5);
        assert_eq!(super::super::entry::time(micros_since_1970(time)), time);
    }
}
