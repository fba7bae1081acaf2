//! Reads conversations.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension, Row};

use super::{ConversationLog, EntryKind, PictureFiles, live, unwritten};
use crate::repository;
use crate::store::insert::TextOrBlob;
use crate::store::{History, StoreError, entry};

/// Recorded conversations, open for reading while others write.
pub(crate) struct Conversations {
    pub(super) history: History,
    pub(super) path: PathBuf,
}

/// A conversation as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedConversation {
    pub id: i64,
    /// When something was said last.
    pub touched_at: SystemTime,
    pub repository: PathBuf,
    /// The title that the person gave.
    pub name: Option<String>,
    /// The beginning of the first question.
    pub opening: Option<String>,
    pub model: Option<String>,
    /// How many questions were asked.
    pub exchanges: u64,
    pub bytes: u64,
}

impl ListedConversation {
    /// The name, or else the beginning of the first question on one line.
    pub(crate) fn title(&self) -> String {
        let title = self.name.as_ref().or(self.opening.as_ref()).map_or("", String::as_str);
        title.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// One entry with its text, which is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredEntry {
    pub id: i64,
    /// The question that it belongs to.
    pub exchange: Option<i64>,
    pub kind: EntryKind,
    pub at: SystemTime,
    pub body: String,
}

/// Which conversations are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListScope<'a> {
    All,
    /// Those that were begun in the repository of this directory.
    Here(&'a Path),
}

pub(super) const LISTED: &str = "id, touched_at, repository, name, opening, model, exchanges, bytes";

impl Conversations {
    /// Opens the database at `path`. A missing file has no conversations.
    pub(crate) fn open(path: &Path) -> Result<Conversations, StoreError> {
        unwritten::write_now(path);
        Ok(Conversations { history: History::open(path)?, path: path.to_owned() })
    }

    /// The conversations that were used last, newest first.
    pub(crate) fn newest(&self, scope: ListScope<'_>, limit: usize) -> Result<Vec<ListedConversation>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let limit = i64::try_from(limit).unwrap_or(-1);
        let order = "ORDER BY touched_at DESC, id DESC LIMIT ?";
        match scope {
            ListScope::All => {
                let sql = format!("SELECT {LISTED} FROM conversation_list {order}");
                collect(connection, &sql, [limit], listed)
            }
            ListScope::Here(directory) => {
                let repository = repository::real_root_or(directory);
                let sql = format!("SELECT {LISTED} FROM conversation_list WHERE repository = ? {order}");
                collect(connection, &sql, (TextOrBlob(repository.as_os_str().as_bytes()), limit), listed)
            }
        }
    }

    /// One conversation as a list shows it.
    pub(crate) fn get(&self, id: i64) -> Result<Option<ListedConversation>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        let sql = format!("SELECT {LISTED} FROM conversation_list WHERE id = ?");
        Ok(connection.prepare_cached(&sql)?.query_row([id], listed).optional()?)
    }

    /// The pictures that entries refer to.
    pub(crate) fn pictures(&self) -> PictureFiles {
        PictureFiles::beside(&self.path)
    }

    /// Whether a conversation is in use by a running process.
    pub(crate) fn is_live(&self, id: i64) -> bool {
        live::is_live(&self.path, id)
    }

    /// The entries of a conversation as it stands: its exchanges in order, each from the question to its end, with what compacted or
    /// rewound it. Exchanges that have no end, because the process was killed or still runs, come last.
    pub(crate) fn branch(&self, id: i64) -> Result<Vec<StoredEntry>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let steps = steps(connection, newest_step(connection, id)?)?;
        let mut entries = self.entries_at(&steps)?;
        for (question, parent) in unfinished(connection, id)? {
            if parent.is_none_or(|parent| steps.iter().any(|(step, _)| *step == parent)) {
                entries.extend(self.entries_of(question)?);
            }
        }
        Ok(entries)
    }

    /// The same for a conversation that is being recorded, as far as it is written and without exchanges that have no end.
    pub(crate) fn written(&self, log: &ConversationLog) -> Result<Vec<StoredEntry>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        self.entries_at(&steps(connection, log.tip())?)
    }

    /// The entries that belong to these steps of a branch.
    fn entries_at(&self, steps: &[(i64, Option<i64>)]) -> Result<Vec<StoredEntry>, StoreError> {
        let mut entries = Vec::new();
        for (step, exchange) in steps {
            match exchange {
                Some(question) => entries.extend(self.entries_of(*question)?),
                None => entries.extend(self.entry(*step)?),
            }
        }
        Ok(entries)
    }

    /// The newest conversation with all of these words in its title, in any order.
    pub(crate) fn titled(&self, words: &str) -> Result<Option<ListedConversation>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let condition = vec!["instr(lower(coalesce(name, opening, '')), lower(?)) > 0"; words.len()].join(" AND ");
        let sql = format!("SELECT {LISTED} FROM conversation_list WHERE {condition} ORDER BY touched_at DESC LIMIT 1");
        Ok(connection.prepare_cached(&sql)?.query_row(rusqlite::params_from_iter(words), listed).optional()?)
    }

    /// The newest entry on the branch of a conversation.
    pub(super) fn tip(&self, id: i64) -> Result<Option<i64>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        newest_step(connection, id)
    }

    fn entry(&self, id: i64) -> Result<Option<StoredEntry>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        let sql = "SELECT id, exchange, kind, at, body FROM entries WHERE id = ?";
        Ok(connection.prepare_cached(sql)?.query_row([id], stored).optional()?.flatten())
    }

    /// The entries of an exchange, in order.
    pub(crate) fn entries_of(&self, question: i64) -> Result<Vec<StoredEntry>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let sql = "SELECT id, exchange, kind, at, body FROM entries WHERE id = ?1 AND kind = 'question'
                   UNION ALL SELECT id, exchange, kind, at, body FROM entries WHERE exchange = ?1 ORDER BY id";
        let entries: Vec<Option<StoredEntry>> = collect(connection, sql, [question], stored)?;
        Ok(entries.into_iter().flatten().collect())
    }
}

/// The newest entry on the branch of a conversation.
fn newest_step(connection: &Connection, id: i64) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT coalesce(
                   (SELECT max(id) FROM entries WHERE conversation = ?1 AND kind IN ('end', 'compaction', 'rewind')),
                   (SELECT forked_from FROM conversations WHERE id = ?1))";
    Ok(connection.prepare_cached(sql)?.query_row([id], |row| row.get(0))?)
}

/// The entries on the branch that ends here, with the questions of those that end an exchange, oldest first.
fn steps(connection: &Connection, tip: Option<i64>) -> Result<Vec<(i64, Option<i64>)>, StoreError> {
    let sql = "WITH RECURSIVE branch (id, parent, exchange, depth) AS (
                   SELECT id, parent, exchange, 0 FROM entries WHERE id = ?1
                   UNION ALL
                   SELECT e.id, e.parent, e.exchange, depth + 1 FROM branch AS b JOIN entries AS e ON e.id = b.parent)
               SELECT id, exchange FROM branch ORDER BY depth DESC";
    collect(connection, sql, [tip], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The questions of a conversation whose exchange has no end, with their parents.
fn unfinished(connection: &Connection, id: i64) -> Result<Vec<(i64, Option<i64>)>, StoreError> {
    let sql = "SELECT id, parent FROM entries AS q WHERE conversation = ? AND kind = 'question'
               AND NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.exchange = q.id AND e.kind = 'end') ORDER BY id";
    collect(connection, sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))
}

pub(super) fn collect<T>(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(values, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn listed(row: &Row<'_>) -> rusqlite::Result<ListedConversation> {
    let number = |index| row.get::<_, i64>(index).map(|value| u64::try_from(value).unwrap_or_default());
    Ok(ListedConversation {
        id: row.get(0)?,
        touched_at: entry::time(row.get(1)?),
        repository: entry::path(row.get(2)?),
        name: row.get(3)?,
        opening: row.get(4)?,
        model: row.get(5)?,
        exchanges: number(6)?,
        bytes: number(7)?,
    })
}

/// Reads `id, exchange, kind, at, body`; `None` for a kind that only a newer version knows.
pub(super) fn stored(row: &Row<'_>) -> rusqlite::Result<Option<StoredEntry>> {
    let Some(kind) = EntryKind::named(row.get_ref(2)?.as_str()?) else { return Ok(None) };
    let (id, exchange) = (row.get(0)?, row.get(1)?);
    Ok(Some(StoredEntry { id, exchange, kind, at: entry::time(row.get(3)?), body: row.get(4)? }))
}
