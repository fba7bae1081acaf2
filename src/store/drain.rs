//! Copies records from a journal into the database, each of them once.

use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::journal::{self, JournalItem, Kept, Source};
use super::{StoreError, file, insert, schema};
use crate::text::MIB;

/// At most this many records, and about this many bytes, in one transaction; other terminals wait for it.
const SLICE: usize = 128;
const SLICE_BYTES: usize = MIB;
/// How long a reader waits for the database's lock to copy leftovers.
const PATIENCE: Duration = Duration::from_secs(1);

/// A part of a journal that is copied in one transaction.
struct Slice {
    records: Vec<(u64, Kept, String)>,
    last: u64,
    end: u64,
}

/// Result of one transaction.
#[derive(Debug)]
pub(super) struct Copied {
    /// Offset to read on from.
    pub(super) at: u64,
    /// Sequence number of the last record that the database has now.
    pub(super) last: u64,
    /// Sequence numbers with the ids the records got.
    pub(super) ids: Vec<(u64, i64)>,
}

/// Copies records from `from` on in one transaction; `None` when there are none up to `to`.
pub(super) fn copy(
    connection: &mut Connection,
    source: &Source,
    from: u64,
    to: u64,
) -> Result<Option<Copied>, StoreError> {
    let Some(slice) = read(source, from, to).map_err(StoreError::Journal)? else { return Ok(None) };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A newer program may have migrated the tables in the meantime.
    schema::version(&transaction)?;
    let written: Option<i64> = transaction
        .prepare_cached("SELECT written FROM journals WHERE id = ?")?
        .query_row([&source.id], |row| row.get(0))
        .optional()?;
    let written = written.map_or(0, |written| written as u64);
    let mut ids = Vec::with_capacity(slice.records.len());
    for (sequence, kept, searched) in slice.records.iter().filter(|(sequence, ..)| *sequence > written) {
        ids.push((*sequence, insert::insert(&transaction, &source.session, kept, searched)?));
    }
    transaction
        .prepare_cached("INSERT INTO journals VALUES (?, ?) ON CONFLICT DO UPDATE SET written = excluded.written")?
        .execute((&source.id, slice.last.max(written) as i64))?;
    transaction.commit()?;
    Ok(Some(Copied { at: slice.end, last: slice.last, ids }))
}

/// Reads a slice, with the text to search each record by. That text is slow to make, so the database is not locked yet.
fn read(source: &Source, from: u64, to: u64) -> io::Result<Option<Slice>> {
    let mut slice = Slice { records: Vec::new(), last: 0, end: from };
    let mut frames = source.frames(from, to);
    while slice.records.len() < SLICE && slice.end - from < SLICE_BYTES as u64 {
        let Some(frame) = frames.next().transpose()? else { break };
        match JournalItem::decode(&frame.payload) {
            Some(JournalItem::Command(kept)) => {
                let searched = insert::searched(&kept.record);
                slice.records.push((frame.sequence, kept, searched));
            }
            None => tracing::warn!(sequence = frame.sequence, "a record of an unknown kind was left out"),
        }
        (slice.last, slice.end) = (frame.sequence, frame.end);
    }
    Ok((slice.end > from).then_some(slice))
}

/// Copies the journals of ended sessions and removes them. If the database stays locked, they are left for the next program.
pub(crate) fn copy_leftovers(database: &Path) -> Result<(), StoreError> {
    if !journal::has_leftovers(database) {
        return Ok(());
    }
    file::create(database)?;
    journal::adopt(database);
    let mut connection = file::connect(database, PATIENCE)?;
    let mut after = None;
    while let Some(claimed) = journal::claim_next(database, after.as_deref()) {
        let mut at = claimed.source.start();
        while let Some(copied) = copy(&mut connection, &claimed.source, at, claimed.end)? {
            at = copied.at;
        }
        after = Some(claimed.source.id.clone());
        claimed.remove();
    }
    Ok(())
}

/// Removes the rows of journals that no longer exist.
pub(super) fn forget_journals(connection: &mut Connection, database: &Path) -> Result<(), StoreError> {
    // A journal is there before the database knows it, so one that is missing after this question was removed.
    let known: Vec<String> =
        connection.prepare("SELECT id FROM journals")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let gone: Vec<String> = known.into_iter().filter(|id| !journal::exists(database, id)).collect();
    if gone.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for id in gone {
        transaction.prepare_cached("DELETE FROM journals WHERE id = ?")?.execute([id])?;
    }
    Ok(transaction.commit()?)
}
