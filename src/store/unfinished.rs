//! Finds the words that an unfinished word may stand for.
//!
//! The index can search for the beginning of a word itself, but then it first collects all rows of all words that begin so, which takes
//! long in a long history. A few whole words are searched row by row instead.

use std::ops::ControlFlow;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

use super::order::{CommandSource, Direction, HistoryPosition, HistorySpan, OrderedQuery};
use super::{StoreError, phrase};

/// Words from the texts of the newest commands, and from the index.
const RECENT: usize = 8;
const INDEXED: usize = 24;
/// Number of the newest commands whose texts are looked at.
const REACH: i64 = 60_000;
/// Number of texts that are divided into words.
const TEXTS: usize = 200;

/// The words that `word` may be the beginning of: first words of the newest commands, then words of the index in their order. If `word`
/// is a phrase, its last word is completed.
pub(super) fn completions(connection: &Connection, word: &str) -> Result<Vec<String>, StoreError> {
    let Some((at, beginning)) = phrase::divided(word).last() else { return Ok(Vec::new()) };
    let mut found = recent(connection, &beginning)?;
    let indexed = indexed(connection, &beginning)?;
    found.extend(indexed.into_iter().filter(|word| !found.contains(word)).collect::<Vec<_>>());
    Ok(found.into_iter().map(|completed| format!("{}{completed}", &word[..at])).collect())
}

fn recent(connection: &Connection, beginning: &str) -> Result<Vec<String>, StoreError> {
    // The beginning has only letters and digits, so nothing in it is special in a pattern.
    let query = OrderedQuery {
        columns: "c.id, c.text",
        source: CommandSource::Commands,
        condition: "c.text LIKE '%' || ? || '%'",
        values: &[Value::Text(beginning.to_owned())],
        direction: Direction::NewestFirst,
        most: TEXTS as i64,
    };
    let span = HistorySpan::newest(connection, REACH)?.unwrap_or(HistorySpan::ALL);
    let (mut found, mut texts): (Vec<String>, usize) = (Vec::new(), 0);
    query.visit(connection, &span, HistoryPosition::END, |row| -> Result<_, StoreError> {
        let text = String::from_utf8_lossy(row.get_ref(1)?.as_bytes().unwrap_or_default()).into_owned();
        for (_, word) in phrase::divided(&text).filter(|(_, word)| word.starts_with(beginning)) {
            if !found.contains(&word) {
                found.push(word);
            }
        }
        texts += 1;
        Ok(if found.len() < RECENT && texts < TEXTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    found.truncate(RECENT);
    Ok(found)
}

fn indexed(connection: &Connection, beginning: &str) -> Result<Vec<String>, StoreError> {
    connection
        .execute_batch("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, instance)")?;
    let mut statement = connection.prepare_cached("SELECT term FROM temp.vocabulary WHERE term >= ? LIMIT 1")?;
    let mut found: Vec<String> = Vec::new();
    let mut from = beginning.to_owned();
    while found.len() < INDEXED {
        let next: Option<String> = statement.query_row([&from], |row| row.get(0)).optional()?;
        let Some(word) = next.filter(|word| word.starts_with(beginning)) else { break };
        // Words have only letters and digits, so no word lies between this one and the next.
        from = format!("{word}\u{1}");
        found.push(word);
    }
    Ok(found)
}
