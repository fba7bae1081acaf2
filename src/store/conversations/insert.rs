//! Writes entries as rows.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use super::log::{ConversationSetup, EntryJob, ExchangeState, LogState, NewEntry};
use super::pictures::{self, PictureFiles};
use super::{EntryKind, QueryFigures, Words};
use crate::repository;
use crate::store::insert::{TextOrBlob, micros, micros_since_1970};
use crate::store::{StoreError, entry, transcripts};
use crate::text::{self, KIB};

/// TextOrBlob of one message that can be searched, and of all messages of an exchange.
const MESSAGE_WORDS: usize = 8 * KIB;
const EXCHANGE_WORDS: usize = 64 * KIB;

/// The rows of an entry that was written. The states take them when the transaction is committed.
pub(super) struct Written {
    pub(super) conversation: i64,
    pub(super) tip: Option<i64>,
    pub(super) exchange: Option<ExchangeState>,
}

/// Writes an entry. `None` if it belongs to a conversation or an exchange that has no rows, for example because it was forgotten.
pub(super) fn write(
    connection: &Connection,
    setup: &ConversationSetup,
    job: &EntryJob,
) -> Result<Option<Written>, StoreError> {
    let (log, exchange) = (job.log.lock(), job.exchange.as_ref().map(|exchange| exchange.lock().clone()));
    let at = micros_since_1970(job.at);
    if let NewEntry::Request(figures) = &job.entry {
        return count_request(connection, &log, at, figures).map(|()| None);
    }
    if let NewEntry::Event = &job.entry {
        let question = exchange.and_then(|exchange| exchange.question);
        return question
            .map_or(Ok(()), |question| transcripts::add(connection, &setup.session, question, at, &job.body))
            .map(|()| None);
    }
    let Some((id, tip)) = conversation(connection, setup, job, &log)? else { return Ok(None) };
    let row = |parent, exchange, kind| {
        let entry = add(connection, EntryRow { conversation: id, parent, exchange, kind, at }, &job.body)?;
        pictures::keep(connection, &PictureFiles::beside(&setup.database), entry, &job.pictures)?;
        Ok::<i64, StoreError>(entry)
    };
    let written = |tip, exchange| Ok(Some(Written { conversation: id, tip, exchange }));
    match &job.entry {
        NewEntry::Question { words, .. } => {
            let question = row(tip, None, EntryKind::Question)?;
            move_to(connection, id, &setup.terminal)?;
            let asked = clipped(words);
            index(connection, question, &asked, &Words::default())?;
            let (question, last) = (Some(question), Some(question));
            written(tip, Some(ExchangeState { question, last, asked_at: at, asked, words: Words::default() }))
        }
        NewEntry::Message { kind, words, .. } => {
            let Some(mut exchange) = exchange.filter(|exchange| exchange.question.is_some()) else { return Ok(None) };
            exchange.last = Some(row(exchange.last, exchange.question, *kind)?);
            exchange.words.add(words);
            written(tip, Some(exchange))
        }
        NewEntry::End { figures, .. } => {
            let Some((exchange, question)) = exchange.and_then(|one| one.question.map(|id| (one, id))) else {
                return Ok(None);
            };
            let end = row(tip, exchange.question, EntryKind::End)?;
            if let Some(figures) = figures {
                count(connection, question, id, exchange.asked_at, figures)?;
            }
            index(connection, question, &exchange.asked, &exchange.words)?;
            written(Some(end), Some(exchange))
        }
        NewEntry::Compaction => written(Some(row(tip, None, EntryKind::Compaction)?), None),
        NewEntry::Rewind(exchanges) => {
            let target = before(connection, tip, *exchanges)?;
            written(Some(row(target, None, EntryKind::Rewind)?), None)
        }
        NewEntry::Name => row(tip, None, EntryKind::Name).and(written(tip, None)),
        NewEntry::Closed => row(None, None, EntryKind::Closed).and(written(tip, None)),
        NewEntry::Request(_) | NewEntry::Event => Ok(None),
    }
}

/// Writes the figures of a request that belongs to no question. Ids of questions are positive, its id is negative.
fn count_request(connection: &Connection, log: &LogState, at: i64, figures: &QueryFigures) -> Result<(), StoreError> {
    let sql = "SELECT min(coalesce(min(id), 0), 0) - 1 FROM queries";
    let request = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    count(connection, request, log.id.unwrap_or_default(), at - micros(figures.duration), figures)
}

/// The conversation that an entry is added to, and its tip. A question begins one; so does the first entry of a fork.
fn conversation(
    connection: &Connection,
    setup: &ConversationSetup,
    job: &EntryJob,
    log: &LogState,
) -> Result<Option<(i64, Option<i64>)>, StoreError> {
    if let Some(id) = log.id
        && exists(connection, id)?
    {
        return Ok(Some((id, log.tip)));
    }
    let cwd = match (&job.entry, log.forked_from) {
        (NewEntry::Question { cwd, .. }, _) => Some(PathBuf::from(OsStr::from_bytes(cwd))),
        (NewEntry::Compaction | NewEntry::Rewind(_) | NewEntry::Name, Some(entry)) => origin(connection, entry)?,
        (NewEntry::Message { .. } | NewEntry::Event | NewEntry::End { .. }, _) => None,
        (NewEntry::Closed | NewEntry::Request(_), _) | (_, None) => None,
    };
    let at = micros_since_1970(job.at);
    cwd.map(|cwd| Ok((begin(connection, setup, &cwd, log.forked_from, at)?, log.forked_from))).transpose()
}

/// The directory of the conversation that an entry belongs to.
fn origin(connection: &Connection, entry: i64) -> Result<Option<PathBuf>, StoreError> {
    let sql = "SELECT c.cwd FROM entries AS e JOIN conversations AS c ON c.id = e.conversation WHERE e.id = ?";
    let cwd = connection.prepare_cached(sql)?.query_row([entry], |row| row.get(0)).optional()?;
    Ok(cwd.map(entry::path))
}

/// Notes that a conversation has ended in order.
pub(super) fn close(connection: &Connection, conversation: i64, at: i64) -> Result<(), StoreError> {
    if exists(connection, conversation)? {
        add(connection, EntryRow { conversation, parent: None, exchange: None, kind: EntryKind::Closed, at }, "{}")?;
    }
    Ok(())
}

impl Words {
    /// Adds the words of a message, within limits.
    fn add(&mut self, words: &Words) {
        for (all, new) in [(&mut self.answer, &words.answer), (&mut self.work, &words.work)] {
            let room = EXCHANGE_WORDS.saturating_sub(all.len());
            if !new.is_empty() && room > 0 {
                all.push('\n');
                all.push_str(text::beginning(&clipped(new), room));
            }
        }
    }
}

/// The beginning and the end of a long text.
fn clipped(words: &str) -> String {
    crate::store::insert::ends(words.to_owned(), MESSAGE_WORDS)
}

struct EntryRow {
    conversation: i64,
    parent: Option<i64>,
    exchange: Option<i64>,
    kind: EntryKind,
    at: i64,
}

fn add(connection: &Connection, row: EntryRow, body: &str) -> Result<i64, StoreError> {
    let sql = "INSERT INTO entries (conversation, parent, exchange, kind, at, body) VALUES (?, ?, ?, ?, ?, ?)";
    let EntryRow { conversation, parent, exchange, kind, at } = row;
    connection.prepare_cached(sql)?.execute((conversation, parent, exchange, kind.name(), at, body))?;
    Ok(connection.last_insert_rowid())
}

pub(super) fn exists(connection: &Connection, conversation: i64) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM conversations WHERE id = ?")?.exists([conversation])?)
}

fn begin(
    connection: &Connection,
    setup: &ConversationSetup,
    cwd: &Path,
    forked_from: Option<i64>,
    at: i64,
) -> Result<i64, StoreError> {
    let sql = "INSERT INTO conversations (session, host, terminal, cwd, repository, forked_from, started_at)
               VALUES (?, ?, ?, ?, ?, ?, ?)";
    let repository = repository::real_root_or(cwd);
    connection.prepare_cached(sql)?.execute((
        &setup.session,
        &setup.host,
        &setup.terminal,
        TextOrBlob(cwd.as_os_str().as_bytes()),
        TextOrBlob(repository.as_os_str().as_bytes()),
        forked_from,
        at,
    ))?;
    Ok(connection.last_insert_rowid())
}

/// Notes that a conversation goes on in this terminal.
fn move_to(connection: &Connection, conversation: i64, terminal: &str) -> Result<(), StoreError> {
    let sql = "UPDATE conversation_list SET terminal = ?2 WHERE id = ?1 AND terminal <> ?2";
    connection.prepare_cached(sql)?.execute((conversation, terminal))?;
    Ok(())
}

/// Writes the row of the search index, in place of an earlier one for the same exchange.
fn index(connection: &Connection, question: i64, asked: &str, words: &Words) -> Result<(), StoreError> {
    let sql = "INSERT OR REPLACE INTO said (rowid, question, answer, work) VALUES (?, ?, ?, ?)";
    connection.prepare_cached(sql)?.execute((question, asked, &words.answer, &words.work))?;
    Ok(())
}

fn count(
    connection: &Connection,
    id: i64,
    conversation: i64,
    asked_at: i64,
    figures: &QueryFigures,
) -> Result<(), StoreError> {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let sql = "INSERT OR REPLACE INTO queries (id, conversation, asked_at, provider, model, input, output, cached,
                                               cache_written, cost, first_token, duration, ending)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    connection.prepare_cached(sql)?.execute((
        id,
        conversation,
        asked_at,
        &figures.provider,
        &figures.model,
        number(figures.input),
        number(figures.output),
        number(figures.cached),
        number(figures.cache_written),
        figures.cost,
        figures.first_token.map(micros),
        micros(figures.duration),
        &figures.ending,
    ))?;
    Ok(())
}

/// The entry before the last `exchanges` exchanges of a branch.
fn before(connection: &Connection, tip: Option<i64>, exchanges: usize) -> Result<Option<i64>, StoreError> {
    let mut parent = connection.prepare_cached("SELECT parent, kind FROM entries WHERE id = ?")?;
    let (mut at, mut left) = (tip, exchanges);
    while let Some(id) = at.filter(|_| left > 0) {
        let found: Option<(Option<i64>, String)> =
            parent.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((before, kind)) = found else { return Ok(None) };
        left -= usize::from(kind == EntryKind::End.name());
        at = before;
    }
    Ok(at)
}
