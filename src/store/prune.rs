//! Removes the oldest commands when the history exceeds its limits.

use std::ops::ControlFlow;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::order::{CommandSource, Direction, HistoryPosition, HistorySpan, OrderedQuery};
use super::{HistoryLimits, StoreError};

/// Pruning frees a little more than it must, so that it is rare: a fiftieth of what may be kept.
const SLACK: u64 = 50;
/// At most this many commands, and free pages, in one transaction; other terminals wait for it.
const AT_ONCE: usize = 100;
const PAGES_AT_ONCE: u32 = 256;
/// SQLite's number for a file that shrinks when it is told to.
const INCREMENTAL: i64 = 2;

/// Whether the history is beyond one of its limits: one read of one row.
pub(super) fn is_due(connection: &Connection, limits: HistoryLimits) -> Result<bool, StoreError> {
    Ok(excess(connection, limits.commands, limits.bytes)?.is_some())
}

/// Removes some of the oldest commands, in one short transaction; says whether there is more to do.
pub(super) fn prune_some(connection: &mut Connection, limits: HistoryLimits) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again inside: another terminal may have pruned meanwhile.
    let commands = limits.commands - limits.commands / SLACK;
    let bytes = limits.bytes - limits.bytes / SLACK;
    let Some((mut commands, mut bytes)) = excess(&transaction, commands, bytes)? else { return Ok(false) };
    let query = OrderedQuery {
        columns: "c.id, c.bytes",
        source: CommandSource::Commands,
        condition: "true",
        values: &[],
        direction: Direction::OldestFirst,
        most: AT_ONCE as i64,
    };
    let mut oldest = Vec::new();
    query.visit(&transaction, &HistorySpan::ALL, HistoryPosition::START, |row| -> Result<_, StoreError> {
        oldest.push(row.get::<_, i64>(0)?);
        commands -= 1;
        bytes -= row.get::<_, i64>(1)?;
        let is_enough = commands <= 0 && bytes <= 0 || oldest.len() == AT_ONCE;
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let mut remove = transaction.prepare_cached("DELETE FROM commands WHERE id = ?")?;
    for id in &oldest {
        remove.execute([id])?;
    }
    drop(remove);
    transaction.commit()?;
    Ok(oldest.len() == AT_ONCE)
}

/// How many commands and bytes are too many, if any.
fn excess(connection: &Connection, commands: u64, bytes: u64) -> Result<Option<(i64, i64)>, StoreError> {
    let limit = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let mut totals = connection.prepare_cached("SELECT commands - ?1, bytes - ?2 FROM totals")?;
    let excess: Option<(i64, i64)> =
        totals.query_row((limit(commands), limit(bytes)), |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    Ok(excess.filter(|&(commands, bytes)| commands > 0 || bytes > 0))
}

/// How much of a file may be free pages, which later commands use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spare {
    Quarter,
    Nothing,
}

/// Shrinks the file a little if more of it is free than `spare`, in one short transaction; says whether there is more to do.
pub(super) fn give_back_some(connection: &Connection, spare: Spare) -> Result<bool, StoreError> {
    let number = |pragma| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let (pages, free) = (number("PRAGMA page_count")?, number("PRAGMA freelist_count")?);
    let spare = match spare {
        Spare::Quarter => pages / 4,
        Spare::Nothing => 0,
    };
    // A database that was not made by us may not be able to.
    if free <= spare || number("PRAGMA auto_vacuum")? != INCREMENTAL {
        return Ok(false);
    }
    // Each step of this statement frees one page.
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::insert::{insert, searched};
    use super::super::journal::Kept;
    use super::super::tests::{printed, session};
    use super::super::{file, schema};
    use super::*;

    fn fill(connection: &Connection, commands: usize, output: usize) {
        let record = printed("make", &"x".repeat(output));
        let text = searched(&record);
        let kept = Kept::new(record);
        connection.execute_batch("BEGIN").unwrap();
        for _ in 0..commands {
            insert(connection, &session("a"), &kept, &text).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
    }

    fn prune(connection: &mut Connection, limits: HistoryLimits) -> Result<(), StoreError> {
        if is_due(connection, limits)? {
            while prune_some(connection, limits)? {}
        }
        while give_back_some(connection, Spare::Quarter)? {}
        Ok(())
    }

    fn number(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn memory() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        schema::migrate(&mut connection).unwrap();
        connection
    }

    #[test]
    fn the_newest_commands_stay() {
        let mut connection = memory();
        let limits = HistoryLimits { commands: 100, bytes: u64::MAX };
        fill(&connection, 100, 10);
        prune(&mut connection, limits).unwrap();
        assert_eq!(number(&connection, "SELECT count(*) FROM commands"), 100);
        fill(&connection, 1, 10);
        prune(&mut connection, limits).unwrap();
        assert_eq!(number(&connection, "SELECT count(*) FROM commands"), 98);
        assert_eq!(number(&connection, "SELECT min(id) FROM commands"), 4);
        for rest in ["outputs", "words WHERE words MATCH 'make'"] {
            assert_eq!(number(&connection, &format!("SELECT count(*) FROM {rest}")), 98, "{rest}");
        }
        assert_eq!(number(&connection, "SELECT commands FROM totals"), 98);
    }

    #[test]
    fn bytes_are_limited_too_even_below_one_record() {
        let mut connection = memory();
        fill(&connection, 50, 1_000);
        prune(&mut connection, HistoryLimits { commands: u64::MAX, bytes: 20_000 }).unwrap();
        let bytes = number(&connection, "SELECT bytes FROM totals");
        assert!((15_000..=20_000).contains(&bytes), "{bytes}");
        assert_eq!(number(&connection, "SELECT sum(bytes) FROM commands"), bytes);
        prune(&mut connection, HistoryLimits { commands: u64::MAX, bytes: 1 }).unwrap();
        assert_eq!(number(&connection, "SELECT count(*) FROM commands"), 0);
    }

    #[test]
    fn the_file_stops_growing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("history.db");
        file::create(&path).unwrap();
        let mut connection = file::connect(&path, file::READER).unwrap();
        let limits = HistoryLimits { commands: 500, bytes: u64::MAX };
        let mut sizes = Vec::new();
        for _ in 0..12 {
            for _ in 0..10 {
                fill(&connection, 50, 2_000);
                prune(&mut connection, limits).unwrap();
            }
            sizes.push(file::bytes_on_disk(&path));
        }
        let (early, late) = (sizes[1], *sizes.last().unwrap());
        assert!(late < early * 3 / 2, "{sizes:?}");
        prune(&mut connection, HistoryLimits { commands: 10, bytes: u64::MAX }).unwrap();
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap_or_default();
        assert!(file::bytes_on_disk(&path) < late / 2, "{} of {late}", file::bytes_on_disk(&path));
    }
}
