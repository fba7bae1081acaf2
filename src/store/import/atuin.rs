//! Atuin's database.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};

use super::lines::LONGEST;
use super::{ForeignCommand, ForeignItem, ImportError};
use crate::store::StoreError;

/// Atuin writes this if it does not know a directory.
const UNKNOWN: &[u8] = b"unknown";

/// Hands out the newest commands of the database, the oldest of them first. `most` is how many.
pub(super) fn read(
    path: &Path,
    most: u64,
    visit: &mut dyn FnMut(ForeignItem) -> Result<(), StoreError>,
) -> Result<(), ImportError> {
    let bad = |source: rusqlite::Error| ImportError::Database { path: path.to_owned(), source };
    let connection = open(path).map_err(bad)?;
    let columns = columns(&connection).map_err(bad)?;
    if !["timestamp", "command"].iter().all(|needed| columns.iter().any(|name| name == needed)) {
        return Err(ImportError::NotAtuin(path.to_owned()));
    }
    let sql = query(&columns, most);
    let mut statement = connection.prepare(&sql).map_err(bad)?;
    let mut rows = statement.query([]).map_err(bad)?;
    while let Some(row) = rows.next().map_err(bad)? {
        let item = item(row).map_err(bad)?;
        visit(item).map_err(ImportError::Store)?;
    }
    Ok(())
}

/// Opens the database to read it. Nothing in it is called: a view or a trigger of a strange file could run for ever.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// The columns of the table with the history. None if it is not a table.
fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT i.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS i
               WHERE t.type = 'table' AND t.name = 'history' AND t.sql NOT LIKE 'CREATE VIRTUAL%'";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// A query for the columns that are there. Older versions of Atuin have no `deleted_at`.
fn query(columns: &[String], most: u64) -> String {
    let or_null = |name: &str| match columns.iter().any(|column| column == name) {
        true => name.to_owned(),
        false => "NULL".to_owned(),
    };
    let wanted = ["duration", "exit", "cwd", "session", "hostname"].map(or_null).join(", ");
    format!(
        "SELECT timestamp, iif(length(command) <= {LONGEST}, command, NULL), {wanted} FROM
             (SELECT * FROM history WHERE {} IS NULL ORDER BY timestamp DESC LIMIT {most})
         ORDER BY timestamp",
        or_null("deleted_at")
    )
}

fn item(row: &Row<'_>) -> rusqlite::Result<ForeignItem> {
    let bytes = |column: usize| match row.get_ref(column)?.as_bytes_or_null() {
        Ok(bytes) => Ok(bytes.map(<[u8]>::to_vec)),
        // A number in a column of texts is nothing that Atuin wrote.
        Err(_) => Ok::<_, rusqlite::Error>(None),
    };
    let number = |column: usize| row.get_ref(column).map(|value| value.as_i64().ok());
    let text = |column: usize| {
        Ok::<_, rusqlite::Error>(bytes(column)?.map(|text| String::from_utf8_lossy(&text).into_owned()))
    };
    let Some(command) = bytes(1)?.filter(|command| command.len() <= LONGEST) else { return Ok(ForeignItem::TooLong) };
    let host = text(6)?.map(|host| host.split(':').next().unwrap_or_default().to_owned());
    Ok(ForeignItem::Command(ForeignCommand {
        text: command,
        started_at: number(0)?.map(|nanos| nanos.div_euclid(1_000)),
        duration: number(2)?.filter(|nanos| *nanos > 0).map(|nanos| nanos / 1_000),
        // -1 stands for a status that Atuin does not know.
        status: number(3)?.filter(|status| *status >= 0).and_then(|status| i32::try_from(status).ok()),
        cwd: bytes(4)?.filter(|cwd| !cwd.is_empty() && cwd != UNKNOWN),
        session: text(5)?,
        host,
    }))
}
