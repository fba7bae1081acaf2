//! A line to the agent while it works: `>` opens it, Enter sends it, Esc or an empty Enter closes it.
//!
//! While it is open nothing else is painted. What is sent is told to the model before its next step; what comes too late for that
//! is put on the prompt instead.

use std::time::Instant;

use crate::chat::Event;

use super::Session;
use super::prompt::{Field, Typed};
use super::requests::State;

impl Session {
    /// Opens the line, if there is a request in front to steer.
    pub(super) fn open_steering(&mut self) -> bool {
        let Some(turn) = &mut self.turn else { return false };
        if !self.requests.get(turn.request).is_some_and(|request| request.is_running()) {
            return false;
        }
        let mut out = Vec::new();
        turn.painter.suspend(&mut out);
        out.extend_from_slice(b"> ");
        turn.steering = Some(Field::default());
        self.stage.show(&out);
        true
    }

    /// Takes a key of the open line.
    pub(super) fn steer(&mut self, key: u8) {
        let Some(turn) = &mut self.turn else { return };
        let Some(mut line) = turn.steering.take() else { return };
        let mut out = Vec::new();
        match line.key(key, &mut out) {
            Typed::More => turn.steering = Some(line),
            Typed::Entered(words) if !words.is_empty() => {
                out.extend_from_slice(b"\r\n");
                self.stage.show(&out);
                self.send_steering(words);
                self.close_steering();
                return;
            }
            Typed::Entered(_) | Typed::Left => {
                out.extend_from_slice(b"\r\x1b[K");
                self.stage.show(&out);
                self.close_steering();
                return;
            }
        }
        self.stage.show(&out);
    }

    fn send_steering(&mut self, words: String) {
        let Some(request) = self.turn.as_ref().and_then(|turn| self.requests.get(turn.request)) else { return };
        let is_heard = match &request.state {
            State::Running { steer, .. } => steer.send(words.clone()).is_ok(),
            State::Over => false,
        };
        if is_heard {
            request.record(Event::Steered(words));
        } else {
            self.give_back(vec![words]);
        }
    }

    /// The agent has the floor again, and may ask what it had to wait with.
    fn close_steering(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let wish = self.requests.get(turn.request).and_then(|request| request.take_wish());
        let mut out = Vec::new();
        if wish.is_none() {
            turn.painter.resume(Instant::now(), &mut out);
        }
        self.stage.show(&out);
        if let Some(wish) = wish {
            self.grant(wish);
        }
    }

    /// The request is over: what was typed so far is for the prompt.
    pub(super) fn abandon_steering(&mut self) {
        let Some(line) = self.turn.as_mut().and_then(|turn| turn.steering.take()) else { return };
        self.stage.show(b"\r\x1b[K");
        let words = line.text();
        if !words.is_empty() {
            self.give_back(vec![words]);
        }
    }
}
