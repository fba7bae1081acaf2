//! A line to the agent while it works: `>` opens it, Enter sends it, Esc or an empty Enter closes it.
//!
//! While it is open nothing else is painted. What is sent is told to the model before its next step; what comes too late for that
//! is put on the prompt instead.

use std::time::Instant;

use crate::chat::Event;
use crate::input::{Code, Decoder, Editing, EditorScreen, History, Input, Key, LineEditor, Offers, Outcome};

use super::Session;
use super::line::ESC_PATIENCE;
use super::requests::State;

/// The open line.
pub(super) struct Steering {
    line: LineEditor,
    decoder: Decoder,
    /// When a key came last.
    at: Instant,
    history: History,
}

impl Session {
    /// Opens the line, if there is a request in front to steer.
    pub(super) fn open_steering(&mut self) -> bool {
        let (screen, brackets) = (self.steering_screen(), self.paste_brackets(true));
        let Some(turn) = &mut self.turn else { return false };
        if !self.requests.get(turn.request).is_some_and(|request| request.is_running()) {
            return false;
        }
        let mut steering = Steering {
            line: LineEditor::new(Editing::Emacs),
            decoder: Decoder::default(),
            at: Instant::now(),
            history: History::default(),
        };
        let mut out = Vec::new();
        turn.painter.suspend(&mut out);
        // A paste is to come in one piece.
        out.extend_from_slice(brackets);
        steering.line.paint(&screen, &steering.history, &mut out);
        turn.steering = Some(steering);
        self.stage.show(&out);
        true
    }

    /// Takes a byte of the keyboard for the open line.
    pub(super) fn steer(&mut self, byte: u8) {
        let Some(steering) = self.turn.as_mut().and_then(|turn| turn.steering.as_mut()) else { return };
        steering.at = Instant::now();
        if let Some(input) = steering.decoder.byte(byte) {
            self.steer_with(input);
        }
    }

    /// Decides what an ESC was.
    pub(super) fn settle_steering(&mut self) {
        let Some(steering) = self.turn.as_mut().and_then(|turn| turn.steering.as_mut()) else { return };
        if steering.at.elapsed() >= ESC_PATIENCE
            && let Some(input) = steering.decoder.settle()
        {
            self.steer_with(input);
        }
    }

    fn steer_with(&mut self, input: Input) {
        let screen = self.steering_screen();
        let Some(Steering { line, history, .. }) = self.turn.as_mut().and_then(|turn| turn.steering.as_mut()) else {
            return;
        };
        let outcome = match input {
            Input::Key(key) if key == Key::plain(Code::Esc) => Outcome::Closed,
            input => line.input(input, history, &Offers::default()),
        };
        let mut out = Vec::new();
        match outcome {
            Outcome::Open | Outcome::Edit(_) => {
                line.paint(&screen, history, &mut out);
                self.stage.show(&out);
            }
            Outcome::Submitted(words) => {
                line.leave(&screen, &mut out);
                self.stage.show(&out);
                self.send_steering(words.trim().to_owned());
                self.close_steering();
            }
            Outcome::Closed => {
                line.lift(&mut out);
                self.stage.show(&out);
                self.close_steering();
            }
        }
        self.show();
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
        self.forget_steering();
        let Some(turn) = &mut self.turn else { return };
        let wish = self.requests.get(turn.request).and_then(|request| request.take_wish());
        if let Some(wish) = wish {
            return self.grant(wish);
        }
        let mut out = Vec::new();
        turn.painter.resume(Instant::now(), &mut out);
        self.stage.show(&out);
        self.show_aside();
    }

    /// Somebody else has the floor now: what was typed so far is for the prompt.
    pub(super) fn abandon_steering(&mut self) {
        let Some(steering) = self.turn.as_mut().and_then(|turn| turn.steering.as_mut()) else { return };
        let mut out = Vec::new();
        steering.line.lift(&mut out);
        let words = steering.line.text();
        self.stage.show(&out);
        self.forget_steering();
        if !words.trim().is_empty() {
            self.give_back(vec![words]);
        }
    }

    fn forget_steering(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.steering = None;
        }
        self.stage.draw(self.paste_brackets(false));
    }

    /// The terminal has another size.
    pub(super) fn resize_steering(&mut self) {
        let screen = self.steering_screen();
        let Some(Steering { line, history, .. }) = self.turn.as_mut().and_then(|turn| turn.steering.as_mut()) else {
            return;
        };
        let mut out = Vec::new();
        line.resized(&screen, &mut out);
        line.paint(&screen, history, &mut out);
        self.stage.show(&out);
    }

    fn steering_screen(&self) -> EditorScreen {
        EditorScreen { prompt: "> ", ..self.line_screen() }
    }
}
