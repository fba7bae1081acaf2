//! Hands out the command lines of the history, newest first, in slices that are quick to read.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::StoreError;
use super::entry::{COLUMNS, HistoryEntry};
use super::history::{Conditions, Filter, History, page};
use super::import::unknown;

/// Ids in a slice. Reading a command takes about a microsecond.
const SLICE: i64 = 4_000;

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
    /// Visits the next slice of the commands that pass the filter, whatever its limit: those older than `before`, newest first. Returns
    /// where the slice after it begins, or `None` if there are no older commands.
    pub(crate) fn visit_before(
        &self,
        before: i64,
        filter: &Filter,
        mut visit: impl FnMut(RecordedLine<'_>),
    ) -> Result<Option<i64>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(None) };
        let newest = "SELECT max(id) FROM commands WHERE id < ?";
        let newest: Option<i64> = connection.prepare_cached(newest)?.query_row([before], |row| row.get(0))?;
        let Some(newest) = newest else { return Ok(None) };
        let oldest = newest.saturating_sub(SLICE - 1);
        let Conditions { sql, values } = Conditions::of(filter);
        let sql = format!(
            "SELECT c.id, c.text, c.cwd, c.status, c.unknown FROM commands AS c \
             WHERE {sql} AND c.id BETWEEN ? AND ? ORDER BY c.id DESC"
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let range = [oldest, newest].map(Value::Integer);
        let mut rows = statement.query(params_from_iter(values.into_iter().chain(range)))?;
        while let Some(row) = rows.next()? {
            let is_known = row.get::<_, i64>(4)? & unknown::STATUS == 0;
            visit(RecordedLine {
                id: row.get(0)?,
                text: row.get_ref(1)?.as_bytes().unwrap_or_default(),
                cwd: row.get_ref(2)?.as_bytes().unwrap_or_default(),
                is_good: is_known.then(|| row.get::<_, i64>(3)).transpose()?.map(|status| status == 0),
            });
        }
        Ok(Some(oldest))
    }

    /// One command without its output.
    pub(crate) fn entry(&self, id: i64) -> Result<Option<HistoryEntry>, StoreError> {
        let Some(connection) = self.connection() else { return Ok(None) };
        let sql = format!("SELECT {COLUMNS} FROM commands AS c WHERE c.id = ?");
        Ok(page(connection, &sql, [Value::Integer(id)].into_iter())?.pop())
    }
}
