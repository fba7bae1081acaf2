//! Counts and times the keys that are read, and holds keys until a floor takes them.

use std::time::{Duration, Instant};

use crate::input::Hotkey;

use super::prompt::long_key;
use super::wires::Outbox;

/// How long to wait after an ESC for the rest of a longer key.
pub(super) const ESC_PATIENCE: Duration = Duration::from_millis(50);

pub(super) const CTRL_C: u8 = 0x03;

/// The state of the keyboard.
#[derive(Default)]
pub(super) struct Keyboard {
    /// The key that opens a conversation, if there is one.
    pub(super) hotkey: Option<Hotkey>,
    /// Keys that were typed while no floor took them.
    pub(super) held: Outbox,
    /// When a key last went to the shell, or was held for it, while the agent was working.
    pub(super) typed_at: Option<Instant>,
    /// Since when keys are held for a prompt that the shell is about to draw.
    pub(super) returning_at: Option<Instant>,
    /// How often the keyboard was read.
    pub(super) reads: u64,
    burst: Burst,
}

impl Keyboard {
    pub(super) fn new(hotkey: Option<Hotkey>) -> Keyboard {
        Keyboard { hotkey, ..Keyboard::default() }
    }

    /// Another key opens a conversation from here on, or none.
    pub(super) fn adopt(&mut self, hotkey: Option<Hotkey>) {
        // The key in use may be in the middle of a paste.
        if hotkey.as_ref().map(Hotkey::label) != self.hotkey.as_ref().map(Hotkey::label) {
            self.hotkey = hotkey;
        }
    }

    /// Notes a read. Returns whether it is the hotkey, whole and alone, and not part of a burst.
    pub(super) fn read(&mut self, keys: &[u8], now: Instant) -> bool {
        self.reads += 1;
        self.burst.note(keys, now);
        let is_pressed = self.hotkey.as_mut().is_some_and(|hotkey| hotkey.is_pressed(keys));
        is_pressed && !self.burst.goes_on()
    }

    /// Keeps keys for the next floor that takes some. Backspace and Ctrl-U edit what is kept.
    pub(super) fn hold(&mut self, keys: &[u8], now: Instant) {
        if !keys.is_empty() {
            let mut held = self.take_held();
            type_ahead(&mut held, keys);
            self.held.push(&held);
            self.typed_at = Some(now);
        }
    }

    /// The keys that were held, oldest first.
    pub(super) fn take_held(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held).front().to_vec()
    }
}

const BACKSPACE: [u8; 2] = [0x7F, 0x08];
const CTRL_U: u8 = 0x15;
/// The brackets around a paste. The shell asks for them only at its prompt, so type-ahead has none.
const PASTE: [&[u8]; 2] = [b"\x1b[200~", b"\x1b[201~"];

/// Adds keys to those that wait for a line editor. Backspace after a letter and Ctrl-U do at once what they would do there, so that the line
/// can be edited, and emptied, while it waits.
pub(super) fn type_ahead(waiting: &mut Vec<u8>, keys: &[u8]) {
    let mut rest = keys;
    while !rest.is_empty() {
        let length = long_key(rest).unwrap_or(1).min(rest.len());
        let (key, after) = rest.split_at(length);
        rest = after;
        match key {
            [key] if BACKSPACE.contains(key) && erase_letter(waiting) => {}
            [CTRL_U] => {
                let start = line_start(waiting);
                match moves_cursor(&waiting[start..]) {
                    true => waiting.push(CTRL_U),
                    false => waiting.truncate(start),
                }
            }
            key if PASTE.contains(&key) => {}
            key => waiting.extend_from_slice(key),
        }
    }
}

/// Where the last line begins.
fn line_start(waiting: &[u8]) -> usize {
    waiting.iter().rposition(|byte| b"\r\n".contains(byte)).map_or(0, |enter| enter + 1)
}

/// Removes the last character, if it is a letter and not a key with another meaning.
fn erase_letter(waiting: &mut Vec<u8>) -> bool {
    let line = &waiting[line_start(waiting)..];
    // After an escape sequence it is not known what the letters at its end were.
    let text = if line.contains(&0x1B) { None } else { std::str::from_utf8(line).ok() };
    let Some(letter) = text.and_then(|text| text.chars().last()).filter(|letter| !letter.is_control()) else {
        return false;
    };
    waiting.truncate(waiting.len() - letter.len_utf8());
    true
}

/// Whether a line contains keys other than letters, Tab, Backspace and those that recall earlier lines, so that Ctrl-U may leave a part.
fn moves_cursor(line: &[u8]) -> bool {
    let mut rest = line;
    while let Some(first) = rest.first() {
        let length = long_key(rest).unwrap_or(1).min(rest.len());
        let (key, after) = rest.split_at(length);
        let is_harmless = match key {
            [key] => *key >= 0x20 || *key == b'\t' || BACKSPACE.contains(key),
            key => [&b"\x1b[A"[..], b"\x1b[B", b"\x1bOA", b"\x1bOB"].contains(&key),
        };
        if !is_harmless || *first == 0x1B && length == 1 {
            return true;
        }
        rest = after;
    }
    false
}

/// The keys that wait, as text for the screen.
pub(super) fn waiting_text(waiting: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = waiting;
    while !rest.is_empty() {
        let length = long_key(rest).unwrap_or(1).min(rest.len());
        let (key, after) = rest.split_at(length);
        match key {
            b"\x1b[A" | b"\x1bOA" => text.push('↑'),
            b"\x1b[B" | b"\x1bOB" => text.push('↓'),
            b"\x1b[C" | b"\x1bOC" => text.push('→'),
            b"\x1b[D" | b"\x1bOD" => text.push('←'),
            [_, _, ..] => text.push('⌥'),
            [b'\r' | b'\n'] => text.push('⏎'),
            [b'\t'] => text.push('⇥'),
            [0x7F] => text.push('⌫'),
            [control @ ..0x20] => text.extend(['^', char::from(*control + 0x40)]),
            _ => {
                let end = rest.iter().position(|byte| *byte < 0x20 || *byte == 0x7F).unwrap_or(rest.len());
                text += &String::from_utf8_lossy(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
        }
        rest = after;
    }
    text
}

/// Whether one of these keys may be a signal (Ctrl-C, Ctrl-Z, Ctrl-\). A terminal that gets such a key discards the output that nobody has
/// read, and marks with it.
pub(super) fn discards_output(keys: &[u8]) -> bool {
    keys.iter().any(|key| [CTRL_C, 0x1A, 0x1C].contains(key))
}

/// Bytes that arrive too fast to be typed: a file transfer, a paste without brackets, text for a serial console. A burst may be
/// split anywhere, so a read may contain a single byte of it. Scripts that type and wait for an echo send less at a time.
#[derive(Debug, Default)]
struct Burst {
    /// Bytes that arrived without a pause: before the last read, and including it.
    before: usize,
    bytes: usize,
    last: Option<Instant>,
}

impl Burst {
    const PAUSE: Duration = Duration::from_millis(10);
    const LEAST: usize = 64;

    /// The keyboard was read at `now`.
    fn note(&mut self, read: &[u8], now: Instant) {
        let is_pause = self.last.replace(now).is_none_or(|last| now.duration_since(last) >= Burst::PAUSE);
        self.before = if is_pause { 0 } else { self.bytes };
        self.bytes = self.before + read.len();
    }

    /// Whether the last read continues a burst.
    fn goes_on(&self) -> bool {
        self.before >= Burst::LEAST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_ends_with_a_pause() {
        let (mut burst, start) = (Burst::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        burst.note(b"ls -l", at(0));
        burst.note(b"\x1c", at(1));
        assert!(!burst.goes_on(), "a few keys typed at once");
        burst.note(&[b'x'; 4096], at(100));
        assert!(!burst.goes_on(), "its first read");
        burst.note(b"\x1c", at(105));
        assert!(burst.goes_on());
        burst.note(b"\x1c", at(115));
        assert!(!burst.goes_on());
        for millis in 200..300 {
            burst.note(b"x", at(millis));
        }
        assert!(burst.goes_on(), "a slow line hands over byte by byte");
    }

    #[test]
    fn the_hotkey_counts_only_alone_and_outside_bursts_and_pastes() {
        let mut keyboard = Keyboard::new("ctrl-\\".parse().ok());
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        assert!(keyboard.read(b"\x1c", at(0)));
        assert!(!keyboard.read(b"\x1cx", at(100)));
        keyboard.read(&[b'x'; 4096], at(200));
        assert!(!keyboard.read(b"\x1c", at(201)));
        keyboard.read(b"\x1b[200~", at(300));
        assert!(!keyboard.read(b"\x1c", at(400)));
        keyboard.read(b"\x1b[201~", at(500));
        assert!(keyboard.read(b"\x1c", at(600)));
        assert_eq!(keyboard.reads, 8);
    }

    #[test]
    fn held_keys_keep_their_order() {
        let (mut keyboard, now) = (Keyboard::default(), Instant::now());
        keyboard.hold(b"", now);
        assert_eq!(keyboard.typed_at, None);
        keyboard.hold(b"l", now);
        keyboard.hold(b"s", now);
        assert_eq!(keyboard.typed_at, Some(now));
        assert_eq!(keyboard.take_held(), b"ls");
        assert!(keyboard.held.is_empty());
    }
}
