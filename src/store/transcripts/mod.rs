//! Transcripts: for each session, the events of its answers in the order in which they happened.
//!
//! An event is JSON that only the agent and the command line understand. It belongs to the question of a recorded conversation: if the
//! conversation is forgotten or too old, its events go with it. Events are written by the thread that records conversations.

mod tables;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};

use super::{History, StoreError, entry};
use crate::text::MIB;

pub(super) use tables::TRANSCRIPTS;

/// Bytes of the events of one session. Beyond them its oldest events are removed.
const SESSION_BYTES: u64 = 16 * MIB as u64;
/// Bytes of all transcripts. Beyond them the oldest events are removed.
const ALL_BYTES: u64 = 256 * MIB as u64;
/// Events that are removed in one transaction.
const SLICE: i64 = 200;

/// The transcripts, for reading.
pub(crate) struct Transcripts {
    history: History,
}

/// A transcript as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedTranscript {
    pub session: String,
    pub began_at: SystemTime,
    pub touched_at: SystemTime,
    pub questions: u64,
    pub calls: u64,
    pub bytes: u64,
    /// The first question that is still there.
    pub opening: String,
}

/// One event of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptEvent {
    pub id: i64,
    /// The id of the question that it belongs to.
    pub question: i64,
    pub conversation: i64,
    pub at: SystemTime,
    /// JSON with the fields `type` and `data`.
    pub body: String,
    /// The words of the question, and when it was asked, with the first of its events.
    pub asked: Option<(SystemTime, String)>,
}

impl Transcripts {
    /// Opens the database at `path`. A missing file has no transcripts.
    pub(crate) fn open(path: &Path) -> Result<Transcripts, StoreError> {
        Ok(Transcripts { history: History::open(path)? })
    }

    /// The transcripts that were written to last, newest first.
    pub(crate) fn newest(&self, limit: usize) -> Result<Vec<ListedTranscript>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let sql = "SELECT session, began_at, touched_at, questions, calls, bytes,
                       (SELECT json_extract(q.body, '$.question') FROM transcript AS t JOIN entries AS q ON q.id = t.question
                        WHERE t.session = l.session ORDER BY t.id LIMIT 1)
                   FROM transcript_list AS l ORDER BY touched_at DESC, session LIMIT ?";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([i64::try_from(limit).unwrap_or(-1)], listed)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The session with this id, or the one whose id begins like this if there is only one.
    pub(crate) fn session(&self, id: &str) -> Result<Option<String>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        let sql =
            "SELECT session FROM transcript_list WHERE substr(session, 1, ?1) = ?2 ORDER BY session = ?2 DESC LIMIT 2";
        let length = i64::try_from(id.chars().count()).unwrap_or(i64::MAX);
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map((length, id), |row| row.get(0))?;
        let found: Vec<String> = rows.collect::<Result<_, _>>()?;
        let is_certain = found.len() == 1 || found.first().is_some_and(|first| first == id);
        Ok(found.into_iter().next().filter(|_| is_certain))
    }

    /// Hands out the events of a session one by one, oldest first.
    pub(crate) fn for_each_event<E: From<StoreError>>(
        &self,
        session: &str,
        mut visit: impl FnMut(TranscriptEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(connection) = self.history.connection() else { return Ok(()) };
        let sql = "SELECT t.id, t.question, q.conversation, t.at, t.body, q.at, json_extract(q.body, '$.question')
                   FROM transcript AS t JOIN entries AS q ON q.id = t.question WHERE t.session = ? ORDER BY t.id";
        let mut statement = connection.prepare_cached(sql).map_err(StoreError::from)?;
        let mut rows = statement.query([session]).map_err(StoreError::from)?;
        // Answers that run at the same time take turns, so a question is not always that of the event before.
        let mut known = HashSet::new();
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            visit(event(row, &mut known).map_err(StoreError::from)?)?;
        }
        Ok(())
    }
}

/// Writes an event, unless its question was forgotten. An answer outside of a session has a transcript of its own.
pub(super) fn add(
    connection: &Connection,
    session: &str,
    question: i64,
    at: i64,
    body: &str,
) -> Result<(), StoreError> {
    let own = format!("ask-{question}");
    let session = if session.is_empty() { &own } else { session };
    let sql = "INSERT INTO transcript (session, question, at, body)
               SELECT ?1, id, ?3, ?4 FROM entries WHERE id = ?2";
    connection.prepare_cached(sql)?.execute((session, question, at, body))?;
    Ok(())
}

/// Removes some of the oldest events of a transcript, or of all, that is beyond its limit. Returns whether there may be more.
pub(super) fn prune_some(connection: &mut Connection) -> Result<bool, StoreError> {
    prune_beyond(connection, SESSION_BYTES, ALL_BYTES)
}

fn prune_beyond(connection: &mut Connection, most: u64, most_in_all: u64) -> Result<bool, StoreError> {
    let limit = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let large = "SELECT session FROM transcript_list WHERE bytes > ? LIMIT 1";
    let large: Option<String> =
        connection.prepare_cached(large)?.query_row([limit(most)], |row| row.get(0)).optional()?;
    let all = "SELECT 1 FROM transcript_totals WHERE bytes > ?";
    if large.is_none() && !connection.prepare_cached(all)?.exists([limit(most_in_all)])? {
        return Ok(false);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let which = if large.is_some() { "session = ?1" } else { "?1 IS NULL" };
    let oldest = format!("SELECT id FROM transcript WHERE {which} ORDER BY id LIMIT {SLICE}");
    transaction.prepare_cached(&format!("DELETE FROM transcript WHERE id IN ({oldest})"))?.execute([large])?;
    transaction.commit()?;
    Ok(true)
}

fn listed(row: &Row<'_>) -> rusqlite::Result<ListedTranscript> {
    let number = |index| row.get::<_, i64>(index).map(|value| u64::try_from(value).unwrap_or_default());
    Ok(ListedTranscript {
        session: row.get(0)?,
        began_at: entry::time(row.get(1)?),
        touched_at: entry::time(row.get(2)?),
        questions: number(3)?,
        calls: number(4)?,
        bytes: number(5)?,
        opening: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
    })
}

fn event(row: &Row<'_>, known: &mut HashSet<i64>) -> rusqlite::Result<TranscriptEvent> {
    let question = row.get(1)?;
    let asked = match known.insert(question) {
        true => Some((entry::time(row.get(5)?), row.get::<_, Option<String>>(6)?.unwrap_or_default())),
        false => None,
    };
    let (at, body) = (entry::time(row.get(3)?), row.get(4)?);
    Ok(TranscriptEvent { id: row.get(0)?, question, conversation: row.get(2)?, at, body, asked })
}
