//! Counts and times the keys that are read, and holds keys until a floor takes them.

use std::time::{Duration, Instant};

use crate::input::Hotkey;

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

    /// Keeps keys for the next floor that takes some.
    pub(super) fn hold(&mut self, keys: &[u8], now: Instant) {
        if !keys.is_empty() {
            self.held.push(keys);
            self.typed_at = Some(now);
        }
    }

    /// The keys that were held, oldest first.
    pub(super) fn take_held(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held).front().to_vec()
    }
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
