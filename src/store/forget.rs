//! Commands that never happened.

use std::path::PathBuf;
use std::time::SystemTime;

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use super::entry::Bytes;
use super::insert::micros_since_1970;
use super::{History, StoreError, entry, prune};

/// Which commands to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Forget {
    Ids(Vec<i64>),
    /// Those started then or later.
    Since(SystemTime),
    All,
}

/// What was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub ids: Vec<i64>,
    /// Files with their output. They are not ours to remove: whoever knows the runtime directory does.
    pub spills: Vec<PathBuf>,
}

impl History {
    /// Removes commands, their output and what the index knows of them, and leaves no trace of them in the file.
    pub(crate) fn forget(&mut self, which: &Forget) -> Result<Forgotten, StoreError> {
        let Some(connection) = self.connection_mut()? else { return Ok(Forgotten::default()) };
        let (condition, values) = condition(which);
        // What is removed is overwritten too. With everything gone the file itself shrinks to nothing, so that is not needed.
        let all = *which == Forget::All;
        let thoroughly = if all { "FAST" } else { "ON" };
        connection.pragma_update_and_check(None, "secure_delete", thoroughly, |_| Ok(()))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut forgotten = Forgotten::default();
        {
            let sql = format!("SELECT id, spill FROM commands WHERE {condition} ORDER BY id");
            let mut statement = transaction.prepare(&sql)?;
            let mut rows = statement.query(params_from_iter(&values))?;
            while let Some(row) = rows.next()? {
                forgotten.ids.push(row.get(0)?);
                forgotten.spills.extend(row.get::<_, Option<Bytes>>(1)?.map(entry::path));
            }
        }
        if forgotten.ids.is_empty() {
            return Ok(forgotten);
        }
        if all {
            // At once; the trigger would look for each command's words.
            transaction.execute("INSERT INTO words (words) VALUES ('delete-all')", [])?;
        }
        transaction.execute(&format!("DELETE FROM commands WHERE {condition}"), params_from_iter(&values))?;
        transaction.commit()?;
        // From here on it is only thoroughness: on a full disk the commands are gone all the same.
        if let Err(error) = clean(connection, which) {
            tracing::warn!(%error, "the history is not yet rid of all that was forgotten");
        }
        Ok(forgotten)
    }
}

/// Rids the file of what nothing refers to any more.
fn clean(connection: &Connection, which: &Forget) -> Result<(), StoreError> {
    if *which != Forget::All {
        // Words of removed commands stay in the index until its parts are merged.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')", [])?;
    }
    prune::give_back(connection)?;
    // So that the log forgets as well. A reader may be in the way; the next checkpoint is then soon enough.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

fn condition(which: &Forget) -> (String, Vec<Value>) {
    match which {
        Forget::Ids(ids) => {
            let marks = vec!["?"; ids.len()].join(", ");
            (format!("id IN ({marks})"), ids.iter().map(|&id| Value::Integer(id)).collect())
        }
        Forget::Since(time) => ("started_at >= ?".to_owned(), vec![Value::Integer(micros_since_1970(*time))]),
        Forget::All => ("true".to_owned(), Vec::new()),
    }
}
