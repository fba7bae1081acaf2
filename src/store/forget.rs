//! Removing commands for good.
//!
//! It is done in short transactions with pauses between them, so that other terminals can write meanwhile, and what one transaction
//! removed is reported before the next, so that memory does not grow with the history.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use super::entry::ColumnBytes;
use super::insert::micros_since_1970;
use super::prune::{self, Spare};
use super::{History, StoreError, entry};

/// Commands in the first transaction and in the largest. In between, each is as large as its time allows.
const FIRST_SLICE: usize = 64;
const LARGEST_SLICE: usize = 4096;
/// How long a transaction may take.
const SLICE_TIME: Duration = Duration::from_millis(25);
/// The shortest pause between two transactions. SQLite has no queue of writers: another terminal that waits for the lock tries again
/// from time to time, so the lock must be free for some time, not only between two statements.
pub(super) const PAUSE: Duration = Duration::from_millis(5);
/// Pages of the search index that are merged in one transaction.
const MERGED_PAGES: i64 = 256;

/// Which commands to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forget {
    Ids(Vec<i64>),
    /// Those started then or later.
    Since(SystemTime),
    All,
}

/// What one transaction removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) ids: Vec<i64>,
    /// Files with their output. The caller, who knows the runtime directory, removes them.
    pub(crate) spills: Vec<PathBuf>,
}

impl History {
    /// Removes commands with their output and their words in the index, and leaves no trace of them in the file. Commands that are
    /// recorded meanwhile stay. `report` is called after each transaction.
    pub(crate) fn forget<E: From<StoreError>>(
        &mut self,
        which: &Forget,
        mut report: impl FnMut(Forgotten) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(connection) = self.connection_mut()? else { return Ok(()) };
        let Some(mut slices) = Slices::new(connection, which)? else { return Ok(()) };
        let mut has_removed = false;
        while let Some(forgotten) = slices.remove_next(connection)? {
            has_removed = true;
            report(forgotten)?;
            slices.pause();
        }
        // From here on it is only thoroughness: on a full disk the commands are gone all the same.
        if has_removed && let Err(error) = clean(connection, which) {
            tracing::warn!(%error, "traces of forgotten commands are still in the history file");
        }
        Ok(())
    }
}

/// The commands to remove, and how far that is.
struct Slices {
    condition: String,
    values: Vec<Value>,
    /// Id of the last command that was removed.
    after: i64,
    /// Id of the newest command at the start.
    newest: i64,
    length: usize,
    /// How long the last transaction took.
    took: Duration,
}

impl Slices {
    /// `None` if there are no commands at all.
    fn new(connection: &Connection, which: &Forget) -> Result<Option<Slices>, StoreError> {
        // What is removed is overwritten too. With everything gone the file itself shrinks to nothing, so that is not needed.
        let thoroughly = if *which == Forget::All { "FAST" } else { "ON" };
        connection.pragma_update_and_check(None, "secure_delete", thoroughly, |_| Ok(()))?;
        let newest: Option<i64> = connection.query_row("SELECT max(id) FROM commands", [], |row| row.get(0))?;
        let (condition, values) = condition(which);
        let start =
            |newest| Slices { condition, values, after: i64::MIN, newest, length: FIRST_SLICE, took: Duration::ZERO };
        Ok(newest.map(start))
    }

    /// Removes some commands in one transaction; `None` when there are no more.
    fn remove_next(&mut self, connection: &mut Connection) -> Result<Option<Forgotten>, StoreError> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let begun = Instant::now();
        let mut forgotten = Forgotten::default();
        {
            let condition = &self.condition;
            let sql =
                format!("SELECT id, spill FROM commands WHERE {condition} AND id > ? AND id <= ? ORDER BY id LIMIT ?");
            let mut statement = transaction.prepare_cached(&sql)?;
            let range = [self.after, self.newest, self.length as i64].map(Value::Integer);
            let mut rows = statement.query(params_from_iter(self.values.iter().cloned().chain(range)))?;
            while let Some(row) = rows.next()? {
                forgotten.ids.push(row.get(0)?);
                forgotten.spills.extend(row.get::<_, Option<ColumnBytes>>(1)?.map(entry::path));
            }
        }
        let Some(&last) = forgotten.ids.last() else { return Ok(None) };
        let sql = format!("DELETE FROM commands WHERE {} AND id > ? AND id <= ?", self.condition);
        let range = [self.after, last].map(Value::Integer);
        transaction.prepare_cached(&sql)?.execute(params_from_iter(self.values.iter().cloned().chain(range)))?;
        transaction.commit()?;
        self.after = last;
        self.took = begun.elapsed();
        self.length = next_length(self.length, self.took);
        Ok(Some(forgotten))
    }

    /// Gives other terminals as much time as the last transaction took.
    fn pause(&self) {
        if self.after < self.newest {
            thread::sleep(self.took.max(PAUSE));
        }
    }
}

fn next_length(length: usize, took: Duration) -> usize {
    if took > SLICE_TIME {
        (length / 2).max(1)
    } else if took < SLICE_TIME / 2 {
        (length * 2).min(LARGEST_SLICE)
    } else {
        length
    }
}

/// Removes from the file what nothing refers to any more.
fn clean(connection: &mut Connection, which: &Forget) -> Result<(), StoreError> {
    // With everything forgotten, the next import starts anew.
    if *which == Forget::All {
        connection.execute("DELETE FROM imports", [])?;
    }
    if *which != Forget::All || !empty_index(connection)? {
        merge_index(connection, "words")?;
    }
    let spare = if *which == Forget::All { Spare::Nothing } else { Spare::Quarter };
    give_back(connection, spare)
}

/// Gives the pages of removed rows back to the file system, and empties the log of them.
pub(super) fn give_back(connection: &Connection, spare: Spare) -> Result<(), StoreError> {
    while prune::give_back_some(connection, spare)? {
        thread::sleep(PAUSE);
    }
    // A program that reads the log keeps it from being emptied; the next checkpoint is soon enough.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// Empties the search index, unless a command was recorded meanwhile. Returns whether it is empty.
fn empty_index(connection: &mut Connection) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let commands: i64 =
        transaction.query_row("SELECT count(*) FROM (SELECT 1 FROM commands LIMIT 1)", [], |row| row.get(0))?;
    if commands == 0 {
        transaction.execute("INSERT INTO words (words) VALUES ('delete-all')", [])?;
        transaction.commit()?;
    }
    Ok(commands == 0)
}

/// Merges the parts of the search index, a few pages at a time: words of removed rows stay in it until then.
pub(super) fn merge_index(connection: &Connection, index: &str) -> Result<(), StoreError> {
    let changes = || connection.query_row("SELECT total_changes()", [], |row| row.get::<_, i64>(0));
    // A negative number starts a merge of all parts; a positive one continues it.
    let mut pages = -MERGED_PAGES;
    loop {
        let before = changes()?;
        connection.execute(&format!("INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)"), [pages])?;
        // One change is the statement itself: nothing is left to merge.
        if changes()? - before < 2 {
            return Ok(());
        }
        pages = MERGED_PAGES;
        thread::sleep(PAUSE);
    }
}

fn condition(which: &Forget) -> (String, Vec<Value>) {
    match which {
        Forget::Ids(ids) => {
            let marks = vec!["?"; ids.len()].join(", ");
            (format!("id IN ({marks})"), ids.iter().map(|&id| Value::Integer(id)).collect())
        }
        Forget::Since(time) => ("started_at >= ?".to_owned(), vec![Value::Integer(micros_since_1970(*time))]),
        Forget::All => ("true".to_owned(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_as_long_as_its_time_allows() {
        assert_eq!(next_length(64, SLICE_TIME * 2), 32);
        assert_eq!(next_length(1, SLICE_TIME * 2), 1);
        assert_eq!(next_length(64, SLICE_TIME / 4), 128);
        assert_eq!(next_length(LARGEST_SLICE, Duration::ZERO), LARGEST_SLICE);
        assert_eq!(next_length(64, SLICE_TIME), 64);
    }
}
