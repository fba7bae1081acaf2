//! The order of commands in lists: by the time they ran.
//!
//! Two sequences have that order already: recorded commands by their ids, and imported commands by their places ([`TimePlaces`]). A list
//! merges the two by time. So the newest commands of a search need no sorting, however long the history is.

use std::ops::{ControlFlow, RangeInclusive};

use rusqlite::types::Value;
use rusqlite::{Connection, Row, Rows, params_from_iter};

use super::StoreError;

/// The column with the place of an imported command; it is NULL for a recorded one. The index of words knows an imported command by
/// its place, and a recorded one by its id. TimePlaces are below 0, so no place is an id of a recorded command.
///
/// Commands that were imported before there were places get them in the order of their times. The running maximum keeps the places
/// of commands with the same time apart.
pub(super) const PLACES: &str = "
    ALTER TABLE commands ADD COLUMN place INTEGER;

    DROP TRIGGER command_removed;
    CREATE TRIGGER command_removed AFTER DELETE ON commands BEGIN
        DELETE FROM words WHERE rowid = ifnull(old.place, old.id);
        UPDATE totals SET commands = commands - 1, bytes = bytes - old.bytes;
    END;

    UPDATE commands SET place = placed.place FROM (
        SELECT id, nth + max(due - nth) OVER (ORDER BY nth) AS place FROM (
            SELECT id, due, row_number() OVER (ORDER BY due, id) AS nth FROM (
                SELECT id, iif(unknown & 1, -9000000000000000000,
                               min(max(started_at, -2251799813685248), 4503599627370495) * 1024 - 4611686018427387904) AS due
                FROM commands WHERE origin IS NOT NULL
            )
        )
    ) AS placed WHERE commands.id = placed.id;
    DELETE FROM words WHERE rowid < 0;
    INSERT INTO words (rowid, command, output) SELECT place, CAST(text AS TEXT), '' FROM commands WHERE place IS NOT NULL;

    CREATE UNIQUE INDEX command_places ON commands (place) WHERE place IS NOT NULL;
";

/// Where the places of commands begin whose time is unknown: before all others.
const UNTIMED: i64 = -9_000_000_000_000_000_000;
const LAST_UNTIMED: i64 = -8_000_000_000_000_000_000;
/// TimePlaces for each microsecond. More commands than that take places of the next one.
const PER_MICROSECOND: i64 = 1024;
/// The place of the first microsecond of 1970, and the times that have places of their own: from 1898 to 2112.
const PLACE_OF_1970: i64 = -(1 << 62);
const EARLIEST: i64 = -(1 << 51);
const LATEST: i64 = (1 << 52) - 1;

/// The first place for a command of this time, in microseconds since 1970.
fn place_of(started_at: i64) -> i64 {
    started_at.clamp(EARLIEST, LATEST) * PER_MICROSECOND + PLACE_OF_1970
}

/// Hands out places for imported commands. Commands with the same time get theirs in the order in which they ask.
#[derive(Debug, Default)]
pub(super) struct TimePlaces {
    /// The time of the last command, and the place behind it.
    next: Option<(Option<i64>, i64)>,
}

impl TimePlaces {
    pub(super) fn next(&mut self, connection: &Connection, started_at: Option<i64>) -> Result<i64, StoreError> {
        let start = match self.next {
            Some((time, next)) if time == started_at => next,
            _ => first_free(connection, started_at)?,
        };
        let mut taken = connection.prepare_cached("SELECT 1 FROM commands WHERE place = ?")?;
        let mut place = start;
        while taken.exists([place])? {
            place += 1;
        }
        self.next = Some((started_at, place + 1));
        Ok(place)
    }
}

/// The place behind the commands of this time, which another command may have.
fn first_free(connection: &Connection, started_at: Option<i64>) -> Result<i64, StoreError> {
    let (first, last) = match started_at.map(place_of) {
        Some(first) => (first, first + PER_MICROSECOND - 1),
        None => (UNTIMED, LAST_UNTIMED),
    };
    let sql = "SELECT ifnull(max(place) + 1, ?1) FROM commands WHERE place BETWEEN ?1 AND ?2";
    Ok(connection.prepare_cached(sql)?.query_row([first, last], |row| row.get(0))?)
}

/// Where commands are selected from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandSource {
    Commands,
    /// The index of words.
    Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    NewestFirst,
    OldestFirst,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    Recorded,
    Imported,
}

/// A part of the history: ids of recorded commands, and places of imported ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HistorySpan {
    pub(super) recorded: RangeInclusive<i64>,
    pub(super) imported: RangeInclusive<i64>,
}

impl HistorySpan {
    pub(super) const ALL: HistorySpan = HistorySpan { recorded: 1..=i64::MAX, imported: i64::MIN..=-1 };

    /// All commands that are in the history now.
    pub(super) fn so_far(connection: &Connection) -> Result<HistorySpan, StoreError> {
        let newest = connection.query_row("SELECT ifnull(max(id), 0) FROM commands", [], |row| row.get(0))?;
        Ok(HistorySpan { recorded: 1..=newest, ..HistorySpan::ALL })
    }

    /// The newest commands, about this many, or `None` if there are not more. If there are many of both kinds, each gets a half.
    pub(super) fn newest(connection: &Connection, reach: i64) -> Result<Option<HistorySpan>, StoreError> {
        let number = |sql: &str, values: &[i64]| {
            connection.prepare_cached(sql)?.query_row(params_from_iter(values), |row| row.get::<_, i64>(0))
        };
        let newest = number("SELECT ifnull(max(id), 0) FROM commands WHERE id > 0", &[])?;
        let oldest = number("SELECT ifnull(min(id), 1) FROM commands WHERE id > 0", &[])?;
        let recorded = newest - oldest + 1;
        let imported = number("SELECT count(*) FROM (SELECT 1 FROM commands WHERE place < 0 LIMIT ?)", &[reach + 1])?;
        if recorded + imported <= reach {
            return Ok(None);
        }
        let from_imported = imported.min((reach - recorded).max(reach / 2));
        let lowest = match from_imported {
            0 => 0,
            count => {
                number("SELECT place FROM commands WHERE place < 0 ORDER BY place DESC LIMIT 1 OFFSET ?", &[count - 1])?
            }
        };
        Ok(Some(HistorySpan {
            recorded: (newest - (reach - from_imported) + 1).max(1)..=newest,
            imported: lowest..=-1,
        }))
    }

    /// Keeps only the recorded commands.
    pub(super) fn leave_out_imported(&mut self) {
        self.imported = RangeInclusive::new(0, -1);
    }

    /// What is left of it before a position.
    pub(super) fn before(&self, position: HistoryPosition) -> HistorySpan {
        HistorySpan {
            recorded: *self.recorded.start()..=position.recorded.saturating_sub(1).min(*self.recorded.end()),
            imported: *self.imported.start()..=position.imported.saturating_sub(1).min(*self.imported.end()),
        }
    }

    /// What is left of it behind a position.
    pub(super) fn behind(&self, position: HistoryPosition) -> HistorySpan {
        HistorySpan {
            recorded: position.recorded.saturating_add(1).max(*self.recorded.start())..=*self.recorded.end(),
            imported: position.imported.saturating_add(1).max(*self.imported.start())..=*self.imported.end(),
        }
    }

    /// What of it begins with a position.
    pub(super) fn since(&self, position: HistoryPosition) -> HistorySpan {
        HistorySpan {
            recorded: position.recorded..=*self.recorded.end(),
            imported: position.imported..=*self.imported.end(),
        }
    }
}

/// A position in both sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HistoryPosition {
    recorded: i64,
    imported: i64,
}

impl HistoryPosition {
    /// Behind the newest command.
    pub(crate) const END: HistoryPosition = HistoryPosition { recorded: i64::MAX, imported: 0 };
    /// Before the oldest command.
    pub(super) const START: HistoryPosition = HistoryPosition { recorded: 0, imported: i64::MIN };

    fn in_sequence(&mut self, sequence: Sequence) -> &mut i64 {
        match sequence {
            Sequence::Recorded => &mut self.recorded,
            Sequence::Imported => &mut self.imported,
        }
    }
}

/// A selection of commands in the order of time.
pub(super) struct OrderedQuery<'a> {
    /// The columns, of which the first is the id.
    pub(super) columns: &'a str,
    pub(super) source: CommandSource,
    pub(super) condition: &'a str,
    /// The values of the columns and of the condition.
    pub(super) values: &'a [Value],
    pub(super) direction: Direction,
    /// At most this many are read of each sequence. -1 stands for all.
    pub(super) most: i64,
}

impl OrderedQuery<'_> {
    fn sql(&self, sequence: Sequence) -> String {
        let OrderedQuery { columns, condition, .. } = self;
        let (own, time) = match sequence {
            Sequence::Recorded => ("c.id", "c.started_at"),
            Sequence::Imported => ("c.place", "c.place"),
        };
        let (from, key) = match self.source {
            CommandSource::Commands => ("commands AS c".to_owned(), own),
            // The index hands out its rows in order as long as the order is asked of it.
            CommandSource::Words => (format!("words CROSS JOIN commands AS c ON {own} = words.rowid"), "words.rowid"),
        };
        let order = match self.direction {
            Direction::NewestFirst => "DESC",
            Direction::OldestFirst => "ASC",
        };
        format!(
            "SELECT {columns}, {key}, {time} FROM {from} WHERE {condition} AND {key} BETWEEN ? AND ? ORDER BY {key} {order} LIMIT ?"
        )
    }

    fn values<'v>(&'v self, range: &'v RangeInclusive<i64>) -> impl Iterator<Item = Value> + 'v {
        let own = [*range.start(), *range.end(), self.most].map(Value::Integer);
        self.values.iter().cloned().chain(own)
    }

    /// Visits the commands of a span. Returns the position of the last one that was visited in each sequence; it is `from` where
    /// there was none.
    pub(super) fn visit<E: From<StoreError>>(
        &self,
        connection: &Connection,
        span: &HistorySpan,
        from: HistoryPosition,
        mut visit: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<HistoryPosition, E> {
        let prepare = |sequence| connection.prepare_cached(&self.sql(sequence)).map_err(StoreError::from);
        let mut statements = [prepare(Sequence::Recorded)?, prepare(Sequence::Imported)?];
        let [recorded, imported] = &mut statements;
        let query = |error: rusqlite::Error| StoreError::from(error);
        let mut recorded = recorded.query(params_from_iter(self.values(&span.recorded))).map_err(query)?;
        let mut imported = imported.query(params_from_iter(self.values(&span.imported))).map_err(query)?;
        let mut position = from;
        let (mut one, mut other) = (step(&mut recorded)?, step(&mut imported)?);
        loop {
            let (sequence, row) = match (one, other) {
                (None, None) => return Ok(position),
                (Some(row), None) => (Sequence::Recorded, row),
                (None, Some(row)) => (Sequence::Imported, row),
                (Some(recorded), Some(imported)) => {
                    let is_newer = place_of(last(recorded)?) >= last(imported)?;
                    match is_newer == (self.direction == Direction::NewestFirst) {
                        true => (Sequence::Recorded, recorded),
                        false => (Sequence::Imported, imported),
                    }
                }
            };
            *position.in_sequence(sequence) = row.get(row.as_ref().column_count() - 2).map_err(StoreError::from)?;
            if visit(row)?.is_break() {
                return Ok(position);
            }
            match sequence {
                Sequence::Recorded => one = step(&mut recorded)?,
                Sequence::Imported => other = step(&mut imported)?,
            }
        }
    }
}

fn step<'r>(rows: &'r mut Rows<'_>) -> Result<Option<&'r Row<'r>>, StoreError> {
    Ok(rows.next()?)
}

/// The last column: a time for a recorded command, a place for an imported one.
fn last(row: &Row<'_>) -> Result<i64, StoreError> {
    Ok(row.get(row.as_ref().column_count() - 1)?)
}
