//! Finds exchanges by their words.

use std::path::PathBuf;
use std::time::SystemTime;

use rusqlite::{OptionalExtension, Row};

use super::read::collect;
use super::{Conversations, StoredEntry};
use crate::store::search::{LastWord, SearchTerms};
use crate::store::{StoreError, entry};

/// Where words are looked for, one after the other. A ranking by `bm25` would read every exchange that has a common word.
const COLUMNS: [&str; 3] = ["question", "{question answer}", "{question answer work}"];

/// An exchange that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundExchange {
    /// The id of its question.
    pub id: i64,
    pub conversation: i64,
    /// The title of the conversation: its name, or the beginning of its first question.
    pub title: String,
    pub repository: PathBuf,
    pub asked_at: SystemTime,
    /// The person's own words, at most the first 2,000 characters.
    pub question: String,
}

/// One exchange with all of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredExchange {
    pub found: FoundExchange,
    pub entries: Vec<StoredEntry>,
}

/// The columns of a found exchange, of `entries AS e JOIN conversation_list AS l`.
const FOUND: &str = "e.id, e.conversation, coalesce(l.name, l.opening, ''), l.repository, e.at, \
                     substr(json_extract(e.body, '$.question'), 1, 2000)";

impl Conversations {
    /// The exchanges that have all of these words, best first: those with the words in the question, then in the question or the
    /// answer, then anywhere; newer ones first. If there are none, the last word may be unfinished. No words, no exchanges.
    pub(crate) fn search<S: AsRef<str>>(&self, words: &[S], limit: usize) -> Result<Vec<FoundExchange>, StoreError> {
        let mut all: Vec<FoundExchange> = Vec::new();
        for last in [LastWord::Whole, LastWord::Unfinished] {
            for columns in COLUMNS {
                let Some(phrases) = SearchTerms::new(words, last).indexed else { return Ok(all) };
                let more = self.newest_matching(&format!("{columns} : ({phrases})"), limit)?;
                all.extend(
                    more.into_iter().filter(|one| !all.iter().any(|known| known.id == one.id)).collect::<Vec<_>>(),
                );
                if all.len() >= limit {
                    all.truncate(limit);
                    return Ok(all);
                }
            }
            if !all.is_empty() {
                break;
            }
        }
        Ok(all)
    }

    /// The newest exchanges that match a query of the index. It hands out its rows by id, so no more of them are read than wanted.
    fn newest_matching(&self, query: &str, limit: usize) -> Result<Vec<FoundExchange>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {FOUND} FROM said CROSS JOIN entries AS e ON e.id = said.rowid
                                 CROSS JOIN conversation_list AS l ON l.id = e.conversation
             WHERE said MATCH ? ORDER BY said.rowid DESC LIMIT ?"
        );
        collect(connection, &sql, (query, bounded(limit)), found)
    }

    /// The newest exchanges, newest first. `before` is an exchange that they come before, to read on.
    pub(crate) fn newest_exchanges(&self, before: Option<i64>, limit: usize) -> Result<Vec<FoundExchange>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {FOUND} FROM entries AS e JOIN conversation_list AS l ON l.id = e.conversation
             WHERE e.kind = 'question' AND e.id < ? ORDER BY e.id DESC LIMIT ?"
        );
        collect(connection, &sql, (before.unwrap_or(i64::MAX), bounded(limit)), found)
    }

    /// One exchange.
    pub(crate) fn exchange(&self, id: i64) -> Result<Option<StoredExchange>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(None) };
        let sql = format!(
            "SELECT {FOUND} FROM entries AS e JOIN conversation_list AS l ON l.id = e.conversation
             WHERE e.id = ? AND e.kind = 'question'"
        );
        let found = connection.prepare_cached(&sql)?.query_row([id], found).optional()?;
        found.map(|found| Ok(StoredExchange { found, entries: self.entries_of(id)? })).transpose()
    }
}

fn bounded(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn found(row: &Row<'_>) -> rusqlite::Result<FoundExchange> {
    Ok(FoundExchange {
        id: row.get(0)?,
        conversation: row.get(1)?,
        title: row.get(2)?,
        repository: entry::path(row.get(3)?),
        asked_at: entry::time(row.get(4)?),
        question: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
    })
}
