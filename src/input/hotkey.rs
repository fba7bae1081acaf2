//! The one key that is taken from the keyboard while others have it.
//!
//! It counts only as a key of its own: the read that brings it brings nothing else. Inside a burst the same byte is data, such as a file
//! sent by zmodem or text for a serial console. Nothing is held back to find it: a sequence that arrives in pieces is passed on in pieces.
//! Terminals write a key's sequence at once, so in practice it is whole.

use std::fmt;
use std::str::FromStr;

/// Which key opens the line, and how it looks in a terminal's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hotkey {
    /// The control character.
    byte: u8,
    /// As terminals with the kitty protocol send it.
    kitty: Vec<u8>,
    /// As xterm sends it when it tells all keys.
    xterm: Vec<u8>,
    name: String,
    in_paste: bool,
    /// How much of the mark that begins or ends a paste has come.
    progress: usize,
}

/// A word that names no hotkey.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no hotkey; there are \"ctrl-\" with a letter or one of \\ ] ^ _, and \"none\"")]
pub struct UnknownHotkey(String);

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
const ESC: u8 = 0x1B;

impl Hotkey {
    /// Whether one read of the keyboard brought the hotkey and nothing else. Every read is to be shown to this, because a paste may be
    /// cut into several, and nothing in a paste is a key.
    pub fn is_pressed(&mut self, read: &[u8]) -> bool {
        let was_in_paste = self.in_paste;
        self.follow_paste(read);
        let is_whole = read == [self.byte] || [&self.kitty, &self.xterm].into_iter().any(|form| read == form);
        is_whole && !was_in_paste
    }

    fn follow_paste(&mut self, read: &[u8]) {
        // Most reads hold no part of a paste's marks.
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
    /// The name as texts for people have it: `Ctrl-\\`.
    pub fn label(&self) -> String {
        self.name.replacen('c', "C", 1)
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
        // The others are Tab, Enter, Esc, and what every program lives by.
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
    fn it_is_a_key_in_every_form_and_only_alone() {
        for key in [&b"\x1c"[..], b"\x1b[92;5u", b"\x1b[27;5;92~"] {
            assert!(hotkey().is_pressed(key));
            for burst in [[b"ab", key, b"cd"].concat(), [key, b"\r"].concat(), [b"ls", key].concat(), key.repeat(2)] {
                assert!(!hotkey().is_pressed(&burst), "{}", burst.escape_ascii());
            }
        }
    }

    #[test]
    fn no_other_key_is_the_hotkey() {
        for read in [&b"ls -la\r"[..], b"\x1b[92;6u", b"\x1b[A", b"\x1b[200~a\x1cb\x1b[201~", b"\x1b[200~a\x1c", b""] {
            assert!(!hotkey().is_pressed(read), "{}", read.escape_ascii());
        }
    }

    #[test]
    fn a_paste_in_pieces_is_still_a_paste() {
        let mut hotkey = hotkey();
        for byte in b"\x1b[200~a\x1cb\x1b[201~" {
            assert!(!hotkey.is_pressed(&[*byte]));
        }
        assert!(hotkey.is_pressed(b"\x1c"));
    }

    #[test]
    fn names_of_keys() {
        assert_eq!("Ctrl-G".parse::<Hotkey>().unwrap().to_string(), "ctrl-g");
        for name in ["", "x", "ctrl-", "ctrl-m", "ctrl-c", "ctrl-aa", "alt-x", "ctrl-é"] {
            assert!(name.parse::<Hotkey>().is_err(), "{name}");
        }
    }
}
