//! The conversation line over whatever is on the screen.
//!
//! Meanwhile the shell's side is not read, so a program that prints waits, and nothing of it is lost. What was on the screen goes
//! along with the first question and is drawn again at the end.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};

use crate::track::Zone;

use super::Session;
use super::line::{Host, Talk};

/// What lies below the conversation.
pub(super) struct Cover {
    /// The key as the program in front would have got it.
    key: Vec<u8>,
    is_full_screen: bool,
    at_prompt: bool,
    /// What draws it again.
    restore: Vec<u8>,
    /// What it shows, until a question has carried it.
    text: Option<String>,
}

/// Bytes that come too fast to be typed: a file transfer, a paste without brackets, text for a serial console. A burst may be cut
/// anywhere, so that a byte of it can come in a read of its own. Scripts that type and wait for an echo send less at a time.
#[derive(Debug, Default)]
pub(super) struct Burst {
    /// Bytes that came without a pause, before the last read and with it.
    before: usize,
    bytes: usize,
    last: Option<Instant>,
}

impl Burst {
    const PAUSE: Duration = Duration::from_millis(10);
    const LEAST: usize = 64;

    /// The keyboard was read at `now`.
    pub(super) fn note(&mut self, read: &[u8], now: Instant) {
        let is_pause = self.last.replace(now).is_none_or(|last| now.duration_since(last) >= Burst::PAUSE);
        self.before = if is_pause { 0 } else { self.bytes };
        self.bytes = self.before + read.len();
    }

    /// Whether the last read belongs to a burst that began before it.
    fn goes_on(&self) -> bool {
        self.before >= Burst::LEAST
    }
}

impl Session {
    /// Whether a conversation lies over what the shell shows.
    pub(super) fn is_covered(&self) -> bool {
        matches!(&self.talk, Some(Talk { host: Host::Screen(_), .. }))
    }

    /// Opens the line if this read of the keyboard is the hotkey, pressed while the shell or a program has the keyboard.
    pub(super) fn take_hotkey(&mut self, read: &[u8]) -> bool {
        let is_ours = self.tracking
            && self.turn.is_none()
            && (self.shell_has_the_keyboard() || self.editor_took_over())
            && self.stage.shell_is_free();
        if !is_ours || !self.is_hotkey(read) {
            return false;
        }
        self.cover(read);
        true
    }

    /// Pressed once more, the key is for the program.
    pub(super) fn take_hotkey_back(&mut self, read: &[u8]) -> bool {
        let Some(Talk { host: Host::Screen(cover), .. }) = &self.talk else { return false };
        let key = cover.key.clone();
        if !self.is_hotkey(read) {
            return false;
        }
        self.close_talk();
        self.send(&key);
        true
    }

    /// Whether this read is the hotkey, whole and alone: no more bytes wait behind it, and it is not the rest of a burst.
    fn is_hotkey(&mut self, read: &[u8]) -> bool {
        let is_pressed = self.wishes.hotkey.as_mut().is_some_and(|hotkey| hotkey.is_pressed(read));
        is_pressed && !self.burst.goes_on() && !self.tty.has_more()
    }

    fn cover(&mut self, key: &[u8]) {
        let size = self.tty.size();
        let is_full_screen = self.stage.modes().full_screen();
        let at_prompt = matches!(self.stage.zone(), Zone::Prompt | Zone::Input) && !is_full_screen;
        let shown = self.stage.screen().shown(size.rows, size.cols, at_prompt);
        self.stage.cover(true);
        let (undo, redo) = (self.stage.modes().undo(), self.stage.modes().redo());
        let restore = if is_full_screen {
            // A region that scrolls would hold for our lines too.
            self.stage.draw(b"\x1b[r\x1b[0m\x1b(B");
            self.stage.draw(&undo);
            [redo, shown.whole].concat()
        } else {
            self.stage.draw(&undo);
            self.stage.draw(b"\x1b[0m\r");
            if !shown.is_blank {
                self.stage.draw(&b"\n".repeat(usize::from(shown.below) + 1));
            }
            if at_prompt {
                self.stage.answer();
            }
            [shown.lines, redo].concat()
        };
        let text = Some(shown.text).filter(|text| !text.is_empty());
        self.open_talk(Host::Screen(Box::new(Cover { key: key.to_vec(), is_full_screen, at_prompt, restore, text })));
    }

    /// Draws what was below the conversation and goes on with it.
    pub(super) fn uncover(&mut self, cover: Cover) {
        if cover.at_prompt {
            self.stage.prompt_again();
        }
        self.stage.draw(&cover.restore);
        self.stage.cover(false);
        if cover.is_full_screen
            && let Some(group) = self.pty.foreground()
        {
            let _ = killpg(group, Signal::SIGWINCH);
        }
        // Typed while the last answer came.
        let held = std::mem::take(&mut self.held);
        self.send(held.front());
    }

    /// What the covered screen shows, as long as no question has carried it.
    pub(super) fn covered_screen(&self) -> Option<String> {
        match &self.talk {
            Some(Talk { host: Host::Screen(cover), .. }) => cover.text.clone(),
            Some(_) | None => None,
        }
    }

    /// What the covered screen shows, once.
    pub(super) fn take_screen(&mut self) -> Option<String> {
        match &mut self.talk {
            Some(Talk { host: Host::Screen(cover), .. }) => cover.text.take(),
            Some(_) | None => None,
        }
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
}
