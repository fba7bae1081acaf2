//! The one key that is taken from the keyboard while others have it.
//!
//! Nothing is held back to find it: a sequence that arrives in pieces is passed on in pieces, and only a whole one is the hotkey.
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

/// What of the keyboard's bytes is before the hotkey, and what after it.
#[derive(Debug, PartialEq, Eq)]
pub struct Spotted<'a> {
    pub before: &'a [u8],
    pub key: &'a [u8],
    pub after: &'a [u8],
}

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";
const ESC: u8 = 0x1B;

impl Hotkey {
    /// Finds the hotkey in what the keyboard sent. A paste is somebody's text, so nothing in one is a key.
    pub fn spot<'a>(&mut self, bytes: &'a [u8]) -> Option<Spotted<'a>> {
        // On the way of every keystroke: most have neither.
        if !self.in_paste && self.progress == 0 {
            memchr::memchr2(self.byte, ESC, bytes)?;
        }
        for (at, &byte) in bytes.iter().enumerate() {
            let mark = if self.in_paste { PASTE_END } else { PASTE_START };
            self.progress = if byte == mark[self.progress] { self.progress + 1 } else { usize::from(byte == ESC) };
            if self.progress == mark.len() {
                self.in_paste = !self.in_paste;
                self.progress = 0;
            }
            if self.in_paste {
                continue;
            }
            let rest = &bytes[at..];
            let length = if byte == self.byte {
                Some(1)
            } else {
                [&self.kitty, &self.xterm].into_iter().find(|form| rest.starts_with(form)).map(Vec::len)
            };
            if let Some(length) = length {
                self.progress = 0;
                return Some(Spotted { before: &bytes[..at], key: &rest[..length], after: &rest[length..] });
            }
        }
        None
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
    fn it_is_found_in_every_form_and_the_rest_stays_in_order() {
        for key in [&b"\x1c"[..], b"\x1b[92;5u", b"\x1b[27;5;92~"] {
            let bytes = [b"ls", key, b"\rafter"].concat();
            assert_eq!(hotkey().spot(&bytes), Some(Spotted { before: b"ls", key, after: b"\rafter" }));
        }
    }

    #[test]
    fn nothing_else_is_taken() {
        for bytes in [&b"ls -la\r"[..], b"\x1b[92;6u", b"\x1b[A", b"\x1b[200~a\x1cb\x1b[201~", b"\x1b[200~a\x1c", b""] {
            assert_eq!(hotkey().spot(bytes), None, "{}", bytes.escape_ascii());
        }
        assert!(hotkey().spot(b"\x1b[200~a\x1cb\x1b[201~\x1c").is_some_and(|spotted| spotted.after.is_empty()));
    }

    #[test]
    fn a_paste_in_pieces_is_still_a_paste() {
        let mut hotkey = hotkey();
        for byte in b"\x1b[200~a\x1cb\x1b[201~" {
            assert_eq!(hotkey.spot(&[*byte]), None);
        }
        assert!(hotkey.spot(b"\x1c").is_some());
    }

    #[test]
    fn names_of_keys() {
        assert_eq!("Ctrl-G".parse::<Hotkey>().unwrap().to_string(), "ctrl-g");
        for name in ["", "x", "ctrl-", "ctrl-m", "ctrl-c", "ctrl-aa", "alt-x", "ctrl-é"] {
            assert!(name.parse::<Hotkey>().is_err(), "{name}");
        }
    }
}
