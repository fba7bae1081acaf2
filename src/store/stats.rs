//! The history in numbers.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use super::entry::{self, Bytes, COLUMNS, Entry};
use super::{History, StoreError, file};
use crate::text::shell::{Token, tokens};

/// How many the lists in the statistics name.
const NAMED: usize = 10;

/// The history in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub commands: u64,
    pub failed: u64,
    pub sessions: u64,
    /// When the oldest command that is still known was started.
    pub since: Option<SystemTime>,
    /// Spent running them.
    pub duration: Duration,
    /// Printed by them, kept or not.
    pub output_bytes: u64,
    /// The database and its log.
    pub disk_bytes: u64,
    /// The programs run most, with how often and how often in vain.
    pub programs: Vec<Program>,
    pub slowest: Vec<Entry>,
}

/// A first word and how often it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
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

    fn programs(&self) -> Result<Vec<Program>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(Vec::new()) };
        let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
        let mut texts = connection.prepare("SELECT text, status FROM commands")?;
        let mut rows = texts.query([])?;
        while let Some(row) = rows.next()? {
            let text = row.get::<_, Bytes>(0)?.0;
            if let Some(name) = program(&String::from_utf8_lossy(&text)) {
                let count = counts.entry(name).or_default();
                count.0 += 1;
                count.1 += u64::from(row.get::<_, i64>(1)? != 0);
            }
        }
        let mut programs: Vec<Program> =
            counts.into_iter().map(|(name, (runs, failed))| Program { name, runs, failed }).collect();
        programs.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.name.cmp(&b.name)));
        programs.truncate(NAMED);
        Ok(programs)
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
    fn the_program_comes_after_its_variables() {
        assert_eq!(program("RUST_LOG=debug cargo test"), Some("cargo".into()));
        assert_eq!(program("./x=y z"), Some("./x=y".into()));
        assert_eq!(program("A='1 2' cargo"), Some("cargo".into()));
        assert_eq!(program("(cargo test)"), Some("cargo".into()));
        assert_eq!(program("A=1"), None);
    }
}
