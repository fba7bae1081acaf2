//! The text being edited: rustyline's buffer with a kill ring, undo and folded pastes.
//!
//! rustyline does not export its kill ring and undo, and its moves between lines need its editor's layout, so all three are written here.
//! A large paste is a single private-use character in the buffer, so that editing stays fast next to a megabyte of text. It is expanded
//! when the text is read.

use rustyline::line_buffer::{ChangeListener, DeleteListener, Direction, LineBuffer};
use rustyline::{Anchor, Movement, Word};

/// The most bytes of the text, with pastes folded.
const TEXT_CAP: usize = 64 * 1024;
/// A paste that would make the text longer than this is folded.
const FOLD: usize = 8 * 1024;
/// The first character that stands for a folded paste. These characters are replaced in typed and pasted text.
const FIRST_FOLD: u32 = 0x10_F000;
const FOLDS: usize = 256;
/// The most bytes of all folded pastes. Beyond that, a paste is not folded but cut to `TEXT_CAP`.
const FOLDED_CAP: usize = 16 * 1024 * 1024;
/// How many states undo keeps, and their total size.
const UNDO_STEPS: usize = 200;
const UNDO_BYTES: usize = 1024 * 1024;
const KILLS: usize = 32;

/// The text, with a cursor in it.
pub(super) struct EditBuffer {
    buffer: LineBuffer,
    folds: Vec<String>,
    kills: KillRing,
    undo: Vec<(String, usize)>,
    redo: Vec<(String, usize)>,
    /// The kind of the last edit. Consecutive edits of one kind are undone together.
    last: EditKind,
    /// How many bytes the last yank inserted.
    yanked: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKind {
    None,
    Typing,
    Kill,
    Yank,
    Other,
}

impl Default for EditBuffer {
    fn default() -> EditBuffer {
        EditBuffer {
            buffer: LineBuffer::with_capacity(TEXT_CAP),
            folds: Vec::new(),
            kills: KillRing::default(),
            undo: Vec::new(),
            redo: Vec::new(),
            last: EditKind::None,
            yanked: 0,
        }
    }
}

impl EditBuffer {
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

    /// The paste that a character stands for, if it is a folded paste.
    pub(super) fn fold(&self, letter: char) -> Option<&str> {
        self.folds.get(fold_index(letter)?).map(String::as_str)
    }

    /// The text with folded pastes expanded.
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

    /// Replaces the text and moves the cursor to its end.
    pub(super) fn set(&mut self, text: &str) {
        self.remember(EditKind::Other);
        self.buffer.update("", 0, &mut Silent);
        self.put(text);
    }

    pub(super) fn clear(&mut self) {
        self.set("");
    }

    /// Types a character.
    pub(super) fn insert(&mut self, letter: char) {
        // A blank begins a new undo step, so that undo removes a word at a time.
        self.remember(if letter.is_whitespace() { EditKind::Other } else { EditKind::Typing });
        let letter = if fold_index(letter).is_some() { '\u{FFFD}' } else { letter };
        self.buffer.insert(letter, 1, &mut Silent);
    }

    /// Pastes a text, folded if it is large.
    pub(super) fn paste(&mut self, text: &str) {
        self.remember(EditKind::Other);
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

    /// Replaces a part of the text.
    pub(super) fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        self.remember(EditKind::Other);
        if self.buffer.len() + text.len() <= TEXT_CAP {
            self.buffer.replace(range, text, &mut Silent);
        }
    }

    /// Moves the cursor. Returns false if it cannot move.
    pub(super) fn go(&mut self, movement: &Movement) -> bool {
        self.last = EditKind::None;
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
            // The others are ranges, not movements.
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

    /// Deletes from the cursor to the movement's target, without the kill ring.
    pub(super) fn delete(&mut self, movement: &Movement) {
        self.remember(EditKind::Other);
        self.buffer.kill(movement, &mut Silent);
    }

    /// Deletes into the kill ring. Consecutive kills are one entry.
    pub(super) fn kill(&mut self, movement: &Movement) {
        let goes_on = self.last == EditKind::Kill;
        self.remember(EditKind::Kill);
        let mut killed = Killed::default();
        self.buffer.kill(movement, &mut killed);
        self.kills.push(killed, goes_on);
    }

    /// Copies text into the kill ring.
    pub(super) fn copy(&mut self, movement: &Movement) {
        if let Some(text) = self.buffer.copy(movement) {
            self.keep(text);
        }
    }

    /// Adds a text to the kill ring.
    pub(super) fn keep(&mut self, text: String) {
        self.kills.push(Killed { text, direction: Direction::Forward }, false);
    }

    /// Inserts the newest entry of the kill ring.
    pub(super) fn yank(&mut self, anchor: Anchor, count: u16) {
        let Some(text) = self.kills.newest().map(|text| text.repeat(usize::from(count.max(1)))) else { return };
        self.remember(EditKind::Yank);
        if anchor == Anchor::After {
            self.buffer.move_forward(1);
        }
        self.yanked = if self.buffer.yank(&text, 1, &mut Silent).is_some() { text.len() } else { 0 };
    }

    /// Replaces the text just yanked with the previous entry of the kill ring.
    pub(super) fn yank_earlier(&mut self) {
        if self.last != EditKind::Yank || self.yanked == 0 {
            return;
        }
        if let Some(text) = self.kills.earlier() {
            self.buffer.yank_pop(self.yanked, &text, &mut Silent);
            self.yanked = text.len();
        }
    }

    pub(super) fn transpose_letters(&mut self) {
        self.remember(EditKind::Other);
        self.buffer.transpose_chars(&mut Silent);
    }

    pub(super) fn transpose_words(&mut self) {
        self.remember(EditKind::Other);
        self.buffer.transpose_words(1, &mut Silent);
    }

    pub(super) fn change_case(&mut self, action: rustyline::line_buffer::WordAction) {
        self.remember(EditKind::Other);
        self.buffer.edit_word(action, &mut Silent);
    }

    pub(super) fn undo(&mut self) {
        if let Some((text, at)) = self.undo.pop() {
            self.redo.push((self.buffer.as_str().to_owned(), self.buffer.pos()));
            self.buffer.update(&text, at, &mut Silent);
        }
        self.last = EditKind::None;
    }

    pub(super) fn redo(&mut self) {
        if let Some((text, at)) = self.redo.pop() {
            self.undo.push((self.buffer.as_str().to_owned(), self.buffer.pos()));
            self.buffer.update(&text, at, &mut Silent);
        }
        self.last = EditKind::None;
    }

    /// Moves the cursor to an offset.
    pub(super) fn place_cursor(&mut self, at: usize) {
        self.last = EditKind::None;
        if self.as_str().is_char_boundary(at) {
            self.buffer.set_pos(at);
        }
    }

    /// Saves the text for undo, before an edit.
    fn remember(&mut self, edit: EditKind) {
        let goes_on = edit == self.last && matches!(edit, EditKind::Typing | EditKind::Kill);
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

/// The offset in `other` of the column at which `before` ends.
fn same_column(before: &str, other: &str) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    let column = before.graphemes(true).count();
    other.grapheme_indices(true).nth(column).map_or(other.len(), |(at, _)| at)
}

/// Killed texts, the newest last.
#[derive(Default)]
struct KillRing {
    kills: Vec<String>,
    /// How many entries back the last yank was.
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

/// Collects the text that a kill deletes.
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

/// Ignores all changes: undo stores whole texts instead.
struct Silent;

impl DeleteListener for Silent {
    fn delete(&mut self, _: usize, _: &str, _: Direction) {}
}

impl ChangeListener for Silent {
    fn insert_char(&mut self, _: usize, _: char) {}
    fn insert_str(&mut self, _: usize, _: &str) {}
    fn replace(&mut self, _: usize, _: &str, _: &str) {}
}

/// From the cursor back to the previous blank, for Ctrl-W.
pub(super) const BACK_TO_BLANK: Movement = Movement::BackwardWord(1, Word::Big);

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> EditBuffer {
        let mut edited = EditBuffer::default();
        edited.set(text);
        edited
    }

    #[test]
    fn consecutive_kills_are_yanked_together() {
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
    fn undo_and_redo_go_word_by_word() {
        let mut text = EditBuffer::default();
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
    fn a_large_paste_is_folded_into_one_character() {
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
    fn a_fold_character_in_a_paste_is_replaced() {
        let mut text = EditBuffer::default();
        text.paste(&"x".repeat(FOLD + 1));
        text.insert('\u{10F000}');
        text.paste("\u{10F000}");
        assert_eq!(text.unfolded(), format!("{}\u{FFFD}\u{FFFD}", "x".repeat(FOLD + 1)));
    }

    #[test]
    fn moving_between_lines_keeps_the_column() {
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
        let mut text = EditBuffer::default();
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
