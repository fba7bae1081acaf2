//! The conversation line over whatever is on the screen.
//!
//! Meanwhile the shell's side is not read, so a program that prints waits, and nothing of it is lost. What was on the screen goes
//! along with the first question and is drawn again at the end.

use nix::sys::signal::{Signal, killpg};

use crate::input::Spotted;
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

impl Session {
    /// Whether a conversation lies over what the shell shows.
    pub(super) fn is_covered(&self) -> bool {
        matches!(&self.talk, Some(Talk { host: Host::Screen(_), .. }))
    }

    /// Takes the hotkey out of the keys, if it is there; the others go where they belong.
    pub(super) fn take_hotkey(&mut self, keys: &[u8]) -> bool {
        if !self.tracking || self.turn.is_some() || !self.stage.shell_is_free() {
            return false;
        }
        let Some(Spotted { before, key, after }) = self.wishes.hotkey.as_mut().and_then(|hotkey| hotkey.spot(keys))
        else {
            return false;
        };
        self.send(before);
        self.cover(key);
        self.route(after);
        true
    }

    /// Pressed once more, the key is for the program.
    pub(super) fn take_hotkey_back(&mut self, keys: &[u8]) -> bool {
        let Some(Talk { host: Host::Screen(cover), .. }) = &self.talk else { return false };
        let key = cover.key.clone();
        let spotted = self.wishes.hotkey.as_mut().and_then(|hotkey| hotkey.spot(keys));
        let Some(Spotted { before: [], after, .. }) = spotted else { return false };
        self.close_talk();
        self.send(&key);
        self.route(after);
        true
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
