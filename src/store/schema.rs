//! The tables, as steps that are only ever added to.

use rusqlite::{Connection, TransactionBehavior};

use super::{StoreError, conversations, import, order, transcripts};

/// Step n brings a database from format n to n + 1. A released step is never edited.
const STEPS: &[&str] = &[
    FIRST,
    JOURNALS,
    conversations::TABLES,
    transcripts::TRANSCRIPTS,
    conversations::CHANGES,
    conversations::PICTURE_SIZES,
    import::IMPORTS,
    order::PLACES,
];

/// `cwd`, `text` and `spill` are TEXT, or a BLOB where the bytes are not UTF-8. Times are microseconds, `started_at` since 1970.
///
/// Output lives beside the commands so that listing them does not wade through it. The index keeps no copy of the text
/// (`content=''`); splitting at everything that is neither letter nor digit finds `main` in `src/main.rs` and in `main_loop`,
/// and a search for the whole path is a phrase. `totals` is one row, kept by triggers, so that retention costs nothing to check.
const FIRST: &str = "
    CREATE TABLE commands (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        host TEXT NOT NULL,
        shell TEXT NOT NULL,
        cwd ANY NOT NULL,
        text ANY NOT NULL,
        status INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        duration INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        missing INTEGER NOT NULL,
        truncated INTEGER NOT NULL,
        full_screen INTEGER NOT NULL,
        spill ANY,
        bytes INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE outputs (
        id INTEGER PRIMARY KEY REFERENCES commands (id) ON DELETE CASCADE,
        rows INTEGER NOT NULL,
        cols INTEGER NOT NULL,
        head BLOB NOT NULL,
        tail BLOB NOT NULL
    ) STRICT;

    CREATE VIRTUAL TABLE words USING fts5 (
        command, output,
        content='', contentless_delete=1,
        tokenize='unicode61 remove_diacritics 2'
    );

    CREATE TABLE totals (commands INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
    INSERT INTO totals VALUES (0, 0);

    CREATE TRIGGER command_added AFTER INSERT ON commands BEGIN
        UPDATE totals SET commands = commands + 1, bytes = bytes + new.bytes;
    END;

    CREATE TRIGGER command_removed AFTER DELETE ON commands BEGIN
        DELETE FROM words WHERE rowid = old.id;
        UPDATE totals SET commands = commands - 1, bytes = bytes - old.bytes;
    END;
";

/// `journals` has the sequence number of the last record that was copied from each journal. The index answers whether a spill file
/// is still named by a command; few commands have one.
const JOURNALS: &str = "
    CREATE TABLE journals (id TEXT PRIMARY KEY, written INTEGER NOT NULL) STRICT, WITHOUT ROWID;

    CREATE INDEX command_spills ON commands (spill) WHERE spill IS NOT NULL;
";

/// The format this program writes.
pub(super) fn known() -> i64 {
    STEPS.len() as i64
}

/// The format a database is in, or `Newer` if that is beyond us.
pub(super) fn version(connection: &Connection) -> Result<i64, StoreError> {
    let found = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known() { Err(StoreError::Newer { found, known: known() }) } else { Ok(found) }
}

/// Brings a database up to date. Several programs may try at once: the first does it, the others find it done.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version(connection)? == known() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = usize::try_from(version(&transaction)?).unwrap_or_default();
    for step in STEPS.iter().skip(found) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known())?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
        assert_eq!(version(&connection).unwrap(), known());
    }

    #[test]
    fn spill_files_are_looked_up_in_an_index() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(FIRST).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        migrate(&mut connection).unwrap();
        let plan = "EXPLAIN QUERY PLAN SELECT 1 FROM commands WHERE spill = ?";
        let detail: String = connection.query_row(plan, ["x"], |row| row.get(3)).unwrap();
        assert!(detail.contains("USING COVERING INDEX command_spills"), "{detail}");
    }

    #[test]
    fn a_newer_format_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", known() + 1).unwrap();
        assert!(matches!(migrate(&mut connection), Err(StoreError::Newer { .. })));
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }
}
