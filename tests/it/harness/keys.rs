//! Keys as a terminal sends them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Enter,
    Tab,
    Esc,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    /// Ctrl with a letter or one of `@ [ \ ] ^ _`.
    Ctrl(char),
    /// Alt with a character: ESC and then the character.
    Alt(char),
}

#[allow(non_upper_case_globals)]
impl Key {
    pub(crate) const CtrlC: Key = Key::Ctrl('c');
    pub(crate) const CtrlD: Key = Key::Ctrl('d');
    pub(crate) const CtrlZ: Key = Key::Ctrl('z');
    pub(crate) const CtrlBackslash: Key = Key::Ctrl('\\');

    /// Returns what the terminal would send; arrows depend on the application-cursor mode.
    pub(crate) fn bytes(self, application_cursor: bool) -> Vec<u8> {
        let arrow = |last: u8| vec![0x1b, if application_cursor { b'O' } else { b'[' }, last];
        match self {
            Key::Enter => b"\r".to_vec(),
            Key::Tab => b"\t".to_vec(),
            Key::Esc => b"\x1b".to_vec(),
            Key::Backspace => b"\x7f".to_vec(),
            Key::Up => arrow(b'A'),
            Key::Down => arrow(b'B'),
            Key::Right => arrow(b'C'),
            Key::Left => arrow(b'D'),
            Key::Ctrl(letter) => vec![letter.to_ascii_uppercase() as u8 & 0x1f],
            Key::Alt(letter) => format!("\x1b{letter}").into_bytes(),
        }
    }
}
