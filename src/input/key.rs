//! Keys and modifiers.

/// Input from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// Pasted text. Line ends are `\n`. Invalid UTF-8 is replaced with U+FFFD.
    Paste(String),
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub code: Code,
    pub mods: Mods,
}

/// A key without its modifiers. A letter typed with Shift is a capital letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Char(char),
    Enter,
    Tab,
    Backspace,
    Esc,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    Function(u8),
}

/// The modifiers of a key. `shift` is set only for keys that do not type a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mods {
    pub shift: bool,
    pub alt: bool,
    pub ctrl: bool,
}

impl Mods {
    pub(crate) const NONE: Mods = Mods { shift: false, alt: false, ctrl: false };
    pub(crate) const SHIFT: Mods = Mods { shift: true, ..Mods::NONE };
    pub(crate) const ALT: Mods = Mods { alt: true, ..Mods::NONE };
    pub(crate) const CTRL: Mods = Mods { ctrl: true, ..Mods::NONE };

    /// Decodes the modifier parameter of a sequence: 1 plus the sum of 1 (Shift), 2 (Alt) and 4 (Ctrl). Other modifiers are ignored.
    pub(super) fn from_parameter(parameter: u32) -> Mods {
        let bits = parameter.saturating_sub(1);
        Mods { shift: bits & 1 != 0, alt: bits & 2 != 0, ctrl: bits & 4 != 0 }
    }
}

impl Key {
    pub(crate) const fn new(code: Code, mods: Mods) -> Key {
        Key { code, mods }
    }

    pub(crate) const fn plain(code: Code) -> Key {
        Key { code, mods: Mods::NONE }
    }

    pub(crate) const fn ctrl(letter: char) -> Key {
        Key { code: Code::Char(letter), mods: Mods::CTRL }
    }

    /// Whether the key types a character.
    pub(crate) const fn is_typed(&self) -> bool {
        matches!(self.code, Code::Char(_)) && !self.mods.alt && !self.mods.ctrl
    }

    /// Whether questions, lists and lines leave the key to the answer around them.
    pub(crate) const fn is_special(&self) -> bool {
        self.mods.ctrl || self.mods.alt || matches!(self.code, Code::Function(_))
    }

    #[cfg(test)]
    pub(crate) const fn alt(letter: char) -> Key {
        Key { code: Code::Char(letter), mods: Mods::ALT }
    }
}
