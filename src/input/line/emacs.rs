//! The keys of emacs mode.

use rustyline::line_buffer::WordAction;
use rustyline::{Anchor, At, Movement, Word};

use super::LineEditor;
use super::text::BACK_TO_BLANK;
use crate::input::key::{Code, Key, Mods};

const BACK_A_WORD: Movement = Movement::BackwardWord(1, Word::Emacs);
const FORTH_A_WORD: Movement = Movement::ForwardWord(1, At::AfterEnd, Word::Emacs);

/// The cursor movement of a key, if it is a movement key.
fn movement(key: Key) -> Option<Movement> {
    let Key { code, mods } = key;
    let is_word = mods == Mods::CTRL || mods == Mods::ALT;
    Some(match (code, mods) {
        (Code::Left, _) if is_word => BACK_A_WORD,
        (Code::Right, _) if is_word => FORTH_A_WORD,
        (Code::Char('b'), Mods::ALT) => BACK_A_WORD,
        (Code::Char('f'), Mods::ALT) => FORTH_A_WORD,
        (Code::Left, _) | (Code::Char('b'), Mods::CTRL) => Movement::BackwardChar(1),
        (Code::Right, _) | (Code::Char('f'), Mods::CTRL) => Movement::ForwardChar(1),
        (Code::Home, Mods::CTRL) | (Code::Char('<'), Mods::ALT) => Movement::BeginningOfBuffer,
        (Code::End, Mods::CTRL) | (Code::Char('>'), Mods::ALT) => Movement::EndOfBuffer,
        (Code::Home, _) | (Code::Char('a'), Mods::CTRL) => Movement::BeginningOfLine,
        (Code::End, _) | (Code::Char('e'), Mods::CTRL) => Movement::EndOfLine,
        _ => return None,
    })
}

impl LineEditor {
    pub(super) fn emacs_key(&mut self, key: Key) {
        let text = &mut self.text;
        if let Some(movement) = movement(key) {
            text.go(&movement);
            return;
        }
        match (key.code, key.mods) {
            (Code::Char(letter), Mods::NONE) => {
                self.recalled = None;
                text.insert(letter);
            }
            (Code::Backspace, Mods::ALT | Mods::CTRL) => text.kill(&BACK_A_WORD),
            (Code::Backspace, _) | (Code::Char('h'), Mods::CTRL) => text.delete(&Movement::BackwardChar(1)),
            (Code::Delete, Mods::ALT | Mods::CTRL) | (Code::Char('d'), Mods::ALT) => text.kill(&FORTH_A_WORD),
            (Code::Delete, _) | (Code::Char('d'), Mods::CTRL) => text.delete(&Movement::ForwardChar(1)),
            (Code::Char('k'), Mods::CTRL) => text.kill(&Movement::EndOfLine),
            (Code::Char('u'), Mods::CTRL) => text.kill(&Movement::BeginningOfLine),
            (Code::Char('w'), Mods::CTRL) => text.kill(&BACK_TO_BLANK),
            (Code::Char('y'), Mods::CTRL) => text.yank(Anchor::Before, 1),
            (Code::Char('y'), Mods::ALT) => text.yank_earlier(),
            (Code::Char('t'), Mods::CTRL) => text.transpose_letters(),
            (Code::Char('t'), Mods::ALT) => text.transpose_words(),
            (Code::Char('u'), Mods::ALT) => text.change_case(WordAction::Uppercase),
            (Code::Char('l'), Mods::ALT) => text.change_case(WordAction::Lowercase),
            (Code::Char('c'), Mods::ALT) => text.change_case(WordAction::Capitalize),
            (Code::Char('_' | '/' | 'z'), Mods::CTRL) => text.undo(),
            (Code::Char('_' | '/' | 'z'), Mods::ALT) => text.redo(),
            // Other keys are ignored.
            _ => {}
        }
    }
}
