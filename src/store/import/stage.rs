//! Commands on their way from another history, in temporary tables, so that memory does not grow with their number.

use std::thread;

use ring::digest::{Context, SHA256};
use rusqlite::{Connection, Row, TransactionBehavior};

use super::{ForeignCommand, ImportCounts, ImportSource, unknown};
use crate::store::entry::ColumnBytes;
use crate::store::forget::PAUSE;
use crate::store::insert::TextOrBlob;
use crate::store::order::TimePlaces;
use crate::store::{StoreError, schema};

/// Rows that may be staged beyond the limit before the oldest are removed.
const SLACK: u64 = 10_000;
/// Commands that are written in one transaction. Other terminals wait for it.
const SLICE: usize = 500;
/// How far the times of a command may be apart that a shell and shellmate both recorded, in microseconds.
const APART: i64 = 2_000_000;

/// `key` stands for the text and the second of a command, `words` for its text alone.
const TABLES: &str = "
    CREATE TEMP TABLE staged (
        n INTEGER PRIMARY KEY, file INTEGER NOT NULL, key INTEGER NOT NULL, words INTEGER NOT NULL, origin TEXT NOT NULL,
        text ANY NOT NULL, started_at INTEGER, duration INTEGER, status INTEGER, cwd ANY, session TEXT, host TEXT
    ) STRICT;
    CREATE TEMP TABLE recorded (words INTEGER NOT NULL, started_at INTEGER NOT NULL) STRICT;
    CREATE TEMP TABLE fresh (number INTEGER PRIMARY KEY, n INTEGER NOT NULL, nth INTEGER NOT NULL) STRICT;
";

/// Chooses what is new: the nth command with a key is new if no import has had it. Of several files with the same command, the
/// first counts. Commands that shellmate itself recorded are not new. Without a time, any recorded command with the text is one.
const CHOOSE: &str = "
    INSERT INTO temp.fresh (n, nth)
    SELECT n, nth FROM (
        SELECT min(n) AS n, nth, started_at FROM (
            SELECT n, key, words, started_at, row_number() OVER (PARTITION BY key, file ORDER BY n) AS nth FROM temp.staged
        ) AS s
        WHERE NOT EXISTS (SELECT 1 FROM main.imports AS i WHERE i.key = s.key AND i.nth = s.nth)
          AND NOT EXISTS (SELECT 1 FROM temp.recorded AS r WHERE r.words = s.words
                          AND (s.started_at IS NULL OR r.started_at BETWEEN s.started_at - ?1 AND s.started_at + ?1))
        GROUP BY key, nth
    ) ORDER BY started_at IS NOT NULL, started_at, n
";

/// The staged commands.
pub(super) struct Stage<'a> {
    connection: &'a mut Connection,
    /// How many commands the history may have.
    most: u64,
    staged: u64,
}

impl<'a> Stage<'a> {
    pub(super) fn new(connection: &'a mut Connection, most: u64) -> Result<Stage<'a>, StoreError> {
        connection.execute_batch(TABLES)?;
        Ok(Stage { connection, most, staged: 0 })
    }

    /// Begins a transaction for the temporary tables, which is only for speed.
    pub(super) fn begin(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    pub(super) fn end(&self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// Adds a command of the file with this number.
    pub(super) fn add(
        &mut self,
        file: usize,
        origin: ImportSource,
        command: &ForeignCommand,
    ) -> Result<(), StoreError> {
        let ForeignCommand { text, started_at, duration, status, cwd, session, host } = command;
        self.connection
            .prepare_cached("INSERT INTO temp.staged VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
            .execute((
                file as i64,
                key(text, *started_at),
                digest(&[text]),
                origin.name(),
                TextOrBlob(text),
                started_at,
                duration,
                status,
                cwd.as_deref().map(TextOrBlob),
                session,
                host,
            ))?;
        self.staged += 1;
        // More than the history keeps is not imported anyway, so a file of any size takes a limited place on the disk.
        if self.staged > self.most.saturating_mul(2).saturating_add(SLACK) {
            let sql = "DELETE FROM temp.staged WHERE n <= (SELECT max(n) FROM temp.staged) - ?";
            self.connection.prepare_cached(sql)?.execute([i64::try_from(self.most).unwrap_or(i64::MAX)])?;
            self.staged = self.most;
        }
        Ok(())
    }

    /// Removes the commands of the file with this number.
    pub(super) fn discard(&mut self, file: usize) -> Result<(), StoreError> {
        self.connection.execute("DELETE FROM temp.staged WHERE file = ?", [file as i64])?;
        Ok(())
    }

    /// Finds out which of the staged commands are new. Returns the counts of each file; those that do not fit are left out.
    pub(super) fn choose(&mut self, counts: &mut [ImportCounts]) -> Result<(), StoreError> {
        self.look_at_recorded()?;
        self.connection.execute(CHOOSE, [APART])?;
        let kept: i64 = self.connection.query_row("SELECT commands FROM totals", [], |row| row.get(0))?;
        let fresh: i64 = self.connection.query_row("SELECT count(*) FROM temp.fresh", [], |row| row.get(0))?;
        let room = i64::try_from(self.most).unwrap_or(i64::MAX).saturating_sub(kept).max(0);
        let excess = (fresh - room).max(0);
        let by_file = "SELECT s.file, count(*), count(nullif(f.number <= ?, false)) FROM temp.fresh AS f JOIN temp.staged AS s USING (n)
                       GROUP BY s.file";
        let mut statement = self.connection.prepare(by_file)?;
        let mut rows = statement.query([excess])?;
        while let Some(row) = rows.next()? {
            let (file, fresh, left): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if let Some(counts) = usize::try_from(file).ok().and_then(|file| counts.get_mut(file)) {
                counts.left_out = left as u64;
                counts.added = (fresh - left) as u64;
            }
        }
        drop(rows);
        drop(statement);
        self.connection.execute("DELETE FROM temp.fresh WHERE number <= ?", [excess])?;
        Ok(())
    }

    /// Lists the commands that shellmate has recorded since the oldest of the staged ones.
    fn look_at_recorded(&mut self) -> Result<(), StoreError> {
        let oldest = "SELECT iif(count(*) > count(started_at), NULL, min(started_at)) FROM temp.staged";
        let oldest: Option<i64> = self.connection.query_row(oldest, [], |row| row.get(0))?;
        let since = oldest.map_or(i64::MIN, |oldest| oldest.saturating_sub(APART));
        let connection = &*self.connection;
        let mut recorded = connection
            .prepare("SELECT text, started_at FROM main.commands WHERE origin IS NULL AND started_at >= ?")?;
        let mut insert = connection.prepare("INSERT INTO temp.recorded VALUES (?, ?)")?;
        let mut rows = recorded.query([since])?;
        while let Some(row) = rows.next()? {
            let text = row.get::<_, ColumnBytes>(0)?.0;
            insert.execute((digest(&[&text]), row.get::<_, i64>(1)?))?;
        }
        connection.execute_batch("CREATE INDEX temp.recorded_words ON recorded (words, started_at)")?;
        Ok(())
    }

    /// Writes the chosen commands, the oldest first. Their ids are below all others, and the newest gets the highest.
    pub(super) fn write(&mut self) -> Result<(), StoreError> {
        let newest: i64 =
            self.connection.query_row("SELECT ifnull(max(number), 0) FROM temp.fresh", [], |row| row.get(0))?;
        let mut ids = FreeIds { highest: first_free_id(self.connection)?, newest };
        let (mut after, mut places) = (i64::MIN, TimePlaces::default());
        loop {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            schema::version(&transaction)?;
            let Some(last) = write_slice(&transaction, after, &mut ids, &mut places)? else { return Ok(()) };
            transaction.commit()?;
            after = last;
            thread::sleep(PAUSE);
        }
    }
}

/// The highest id below 0 that no command has, nor any id below it.
fn first_free_id(connection: &Connection) -> Result<i64, StoreError> {
    let lowest: Option<i64> = connection.query_row("SELECT min(id) FROM commands", [], |row| row.get(0))?;
    // 0 is no id, so that it can stand for a command that has none yet.
    Ok(lowest.unwrap_or_default().min(0) - 1)
}

/// Ids for the chosen commands.
struct FreeIds {
    /// The id of the newest command.
    highest: i64,
    /// Its number among the chosen ones.
    newest: i64,
}

impl FreeIds {
    /// The id of the command with this number.
    fn next(&mut self, connection: &Connection, number: i64) -> Result<i64, StoreError> {
        let is_taken = connection
            .prepare_cached("SELECT 1 FROM commands WHERE id = ?")?
            .exists([self.highest - (self.newest - number)])?;
        if is_taken {
            // Another import writes at the same time.
            self.highest = first_free_id(connection)?;
        }
        Ok(self.highest - (self.newest - number))
    }
}

/// Writes some commands. Returns the number of the last, or nothing if there are no more.
fn write_slice(
    connection: &Connection,
    after: i64,
    ids: &mut FreeIds,
    places: &mut TimePlaces,
) -> Result<Option<i64>, StoreError> {
    let sql = format!(
        "SELECT f.number, f.nth, s.key, s.origin, s.text, s.started_at, s.duration, s.status, s.cwd, s.session, s.host
         FROM temp.fresh AS f JOIN temp.staged AS s USING (n) WHERE f.number > ? ORDER BY f.number LIMIT {SLICE}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([after])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        // Another import may have written it meanwhile.
        let is_new = connection
            .prepare_cached("INSERT OR IGNORE INTO imports (nth, key) VALUES (?, ?)")?
            .execute((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))?
            > 0;
        if is_new {
            insert(connection, ids.next(connection, number)?, places.next(connection, row.get(5)?)?, row)?;
        }
        last = Some(number);
    }
    Ok(last)
}

/// Inserts a staged command with the given id and place. What is unknown is 0 or empty, and its bit is set.
fn insert(connection: &Connection, id: i64, place: i64, row: &Row<'_>) -> Result<(), StoreError> {
    let text = row.get::<_, ColumnBytes>(4)?.0;
    let (started_at, duration, status): (Option<i64>, Option<i64>, Option<i64>) =
        (row.get(5)?, row.get(6)?, row.get(7)?);
    let cwd = row.get::<_, Option<ColumnBytes>>(8)?.map(|cwd| cwd.0);
    let bits = [
        (started_at.is_none(), unknown::START),
        (duration.is_none(), unknown::DURATION),
        (status.is_none(), unknown::STATUS),
        (cwd.is_none(), unknown::DIRECTORY),
    ];
    let bits: i64 = bits.iter().filter(|(is_unknown, _)| *is_unknown).map(|(_, bit)| bit).sum();
    let cwd = cwd.unwrap_or_default();
    connection
        .prepare_cached(
            "INSERT INTO commands (id, session, host, shell, cwd, text, status, started_at, duration, seen, missing, truncated,
                                   full_screen, spill, bytes, origin, unknown, place)
             VALUES (?, ?, ?, '', ?, ?, ?, ?, ?, 0, 0, 0, 0, NULL, ?, ?, ?, ?)",
        )?
        .execute((
            id,
            row.get::<_, Option<String>>(9)?.unwrap_or_default(),
            row.get::<_, Option<String>>(10)?.unwrap_or_default(),
            TextOrBlob(&cwd),
            TextOrBlob(&text),
            status.unwrap_or_default(),
            started_at.unwrap_or_default(),
            duration.unwrap_or_default(),
            (text.len() + cwd.len()) as i64,
            row.get::<_, String>(3)?,
            bits,
            place,
        ))?;
    connection
        .prepare_cached("INSERT INTO outputs (id, rows, cols, head, tail) VALUES (?, 24, 80, x'', x'')")?
        .execute([id])?;
    connection
        .prepare_cached("INSERT INTO words (rowid, command, output) VALUES (?, ?, '')")?
        .execute((place, String::from_utf8_lossy(&text)))?;
    Ok(())
}

/// Stands for a text and the second it was run in.
fn key(text: &[u8], started_at: Option<i64>) -> i64 {
    let second = started_at.map(|micros| micros.div_euclid(1_000_000).to_le_bytes());
    digest(&[second.as_ref().map_or(&[], |second| &second[..]), b"\0", text])
}

/// The first bytes of a hash. It is kept in the database, so it must be the same in every version.
fn digest(parts: &[&[u8]]) -> i64 {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    let hash = context.finish();
    let first = hash.as_ref().first_chunk::<8>().copied().unwrap_or_default();
    i64::from_le_bytes(first)
}
