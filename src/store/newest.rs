//! Finds the newest commands for a search, within a bounded time.

use std::ops::ControlFlow;

use super::entry::{self, COLUMNS, HistoryEntry};
use super::history::{Conditions, Filter, History};
use super::order::{Direction, HistoryPosition, HistorySpan, OrderedQuery};
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
        let limit = filter.limit.unwrap_or(usize::MAX);
        if limit == 0 {
            return Ok(NewestCommands::default());
        }
        let is_slow = *filter != Filter { limit: filter.limit, ..Filter::default() } || !query.signs.is_empty();
        let (source, Conditions { sql, values }) = Conditions::of(filter).matching(query);
        let span = if is_slow { HistorySpan::newest(connection, REACH)? } else { None };
        let query = OrderedQuery {
            columns: COLUMNS,
            source,
            condition: &sql,
            values: &values,
            direction: Direction::NewestFirst,
            most: i64::try_from(limit).unwrap_or(-1),
        };
        let mut entries = Vec::new();
        let mut searched = span.clone().unwrap_or(HistorySpan::ALL);
        if filter.recorded {
            searched.leave_out_imported();
        }
        query.visit(connection, &searched, HistoryPosition::END, |row| -> Result<_, StoreError> {
            entries.push(entry::entry(row)?);
            Ok(if entries.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let is_full = entries.len() >= limit;
        Ok(NewestCommands { entries, reach: span.filter(|_| !is_full).map(|_| REACH as u64) })
    }
}
