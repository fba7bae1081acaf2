//! Keys while the agent works: the turn's own keys, an answer to a question, or type-ahead for the shell.

use crate::session::prompt::{Prompt, QuestionMoment, ReadPosition, idle_key};

use super::{Attention, Effect, Floor, TurnFloor, View};

const CTRL_C: u8 = 0x03;
const CTRL_O: u8 = 0x0F;
const CTRL_T: u8 = 0x14;
const CTRL_Z: u8 = 0x1A;

impl TurnFloor {
    pub(super) fn keys(mut self: Box<Self>, keys: &[u8], view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut ahead = Vec::new();
        let mut rest = keys;
        while let Some(&key) = rest.first() {
            // The steering line and a question decode keys themselves.
            let is_steering = matches!(self.attention, Attention::Steering(_));
            let is_asked = matches!(&self.attention, Attention::Question(prompt) if ahead.is_empty() && prompt.hears());
            let idle = if is_steering || is_asked { None } else { idle_key(rest) };
            let (taken, after) = rest.split_at(idle.unwrap_or(1));
            rest = after;
            let is_painting = matches!(self.attention, Attention::Painter);
            let floor = match key {
                CTRL_C => {
                    effects.push(Effect::Cancel(self.cancel.clone()));
                    self.forget_question(view, effects);
                    self.abandon_steering(view, effects);
                    continue;
                }
                CTRL_Z => {
                    hold(&mut ahead, effects);
                    self.abandon_steering(view, effects);
                    self.go_behind(view, effects)
                }
                _ if is_steering => self.steer(key, view, effects),
                _ if is_asked => {
                    let read = ReadPosition { number: view.keyboard.reads, at: view.now, is_last: rest.is_empty() };
                    self.answer(|prompt, out| prompt.byte(key, read, out), view, effects)
                }
                CTRL_O | CTRL_T if is_painting => {
                    self.toggle(key, effects);
                    continue;
                }
                b'>' if is_painting && ahead.is_empty() && self.can_steer(view) => {
                    self.open_steering(view, effects);
                    continue;
                }
                _ => {
                    ahead.extend_from_slice(taken);
                    continue;
                }
            };
            match floor {
                Floor::Turn(turn) => self = turn,
                floor => {
                    if !rest.is_empty() {
                        effects.push(Effect::Route(rest.to_vec()));
                    }
                    return floor;
                }
            }
        }
        hold(&mut ahead, effects);
        Floor::Turn(self)
    }

    fn toggle(&mut self, key: u8, effects: &mut Vec<Effect>) {
        let mut out = Vec::new();
        match key {
            CTRL_O => self.painter.toggle_output(&mut out),
            _ => self.painter.toggle_thinking(&mut out),
        }
        self.back.show(out, effects);
    }

    /// Gives the keys to the question. An answer lets the agent continue.
    pub(super) fn answer(
        mut self: Box<Self>,
        tell: impl FnOnce(Prompt, &mut Vec<u8>) -> Option<Prompt>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        let Attention::Question(prompt) = std::mem::replace(&mut self.attention, Attention::Painter) else {
            return Floor::Turn(self);
        };
        let mut out = Vec::new();
        match tell(*prompt, &mut out) {
            Some(prompt) => {
                self.attention = Attention::Question(Box::new(prompt));
                self.back.show(out, effects);
                Floor::Turn(self)
            }
            None => {
                out.extend_from_slice(view.paste_brackets(false));
                self.back.show(out, effects);
                self.go_on(view, effects)
            }
        }
    }

    /// Lets the question accept keys, if it has been on the screen for long enough.
    pub(super) fn open_question(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let Attention::Question(prompt) = &mut self.attention else { return };
        let is_drawn = view.wires.to_screen.is_empty();
        let mut out = Vec::new();
        if prompt.open(QuestionMoment { now: view.now, is_drawn, typed: view.keyboard.typed_at }, &mut out) {
            self.back.show(out, effects);
            self.back.draw(view.paste_brackets(true).to_vec(), effects);
        }
    }
}

/// Keeps type-ahead for the shell's next prompt.
fn hold(ahead: &mut Vec<u8>, effects: &mut Vec<Effect>) {
    if !ahead.is_empty() {
        effects.push(Effect::Hold(std::mem::take(ahead)));
    }
}
