//! Decodes the bytes of a terminal into keys.
//!
//! The decoder takes one byte at a time, so that the bytes after a key remain with the caller. A timeout is needed in one case only: an
//! ESC can be the key or the beginning of a sequence. [`Decoder::is_undecided`] reports that case, and [`Decoder::settle`] ends it.

use super::key::{Code, Input, Key, Mods};

/// The most bytes that are kept of one paste.
pub(crate) const PASTE_CAP: usize = 4 * 1024 * 1024;

/// The longest escape sequence of a key. Longer sequences are skipped.
const SEQUENCE_CAP: usize = 64;

/// The longest reply of a terminal. Anything longer is taken for typed text.
const ANSWER_CAP: usize = 4096;

const ESC: u8 = 0x1B;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Decodes bytes into keys and pastes.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    state: DecoderState,
}

#[derive(Debug, Default)]
enum DecoderState {
    #[default]
    Ground,
    /// Inside a character of several bytes.
    Utf8 {
        bytes: Vec<u8>,
        alt: bool,
    },
    Escape,
    /// After `ESC [`.
    Csi(Vec<u8>),
    /// After `ESC O`, with the modifier that some terminals insert.
    Ss3(Vec<u8>),
    /// After `ESC [ [`, the beginning of F1 to F5 on the Linux console.
    Console,
    /// Inside an X10 mouse report, with the number of bytes that are left.
    Mouse(u8),
    /// After `ESC ]` or `ESC P`: the terminal's reply to a query, with its length so far.
    Answer(usize),
    /// After an ESC inside a reply, which may be the first byte of its terminator.
    AnswerEnd,
    Paste(Vec<u8>),
}

impl Decoder {
    /// Whether the last byte was an ESC, which may be the key or the beginning of a sequence.
    pub(crate) fn is_undecided(&self) -> bool {
        matches!(self.state, DecoderState::Escape)
    }

    /// Called when no byte has followed for a while. Returns the Esc key if an ESC is undecided.
    pub(crate) fn settle(&mut self) -> Option<Input> {
        if !self.is_undecided() {
            return None;
        }
        self.state = DecoderState::Ground;
        Some(Input::Key(Key::plain(Code::Esc)))
    }

    /// Takes a byte. Returns the key or paste that it completes.
    pub(crate) fn byte(&mut self, byte: u8) -> Option<Input> {
        match std::mem::take(&mut self.state) {
            DecoderState::Ground => self.ground(byte, false),
            DecoderState::Utf8 { mut bytes, alt } => {
                if !(0x80..0xC0).contains(&byte) {
                    // The character is incomplete and is dropped. The new byte is read on its own.
                    return self.ground(byte, false);
                }
                bytes.push(byte);
                if bytes.len() < utf8_length(bytes[0]) {
                    self.state = DecoderState::Utf8 { bytes, alt };
                    return None;
                }
                let letter = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
                let letter = letter.filter(|letter| !letter.is_control());
                typed(letter.unwrap_or('\u{FFFD}'), alt)
            }
            DecoderState::Escape => self.escape(byte),
            DecoderState::Csi(parameters) => self.csi(parameters, byte),
            DecoderState::Ss3(mut parameters) => match byte {
                b'0'..=b'9' | b';' if parameters.len() < SEQUENCE_CAP => {
                    parameters.push(byte);
                    self.state = DecoderState::Ss3(parameters);
                    None
                }
                0x40..=0x7E => final_key(&numbers(&parameters), byte).map(Input::Key),
                _ => self.ground(byte, false),
            },
            DecoderState::Console => match byte {
                b'A'..=b'E' => Some(Input::Key(Key::plain(Code::Function(byte - b'A' + 1)))),
                _ => None,
            },
            DecoderState::Mouse(left) => {
                if left > 1 {
                    self.state = DecoderState::Mouse(left - 1);
                }
                None
            }
            DecoderState::Answer(length) => self.answer(length, byte),
            DecoderState::AnswerEnd if byte == b'\\' => None,
            DecoderState::AnswerEnd => self.escape(byte),
            DecoderState::Paste(bytes) => self.paste(bytes, byte),
        }
    }

    fn ground(&mut self, byte: u8, alt: bool) -> Option<Input> {
        let mods = Mods { alt, ..Mods::NONE };
        let ctrl = |letter: char| Key::new(Code::Char(letter), Mods { ctrl: true, ..mods });
        let key = match byte {
            ESC => {
                self.state = DecoderState::Escape;
                return None;
            }
            b'\r' => Key::new(Code::Enter, mods),
            b'\t' => Key::new(Code::Tab, mods),
            0x7F => Key::new(Code::Backspace, mods),
            0 => ctrl(' '),
            1..=26 => ctrl(char::from(byte - 1 + b'a')),
            0x1C..=0x1F => ctrl(char::from(byte + 0x40)),
            0x20..=0x7E => Key::new(Code::Char(char::from(byte)), mods),
            0x80.. if utf8_length(byte) > 1 => {
                self.state = DecoderState::Utf8 { bytes: vec![byte], alt };
                return None;
            }
            0x80.. => return typed('\u{FFFD}', alt),
        };
        Some(Input::Key(key))
    }

    fn escape(&mut self, byte: u8) -> Option<Input> {
        match byte {
            // The first ESC was the Esc key, as when it is pressed twice.
            ESC => {
                self.state = DecoderState::Escape;
                Some(Input::Key(Key::plain(Code::Esc)))
            }
            b'[' => self.wait(DecoderState::Csi(Vec::new())),
            b'O' => self.wait(DecoderState::Ss3(Vec::new())),
            b']' | b'P' => self.wait(DecoderState::Answer(0)),
            _ => self.ground(byte, true),
        }
    }

    fn wait(&mut self, state: DecoderState) -> Option<Input> {
        self.state = state;
        None
    }

    fn csi(&mut self, mut parameters: Vec<u8>, byte: u8) -> Option<Input> {
        match byte {
            b'[' if parameters.is_empty() => self.wait(DecoderState::Console),
            b'M' if parameters.is_empty() => self.wait(DecoderState::Mouse(3)),
            0x20..=0x3F => {
                if parameters.len() < SEQUENCE_CAP {
                    parameters.push(byte);
                }
                self.wait(DecoderState::Csi(parameters))
            }
            b'~' if parameters == b"200" => self.wait(DecoderState::Paste(Vec::new())),
            0x40..=0x7E if parameters.len() >= SEQUENCE_CAP => None,
            // Replies and reports begin with one of these characters, and keys do not.
            0x40..=0x7E if parameters.first().is_some_and(|first| matches!(first, b'<'..=b'?')) => None,
            0x40..=0x7E => final_key(&numbers(&parameters), byte).map(Input::Key),
            _ => self.ground(byte, false),
        }
    }

    /// Skips a reply up to its end or to the next control character, so that an Enter after it is never swallowed.
    fn answer(&mut self, length: usize, byte: u8) -> Option<Input> {
        let is_answer = length > 0 || byte.is_ascii_digit() || matches!(byte, b'>' | b'!');
        match byte {
            0x07 if length > 0 => None,
            ESC => self.wait(DecoderState::AnswerEnd),
            0x20.. if is_answer && length < ANSWER_CAP => self.wait(DecoderState::Answer(length + 1)),
            _ => self.ground(byte, false),
        }
    }

    fn paste(&mut self, mut bytes: Vec<u8>, byte: u8) -> Option<Input> {
        bytes.push(byte);
        if byte == b'~' && bytes.ends_with(PASTE_END) {
            bytes.truncate(bytes.len() - PASTE_END.len());
            bytes.truncate(PASTE_CAP);
            let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
            return Some(Input::Paste(text));
        }
        // Bytes beyond the cap are dropped. The last ones stay, so that the end mark of the paste is still found.
        if bytes.len() > PASTE_CAP + 2 * PASTE_END.len() {
            bytes.drain(PASTE_CAP..PASTE_CAP + PASTE_END.len());
        }
        self.wait(DecoderState::Paste(bytes))
    }
}

fn typed(letter: char, alt: bool) -> Option<Input> {
    Some(Input::Key(Key::new(Code::Char(letter), Mods { alt, ..Mods::NONE })))
}

/// The length of the UTF-8 character that begins with this byte, or 1 if the byte begins none.
fn utf8_length(first: u8) -> usize {
    match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    }
}

/// The parameters, each with its subparameters: `13;2:1` is `[[13], [2, 1]]`. A missing number is 0.
fn numbers(parameters: &[u8]) -> Vec<Vec<u32>> {
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let parts = |parameter: &[u8]| parameter.split(|&byte| byte == b':').map(number).collect();
    parameters.split(|&byte| byte == b';').map(parts).collect()
}

/// The key of a sequence that ends with `last`. `None` for a key release and for sequences that are not keys.
fn final_key(numbers: &[Vec<u32>], last: u8) -> Option<Key> {
    let part = |parameter: usize, part: usize| numbers.get(parameter)?.get(part).copied().filter(|&number| number > 0);
    const RELEASE: u32 = 3;
    if part(1, 1) == Some(RELEASE) {
        return None;
    }
    let mods = Mods::from_parameter(part(1, 0).unwrap_or(1));
    let code = match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'M' => Code::Enter,
        // With another first parameter the sequence is a reply of the terminal.
        b'P'..=b'S' if part(0, 0).is_none_or(|first| first == 1) => Code::Function(last - b'P' + 1),
        b'Z' => return Some(Key::new(Code::Tab, Mods { shift: true, ..mods })),
        b'~' => match part(0, 0)? {
            1 | 7 => Code::Home,
            2 => Code::Insert,
            3 => Code::Delete,
            4 | 8 => Code::End,
            5 => Code::PageUp,
            6 => Code::PageDown,
            // xterm's modifyOtherKeys.
            27 => return spelled(part(2, 0)?, None, None, mods),
            number @ 11..=15 => Code::Function(u8::try_from(number - 10).ok()?),
            number @ 17..=21 => Code::Function(u8::try_from(number - 11).ok()?),
            number @ 23..=24 => Code::Function(u8::try_from(number - 12).ok()?),
            _ => return None,
        },
        b'u' => return spelled(part(0, 0)?, part(0, 1), part(2, 0), mods),
        _ => return None,
    };
    Some(Key::new(code, mods))
}

/// A key given by code points (kitty keyboard protocol): the unshifted key, the shifted key if known, and the text it types.
fn spelled(code: u32, shifted: Option<u32>, text: Option<u32>, mods: Mods) -> Option<Key> {
    let code = match code {
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57417 => Code::Left,
        57418 => Code::Right,
        57419 => Code::Up,
        57420 => Code::Down,
        57421 => Code::PageUp,
        57422 => Code::PageDown,
        57423 => Code::Home,
        57424 => Code::End,
        57425 => Code::Insert,
        57426 => Code::Delete,
        // The number pad.
        57399..=57408 => Code::Char(char::from_digit(code - 57399, 10)?),
        57409 => Code::Char('.'),
        57410 => Code::Char('/'),
        57411 => Code::Char('*'),
        57412 => Code::Char('-'),
        57413 => Code::Char('+'),
        57415 => Code::Char('='),
        // Keys that type nothing: locks, media, modifiers on their own.
        57344..=63743 => return None,
        _ => {
            let shown = |code| char::from_u32(code).filter(|letter| !letter.is_control());
            let base = shown(code)?;
            let shifted = shifted.and_then(shown).unwrap_or_else(|| base.to_uppercase().next().unwrap_or(base));
            let letter = match text.and_then(shown) {
                Some(letter) => letter,
                None if mods.shift && !mods.ctrl => shifted,
                None => base,
            };
            return Some(Key::new(Code::Char(letter), Mods { shift: false, ..mods }));
        }
    };
    Some(Key::new(code, mods))
}

#[cfg(test)]
mod tests;
