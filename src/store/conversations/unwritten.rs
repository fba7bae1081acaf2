//! Entries that a session could not write before it ended, because the database was locked. They wait in a file beside the database
//! until a program opens the conversations again.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, TransactionBehavior};
use serde::{Deserialize, Serialize};

use super::log::{ConversationSetup, EntryJob, ExchangeShared, ExchangeState, LogShared, LogState, NewEntry};
use super::pictures::KeptPicture;
use super::{ConversationLimits, insert};
use crate::store::insert::micros_since_1970;
use crate::store::{StoreError, entry, file};

/// How long to wait for a locked database.
const PATIENCE: Duration = Duration::from_millis(200);

/// The content of a file. Entries name their conversation and their exchange by its place in the list.
#[derive(Serialize, Deserialize)]
struct UnwrittenFile {
    session: String,
    host: String,
    terminal: String,
    logs: Vec<LogState>,
    exchanges: Vec<ExchangeState>,
    entries: Vec<UnwrittenEntry>,
}

#[derive(Serialize, Deserialize)]
struct UnwrittenEntry {
    log: usize,
    exchange: Option<usize>,
    at: i64,
    body: String,
    pictures: Vec<KeptPicture>,
    entry: NewEntry,
}

/// Keeps entries for the next program.
pub(super) fn put_aside(setup: &ConversationSetup, jobs: Vec<EntryJob>) -> io::Result<()> {
    if jobs.is_empty() {
        return Ok(());
    }
    let (mut logs, mut exchanges) = (Vec::new(), Vec::new());
    let mut entries = Vec::new();
    for EntryJob { log, exchange, at, body, pictures, entry } in jobs {
        let log = place(&mut logs, log);
        let exchange = exchange.map(|exchange| place(&mut exchanges, exchange));
        entries.push(UnwrittenEntry { log, exchange, at: micros_since_1970(at), body, pictures, entry });
    }
    let content = UnwrittenFile {
        session: setup.session.clone(),
        host: setup.host.clone(),
        terminal: setup.terminal.clone(),
        logs: logs.iter().map(|log: &Arc<LogShared>| log.lock().without_lock()).collect(),
        exchanges: exchanges.iter().map(|exchange: &Arc<ExchangeShared>| exchange.lock().clone()).collect(),
        entries,
    };
    let directory = directory(&setup.database);
    DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
    let name = format!("{}-{}", std::process::id(), micros_since_1970(SystemTime::now()));
    let new = directory.join(format!("{name}.new"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(&serde_json::to_vec(&content)?)?;
    file.sync_all()?;
    fs::rename(new, directory.join(format!("{name}.json")))
}

/// The place of a value in a list, to which it is added if it is not there yet.
fn place<T>(list: &mut Vec<Arc<T>>, value: Arc<T>) -> usize {
    list.iter().position(|one| Arc::ptr_eq(one, &value)).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}

/// The files that wait to be written.
fn waiting(database: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(directory(database)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    files
}

/// Writes what waits, if anything does. A database that is locked now is written later.
pub(super) fn write_now(database: &Path) {
    let files = waiting(database);
    if files.is_empty() {
        return;
    }
    let written = file::connect(database, PATIENCE).and_then(|mut connection| write(&mut connection, database, &files));
    if let Err(error) = written {
        tracing::warn!(%error, "the end of an earlier conversation is not written yet");
    }
}

/// Writes these files. One that cannot be read is kept, under a name that is not looked for again.
fn write(connection: &mut Connection, database: &Path, files: &[PathBuf]) -> Result<(), StoreError> {
    for path in files {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another program may have been here before.
        let Ok(content) = fs::read(path) else { continue };
        let mark = format!("conversations/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let is_written = transaction.prepare_cached("SELECT 1 FROM journals WHERE id = ?")?.exists([&mark])?;
        match serde_json::from_slice::<UnwrittenFile>(&content) {
            Ok(file) if !is_written => {
                file.write(&transaction, database)?;
                transaction.execute("INSERT INTO journals (id, written) VALUES (?, 1)", [&mark])?;
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "entries of a conversation cannot be read");
                let _ = fs::rename(path, path.with_extension("damaged"));
            }
        }
        transaction.commit()?;
        let _ = fs::remove_file(path);
        connection.execute("DELETE FROM journals WHERE id = ?", [&mark])?;
    }
    Ok(())
}

impl UnwrittenFile {
    fn write(self, connection: &Connection, database: &Path) -> Result<(), StoreError> {
        let UnwrittenFile { session, host, terminal, logs, exchanges, entries } = self;
        // Nothing is removed here, so there are no limits.
        let limits = ConversationLimits { age: Duration::MAX, bytes: u64::MAX };
        let setup = ConversationSetup { database: database.to_owned(), session, host, terminal, limits };
        let logs: Vec<_> = logs.into_iter().map(|state| Arc::new(LogShared::new(state))).collect();
        let exchanges: Vec<_> = exchanges.into_iter().map(|state| Arc::new(ExchangeShared::new(state))).collect();
        for UnwrittenEntry { log, exchange, at, body, pictures, entry } in entries {
            let Some(log) = logs.get(log).cloned() else { continue };
            let exchange = exchange.and_then(|exchange| exchanges.get(exchange).cloned());
            let job = EntryJob { log, exchange, at: entry::time(at), body, pictures, entry };
            if let Some(written) = insert::write(connection, &setup, &job)? {
                job.note(written);
            }
        }
        Ok(())
    }
}

fn directory(database: &Path) -> PathBuf {
    database.parent().unwrap_or(Path::new(".")).join("unwritten")
}
