//! Keys while the agent has the floor: its own few, an answer to its question, or type-ahead for the shell.

use std::time::Instant;

use crate::render::Mode;
use crate::session::Session;
use crate::session::prompt::{Moment, Prompt, Read, idle_key};

const CTRL_C: u8 = 0x03;
const CTRL_O: u8 = 0x0F;
const CTRL_T: u8 = 0x14;
const CTRL_Z: u8 = 0x1A;

impl Session {
    pub(in crate::session) fn on_turn_keys(&mut self, keys: &[u8]) {
        let mut ahead = Vec::new();
        let mut rest = keys;
        while let Some(&key) = rest.first() {
            // The line and the question decode their keys themselves.
            let is_steering = self.turn.as_ref().is_some_and(|turn| turn.steering.is_some());
            let is_asked = !is_steering && ahead.is_empty() && self.is_asked();
            let idle = if is_steering || is_asked { None } else { idle_key(rest) };
            let (taken, after) = rest.split_at(idle.unwrap_or(1));
            rest = after;
            let is_first = ahead.is_empty() && self.held.is_empty();
            let Some(turn) = &mut self.turn else {
                ahead.extend_from_slice(taken);
                continue;
            };
            let is_painting = turn.prompt.is_none();
            let mut out = Vec::new();
            match key {
                CTRL_C => {
                    turn.cancel.cancel();
                    self.forget_prompt();
                    self.abandon_steering();
                }
                CTRL_Z => {
                    self.abandon_steering();
                    self.send_behind();
                }
                _ if is_steering => self.steer(key),
                _ if is_asked => {
                    let read = Read { number: self.reads, is_last: rest.is_empty() };
                    self.ask_prompt(|prompt, out| prompt.byte(key, read, out));
                }
                CTRL_O if is_painting => turn.painter.toggle_output(&mut out),
                CTRL_T if is_painting => turn.painter.toggle_thinking(&mut out),
                b'>' if is_first && is_painting && self.open_steering() => {}
                _ => ahead.extend_from_slice(taken),
            }
            self.stage.show(&out);
        }
        self.hold(&ahead);
        self.show();
    }

    /// Keeps keys for the shell's next prompt.
    pub(in crate::session) fn hold(&mut self, keys: &[u8]) {
        if !keys.is_empty() {
            self.held.push(keys);
            self.typed_at = Some(Instant::now());
        }
    }

    /// Whether a key that comes now is for the question that stands.
    fn is_asked(&self) -> bool {
        let prompt = self.turn.as_ref().and_then(|turn| turn.prompt.as_ref());
        prompt.is_some_and(Prompt::hears)
    }

    /// Lets keys count for the question that stands, once it has been on the screen for long enough.
    pub(in crate::session) fn open_prompt(&mut self) {
        let moment = Moment { now: Instant::now(), is_drawn: self.stage.to_screen.is_empty(), typed: self.typed_at };
        let brackets = self.paste_brackets(true);
        let mut out = Vec::new();
        let prompt = self.turn.as_mut().and_then(|turn| turn.prompt.as_mut());
        if prompt.is_some_and(|prompt| prompt.open(moment, &mut out)) {
            self.stage.show(&out);
            self.stage.draw(brackets);
            self.show();
        }
    }

    /// Gives the question what is new; an answer lets the agent go on.
    fn ask_prompt(&mut self, tell: impl FnOnce(Prompt, &mut Vec<u8>) -> Option<Prompt>) {
        let brackets = self.paste_brackets(false);
        let Some(turn) = &mut self.turn else { return };
        let Some(prompt) = turn.prompt.take() else { return };
        let mut out = Vec::new();
        turn.prompt = tell(prompt, &mut out);
        let is_answered = turn.prompt.is_none();
        if is_answered {
            out.extend_from_slice(brackets);
            turn.painter.resume(Instant::now(), &mut out);
        }
        self.stage.show(&out);
        if is_answered {
            self.show_aside();
        }
    }

    /// Decides what an ESC was.
    pub(super) fn settle_prompt(&mut self) {
        self.ask_prompt(Prompt::settle);
    }

    /// Takes the question away; whoever asked hears that nobody answered.
    pub(in crate::session) fn forget_prompt(&mut self) {
        if self.turn.as_mut().and_then(|turn| turn.prompt.take()).is_some() {
            self.stage.draw(self.paste_brackets(false));
        }
    }

    /// What makes the terminal tell a paste from keys, or leaves that to the program in front again.
    pub(in crate::session) fn paste_brackets(&self, on: bool) -> &'static [u8] {
        match (self.options().mode, on) {
            (Mode::Terminal, true) => b"\x1b[?2004h",
            (Mode::Terminal, false) if !self.stage.modes().is_on(2004) => b"\x1b[?2004l",
            _ => b"",
        }
    }
}
