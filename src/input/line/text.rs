//! The text being edited: rustyline's buffer with a kill ring, undo and folded pastes.
//!
//! rustyline keeps its own ring and undo to itself, and its moves between lines need a layout that only its editor makes; these are
//! written here. A large paste is one character of a private plane in the buffer, so that editing beside a megabyte costs what
//! editing beside a letter does; it is unfolded when the text is taken.

use rustyline::line_buffer::{ChangeListener, DeleteListener, Direction, LineBuffer};
use rustyline::{Anchor, Movement, Word};

/// Bytes of the text itself, with pastes folded.
const TEXT_CAP: usize = 64 * 1024;
/// A paste that would make the text longer than this is folded.
const FOLD: usize = 8 * 1024;
/// The characters that stand for folded pastes; nothing else may use them.
const FIRST_FOLD: u32 = 0x10_F000;
const FOLDS: usize = 256;
/// Bytes of all folded pastes; beyond them a paste is cut to what the text has room for.
const FOLDED_CAP: usize = 16 * 1024 * 1024;
/// Texts that can be come back to, and their bytes together.
const UNDO_STEPS: usize = 200;
const UNDO_BYTES: usize = 1024 * 1024;
const KILLS: usize = 32;

/// The text, with a cursor in it.
pub(super) struct Text {
    buffer: LineBuffer,
    folds: Vec<String>,
    kills: KillRing,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    /// What the last edit was, so that like ones are undone together.
    last: Edit,
    /// Bytes that the last yank put in.
    yanked: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edit {
    None,
    Typing,
    Kill,
    Yank,
    Other,
}

impl Default for Text {
    fn default() -> Text {
        Text {
            buffer: LineBuffer::with_capacity(TEXT_CAP),
            folds: Vec::new(),
            kills: KillRing::default(),
            undo: Vec::new(),
            redo: Vec::new(),
            last: Edit::None,
            yanked: 0,
        }
    }
}

impl Text {
    pub(super) fn as_str(&self) -> &str {
        self.buffer.as_str()
    }

    pub(super) fn cursor(&self) -> usize {
        self.buffer.pos()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.buffer.is_cursor_at_end()
    }

    /// What a folded paste stands for.
    pub(super) fn fold(&self, letter: char) -> Option<&str> {
        self.folds.get(fold_index(letter)?).map(String::as_str)
    }

    /// The text with every paste in it.
    pub(super) fn unfolded(&self) -> String {
        let mut whole = String::with_capacity(self.buffer.len());
        for letter in self.as_str().chars() {
            match self.fold(letter) {
                Some(paste) => whole.push_str(paste),
                None => whole.push(letter),
            }
        }
        whole
    }

    /// Another text, with the cursor at its end.
    pub(super) fn set(&mut self, text: &str) {
        self.remember(Edit::Other);
        self.buffer.update("", 0, &mut Silent);
        self.put(text);
    }

    pub(super) fn clear(&mut self) {
        self.set("");
    }

    /// Types a character.
    pub(super) fn insert(&mut self, letter: char) {
        // A word at a time is undone.
        self.remember(if letter.is_whitespace() { Edit::Other } else { Edit::Typing });
        let letter = if fold_index(letter).is_some() { '\u{FFFD}' } else { letter };
        self.buffer.insert(letter, 1, &mut Silent);
    }

    /// Pastes a text, folded if it is large.
    pub(super) fn paste(&mut self, text: &str) {
        self.remember(Edit::Other);
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        let clean: String;
        let text = if text.chars().any(|letter| fold_index(letter).is_some()) {
            clean = text.replace(|letter| fold_index(letter).is_some(), "\u{FFFD}");
            &clean
        } else {
            text
        };
        let fold = char::from_u32(FIRST_FOLD + u32::try_from(self.folds.len()).unwrap_or(u32::MAX));
        let has_room =
            self.folds.len() < FOLDS && self.folds.iter().map(String::len).sum::<usize>() + text.len() <= FOLDED_CAP;
        if self.buffer.len() + text.len() > FOLD
            && text.len() > FOLD / 4
            && let Some(letter) = fold.filter(|_| has_room)
        {
            self.folds.push(text.to_owned());
            self.buffer.insert(letter, 1, &mut Silent);
        } else {
            let room = TEXT_CAP.saturating_sub(self.buffer.len());
            let end = (0..=room.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            self.buffer.yank(&text[..end], 1, &mut Silent);
        }
    }

    /// Puts another text in place of a part.
    pub(super) fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        self.remember(Edit::Other);
        if self.buffer.len() + text.len() <= TEXT_CAP {
            self.buffer.replace(range, text, &mut Silent);
        }
    }

    /// Moves; false if there is nowhere to go.
    pub(super) fn go(&mut self, movement: &Movement) -> bool {
        self.last = Edit::None;
        let buffer = &mut self.buffer;
        match *movement {
            Movement::BeginningOfLine => buffer.move_home(),
            Movement::EndOfLine => buffer.move_end(),
            Movement::BackwardWord(n, word) => buffer.move_to_prev_word(word, n),
            Movement::ForwardWord(n, at, word) => buffer.move_to_next_word(at, word, n),
            Movement::ViCharSearch(n, search) => buffer.move_to(search, n),
            Movement::BackwardChar(n) => buffer.move_backward(n),
            Movement::ForwardChar(n) => buffer.move_forward(n),
            Movement::BeginningOfBuffer => buffer.move_buffer_start(),
            Movement::EndOfBuffer => buffer.move_buffer_end(),
            Movement::ViFirstPrint => {
                buffer.move_home();
                let indent = buffer.as_str()[buffer.pos()..].chars().take_while(|c| matches!(c, ' ' | '\t')).count();
                buffer.set_pos(buffer.pos() + indent);
                true
            }
            Movement::LineUp(n) => (0..n).all(|_| self.up()),
            Movement::LineDown(n) => (0..n).all(|_| self.down()),
            // These are ranges, not places to go to.
            _ => false,
        }
    }

    fn up(&mut self) -> bool {
        let (text, at) = (self.buffer.as_str(), self.buffer.pos());
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let Some(above) = start.checked_sub(1) else { return false };
        let above_start = text[..above].rfind('\n').map_or(0, |newline| newline + 1);
        let target = same_column(&text[start..at], &text[above_start..above]);
        self.buffer.set_pos(above_start + target);
        true
    }

    fn down(&mut self) -> bool {
        let (text, at) = (self.buffer.as_str(), self.buffer.pos());
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let Some(below) = text[at..].find('\n').map(|newline| at + newline + 1) else { return false };
        let below_end = text[below..].find('\n').map_or(text.len(), |newline| below + newline);
        let target = same_column(&text[start..at], &text[below..below_end]);
        self.buffer.set_pos(below + target);
        true
    }

    /// Deletes from the cursor to where the movement goes, without keeping it.
    pub(super) fn delete(&mut self, movement: &Movement) {
        self.remember(Edit::Other);
        self.buffer.kill(movement, &mut Silent);
    }

    /// Deletes and keeps; kills in a row are one.
    pub(super) fn kill(&mut self, movement: &Movement) {
        let goes_on = self.last == Edit::Kill;
        self.remember(Edit::Kill);
        let mut killed = Killed::default();
        self.buffer.kill(movement, &mut killed);
        self.kills.push(killed, goes_on);
    }

    /// Keeps without deleting.
    pub(super) fn copy(&mut self, movement: &Movement) {
        if let Some(text) = self.buffer.copy(movement) {
            self.keep(text);
        }
    }

    /// Keeps a text of somebody else's.
    pub(super) fn keep(&mut self, text: String) {
        self.kills.push(Killed { text, direction: Direction::Forward }, false);
    }

    /// Puts in what was killed last.
    pub(super) fn yank(&mut self, anchor: Anchor, count: u16) {
        let Some(text) = self.kills.newest().map(|text| text.repeat(usize::from(count.max(1)))) else { return };
        self.remember(Edit::Yank);
        if anchor == Anchor::After {
            self.buffer.move_forward(1);
        }
        self.yanked = if self.buffer.yank(&text, 1, &mut Silent).is_some() { text.len() } else { 0 };
    }

    /// Puts an earlier kill in place of the one just put in.
    pub(super) fn yank_earlier(&mut self) {
        if self.last != Edit::Yank || self.yanked == 0 {
            return;
        }
        if let Some(text) = self.kills.earlier() {
            self.buffer.yank_pop(self.yanked, &text, &mut Silent);
            self.yanked = text.len();
        }
    }

    pub(super) fn transpose_letters(&mut self) {
        self.remember(Edit::Other);
        self.buffer.transpose_chars(&mut Silent);
    }

    pub(super) fn transpose_words(&mut self) {
        self.remember(Edit::Other);
        self.buffer.transpose_words(1, &mut Silent);
    }

    pub(super) fn change_case(&mut self, action: rustyline::line_buffer::WordAction) {
        self.remember(Edit::Other);
        self.buffer.edit_word(action, &mut Silent);
    }

    pub(super) fn undo(&mut self) {
        if let Some((text, at)) = self.undo.pop() {
            self.redo.push((self.buffer.as_str().to_owned(), self.buffer.pos()));
            self.buffer.update(&text, at, &mut Silent);
        }
        self.last = Edit::None;
    }

    pub(super) fn redo(&mut self) {
        if let Some((text, at)) = self.redo.pop() {
            self.undo.push((self.buffer.as_str().to_owned(), self.buffer.pos()));
            self.buffer.update(&text, at, &mut Silent);
        }
        self.last = Edit::None;
    }

    /// The cursor was moved by hand.
    pub(super) fn place_cursor(&mut self, at: usize) {
        self.last = Edit::None;
        if self.as_str().is_char_boundary(at) {
            self.buffer.set_pos(at);
        }
    }

    /// Notes the text before an edit.
    fn remember(&mut self, edit: Edit) {
        let goes_on = edit == self.last && matches!(edit, Edit::Typing | Edit::Kill);
        self.last = edit;
        self.redo.clear();
        let now = (self.buffer.as_str(), self.buffer.pos());
        if goes_on || self.undo.last().is_some_and(|(text, at)| (text.as_str(), *at) == now) {
            return;
        }
        self.undo.push((now.0.to_owned(), now.1));
        let mut bytes: usize = self.undo.iter().map(|(text, _)| text.len()).sum();
        while self.undo.len() > UNDO_STEPS || bytes > UNDO_BYTES {
            bytes -= self.undo.remove(0).0.len();
        }
    }
}

fn fold_index(letter: char) -> Option<usize> {
    usize::try_from(u32::from(letter).checked_sub(FIRST_FOLD)?).ok().filter(|&index| index < FOLDS)
}

/// Where in `other` the column is that `before` ends in.
fn same_column(before: &str, other: &str) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    let column = before.graphemes(true).count();
    other.grapheme_indices(true).nth(column).map_or(other.len(), |(at, _)| at)
}

/// What was killed, newest last.
#[derive(Default)]
struct KillRing {
    kills: Vec<String>,
    /// How far back the last yank went.
    back: usize,
}

impl KillRing {
    fn push(&mut self, killed: Killed, goes_on: bool) {
        self.back = 0;
        if killed.text.is_empty() {
            return;
        }
        match self.kills.last_mut().filter(|_| goes_on) {
            Some(last) if killed.direction == Direction::Backward => last.insert_str(0, &killed.text),
            Some(last) => last.push_str(&killed.text),
            None => self.kills.push(killed.text),
        }
        if self.kills.len() > KILLS {
            self.kills.remove(0);
        }
    }

    fn newest(&mut self) -> Option<String> {
        self.back = 0;
        self.kills.last().cloned()
    }

    fn earlier(&mut self) -> Option<String> {
        self.back = (self.back + 1) % self.kills.len().max(1);
        self.kills.get(self.kills.len().checked_sub(1 + self.back)?).cloned()
    }
}

/// Listens for what one kill takes out.
#[derive(Default)]
struct Killed {
    text: String,
    direction: Direction,
}

impl DeleteListener for Killed {
    fn delete(&mut self, _: usize, text: &str, direction: Direction) {
        self.direction = direction;
        self.text.push_str(text);
    }
}

/// Listens to nothing; undo looks at whole texts.
struct Silent;

impl DeleteListener for Silent {
    fn delete(&mut self, _: usize, _: &str, _: Direction) {}
}

impl ChangeListener for Silent {
    fn insert_char(&mut self, _: usize, _: char) {}
    fn insert_str(&mut self, _: usize, _: &str) {}
    fn replace(&mut self, _: usize, _: &str, _: &str) {}
}

/// From the cursor to the beginning of the word, as Ctrl-W takes it.
pub(super) const BACK_TO_BLANK: Movement = Movement::BackwardWord(1, Word::Big);

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Text {
        let mut edited = Text::default();
        edited.set(text);
        edited
    }

    #[test]
    fn kills_in_a_row_are_one_and_come_back() {
        let mut text = with("one two three");
        text.kill(&BACK_TO_BLANK);
        text.kill(&BACK_TO_BLANK);
        assert_eq!(text.as_str(), "one ");
        text.yank(Anchor::Before, 1);
        assert_eq!(text.as_str(), "one two three");
        text.go(&Movement::BeginningOfLine);
        text.kill(&Movement::EndOfLine);
        text.yank(Anchor::Before, 1);
        text.yank_earlier();
        assert_eq!(text.as_str(), "two three");
    }

    #[test]
    fn undo_goes_back_word_by_word_and_forth() {
        let mut text = Text::default();
        "ab cd".chars().for_each(|letter| text.insert(letter));
        text.undo();
        assert_eq!(text.as_str(), "ab ");
        text.undo();
        text.undo();
        assert_eq!(text.as_str(), "");
        text.redo();
        text.redo();
        text.redo();
        assert_eq!(text.as_str(), "ab cd");
    }

    #[test]
    fn a_large_paste_is_one_character_and_comes_out_whole() {
        let mut text = with("see ");
        let large = "line\n".repeat(200_000);
        text.paste(&large);
        assert!(text.as_str().len() < 10);
        assert_eq!(text.unfolded(), format!("see {large}"));
        text.delete(&Movement::BackwardChar(1));
        assert_eq!(text.unfolded(), "see ");
        text.undo();
        assert_eq!(text.unfolded().len(), 4 + large.len());
    }

    #[test]
    fn nobody_can_forge_a_folded_paste() {
        let mut text = Text::default();
        text.paste(&"x".repeat(FOLD + 1));
        text.insert('\u{10F000}');
        text.paste("\u{10F000}");
        assert_eq!(text.unfolded(), format!("{}\u{FFFD}\u{FFFD}", "x".repeat(FOLD + 1)));
    }

    #[test]
    fn lines_are_moved_between_in_the_same_column() {
        let mut text = with("añb\nx\nlonger");
        assert!(text.go(&Movement::LineUp(1)));
        assert_eq!(&text.as_str()[text.cursor()..], "\nlonger");
        assert!(text.go(&Movement::LineUp(1)));
        assert_eq!(&text.as_str()[..text.cursor()], "a");
        assert!(!text.go(&Movement::LineUp(1)));
        assert!(text.go(&Movement::LineDown(1)));
    }

    #[test]
    fn the_text_is_bounded() {
        let mut text = Text::default();
        for _ in 0..FOLDS + 40 {
            text.paste(&"é".repeat(FOLD));
        }
        for _ in 0..TEXT_CAP + 10 {
            text.insert('x');
        }
        assert!(text.as_str().len() <= TEXT_CAP);
        assert!(text.undo.len() <= UNDO_STEPS);
    }
}
