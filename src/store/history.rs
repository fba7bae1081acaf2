//! Reading the history.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params_from_iter};

use super::entry::{self, COLUMNS, HistoryEntry, StoredCommand};
use super::file::DatabaseFormat;
use super::insert::{TextOrBlob, micros_since_1970};
use super::order::{CommandSource, Direction, HistoryPosition, HistorySpan, OrderedQuery};
use super::search::{LastWord, SearchTerms};
use super::{StoreError, file};

/// What a look at the whole database has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Soundness {
    Sound,
    /// It could not be read to its end in time.
    TooLarge,
}

/// Selects commands; the default selects all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Only those started in this directory or below it: an absolute path, as the shell reports it.
    pub cwd: Option<PathBuf>,
    /// Only those with a status other than 0.
    pub failed: bool,
    /// Only those started at this time or later.
    pub since: Option<SystemTime>,
    pub session: Option<String>,
    /// Only those that shellmate has recorded itself. The others, which were imported, have no output.
    pub recorded: bool,
    /// At most this many, the newest ones.
    pub limit: Option<usize>,
}

/// Number of commands read at a time.
const PAGE: usize = 500;

/// The history, open for reading while others write.
pub(crate) struct History {
    /// `None` if nothing has been recorded yet.
    connection: Option<Connection>,
    /// Why the database can only be read, if so.
    refusal: Option<StoreError>,
    path: PathBuf,
}

impl History {
    /// Opens the database at `path`. A missing file is an empty history.
    pub(crate) fn open(path: &Path) -> Result<History, StoreError> {
        let (connection, refusal) = match fs::metadata(path) {
            Ok(_) => connect(path).map(|(connection, refusal)| (Some(connection), refusal))?,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                (None, None)
            }
            Err(source) => return Err(StoreError::Look { path: path.to_owned(), source }),
        };
        Ok(History { connection, refusal, path: path.to_owned() })
    }

    /// Reads the whole database to see whether it is sound, for as long as `patience` lasts.
    pub(crate) fn soundness(&self, patience: Duration) -> Result<Soundness, StoreError> {
        let Some(connection) = &self.connection else { return Ok(Soundness::Sound) };
        let (handle, (done, is_done)) = (connection.get_interrupt_handle(), channel::<()>());
        let timer = std::thread::spawn(move || {
            if is_done.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                handle.interrupt();
            }
        });
        let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        drop(done);
        let _ = timer.join();
        match verdict {
            Ok(verdict) if verdict == "ok" => Ok(Soundness::Sound),
            Ok(verdict) => Err(StoreError::Unsound(verdict)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Ok(Soundness::TooLarge),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the database at `path` without a lock that a writer would have to wait for, unless it is in an older format.
    pub(super) fn open_unlocked(path: &Path) -> Result<History, StoreError> {
        if !path.exists() {
            return History::open(path);
        }
        match file::connect_unlocked(path)? {
            DatabaseFormat::Ours(connection) => {
                Ok(History { connection: Some(connection), refusal: None, path: path.to_owned() })
            }
            DatabaseFormat::Empty => Ok(History { connection: None, refusal: None, path: path.to_owned() }),
            DatabaseFormat::Older => History::open(path),
        }
    }

    /// The commands that pass the filter, oldest first.
    pub(crate) fn list(&self, filter: &Filter) -> Result<Vec<HistoryEntry>, StoreError> {
        collect(|visit| self.for_each(filter, visit))
    }

    /// Hands out the commands that pass the filter one by one, oldest first, however many there are.
    pub(crate) fn for_each<E: From<StoreError>>(
        &self,
        filter: &Filter,
        visit: impl FnMut(HistoryEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        self.select(CommandSource::Commands, Conditions::of(filter), filter, visit)
    }

    /// How many commands pass the filter, whatever its limit.
    pub(crate) fn count(&self, filter: &Filter) -> Result<usize, StoreError> {
        let Some(connection) = &self.connection else { return Ok(0) };
        let Conditions { sql, values } = Conditions::of(filter);
        let sql = format!("SELECT count(*) FROM commands AS c WHERE {sql}");
        let count: i64 =
            connection.query_row(&sql, params_from_iter(values), |row| row.get(0)).map_err(StoreError::from)?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The commands that pass the filter and have all the words in their text or output, oldest first. No words, no commands.
    #[cfg(test)]
    pub(crate) fn find<S: AsRef<str>>(&self, words: &[S], filter: &Filter) -> Result<Vec<HistoryEntry>, StoreError> {
        collect(|visit| self.for_each_found(words, filter, visit))
    }

    /// The same, one by one.
    pub(crate) fn for_each_found<S: AsRef<str>, E: From<StoreError>>(
        &self,
        words: &[S],
        filter: &Filter,
        visit: impl FnMut(HistoryEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = SearchTerms::new(words, LastWord::Unfinished);
        if query.is_empty() {
            return Ok(());
        }
        let (source, conditions) = Conditions::of(filter).matching(query);
        self.select(source, conditions, filter, visit)
    }

    /// One command with its output.
    pub(crate) fn get(&self, id: i64) -> Result<Option<StoredCommand>, StoreError> {
        let Some(connection) = &self.connection else { return Ok(None) };
        let sql = format!(
            "SELECT {COLUMNS}, o.rows, o.cols, o.head, o.tail, c.missing FROM commands AS c JOIN outputs AS o USING (id) WHERE id = ?"
        );
        Ok(connection.prepare_cached(&sql)?.query_row([id], entry::stored).optional()?)
    }

    /// Whether a command refers to this spill file.
    pub(super) fn names_spill(&self, path: &Path) -> Result<bool, StoreError> {
        let Some(connection) = &self.connection else { return Ok(false) };
        let name = TextOrBlob(path.as_os_str().as_bytes());
        Ok(connection.prepare_cached("SELECT 1 FROM commands WHERE spill = ?")?.exists([name])?)
    }

    pub(super) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    /// The connection to change something with, or the reason why that is impossible.
    pub(super) fn connection_mut(&mut self) -> Result<Option<&mut Connection>, StoreError> {
        match self.refusal.take() {
            Some(refusal) => Err(refusal),
            None => Ok(self.connection.as_mut()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a page at a time, so that neither memory nor, behind a pager, a transaction grows with the history.
    fn select<E: From<StoreError>>(
        &self,
        source: CommandSource,
        conditions: Conditions,
        filter: &Filter,
        mut visit: impl FnMut(HistoryEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(connection) = &self.connection else { return Ok(()) };
        let Conditions { sql, values } = conditions;
        let query = OrderedQuery {
            columns: COLUMNS,
            source,
            condition: &sql,
            values: &values,
            direction: Direction::OldestFirst,
            most: PAGE as i64,
        };
        let mut span = HistorySpan::so_far(connection)?;
        if filter.recorded {
            span.leave_out_imported();
        }
        // Without a limit the first command needs no search.
        let span = match filter.limit {
            None => span,
            Some(limit) => newest_of(connection, &query, &span, limit)?,
        };
        let mut position = HistoryPosition::START;
        loop {
            let mut page = Vec::new();
            position = query.visit(connection, &span.behind(position), position, |row| -> Result<_, StoreError> {
                page.push(entry::entry(row)?);
                Ok(if page.len() < PAGE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            })?;
            if page.is_empty() {
                return Ok(());
            }
            page.into_iter().try_for_each(&mut visit)?;
        }
    }
}

/// The part of a span with the newest commands of a query, at most this many.
fn newest_of(
    connection: &Connection,
    query: &OrderedQuery<'_>,
    span: &HistorySpan,
    limit: usize,
) -> Result<HistorySpan, StoreError> {
    let most = i64::try_from(limit).unwrap_or(-1);
    let query = OrderedQuery { columns: "c.id", direction: Direction::NewestFirst, most, ..*query };
    let mut left = limit;
    if left == 0 {
        return Ok(span.since(HistoryPosition::END));
    }
    let oldest = query.visit(connection, span, HistoryPosition::END, |_| -> Result<_, StoreError> {
        left -= 1;
        Ok(if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(span.since(oldest))
}

fn collect(
    list: impl FnOnce(&mut dyn FnMut(HistoryEntry) -> Result<(), StoreError>) -> Result<(), StoreError>,
) -> Result<Vec<HistoryEntry>, StoreError> {
    let mut entries = Vec::new();
    list(&mut |entry| {
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}

/// Opens a database to read it. One that cannot be changed, because of its permissions or a full disk, can still be read.
fn connect(path: &Path) -> Result<(Connection, Option<StoreError>), StoreError> {
    match file::connect(path, file::READER) {
        Ok(connection) => Ok((connection, None)),
        Err(error @ (StoreError::ReadOnly(_) | StoreError::Open(_) | StoreError::Full(_) | StoreError::Sql(_))) => {
            match file::connect_read_only(path) {
                Ok(connection) => Ok((connection, Some(error))),
                Err(_) => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// A WHERE clause under construction.
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    pub(super) fn of(filter: &Filter) -> Conditions {
        let mut conditions = Conditions { sql: "true".to_owned(), values: Vec::new() };
        if let Some(cwd) = &filter.cwd {
            conditions.below(cwd);
        }
        if filter.failed {
            conditions.and("c.status <> 0", []);
        }
        if let Some(since) = filter.since {
            conditions.and("c.started_at >= ?", [Value::Integer(micros_since_1970(since))]);
        }
        if filter.recorded {
            conditions.and("c.id > 0", []);
        }
        if let Some(session) = &filter.session {
            conditions.and("c.session = ?", [Value::Text(session.clone())]);
        }
        conditions
    }

    /// Adds a search. Returns what to select from.
    pub(super) fn matching(mut self, query: SearchTerms) -> (CommandSource, Conditions) {
        for sign in query.signs {
            self.and("instr(c.text, ?) > 0", [Value::Text(sign)]);
        }
        let Some(indexed) = query.indexed else { return (CommandSource::Commands, self) };
        self.and("words MATCH ?", [Value::Text(indexed)]);
        (CommandSource::Words, self)
    }

    pub(super) fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    /// A path below `/a` is one from `/a/` up to `/a0`, since `0` follows `/`. Paths are compared as bytes because some are
    /// stored as text and some, below the same directory, as blobs.
    fn below(&mut self, directory: &Path) {
        let mut exact = directory.as_os_str().as_bytes().to_vec();
        while exact.len() > 1 && exact.ends_with(b"/") {
            exact.pop();
        }
        let from = if exact == b"/" { exact.clone() } else { [&exact[..], b"/"].concat() };
        let mut to = from.clone();
        if let Some(last) = to.last_mut() {
            *last += 1;
        }
        self.and(
            "(CAST(c.cwd AS BLOB) = ? OR CAST(c.cwd AS BLOB) >= ? AND CAST(c.cwd AS BLOB) < ?)",
            [Value::Blob(exact), Value::Blob(from), Value::Blob(to)],
        );
    }
}
