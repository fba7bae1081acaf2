//! Finds the newest commands for a search, within a bounded time.

use rusqlite::types::Value;

use super::entry::{COLUMNS, HistoryEntry};
use super::history::{Conditions, Filter, History, id_column, page};
use super::search::{LastWord, SearchTerms, last_indexed};
use super::{StoreError, phrase, unfinished};

/// Number of the newest commands among which a condition that has no index is looked for: a directory, a status, a time. Each costs
/// a quarter to two thirds of a microsecond, and a search should take less than 50 ms.
const REACH: i64 = 60_000;
/// Shortest word that may be the beginning of a longer one.
const PREFIX: usize = 3;

/// The newest commands that a search has found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NewestCommands {
    /// Newest first.
    pub entries: Vec<HistoryEntry>,
    /// The number of commands that were searched, if older ones were left out.
    pub reach: Option<u64>,
}

impl History {
    /// The newest commands that pass the filter and have all these words in their text or output. Without words, all that pass the
    /// filter. Words are whole words: a search for a beginning would tell the parts of a secret that is masked in the results.
    pub(crate) fn newest(&self, words: &[String], filter: &Filter) -> Result<NewestCommands, StoreError> {
        self.newest_matching(SearchTerms::new(words, LastWord::Whole), filter)
    }

    /// The commands that a person means by some words, best first: those with the words in their text, then those with the words in
    /// their output, newer ones first. If there are none, the last word may be unfinished.
    pub(crate) fn meant(&self, text: &str, limit: usize) -> Result<Vec<HistoryEntry>, StoreError> {
        let words = phrase::words(text);
        let found = self.best(&words, LastWord::Whole, limit)?;
        let last = last_indexed(&words).filter(|word| found.is_empty() && word.chars().count() >= PREFIX);
        let (Some(last), Some(connection)) = (last, self.connection()) else { return Ok(found) };
        // Where no command has the other words together, the last one need not be looked up.
        let others = words.split_last().map_or(&[][..], |(_, others)| others);
        let one = Filter { limit: Some(1), ..Filter::default() };
        if !others.is_empty() && self.newest(others, &one)?.entries.is_empty() {
            return Ok(found);
        }
        match unfinished::completions(connection, last)? {
            completions if completions.is_empty() => Ok(found),
            completions => self.best(&words, LastWord::AnyOf(&completions), limit),
        }
    }

    /// The newest commands with the words in their text, then those with the words in their output.
    fn best(&self, words: &[String], last: LastWord<'_>, limit: usize) -> Result<Vec<HistoryEntry>, StoreError> {
        let search = |query: SearchTerms| -> Result<Vec<HistoryEntry>, StoreError> {
            let filter = Filter { limit: Some(limit), ..Filter::default() };
            if query.is_empty() { Ok(Vec::new()) } else { Ok(self.newest_matching(query, &filter)?.entries) }
        };
        let anywhere = search(SearchTerms::new(words, last))?;
        if anywhere.is_empty() {
            return Ok(anywhere);
        }
        let mut found = search(SearchTerms::new(words, last).in_command())?;
        let is_new = |one: &HistoryEntry| found.iter().all(|known| known.id != one.id);
        let more: Vec<HistoryEntry> = anywhere.into_iter().filter(is_new).collect();
        found.extend(more);
        found.truncate(limit);
        Ok(found)
    }

    fn newest_matching(&self, query: SearchTerms, filter: &Filter) -> Result<NewestCommands, StoreError> {
        let Some(connection) = self.connection() else { return Ok(NewestCommands::default()) };
        let is_slow = *filter != Filter { limit: filter.limit, ..Filter::default() } || !query.signs.is_empty();
        let (from, mut conditions) = Conditions::of(filter).matching(query);
        let id = id_column(from);
        let oldest: i64 = connection.query_row("SELECT ifnull(min(id), 0) FROM commands", [], |row| row.get(0))?;
        let newest: i64 = connection.query_row("SELECT ifnull(max(id), 0) FROM commands", [], |row| row.get(0))?;
        let reach = Some(REACH).filter(|reach| is_slow && newest - oldest >= *reach);
        if let Some(reach) = reach {
            conditions.and(&format!("{id} > ?"), [Value::Integer(newest - reach)]);
        }
        let Conditions { sql, values } = conditions;
        let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(-1));
        let sql = format!("SELECT {COLUMNS} FROM {from} WHERE {sql} ORDER BY {id} DESC LIMIT ?");
        let entries = page(connection, &sql, values.into_iter().chain([Value::Integer(limit)]))?;
        let is_full = filter.limit.is_some_and(|limit| entries.len() >= limit);
        Ok(NewestCommands { entries, reach: reach.filter(|_| !is_full).map(|reach| reach as u64) })
    }
}
