//! Hands out the command lines of the history, newest first, in slices that are quick to read.

use std::ops::ControlFlow;

use rusqlite::{OptionalExtension, Row};

use super::StoreError;
use super::entry::{self, COLUMNS, HistoryEntry};
use super::history::{Conditions, Filter, History};
use super::import::unknown;
use super::order::{CommandSource, Direction, HistoryPosition, HistorySpan, OrderedQuery};

/// Commands in a slice. Reading one takes about a microsecond.
const SLICE: usize = 4_000;

/// One command line, with the facts that tell equal ones apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordedLine<'a> {
    pub id: i64,
    pub text: &'a [u8],
    /// Empty if it is unknown.
    pub cwd: &'a [u8],
    /// Whether the command succeeded, if that is known.
    pub is_good: Option<bool>,
}

impl History {
    /// Visits the next slice of the commands that pass the filter, whatever its limit: those before a position, newest first. Returns
    /// the position that the slice after it is before, or `None` if there are no older commands.
    pub(crate) fn visit_before(
        &self,
        before: HistoryPosition,
        filter: &Filter,
        mut visit: impl FnMut(RecordedLine<'_>),
    ) -> Result<Option<HistoryPosition>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(None) };
        let Conditions { sql, values } = Conditions::of(filter);
        // Commands that do not pass are read too, so that a slice is as quick as any other.
        let query = OrderedQuery {
            columns: &format!("c.id, c.text, c.cwd, c.status, c.unknown, {sql}"),
            source: CommandSource::Commands,
            condition: "true",
            values: &values,
            direction: Direction::NewestFirst,
            most: SLICE as i64,
        };
        let mut read = 0;
        let reached =
            query.visit(connection, &HistorySpan::ALL.before(before), before, |row| -> Result<_, StoreError> {
                read += 1;
                if row.get(5)? {
                    visit(line(row)?);
                }
                Ok(if read < SLICE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })?;
        Ok((read > 0).then_some(reached))
    }

    /// One command without its output.
    pub(crate) fn entry(&self, id: i64) -> Result<Option<HistoryEntry>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} FROM commands AS c WHERE c.id = ?");
        Ok(connection.prepare_cached(&sql)?.query_row([id], entry::entry).optional()?)
    }
}

fn line<'r>(row: &'r Row<'_>) -> rusqlite::Result<RecordedLine<'r>> {
    let is_known = row.get::<_, i64>(4)? & unknown::STATUS == 0;
    Ok(RecordedLine {
        id: row.get(0)?,
        text: row.get_ref(1)?.as_bytes().unwrap_or_default(),
        cwd: row.get_ref(2)?.as_bytes().unwrap_or_default(),
        is_good: is_known.then(|| row.get::<_, i64>(3)).transpose()?.map(|status| status == 0),
    })
}
