//! Reads the figures of recorded queries.

use std::time::{Duration, SystemTime};

use rusqlite::Row;

use super::{Conversations, QueryFigures};
use crate::store::insert::micros_since_1970;
use crate::store::{StoreError, entry};

impl Conversations {
    /// Hands out the queries since a time one by one, oldest first: when each was asked, and its figures.
    pub(crate) fn for_each_query(
        &self,
        since: Option<SystemTime>,
        mut visit: impl FnMut(SystemTime, QueryFigures),
    ) -> Result<(), StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(()) };
        let sql = "SELECT asked_at, provider, model, input, output, cached, cache_written, cost, first_token, duration, ending
                   FROM queries WHERE asked_at >= ? ORDER BY asked_at";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([since.map_or(i64::MIN, micros_since_1970)])?;
        while let Some(row) = rows.next()? {
            visit(entry::time(row.get(0)?), figures(row)?);
        }
        Ok(())
    }
}

fn figures(row: &Row<'_>) -> rusqlite::Result<QueryFigures> {
    let number = |index| row.get::<_, i64>(index).map(|value| u64::try_from(value).unwrap_or_default());
    let first_token: Option<i64> = row.get(8)?;
    Ok(QueryFigures {
        provider: row.get(1)?,
        model: row.get(2)?,
        input: number(3)?,
        output: number(4)?,
        cached: number(5)?,
        cache_written: number(6)?,
        cost: row.get(7)?,
        first_token: first_token.map(|micros| Duration::from_micros(micros.unsigned_abs())),
        duration: Duration::from_micros(number(9)?),
        ending: row.get(10)?,
    })
}
