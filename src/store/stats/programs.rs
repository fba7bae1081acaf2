//! Runs by program, counted within bounded memory.

use std::collections::HashMap;
use std::mem;
use std::time::Duration;

use rusqlite::Connection;

use super::StoreError;
use crate::text::MIB;
use crate::text::shell::{Token, tokens};

/// Length of the lists in the statistics.
pub(super) const NAMED: usize = 10;
/// Names of programs that are counted in memory, in bytes. More of them go to a temporary table.
const COUNTED: usize = MIB;
/// How much of a command line is read to find its program, in bytes. A longer first word is cut.
const READ: usize = 1024;

/// A program with its runs and those that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramRuns {
    pub name: String,
    pub runs: u64,
    /// Runs with a known status.
    pub judged: u64,
    pub failed: u64,
    /// Run time of all runs.
    pub duration: Duration,
    /// Run time of those that failed.
    pub lost: Duration,
}

/// One run, as it is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedRun {
    pub(super) has_failed: bool,
    /// Whether its status is known.
    pub(super) is_judged: bool,
    /// In microseconds.
    pub(super) duration: i64,
}

/// Runs added up. Times are in microseconds.
#[derive(Debug, Clone, Copy, Default)]
struct RunSum {
    runs: i64,
    judged: i64,
    failed: i64,
    duration: i64,
    lost: i64,
}

impl RunSum {
    fn add(&mut self, run: CountedRun) {
        let part = i64::from(run.has_failed);
        self.runs += 1;
        self.judged += i64::from(run.is_judged);
        self.failed += part;
        self.duration = self.duration.saturating_add(run.duration);
        self.lost = self.lost.saturating_add(run.duration * part);
    }
}

/// How often each program was run. What exceeds the limit is moved to a temporary table, so memory does not grow with the history.
pub(super) struct ProgramCounts<'a> {
    connection: &'a Connection,
    limit: usize,
    counts: HashMap<String, RunSum>,
    bytes: usize,
}

impl<'a> ProgramCounts<'a> {
    pub(super) fn new(connection: &'a Connection) -> Result<ProgramCounts<'a>, StoreError> {
        ProgramCounts::within(connection, COUNTED)
    }

    fn within(connection: &'a Connection, limit: usize) -> Result<ProgramCounts<'a>, StoreError> {
        // Times are sums of floating point numbers: a sum of integers that overflows is an error.
        connection.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS programs
                 (name TEXT PRIMARY KEY, runs INTEGER, judged INTEGER, failed INTEGER, duration REAL, lost REAL) WITHOUT ROWID;
             DELETE FROM temp.programs;",
        )?;
        Ok(ProgramCounts { connection, limit, counts: HashMap::new(), bytes: 0 })
    }

    pub(super) fn add(&mut self, text: &[u8], run: CountedRun) -> Result<(), StoreError> {
        let text = String::from_utf8_lossy(&text[..text.len().min(READ)]);
        match program(&text) {
            Some(name) => self.add_named(name, run),
            None => Ok(()),
        }
    }

    fn add_named(&mut self, name: String, run: CountedRun) -> Result<(), StoreError> {
        if let Some(sum) = self.counts.get_mut(&name) {
            sum.add(run);
            return Ok(());
        }
        self.bytes += name.len();
        self.counts.entry(name).or_default().add(run);
        if self.bytes > self.limit { self.move_to_table() } else { Ok(()) }
    }

    fn move_to_table(&mut self) -> Result<(), StoreError> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO temp.programs VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, judged = judged + excluded.judged, failed = failed + excluded.failed,
                                       duration = duration + excluded.duration, lost = lost + excluded.lost",
        )?;
        for (name, RunSum { runs, judged, failed, duration, lost }) in mem::take(&mut self.counts) {
            insert.execute((name, runs, judged, failed, duration as f64, lost as f64))?;
        }
        self.bytes = 0;
        Ok(())
    }

    /// The programs that were run most often, and those that failed most often.
    pub(super) fn most(mut self) -> Result<(Vec<ProgramRuns>, Vec<ProgramRuns>), StoreError> {
        self.move_to_table()?;
        let most_run = self.list("true ORDER BY runs DESC, name")?;
        Ok((most_run, self.list("failed > 0 ORDER BY failed DESC, runs, name")?))
    }

    fn list(&self, condition: &str) -> Result<Vec<ProgramRuns>, StoreError> {
        let sql = format!(
            "SELECT name, runs, judged, failed, duration, lost FROM temp.programs WHERE {condition} LIMIT {NAMED}"
        );
        let mut programs = self.connection.prepare(&sql)?;
        let programs = programs.query_map([], |row| {
            let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
            let time = |column| row.get::<_, f64>(column).map(|micros| Duration::from_micros(micros as u64));
            Ok(ProgramRuns {
                name: row.get(0)?,
                runs: number(1)?,
                judged: number(2)?,
                failed: number(3)?,
                duration: time(4)?,
                lost: time(5)?,
            })
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
        let run = |has_failed| CountedRun { has_failed, is_judged: true, duration: 2_000 };
        let most = |limit| {
            let mut counts = ProgramCounts::within(&connection, limit).unwrap();
            for n in 0..1_000 {
                counts.add(format!("./test{} x", n % 37).as_bytes(), run(n % 2 == 0)).unwrap();
                counts.add(b"A=1 cargo test", run(n % 10 == 0)).unwrap();
            }
            counts.most().unwrap()
        };
        let (run, failed) = most(usize::MAX);
        assert_eq!((run.len(), failed.len()), (NAMED, NAMED));
        let cargo = ProgramRuns {
            name: "cargo".to_owned(),
            runs: 1_000,
            judged: 1_000,
            failed: 100,
            duration: Duration::from_secs(2),
            lost: Duration::from_millis(200),
        };
        assert_eq!((&run[0], &failed[0]), (&cargo, &cargo));
        assert_eq!(most(50), (run, failed));
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
