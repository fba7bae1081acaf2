//! The conversation line: a line editor that is fed keys and draws itself.
//!
//! It uses rustyline's buffer and movements. rustyline's own loop is not used, because it reads ahead, drops those bytes when it returns,
//! and cannot be cancelled. History is kept here too, because rustyline's history file can lose lines when two sessions create it, and it
//! refuses to load a file that contains invalid UTF-8.

mod complete;
mod emacs;
mod history;
mod layout;
mod pane;
mod search;
mod text;
mod vi;

use std::sync::Arc;

use super::key::{Code, Input, Key};
use super::keymap::{KeyAction, KeyContext, KeyMap};
use complete::{Hint, Menu};
use pane::Pane;
use search::HistorySearch;
use text::EditBuffer;

pub(crate) use complete::{FoundPath, FoundReferences, Offers, RecentCommand, Verb};
pub(crate) use history::{QueryHistory, forget_queries, keep_query, read_queries};
pub(crate) use pane::EditorScreen;

/// The key bindings of the editor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Editing {
    #[default]
    Emacs,
    Vi,
}

/// The result of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EditOutcome {
    /// The line is still being edited and must be painted again.
    Open,
    Submitted(String),
    /// The person closed the line.
    Closed,
    /// The paths that begin with this are wanted; [`LineEditor::found`] brings them.
    Find(String),
    /// The text is to be opened in the person's editor. [`LineEditor::replace`] takes the edited text.
    Edit(String),
}

/// A line being edited.
pub(crate) struct LineEditor {
    text: EditBuffer,
    keys: Arc<KeyMap>,
    vi: Option<vi::Vi>,
    /// The history entry that is shown, and the text that was typed before it.
    recalled: Option<(usize, String)>,
    search: Option<HistorySearch>,
    menu: Option<Menu>,
    hint: Hint,
    pane: Pane,
}

impl LineEditor {
    pub(crate) fn new(editing: Editing, keys: Arc<KeyMap>) -> LineEditor {
        LineEditor {
            text: EditBuffer::default(),
            keys,
            vi: (editing == Editing::Vi).then(vi::Vi::default),
            recalled: None,
            search: None,
            menu: None,
            hint: Hint::default(),
            pane: Pane::default(),
        }
    }

    /// Shows the hint for an empty line. The first key removes it.
    pub(crate) fn welcome(&mut self, history: &QueryHistory, offers: &Offers) {
        self.hint = complete::hint(self.text.as_str(), history, offers);
    }

    /// Whether the line is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text with folded pastes expanded.
    pub(crate) fn text(&self) -> String {
        self.text.unfolded()
    }

    /// Replaces the whole text.
    pub(crate) fn replace(&mut self, text: &str) {
        self.text.set(text);
        self.menu = None;
        self.hint = Hint::default();
    }

    /// Takes a key or a paste.
    pub(crate) fn input(&mut self, input: Input, history: &QueryHistory, offers: &Offers) -> EditOutcome {
        let outcome = match input {
            Input::Paste(text) => {
                self.end_search(history);
                self.menu = None;
                self.text.paste(&text);
                EditOutcome::Open
            }
            Input::Key(key) => self.key(key, history, offers),
        };
        self.hint = if self.text.is_at_end() && self.search.is_none() && self.menu.is_none() {
            complete::hint(self.text.as_str(), history, offers)
        } else {
            Hint::default()
        };
        outcome
    }

    fn key(&mut self, key: Key, history: &QueryHistory, offers: &Offers) -> EditOutcome {
        let action = self.keys.action(KeyContext::Line, key);
        if let Some(search) = &mut self.search {
            match search.key(key, action, history) {
                search::Next::Searching => return EditOutcome::Open,
                search::Next::GivenUp => {
                    self.search = None;
                    return EditOutcome::Open;
                }
                search::Next::Found(is_over) => {
                    self.end_search(history);
                    if is_over {
                        return EditOutcome::Open;
                    }
                }
            }
        }
        if let Some(outcome) = self.menu_key(key, action) {
            return outcome;
        }
        match action {
            Some(KeyAction::Submit) => self.submit(),
            Some(KeyAction::Complete) => self.complete(offers),
            Some(KeyAction::Cancel | KeyAction::Close) if self.text.is_empty() => EditOutcome::Closed,
            Some(KeyAction::Editor) => EditOutcome::Edit(self.text.unfolded()),
            Some(action) if self.acts(action, history) => EditOutcome::Open,
            Some(_) | None => self.edit(key, history),
        }
    }

    /// Carries out an action that leaves the line open. Returns whether the key is used up.
    fn acts(&mut self, action: KeyAction, history: &QueryHistory) -> bool {
        match action {
            KeyAction::Newline => self.text.insert('\n'),
            KeyAction::Cancel => self.start_over(),
            KeyAction::ClearScreen => self.pane.clear_screen(),
            KeyAction::Search | KeyAction::SearchNewer => self.search = Some(HistorySearch::default()),
            KeyAction::Previous => self.up(history),
            KeyAction::Next => self.down(history),
            KeyAction::Suggestion if self.text.is_at_end() && !self.hint.typed.is_empty() && self.is_inserting() => {
                let rest = std::mem::take(&mut self.hint.typed);
                self.text.paste(&rest);
            }
            _ => return false,
        }
        true
    }

    /// Takes a key of the editing mode.
    fn edit(&mut self, key: Key, history: &QueryHistory) -> EditOutcome {
        if self.vi.is_some() {
            return self.vi_key(key, history);
        }
        match key.code {
            Code::Esc => self.start_over(),
            _ => self.emacs_key(key),
        }
        EditOutcome::Open
    }

    fn is_inserting(&self) -> bool {
        self.vi.as_ref().is_none_or(vi::Vi::is_inserting)
    }

    fn submit(&mut self) -> EditOutcome {
        let text = self.text.unfolded();
        if text.trim().is_empty() { EditOutcome::Closed } else { EditOutcome::Submitted(text) }
    }

    /// Clears the line. Undo restores the text.
    fn start_over(&mut self) {
        self.text.clear();
        self.recalled = None;
        if let Some(vi) = &mut self.vi {
            *vi = vi::Vi::default();
        }
    }

    fn up(&mut self, history: &QueryHistory) {
        use rustyline::Movement;
        if self.text.go(&Movement::LineUp(1)) {
            return;
        }
        let at = self.recalled.as_ref().map_or(history.len(), |(at, _)| *at);
        let Some(entry) = at.checked_sub(1).and_then(|at| history.get(at)) else { return };
        let draft = self.recalled.take().map_or_else(|| self.text.unfolded(), |(_, draft)| draft);
        self.text.set(entry);
        self.recalled = Some((at - 1, draft));
    }

    fn down(&mut self, history: &QueryHistory) {
        use rustyline::Movement;
        if self.text.go(&Movement::LineDown(1)) {
            return;
        }
        let Some((at, draft)) = self.recalled.take() else { return };
        match history.get(at + 1) {
            Some(entry) => {
                self.text.set(entry);
                self.recalled = Some((at + 1, draft));
            }
            None => self.text.set(&draft),
        }
    }

    fn end_search(&mut self, history: &QueryHistory) {
        if let Some(found) = self.search.take().and_then(|search| search.found(history).map(str::to_owned)) {
            self.text.set(&found);
        }
    }

    /// Paints the line at the cursor, or repaints it in place.
    pub(crate) fn paint(&mut self, screen: &EditorScreen, history: &QueryHistory, out: &mut Vec<u8>) {
        let searching = self.search.as_ref().map(|search| (search, search.found(history).unwrap_or_default()));
        let picture = layout::picture(&self.text, &self.hint, self.menu.as_ref(), searching, screen);
        self.pane.paint(picture, screen, out);
    }

    /// Erases the line from the screen, so that other output can start at its first row.
    pub(crate) fn lift(&mut self, out: &mut Vec<u8>) {
        self.pane.lift(out);
    }

    /// Called after a resize. The terminal may have rewrapped the rows, so the line is erased and must be painted again.
    pub(crate) fn resized(&mut self, screen: &EditorScreen, out: &mut Vec<u8>) {
        self.pane.resized(screen, out);
    }

    /// Leaves the text on the screen and moves the cursor below it.
    pub(crate) fn leave(&mut self, screen: &EditorScreen, out: &mut Vec<u8>) {
        let picture = layout::picture(&self.text, &Hint::default(), None, None, screen);
        self.pane.paint(picture, screen, out);
        self.pane.leave(out);
    }
}

#[cfg(test)]
mod tests;
