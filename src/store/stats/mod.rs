//! Statistics about the history.

mod programs;
mod times;

use std::time::{Duration, SystemTime};

use jiff::Zoned;
use rusqlite::{Connection, params_from_iter};

use super::entry::{self, COLUMNS, HistoryEntry};
use super::history::{Conditions, Filter};
use super::import::unknown;
use super::{History, StoreError, file};

pub(crate) use programs::ProgramRuns;
use programs::{CountedRun, NAMED, ProgramCounts};
pub(crate) use times::BusyTimes;
use times::TimeCounts;

/// Statistics about the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stats {
    pub commands: u64,
    pub failed: u64,
    /// Commands with an unknown status.
    pub unknown: u64,
    pub sessions: u64,
    /// Start of the oldest command.
    pub since: Option<SystemTime>,
    /// Total run time of all commands.
    pub duration: Duration,
    /// Run time of the commands that failed.
    pub lost: Duration,
    /// Bytes they printed, kept or not.
    pub output_bytes: u64,
    /// Size of the database and its log.
    pub disk_bytes: u64,
    /// The programs that were run most often.
    pub programs: Vec<ProgramRuns>,
    /// The programs that failed most often.
    pub failing: Vec<ProgramRuns>,
    pub slowest: Vec<HistoryEntry>,
    pub times: BusyTimes,
}

impl History {
    /// Counts the commands that pass the filter. Times of day are in the time zone of `now`.
    pub(crate) fn stats(&self, filter: &Filter, now: &Zoned) -> Result<Stats, StoreError> {
        let mut stats = Stats {
            commands: 0,
            failed: 0,
            unknown: 0,
            sessions: 0,
            since: None,
            duration: Duration::ZERO,
            lost: Duration::ZERO,
            output_bytes: 0,
            disk_bytes: file::bytes_on_disk(self.path()),
            programs: Vec::new(),
            failing: Vec::new(),
            slowest: Vec::new(),
            times: TimeCounts::new(now).finish(),
        };
        let Some(connection) = self.connection() else { return Ok(stats) };
        let conditions = Conditions::of(filter);
        add_totals(&mut stats, connection, &conditions)?;
        count_each(&mut stats, connection, &conditions, now)?;
        let Conditions { sql, values } = conditions;
        let slowest = format!(
            "SELECT {COLUMNS} FROM commands AS c WHERE {sql} AND NOT {} ORDER BY c.duration DESC, c.started_at DESC LIMIT {NAMED}",
            is_unknown(unknown::DURATION)
        );
        let mut slowest = connection.prepare(&slowest)?;
        stats.slowest = slowest.query_map(params_from_iter(values), entry::entry)?.collect::<Result<_, _>>()?;
        Ok(stats)
    }
}

/// A condition: whether what this bit stands for is unknown.
fn is_unknown(bit: i64) -> String {
    format!("(c.unknown & {bit})")
}

fn add_totals(stats: &mut Stats, connection: &Connection, conditions: &Conditions) -> Result<(), StoreError> {
    let Conditions { sql, values } = conditions;
    let [start, status] = [unknown::START, unknown::STATUS].map(is_unknown);
    // `total` adds floating point numbers: a sum of integers that overflows is an error.
    let totals = format!(
        "SELECT count(*), count(nullif(c.status, 0)), count(DISTINCT nullif(c.session, '')), min(iif({start}, NULL, c.started_at)), total(c.duration),
                total(iif(c.status, c.duration, 0)), total(c.seen), count(nullif({status}, 0)) FROM commands AS c WHERE {sql}"
    );
    connection.query_row(&totals, params_from_iter(values.iter()), |row| {
        let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
        let time = |column| row.get::<_, f64>(column).map(|micros| Duration::from_micros(micros as u64));
        stats.commands = number(0)?;
        stats.failed = number(1)?;
        stats.sessions = number(2)?;
        stats.since = row.get::<_, Option<i64>>(3)?.map(entry::time);
        stats.duration = time(4)?;
        stats.lost = time(5)?;
        stats.output_bytes = row.get::<_, f64>(6)? as u64;
        stats.unknown = number(7)?;
        Ok(())
    })?;
    Ok(())
}

/// Reads the commands one by one, and counts them by program and by time.
fn count_each(
    stats: &mut Stats,
    connection: &Connection,
    conditions: &Conditions,
    now: &Zoned,
) -> Result<(), StoreError> {
    let mut counts = ProgramCounts::new(connection)?;
    let mut times = TimeCounts::new(now);
    let Conditions { sql, values } = conditions;
    let sql = format!("SELECT c.text, c.status, c.started_at, c.duration, c.unknown FROM commands AS c WHERE {sql}");
    let mut commands = connection.prepare(&sql)?;
    let mut rows = commands.query(params_from_iter(values.iter()))?;
    while let Some(row) = rows.next()? {
        let bits: i64 = row.get(4)?;
        let run = CountedRun {
            has_failed: row.get::<_, i64>(1)? != 0,
            is_judged: bits & unknown::STATUS == 0,
            duration: row.get(3)?,
        };
        counts.add(row.get_ref(0)?.as_bytes().unwrap_or_default(), run)?;
        if bits & unknown::START == 0 {
            times.add(row.get(2)?);
        }
    }
    stats.times = times.finish();
    (stats.programs, stats.failing) = counts.most()?;
    Ok(())
}
