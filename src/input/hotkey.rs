//! The hotkey: the one key that shellmate intercepts while a program has the keyboard.
//!
//! The hotkey is recognised only if a read returns it alone. Inside a longer read the same byte is data, such as a file sent by zmodem or
//! text for a serial console. No bytes are held back to recognise it: a sequence that arrives in pieces is passed on in pieces. Terminals
//! write the sequence of a key at once, so in practice it arrives whole.

use std::fmt;
use std::str::FromStr;

use super::chord::Chord;

/// The key that opens the conversation line, and the bytes that terminals send for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hotkey {
    /// The control character.
    byte: u8,
    /// The sequence in the kitty keyboard protocol.
    kitty: Vec<u8>,
    /// The sequence in xterm's modifyOtherKeys mode.
    xterm: Vec<u8>,
    name: String,
    in_paste: bool,
    /// How many bytes of the mark that begins or ends a paste have been read.
    progress: usize,
}

/// A name that is not a valid hotkey.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a hotkey; use \"ctrl-\" with a letter or one of \\ ] ^ _, or \"none\"")]
pub struct UnknownHotkey(String);

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
const ESC: u8 = 0x1B;

impl Hotkey {
    /// Whether one read of the keyboard returned the hotkey and nothing else. Must be called for every read: a paste can span several
    /// reads, and nothing inside a paste is a key.
    pub fn is_pressed(&mut self, read: &[u8]) -> bool {
        let was_in_paste = self.in_paste;
        self.follow_paste(read);
        let is_whole = read == [self.byte] || [&self.kitty, &self.xterm].into_iter().any(|form| read == form);
        is_whole && !was_in_paste
    }

    fn follow_paste(&mut self, read: &[u8]) {
        // Most reads contain no part of a paste mark.
        if self.progress == 0 && memchr::memchr(ESC, read).is_none() {
            return;
        }
        for &byte in read {
            let mark = if self.in_paste { PASTE_END } else { PASTE_START };
            self.progress = if byte == mark[self.progress] { self.progress + 1 } else { usize::from(byte == ESC) };
            if self.progress == mark.len() {
                self.in_paste = !self.in_paste;
                self.progress = 0;
            }
        }
    }
}

impl Hotkey {
    /// The letter or sign that is pressed together with Ctrl.
    pub(crate) fn letter(&self) -> char {
        char::from(self.byte | 0x40).to_ascii_lowercase()
    }

    /// The name as it is displayed: `Ctrl-\\`.
    pub fn label(&self) -> String {
        self.name.parse::<Chord>().map_or_else(|_| self.name.clone(), |chord| chord.label())
    }
}

impl FromStr for Hotkey {
    type Err = UnknownHotkey;

    fn from_str(name: &str) -> Result<Hotkey, UnknownHotkey> {
        let unknown = || UnknownHotkey(name.to_owned());
        let lower = name.trim().to_ascii_lowercase();
        let rest =
            ["ctrl-", "ctrl+", "c-", "^"].iter().find_map(|prefix| lower.strip_prefix(prefix)).ok_or_else(unknown)?;
        let mut letters = rest.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return Err(unknown()) };
        // Excluded are Tab, Enter and Esc, and Ctrl-C, Ctrl-D and Ctrl-Z.
        if !matches!(letter, 'a'..='z' | '\\' | ']' | '^' | '_') || matches!(letter, 'i' | 'j' | 'm' | 'c' | 'd' | 'z')
        {
            return Err(unknown());
        }
        let byte = letter.to_ascii_uppercase() as u8 & 0x1F;
        let code = u32::from(letter);
        Ok(Hotkey {
            byte,
            kitty: format!("\x1b[{code};5u").into_bytes(),
            xterm: format!("\x1b[27;5;{code}~").into_bytes(),
            name: format!("ctrl-{letter}"),
            in_paste: false,
            progress: 0,
        })
    }
}

impl fmt::Display for Hotkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hotkey() -> Hotkey {
        "ctrl-\\".parse().unwrap()
    }

    #[test]
    fn the_hotkey_is_recognised_in_every_form_but_only_alone() {
        for key in [&b"\x1c"[..], b"\x1b[92;5u", b"\x1b[27;5;92~"] {
            assert!(hotkey().is_pressed(key));
            for burst in [[b"ab", key, b"cd"].concat(), [key, b"\r"].concat(), [b"ls", key].concat(), key.repeat(2)] {
                assert!(!hotkey().is_pressed(&burst), "{}", burst.escape_ascii());
            }
        }
    }

    #[test]
    fn other_keys_are_not_the_hotkey() {
        for read in [&b"ls -la\r"[..], b"\x1b[92;6u", b"\x1b[A", b"\x1b[200~a\x1cb\x1b[201~", b"\x1b[200~a\x1c", b""] {
            assert!(!hotkey().is_pressed(read), "{}", read.escape_ascii());
        }
    }

    #[test]
    fn the_hotkey_inside_a_paste_of_several_reads_is_data() {
        let mut hotkey = hotkey();
        for byte in b"\x1b[200~a\x1cb\x1b[201~" {
            assert!(!hotkey.is_pressed(&[*byte]));
        }
        assert!(hotkey.is_pressed(b"\x1c"));
    }

    #[test]
    fn hotkeys_are_parsed_from_their_names() {
        assert_eq!("Ctrl-G".parse::<Hotkey>().unwrap().to_string(), "ctrl-g");
        assert_eq!("^g".parse::<Hotkey>().unwrap().label(), "Ctrl-G");
        assert_eq!(hotkey().label(), "Ctrl-\\");
        for name in ["", "x", "ctrl-", "ctrl-m", "ctrl-c", "ctrl-aa", "alt-x", "ctrl-é"] {
            assert!(name.parse::<Hotkey>().is_err(), "{name}");
        }
    }
}
