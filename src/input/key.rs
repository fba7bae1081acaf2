//! One key, with what was held down.

/// What a terminal's keyboard has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// Text in one piece; line ends are `\n`. Bytes that are no UTF-8 are U+FFFD.
    Paste(String),
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub code: Code,
    pub mods: Mods,
}

/// Which key it is; a letter is as it would be typed, so with Shift it is a capital.
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

/// What was held down with it. Shift is only told where the character does not tell it.
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

    /// From the parameter of a sequence: one more than a sum of 1, 2 and 4; other keys held down are not told.
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

    /// Whether it types a character rather than asks for something.
    pub(crate) const fn is_typed(&self) -> bool {
        matches!(self.code, Code::Char(_)) && !self.mods.alt && !self.mods.ctrl
    }

    #[cfg(test)]
    pub(crate) const fn alt(letter: char) -> Key {
        Key { code: Code::Char(letter), mods: Mods::ALT }
    }
}
