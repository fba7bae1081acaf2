//! A line to the agent while it works. It has the keys of the conversation line; Esc closes it, whatever is typed.
//!
//! While the line is open nothing else is painted. A message is read by the model before its next step. If it comes too late for
//! that, the person gets it back.

use std::sync::Arc;
use std::time::Instant;

use crate::input::{Code, Decoder, EditOutcome, Editing, EditorScreen, Input, Key, LineEditor, Offers, QueryHistory};
use crate::session::keyboard::ESC_PATIENCE;

use super::{Attention, Effect, Floor, TurnFloor, View};

/// The open line.
pub(super) struct Steering {
    line: LineEditor,
    decoder: Decoder,
    /// The time of the last key.
    at: Instant,
    history: QueryHistory,
}

impl Steering {
    pub(super) fn resize(&mut self, view: &View<'_>, out: &mut Vec<u8>) {
        let screen = screen(view);
        self.line.resized(&screen, out);
        self.line.paint(&screen, &self.history, out);
    }
}

fn screen(view: &View<'_>) -> EditorScreen {
    EditorScreen { prompt: "> ", ..view.line_screen() }
}

impl TurnFloor {
    /// Whether a key opens the line: there is a request to steer in the foreground, and a key that types a character is the first one.
    pub(super) fn can_steer(&self, key: Key, is_first: bool, view: &View<'_>) -> bool {
        let is_meant = !key.is_typed() || is_first && view.keyboard.held.is_empty();
        is_meant && view.requests.is_running(self.request)
    }

    pub(super) fn open_steering(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let mut steering = Steering {
            line: LineEditor::new(Editing::Emacs, Arc::clone(&self.keys)),
            decoder: Decoder::default(),
            at: view.now,
            history: QueryHistory::default(),
        };
        let mut out = Vec::new();
        self.painter.suspend(&mut out);
        // A paste should arrive in one piece.
        out.extend_from_slice(view.paste_brackets(true));
        steering.line.paint(&screen(view), &steering.history, &mut out);
        self.attention = Attention::Steering(Box::new(steering));
        self.back.show(out, effects);
    }

    /// Takes a byte of the keyboard for the open line.
    pub(super) fn steer(mut self: Box<Self>, byte: u8, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let Attention::Steering(steering) = &mut self.attention else { return Floor::Turn(self) };
        steering.at = view.now;
        match steering.decoder.byte(byte) {
            Some(input) => self.steer_with(input, view, effects),
            None => Floor::Turn(self),
        }
    }

    /// Decides what an ESC was.
    pub(super) fn settle_steering(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let Attention::Steering(steering) = &mut self.attention else { return Floor::Turn(self) };
        let is_due = view.now.saturating_duration_since(steering.at) >= ESC_PATIENCE;
        match is_due.then(|| steering.decoder.settle()).flatten() {
            Some(input) => self.steer_with(input, view, effects),
            None => Floor::Turn(self),
        }
    }

    fn steer_with(mut self: Box<Self>, input: Input, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let Attention::Steering(steering) = &mut self.attention else { return Floor::Turn(self) };
        let Steering { line, history, .. } = &mut **steering;
        let outcome = match input {
            Input::Key(key) if key == Key::plain(Code::Esc) => EditOutcome::Closed,
            input => line.input(input, history, &Offers::default()),
        };
        let mut out = Vec::new();
        match outcome {
            EditOutcome::Open | EditOutcome::Edit(_) | EditOutcome::Find(_) => {
                line.paint(&screen(view), history, &mut out);
                self.back.show(out, effects);
                return Floor::Turn(self);
            }
            EditOutcome::Submitted(words) => {
                line.leave(&screen(view), &mut out);
                self.back.show(out, effects);
                effects.push(Effect::Steer(self.request, words.trim().to_owned()));
            }
            EditOutcome::Closed => {
                line.lift(&mut out);
                self.back.show(out, effects);
            }
        }
        self.back.draw(view.paste_brackets(false).to_vec(), effects);
        self.go_on(view, effects)
    }

    /// Something else needs the lower edge of the screen: the text typed so far is put on the prompt.
    pub(super) fn abandon_steering(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let Attention::Steering(steering) = &mut self.attention else { return };
        let mut out = Vec::new();
        steering.line.lift(&mut out);
        let words = steering.line.text();
        self.attention = Attention::Painter;
        self.back.show(out, effects);
        self.back.draw(view.paste_brackets(false).to_vec(), effects);
        if !words.trim().is_empty() {
            self.back.ask_again(words, effects);
        }
    }
}
