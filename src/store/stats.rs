//! Statistics about the history.

use std::collections::HashMap;
use std::mem;
use std::time::{Duration, SystemTime};

use super::entry::{self, COLUMNS, ColumnBytes, HistoryEntry};
use super::{History, StoreError, file};
use crate::text::MIB;
use crate::text::shell::{Token, tokens};
use rusqlite::Connection;

/// Length of the lists in the statistics.
const NAMED: usize = 10;
/// Names of programs that are counted in memory, in bytes. More of them go to a temporary table.
const COUNTED: usize = MIB;

/// Statistics about the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub commands: u64,
    pub failed: u64,
    pub sessions: u64,
    /// Start of the oldest command that is still in the history.
    pub since: Option<SystemTime>,
    /// Total run time of all commands.
    pub duration: Duration,
    /// Bytes they printed, kept or not.
    pub output_bytes: u64,
    /// Size of the database and its log.
    pub disk_bytes: u64,
    /// The programs that were run most often.
    pub programs: Vec<ProgramRuns>,
    pub slowest: Vec<HistoryEntry>,
}

/// A program with the number of its runs and of those that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramRuns {
    pub name: String,
    pub runs: u64,
    pub failed: u64,
}

impl History {
    /// Counts everything there is.
    pub(crate) fn stats(&self) -> Result<Stats, StoreError> {
        let Some(connection) = self.connection() else { return Ok(Stats::default()) };
        let totals = "SELECT count(*), count(nullif(status, 0)), count(DISTINCT session), min(started_at),
                             total(duration), total(seen) FROM commands";
        let mut stats = connection.query_row(totals, [], |row| {
            Ok(Stats {
                commands: row.get::<_, i64>(0)? as u64,
                failed: row.get::<_, i64>(1)? as u64,
                sessions: row.get::<_, i64>(2)? as u64,
                since: row.get::<_, Option<i64>>(3)?.map(entry::time),
                // As floating point: a sum of integers that overflows is an error.
                duration: Duration::from_micros(row.get::<_, f64>(4)? as u64),
                output_bytes: row.get::<_, f64>(5)? as u64,
                ..Stats::default()
            })
        })?;
        stats.disk_bytes = file::bytes_on_disk(self.path());
        stats.programs = self.programs()?;
        let slowest = format!("SELECT {COLUMNS} FROM commands AS c ORDER BY c.duration DESC, c.id DESC LIMIT {NAMED}");
        stats.slowest = connection.prepare(&slowest)?.query_map([], entry::entry)?.collect::<Result<_, _>>()?;
        Ok(stats)
    }

    fn programs(&self) -> Result<Vec<ProgramRuns>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(Vec::new()) };
        let mut counts = ProgramCounts::new(connection, COUNTED)?;
        let mut texts = connection.prepare("SELECT text, status FROM commands")?;
        let mut rows = texts.query([])?;
        while let Some(row) = rows.next()? {
            let text = row.get::<_, ColumnBytes>(0)?.0;
            if let Some(name) = program(&String::from_utf8_lossy(&text)) {
                counts.add(name, row.get::<_, i64>(1)? != 0)?;
            }
        }
        counts.most_run()
    }
}

/// How often each program was run. What exceeds the limit is moved to a temporary table, so memory does not grow with the history.
struct ProgramCounts<'a> {
    connection: &'a Connection,
    limit: usize,
    /// Runs, and how many of them failed.
    counts: HashMap<String, (i64, i64)>,
    bytes: usize,
}

impl<'a> ProgramCounts<'a> {
    fn new(connection: &'a Connection, limit: usize) -> Result<ProgramCounts<'a>, StoreError> {
        connection.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS programs (name TEXT PRIMARY KEY, runs INTEGER, failed INTEGER) WITHOUT ROWID;
             DELETE FROM temp.programs;",
        )?;
        Ok(ProgramCounts { connection, limit, counts: HashMap::new(), bytes: 0 })
    }

    fn add(&mut self, name: String, has_failed: bool) -> Result<(), StoreError> {
        let length = name.len();
        let count = self.counts.entry(name).or_insert_with(|| {
            self.bytes += length;
            (0, 0)
        });
        count.0 += 1;
        count.1 += i64::from(has_failed);
        if self.bytes > self.limit { self.move_to_table() } else { Ok(()) }
    }

    fn move_to_table(&mut self) -> Result<(), StoreError> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO temp.programs VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, failed = failed + excluded.failed",
        )?;
        for (name, (runs, failed)) in mem::take(&mut self.counts) {
            insert.execute((name, runs, failed))?;
        }
        self.bytes = 0;
        Ok(())
    }

    fn most_run(mut self) -> Result<Vec<ProgramRuns>, StoreError> {
        self.move_to_table()?;
        let sql = format!("SELECT name, runs, failed FROM temp.programs ORDER BY runs DESC, name LIMIT {NAMED}");
        let mut programs = self.connection.prepare(&sql)?;
        let programs = programs.query_map([], |row| {
            let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
            Ok(ProgramRuns { name: row.get(0)?, runs: number(1)?, failed: number(2)? })
        })?;
        Ok(programs.collect::<Result<_, _>>()?)
    }
}

/// The first word that is not `NAME=value`.
fn program(text: &str) -> Option<String> {
    tokens(text).find_map(|token| match token {
        Token::Word(word) if word.assigned_name().is_none() => Some(word.text),
        Token::Word(_) | Token::Redirection(_) | Token::Operator(..) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_the_same_in_memory_and_in_the_table() {
        let connection = Connection::open_in_memory().unwrap();
        let most_run = |limit| {
            let mut counts = ProgramCounts::new(&connection, limit).unwrap();
            for n in 0..1_000 {
                counts.add(format!("./test{}", n % 37), n % 2 == 0).unwrap();
                counts.add("cargo".to_owned(), n % 10 == 0).unwrap();
            }
            counts.most_run().unwrap()
        };
        let programs = most_run(usize::MAX);
        assert_eq!(programs.len(), NAMED);
        assert_eq!(programs[0], ProgramRuns { name: "cargo".to_owned(), runs: 1_000, failed: 100 });
        assert_eq!(most_run(50), programs);
    }

    #[test]
    fn the_program_comes_after_its_variables() {
        assert_eq!(program("RUST_LOG=debug cargo test"), Some("cargo".into()));
        assert_eq!(program("./x=y z"), Some("./x=y".into()));
        assert_eq!(program("A='1 2' cargo"), Some("cargo".into()));
        assert_eq!(program("(cargo test)"), Some("cargo".into()));
        assert_eq!(program("A=1"), None);
    }
}
