//! The reading side.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params_from_iter};

use super::entry::{self, COLUMNS, Entry, Stored};
use super::insert::{Bytes, micros_since_1970};
use super::search::Query;
use super::{StoreError, file, schema};

/// Which commands; the default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Started in this directory or below it. Absolute, as the shell knows it.
    pub cwd: Option<PathBuf>,
    /// Only those with a status other than 0.
    pub failed: bool,
    /// Started then or later.
    pub since: Option<SystemTime>,
    pub session: Option<String>,
    /// The newest so many.
    pub limit: Option<usize>,
}

/// The history, open for reading while others write.
pub struct History {
    /// None: nothing has been recorded yet.
    connection: Option<Connection>,
    path: PathBuf,
}

impl History {
    /// Opens the database at `path`. None there is an empty history.
    pub fn open(path: &Path) -> Result<History, StoreError> {
        let connection = match fs::metadata(path) {
            Ok(_) => Some(connect(path)?),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
            Err(source) => return Err(StoreError::Look { path: path.to_owned(), source }),
        };
        Ok(History { connection, path: path.to_owned() })
    }

    /// The commands that pass the filter, oldest first.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        self.select("commands AS c", Conditions::of(filter), filter)
    }

    /// The commands that pass the filter and have all the words in their text or output, oldest first. No words, no commands.
    pub fn find<S: AsRef<str>>(&self, words: &[S], filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let query = Query::new(words);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let mut conditions = Conditions::of(filter);
        for sign in query.signs {
            conditions.and("instr(c.text, ?) > 0", [Value::Text(sign)]);
        }
        let Some(indexed) = query.indexed else { return self.select("commands AS c", conditions, filter) };
        conditions.and("words MATCH ?", [Value::Text(indexed)]);
        self.select("words CROSS JOIN commands AS c ON c.id = words.rowid", conditions, filter)
    }

    /// One command with its output.
    pub fn get(&self, id: i64) -> Result<Option<Stored>, StoreError> {
        let Some(connection) = &self.connection else { return Ok(None) };
        let sql = format!(
            "SELECT {COLUMNS}, o.rows, o.cols, o.head, o.tail, c.missing FROM commands AS c JOIN outputs AS o USING (id) WHERE id = ?"
        );
        Ok(connection.prepare_cached(&sql)?.query_row([id], entry::stored).optional()?)
    }

    /// Whether a command refers to this spill file.
    pub(super) fn names_spill(&self, path: &Path) -> Result<bool, StoreError> {
        let Some(connection) = &self.connection else { return Ok(false) };
        let name = Bytes(path.as_os_str().as_bytes());
        Ok(connection.prepare_cached("SELECT 1 FROM commands WHERE spill = ?")?.exists([name])?)
    }

    pub(super) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }

    pub(super) fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn select(&self, from: &str, conditions: Conditions, filter: &Filter) -> Result<Vec<Entry>, StoreError> {
        let Some(connection) = &self.connection else { return Ok(Vec::new()) };
        let Conditions { sql, mut values } = conditions;
        // The index hands out its rows by id, newest first, as long as the order is asked of it.
        let id = if from.starts_with("words") { "words.rowid" } else { "c.id" };
        let sql = format!("SELECT {COLUMNS} FROM {from} WHERE {sql} ORDER BY {id} DESC LIMIT ?");
        let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(-1));
        values.push(Value::Integer(limit));
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), entry::entry)?;
        let mut entries = rows.collect::<Result<Vec<_>, _>>()?;
        entries.reverse();
        Ok(entries)
    }
}

/// A database that may not be changed can still be read.
fn connect(path: &Path) -> Result<Connection, StoreError> {
    match file::connect(path, file::Patience::Some) {
        Err(StoreError::ReadOnly(_) | StoreError::Open(_)) => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            schema::version(&connection)?;
            Ok(connection)
        }
        other => other,
    }
}

/// A WHERE clause under construction.
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn of(filter: &Filter) -> Conditions {
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
        if let Some(session) = &filter.session {
            conditions.and("c.session = ?", [Value::Text(session.clone())]);
        }
        conditions
    }

    fn and(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
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
