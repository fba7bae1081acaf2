//! Incremental search of the history.

use super::QueryHistory;
use crate::input::key::{Code, Key, Mods};
use crate::input::keymap::KeyAction;

/// A search in progress.
#[derive(Debug, Default)]
pub(super) struct HistorySearch {
    pub(super) wanted: String,
    /// How many newer matches were skipped.
    passed: usize,
}

/// The state of the search after a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Searching,
    GivenUp,
    /// The match is accepted. `true` if the key is used up, `false` if the editor must handle it too.
    Found(bool),
}

impl HistorySearch {
    /// Takes a key, which has this action in the line.
    pub(super) fn key(&mut self, key: Key, action: Option<KeyAction>, history: &QueryHistory) -> Next {
        match action {
            Some(KeyAction::Search | KeyAction::Previous) => {
                self.passed += 1;
                if self.found(history).is_none() {
                    self.passed -= 1;
                }
                return Next::Searching;
            }
            Some(KeyAction::SearchNewer | KeyAction::Next) => {
                self.passed = self.passed.saturating_sub(1);
                return Next::Searching;
            }
            Some(KeyAction::Cancel) => return Next::GivenUp,
            Some(KeyAction::Complete) => return Next::Found(true),
            _ => {}
        }
        match (key.code, key.mods) {
            (Code::Char(letter), Mods::NONE) => {
                self.wanted.push(letter);
                self.passed = 0;
            }
            (Code::Backspace, _) | (Code::Char('h'), Mods::CTRL) => {
                if self.wanted.pop().is_none() {
                    return Next::GivenUp;
                }
                self.passed = 0;
            }
            (Code::Char('g'), Mods::CTRL) => return Next::GivenUp,
            (Code::Esc, _) => return Next::Found(true),
            _ => return Next::Found(false),
        }
        Next::Searching
    }

    /// The history entry that is shown as the match.
    pub(super) fn found<'a>(&self, history: &'a QueryHistory) -> Option<&'a str> {
        if self.wanted.is_empty() {
            return None;
        }
        let is_exact = self.wanted.chars().any(char::is_uppercase);
        let wanted = if is_exact { self.wanted.clone() } else { self.wanted.to_lowercase() };
        let matches =
            |entry: &&str| if is_exact { entry.contains(&wanted) } else { entry.to_lowercase().contains(&wanted) };
        let mut seen: Vec<&str> = Vec::new();
        for entry in history.newest_first().filter(matches) {
            if seen.contains(&entry) {
                continue;
            }
            if seen.len() == self.passed {
                return Some(entry);
            }
            seen.push(entry);
        }
        None
    }
}
