//! Removes conversations: those that the person wants forgotten, and the oldest ones beyond the limits.
//!
//! It is done in short transactions, so that other terminals can write meanwhile. The figures of the queries stay; they have no text.

use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::pictures::{self, PictureFiles};
use super::{Conversations, live};
use crate::store::StoreError;
use crate::store::forget::{PAUSE, give_back, merge_index};
use crate::store::insert::micros_since_1970;
use crate::store::prune::{self, Spare};

/// Entries that are removed in one transaction.
const SLICE: i64 = 200;

/// How long conversations are kept, and how many bytes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConversationLimits {
    pub age: Duration,
    pub bytes: u64,
}

#[cfg(test)]
impl Default for ConversationLimits {
    fn default() -> Self {
        Self { age: Duration::from_secs(365 * 24 * 60 * 60), bytes: 1024 * 1024 * 1024 }
    }
}

/// Which conversations to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForgetConversations {
    Ids(Vec<i64>),
    All,
}

impl Conversations {
    /// How many conversations there are.
    pub(crate) fn count(&self) -> Result<u64, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(0) };
        let count: i64 = connection.query_row("SELECT conversations FROM conversation_totals", [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Removes conversations with their text and their words in the index, and leaves no trace of them in the file. Returns the ids
    /// of those that were there.
    pub(crate) fn forget(&mut self, which: &ForgetConversations) -> Result<Vec<i64>, StoreError> {
        let ids = match which {
            ForgetConversations::Ids(ids) => ids.clone(),
            ForgetConversations::All => self.ids()?,
        };
        let files = self.pictures();
        let Some(connection) = self.history.connection_mut()? else { return Ok(Vec::new()) };
        connection.pragma_update_and_check(None, "secure_delete", "ON", |_| Ok(()))?;
        let mut removed = Vec::new();
        for id in ids {
            let is_there = connection.prepare_cached("SELECT 1 FROM conversations WHERE id = ?")?.exists([id])?;
            while is_there && !remove_some(connection, &files, id)? {
                // Other terminals get the lock only while it is free.
                thread::sleep(PAUSE);
            }
            removed.extend(is_there.then_some(id));
        }
        if !removed.is_empty()
            && let Err(error) = files.sweep(connection).and_then(|()| clean(connection))
        {
            tracing::warn!(%error, "traces of forgotten conversations are still in the history file");
        }
        Ok(removed)
    }

    fn ids(&self) -> Result<Vec<i64>, StoreError> {
        let Some(connection) = self.history.connection() else { return Ok(Vec::new()) };
        super::read::collect(connection, "SELECT id FROM conversations ORDER BY id", [], |row| row.get(0))
    }
}

/// Removes a part of the oldest conversation that is beyond the limits, in one short transaction. Returns whether there may be more.
/// Conversations in use stay.
pub(super) fn prune_some(
    connection: &mut Connection,
    database: &std::path::Path,
    limits: ConversationLimits,
) -> Result<bool, StoreError> {
    let oldest = micros_since_1970(SystemTime::now().checked_sub(limits.age).unwrap_or(SystemTime::UNIX_EPOCH));
    let bytes = i64::try_from(limits.bytes).unwrap_or(i64::MAX);
    let sql = "SELECT id FROM conversation_list
               WHERE touched_at < ?1 OR (SELECT bytes FROM conversation_totals) > ?2 ORDER BY touched_at LIMIT 1";
    let due: Option<i64> = connection.prepare_cached(sql)?.query_row((oldest, bytes), |row| row.get(0)).optional()?;
    let Some(id) = due.filter(|id| !live::is_live(database, *id)) else {
        return prune::give_back_some(connection, Spare::Quarter);
    };
    remove_some(connection, &PictureFiles::beside(database), id)?;
    Ok(true)
}

/// Removes some entries of a conversation with pictures that nothing else refers to, and the conversation with the last of them. Returns whether it is gone.
fn remove_some(connection: &mut Connection, files: &PictureFiles, id: i64) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let slice = "SELECT id FROM entries WHERE conversation = ? ORDER BY id LIMIT ?";
    let sql = format!("SELECT DISTINCT hash FROM pictures WHERE entry IN ({slice})");
    let shown: Vec<String> = super::read::collect(&transaction, &sql, (id, SLICE), |row| row.get(0))?;
    let sql = format!("DELETE FROM entries WHERE id IN ({slice})");
    let removed = transaction.prepare_cached(&sql)?.execute((id, SLICE))?;
    pictures::remove_unused(&transaction, files, &shown)?;
    let is_gone = removed < SLICE as usize;
    if is_gone {
        transaction.prepare_cached("DELETE FROM conversations WHERE id = ?")?.execute([id])?;
    }
    transaction.commit()?;
    Ok(is_gone)
}

/// Removes from the file what nothing refers to any more.
fn clean(connection: &Connection) -> Result<(), StoreError> {
    merge_index(connection, "said")?;
    give_back(connection, Spare::Quarter)
}
