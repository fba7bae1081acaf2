//! Changes that the agent made to files, so that they can be undone after a restart.
//!
//! This module knows paths and names of kept contents. What a file was before and after is text that only `undo` understands.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};

use super::Conversations;
use super::read::collect;
use crate::store::insert::{TextOrBlob, micros_since_1970};
use crate::store::{StoreError, entry};

/// `query` is the id of the query that made the change, or of the undo. `undone_by` is the id of the undo that took the change back.
/// `before_content` and `after_content` name files of the undo store.
pub(in crate::store) const CHANGES: &str = "
    CREATE TABLE changes (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        query INTEGER NOT NULL,
        is_undo INTEGER NOT NULL,
        path ANY NOT NULL,
        before TEXT NOT NULL,
        after TEXT NOT NULL,
        before_content TEXT,
        after_content TEXT,
        undone_by INTEGER
    ) STRICT;

    CREATE INDEX changes_of_conversation ON changes (conversation, id);
    CREATE INDEX changes_of_query ON changes (query);
";

/// Identifies a query, or an undo. Ids grow with time, in all processes of a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct QueryId(pub i64);

impl QueryId {
    /// A new id: the time in microseconds, and the process so that two of them do not collide.
    pub(crate) fn fresh() -> QueryId {
        static LAST: AtomicI64 = AtomicI64::new(0);
        let micros = micros_since_1970(SystemTime::now());
        let now = micros.saturating_mul(1024).saturating_add(i64::from(std::process::id() % 1024));
        let next = |last: i64| now.max(last.saturating_add(1024));
        let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        QueryId(next(last.unwrap_or_default()))
    }
}

/// One change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedChange {
    /// Orders the changes. Made like the id of a query.
    pub id: i64,
    pub query: QueryId,
    /// Whether the person made it with an undo.
    pub is_undo: bool,
    pub path: PathBuf,
    pub before: String,
    pub after: String,
    /// The names of the kept contents.
    pub contents: [Option<String>; 2],
    pub undone_by: Option<QueryId>,
}

/// What the recorder does about changes.
#[derive(Debug)]
pub(in crate::store) enum ChangeJob {
    Add(Vec<RecordedChange>),
    /// Note that these were taken back by an undo, or count again.
    Undone(Vec<i64>, Option<QueryId>),
}

/// Writes changes of a conversation, if it has a row.
pub(super) fn write(connection: &Connection, conversation: Option<i64>, job: &ChangeJob) -> Result<(), StoreError> {
    match job {
        ChangeJob::Add(changes) => {
            let Some(conversation) = conversation else { return Ok(()) };
            let sql = "INSERT OR REPLACE INTO changes (id, conversation, query, is_undo, path, before, after,
                                                       before_content, after_content, undone_by)
                       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
            let mut statement = connection.prepare_cached(sql)?;
            for change in changes {
                statement.execute((
                    change.id,
                    conversation,
                    change.query.0,
                    change.is_undo,
                    TextOrBlob(change.path.as_os_str().as_bytes()),
                    &change.before,
                    &change.after,
                    &change.contents[0],
                    &change.contents[1],
                    change.undone_by.map(|id| id.0),
                ))?;
            }
        }
        ChangeJob::Undone(ids, by) => {
            let mut statement = connection.prepare_cached("UPDATE changes SET undone_by = ? WHERE id = ?")?;
            for id in ids {
                statement.execute((by.map(|id| id.0), id))?;
            }
        }
    }
    Ok(())
}

impl Conversations {
    /// The changes of a conversation, and those of these queries, which may be of the conversation that it was forked from. Oldest first.
    pub(crate) fn changes(&self, id: i64, queries: &[QueryId]) -> Result<Vec<RecordedChange>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let columns = "id, query, is_undo, path, before, after, before_content, after_content, undone_by";
        let own = format!("SELECT {columns} FROM changes WHERE conversation = ?");
        let mut changes = collect(connection, &own, [id], recorded)?;
        let of_query = format!("SELECT {columns} FROM changes WHERE query = ? AND conversation <> ?");
        for query in queries {
            changes.extend(collect(connection, &of_query, (query.0, id), recorded)?);
        }
        changes.sort_by_key(|change| change.id);
        Ok(changes)
    }

    /// The names of all kept contents that a change refers to.
    pub(crate) fn contents(&self) -> Result<HashSet<String>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(HashSet::new()) };
        let sql = "SELECT before_content FROM changes UNION SELECT after_content FROM changes";
        let names: Vec<Option<String>> = collect(connection, sql, [], |row| row.get(0))?;
        Ok(names.into_iter().flatten().collect())
    }
}

fn recorded(row: &Row<'_>) -> rusqlite::Result<RecordedChange> {
    Ok(RecordedChange {
        id: row.get(0)?,
        query: QueryId(row.get(1)?),
        is_undo: row.get(2)?,
        path: entry::path(row.get(3)?),
        before: row.get(4)?,
        after: row.get(5)?,
        contents: [row.get(6)?, row.get(7)?],
        undone_by: row.get::<_, Option<i64>>(8)?.map(QueryId),
    })
}
