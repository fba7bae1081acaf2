//! The keys of vi mode.

use rustyline::{Anchor, At, CharSearch, Movement, Word};

use super::{EditOutcome, HistorySearch, LineEditor, QueryHistory};
use crate::input::key::{Code, Key, Mods};

/// The largest repeat count.
const MOST: u16 = 9999;

/// The mode, and the part of a command that has been typed.
#[derive(Debug, Default)]
pub(super) struct Vi {
    is_normal: bool,
    count: Option<u16>,
    operator: Option<ViOperator>,
    /// The count typed before the operator.
    outer: Option<u16>,
    pending: Option<ViPending>,
    last_search: Option<CharSearch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViOperator {
    Delete,
    Change,
    Yank,
}

/// A key that takes another key as its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViPending {
    Find,
    FindBack,
    Till,
    TillBack,
    Replace,
    Go,
}

impl Vi {
    pub(super) fn is_inserting(&self) -> bool {
        !self.is_normal
    }

    fn count(&self) -> u16 {
        self.outer.unwrap_or(1).saturating_mul(self.count.unwrap_or(1)).min(MOST)
    }

    fn reset(&mut self) {
        *self = Vi { is_normal: self.is_normal, last_search: self.last_search, ..Vi::default() };
    }
}

impl LineEditor {
    pub(super) fn vi_key(&mut self, key: Key, history: &QueryHistory) -> EditOutcome {
        let Some(vi) = &mut self.vi else { return EditOutcome::Open };
        if vi.is_inserting() {
            match (key.code, key.mods) {
                (Code::Esc, _) | (Code::Char('['), Mods::CTRL) => {
                    vi.is_normal = true;
                    self.text.go(&Movement::BackwardChar(1));
                }
                // Esc and a key pressed right after it arrive like Alt and that key.
                (Code::Char(letter), Mods::ALT) => {
                    vi.is_normal = true;
                    self.text.go(&Movement::BackwardChar(1));
                    return self.vi_key(Key::plain(Code::Char(letter)), history);
                }
                _ => self.emacs_key(key),
            }
            return EditOutcome::Open;
        }
        match (key.code, key.mods) {
            (Code::Char(letter), Mods::NONE) => self.vi_letter(letter, history),
            (Code::Esc, _) => vi.reset(),
            (Code::Backspace, _) => self.vi_move(Movement::BackwardChar(1)),
            _ => self.emacs_key(key),
        }
        // In normal mode the cursor is on the last character, not after it.
        let (text, at) = (self.text.as_str(), self.text.cursor());
        let is_behind = text[at..].chars().next().is_none_or(|c| c == '\n') && !text[..at].ends_with('\n');
        if is_behind && !self.is_inserting() {
            self.text.go(&Movement::BackwardChar(1));
        }
        EditOutcome::Open
    }

    fn vi_letter(&mut self, letter: char, history: &QueryHistory) {
        let Some(vi) = &mut self.vi else { return };
        if let Some(pending) = vi.pending.take() {
            return self.vi_second(pending, letter);
        }
        if let Some(digit) = letter.to_digit(10).filter(|&digit| digit > 0 || vi.count.is_some()) {
            let count = u32::from(vi.count.unwrap_or(0)) * 10 + digit;
            vi.count = Some(u16::try_from(count).unwrap_or(MOST).min(MOST));
            return;
        }
        let count = vi.count();
        let movement = match letter {
            'h' => Some(Movement::BackwardChar(count)),
            'l' | ' ' => Some(Movement::ForwardChar(count)),
            'w' => Some(Movement::ForwardWord(count, At::Start, Word::Vi)),
            'W' => Some(Movement::ForwardWord(count, At::Start, Word::Big)),
            'e' => Some(Movement::ForwardWord(count, At::BeforeEnd, Word::Vi)),
            'E' => Some(Movement::ForwardWord(count, At::BeforeEnd, Word::Big)),
            'b' => Some(Movement::BackwardWord(count, Word::Vi)),
            'B' => Some(Movement::BackwardWord(count, Word::Big)),
            '0' => Some(Movement::BeginningOfLine),
            '^' => Some(Movement::ViFirstPrint),
            '$' => Some(Movement::EndOfLine),
            'G' => Some(Movement::EndOfBuffer),
            ';' => vi.last_search.map(|search| Movement::ViCharSearch(count, search)),
            ',' => vi.last_search.map(|search| Movement::ViCharSearch(count, opposite(search))),
            _ => None,
        };
        if let Some(movement) = movement {
            return self.vi_move(movement);
        }
        let wants_more = match letter {
            'f' => Some(ViPending::Find),
            'F' => Some(ViPending::FindBack),
            't' => Some(ViPending::Till),
            'T' => Some(ViPending::TillBack),
            'r' => Some(ViPending::Replace),
            'g' => Some(ViPending::Go),
            _ => None,
        };
        if wants_more.is_some() {
            vi.pending = wants_more;
            return;
        }
        let operator = match letter {
            'd' => Some(ViOperator::Delete),
            'c' => Some(ViOperator::Change),
            'y' => Some(ViOperator::Yank),
            _ => None,
        };
        if let Some(operator) = operator {
            if vi.operator == Some(operator) {
                return self.vi_whole_line(operator);
            }
            vi.operator = Some(operator);
            vi.outer = vi.count.take();
            return;
        }
        vi.reset();
        self.vi_command(letter, count, history);
    }

    /// Runs a command that is a single letter.
    fn vi_command(&mut self, letter: char, count: u16, history: &QueryHistory) {
        match letter {
            'i' => self.vi_insert(),
            'a' => {
                self.text.go(&Movement::ForwardChar(1));
                self.vi_insert();
            }
            'I' => {
                self.text.go(&Movement::ViFirstPrint);
                self.vi_insert();
            }
            'A' => {
                self.text.go(&Movement::EndOfLine);
                self.vi_insert();
            }
            'o' => {
                self.text.go(&Movement::EndOfLine);
                self.text.insert('\n');
                self.vi_insert();
            }
            'O' => {
                self.text.go(&Movement::BeginningOfLine);
                self.text.insert('\n');
                self.text.go(&Movement::BackwardChar(1));
                self.vi_insert();
            }
            'x' => self.vi_kill(&Movement::ForwardChar(count)),
            'X' => self.vi_kill(&Movement::BackwardChar(count)),
            's' => {
                self.vi_kill(&Movement::ForwardChar(count));
                self.vi_insert();
            }
            'S' => self.vi_whole_line(ViOperator::Change),
            'D' => self.text.kill(&Movement::EndOfLine),
            'C' => {
                self.text.kill(&Movement::EndOfLine);
                self.vi_insert();
            }
            'Y' => self.vi_whole_line(ViOperator::Yank),
            'p' | 'P' => {
                self.text.yank(if letter == 'p' { Anchor::After } else { Anchor::Before }, count);
                self.text.go(&Movement::BackwardChar(1));
            }
            'u' => self.text.undo(),
            '~' => (0..count).for_each(|_| self.vi_swap_case()),
            'j' => (0..count).for_each(|_| self.down(history)),
            'k' => (0..count).for_each(|_| self.up(history)),
            '/' | '?' => self.search = Some(HistorySearch::default()),
            // Other keys are ignored.
            _ => {}
        }
    }

    fn vi_second(&mut self, pending: ViPending, letter: char) {
        let Some(vi) = &mut self.vi else { return };
        let count = vi.count();
        let search = match pending {
            ViPending::Find => CharSearch::Forward(letter),
            ViPending::FindBack => CharSearch::Backward(letter),
            ViPending::Till => CharSearch::ForwardBefore(letter),
            ViPending::TillBack => CharSearch::BackwardAfter(letter),
            ViPending::Replace => {
                vi.reset();
                self.text.delete(&Movement::ForwardChar(count));
                (0..count).for_each(|_| self.text.insert(letter));
                self.text.go(&Movement::BackwardChar(1));
                return;
            }
            ViPending::Go if letter == 'g' => return self.vi_move(Movement::BeginningOfBuffer),
            ViPending::Go => return vi.reset(),
        };
        vi.last_search = Some(search);
        self.vi_move(Movement::ViCharSearch(count, search));
    }

    /// Moves the cursor, or applies the pending operator to the text up to the target.
    fn vi_move(&mut self, movement: Movement) {
        let Some(vi) = &mut self.vi else { return };
        let operator = vi.operator;
        vi.reset();
        // An operator with `e` includes the word's last letter, and `cw` leaves the blank after the word.
        let reach = match (operator, movement) {
            (Some(_), Movement::ForwardWord(count, At::BeforeEnd, word)) => {
                Movement::ForwardWord(count, At::AfterEnd, word)
            }
            (Some(ViOperator::Change), Movement::ForwardWord(count, At::Start, word)) => {
                Movement::ForwardWord(count, At::AfterEnd, word)
            }
            (_, movement) => movement,
        };
        match operator {
            None => {
                self.text.go(&reach);
            }
            Some(ViOperator::Delete) => self.vi_kill(&reach),
            Some(ViOperator::Change) => {
                self.vi_kill(&reach);
                self.vi_insert();
            }
            Some(ViOperator::Yank) => self.text.copy(&reach),
        }
    }

    fn vi_whole_line(&mut self, operator: ViOperator) {
        let before = self.text.cursor();
        self.text.go(&Movement::BeginningOfLine);
        match operator {
            ViOperator::Yank => {
                self.text.copy(&Movement::EndOfLine);
                self.text.place_cursor(before);
            }
            ViOperator::Delete | ViOperator::Change => self.text.kill(&Movement::EndOfLine),
        }
        if let Some(vi) = &mut self.vi {
            vi.reset();
        }
        if operator == ViOperator::Change {
            self.vi_insert();
        }
    }

    /// Deletes text into the kill ring. Unlike `EditBuffer::kill`, it keeps single characters too.
    fn vi_kill(&mut self, movement: &Movement) {
        if let Movement::ForwardChar(_) | Movement::BackwardChar(_) = movement {
            self.text.copy(movement);
            self.text.delete(movement);
        } else {
            self.text.kill(movement);
        }
    }

    fn vi_insert(&mut self) {
        if let Some(vi) = &mut self.vi {
            vi.reset();
            vi.is_normal = false;
        }
    }

    fn vi_swap_case(&mut self) {
        let at = self.text.cursor();
        let Some(letter) = self.text.as_str()[at..].chars().next() else { return };
        let swapped: String =
            if letter.is_uppercase() { letter.to_lowercase().collect() } else { letter.to_uppercase().collect() };
        self.text.replace(at..at + letter.len_utf8(), &swapped);
    }
}

fn opposite(search: CharSearch) -> CharSearch {
    match search {
        CharSearch::Forward(letter) => CharSearch::Backward(letter),
        CharSearch::Backward(letter) => CharSearch::Forward(letter),
        CharSearch::ForwardBefore(letter) => CharSearch::BackwardAfter(letter),
        CharSearch::BackwardAfter(letter) => CharSearch::ForwardBefore(letter),
    }
}
