//! Keys while the agent works: the turn's own keys, an answer to a question, or type-ahead for the shell.

use std::time::Instant;

use crate::input::{Code, Decoder, Input, Key, KeyAction, KeyContext};
use crate::session::keyboard::ESC_PATIENCE;
use crate::session::prompt::{Prompt, PromptOutput, QuestionMoment, ReadPosition, Rest, long_key};

use super::{Attention, Effect, Floor, TurnFloor, View};

const ESC: u8 = 0x1B;

/// Ctrl-\ gives a question the keys, also if it does not open a conversation.
const FOCUS: u8 = 0x1C;

impl TurnFloor {
    pub(super) fn keys(mut self: Box<Self>, keys: &[u8], view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        if matches!(&self.attention, Attention::Question(prompt) if prompt.is_about_to_have_focus()) {
            match self.follow_question(view, effects) {
                Floor::Turn(turn) => self = turn,
                floor => return floor,
            }
        }
        let joined = self.esc.take().map(|_| [&[ESC], keys].concat());
        let mut ahead = Vec::new();
        let mut rest = joined.as_deref().unwrap_or(keys);
        while !rest.is_empty() {
            if ahead.is_empty() && self.may_be_esc(rest) {
                self.esc = Some(view.now);
                break;
            }
            // The steering line and a question decode keys themselves.
            let is_steering = matches!(self.attention, Attention::Steering(_));
            let is_asked =
                matches!(&self.attention, Attention::Question(prompt) if ahead.is_empty() && prompt.has_focus());
            let (length, key) = first_key(rest);
            let action = key.and_then(|key| self.action(key, ahead.is_empty(), view));
            // The person may have bound the key to something else.
            if action.is_none() && ahead.is_empty() && rest == [FOCUS] && self.has_question() {
                return self.focus_question(view, effects);
            }
            let is_split = action.is_none() && (is_steering || is_asked);
            let (taken, after) = rest.split_at(if is_split { 1 } else { length });
            rest = after;
            let floor = match action {
                Some(action) => {
                    if action == KeyAction::Background {
                        hold(&mut ahead, effects);
                    }
                    self.act(action, view, effects)
                }
                None if is_steering => self.steer(taken[0], view, effects),
                None if is_asked => {
                    let read = ReadPosition { number: view.keyboard.reads, at: view.now, rest: Rest::of(rest) };
                    self.answer(|prompt, out| prompt.byte(taken[0], read, out), &mut ahead, view, effects)
                }
                None => {
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

    /// What a key does now. Beside a question or a steering line, only the keys count that stop the answer or move it to the background,
    /// and only if they are not keys of every question.
    fn action(&self, key: Key, is_first: bool, view: &View<'_>) -> Option<KeyAction> {
        let action = self.keys.action(KeyContext::Answer, key)?;
        let counts = match action {
            _ if matches!(self.attention, Attention::Painter) => true,
            KeyAction::Stop | KeyAction::Background => key.is_special(),
            _ => false,
        };
        let counts = counts && (action != KeyAction::Steer || self.can_steer(key, is_first, view));
        counts.then_some(action)
    }

    fn act(mut self: Box<Self>, action: KeyAction, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match action {
            KeyAction::Stop => {
                effects.push(Effect::Cancel(self.cancel.clone()));
                self.forget_question(view, effects);
                self.abandon_steering(view, effects);
            }
            KeyAction::Background => {
                self.abandon_steering(view, effects);
                return self.go_behind(view, effects);
            }
            KeyAction::Steer => self.open_steering(view, effects),
            KeyAction::Unfold | KeyAction::Thinking => {
                let mut out = Vec::new();
                match action {
                    KeyAction::Unfold => self.painter.toggle_output(&mut out),
                    _ => self.painter.toggle_thinking(&mut out),
                }
                self.back.show(out, effects);
            }
            _ => {}
        }
        Floor::Turn(self)
    }

    /// Whether these bytes are an ESC at the end of a read that may be the Esc key, if that key has a meaning.
    fn may_be_esc(&self, rest: &[u8]) -> bool {
        let is_bound = || self.keys.action(KeyContext::Answer, Key::plain(Code::Esc)).is_some();
        rest == [ESC]
            && match &self.attention {
                Attention::Painter => is_bound(),
                // Esc means no, whoever has the other keys.
                Attention::Question(prompt) => !prompt.has_focus(),
                Attention::Steering(_) => false,
            }
    }

    /// Whether nothing has followed an ESC for long enough.
    pub(super) fn is_esc(&self, now: Instant) -> bool {
        self.esc.is_some_and(|at| now.saturating_duration_since(at) >= ESC_PATIENCE)
    }

    /// Takes an ESC as the Esc key.
    pub(super) fn press_esc(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        self.esc = None;
        if self.has_question() {
            return self.answer(Prompt::refuse, &mut Vec::new(), view, effects);
        }
        match self.action(Key::plain(Code::Esc), true, view) {
            Some(action) => self.act(action, view, effects),
            None => {
                effects.push(Effect::Hold(vec![ESC]));
                Floor::Turn(self)
            }
        }
    }

    /// Tells the question something. Keys that are not for it are added to `ahead`. An answer lets the agent continue.
    pub(super) fn answer(
        mut self: Box<Self>,
        tell: impl FnOnce(Prompt, &mut PromptOutput) -> Option<Prompt>,
        ahead: &mut Vec<u8>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        let prompt = match std::mem::replace(&mut self.attention, Attention::Painter) {
            Attention::Question(prompt) => prompt,
            other => {
                self.attention = other;
                return Floor::Turn(self);
            }
        };
        let (mut out, had_focus) = (PromptOutput::default(), prompt.has_focus());
        let prompt = tell(*prompt, &mut out);
        ahead.append(&mut out.ahead);
        // A question that has the keys must be able to tell a paste from typing. Otherwise a paste arrives as at any busy shell.
        let has_focus = prompt.as_ref().is_some_and(Prompt::has_focus);
        if has_focus != had_focus {
            out.screen.extend_from_slice(view.paste_brackets(has_focus));
        }
        self.back.show(out.screen, effects);
        match prompt {
            Some(prompt) => {
                self.attention = Attention::Question(Box::new(prompt));
                Floor::Turn(self)
            }
            None => self.go_on(view, effects),
        }
    }

    /// All keys that were waiting have been read: the question may get the keys, or a choice may count.
    pub(super) fn follow_question(self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let moment = QuestionMoment {
            now: view.now,
            is_drawn: view.wires.to_screen.is_empty(),
            typed: view.keyboard.typed_at,
            waiting: view.keyboard.held.front(),
        };
        self.answer(|prompt, out| prompt.follow(moment, out), &mut Vec::new(), view, effects)
    }

    /// Gives the question the keys, because the person has pressed the hotkey.
    pub(super) fn focus_question(self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let focus = |mut prompt: Prompt, out: &mut PromptOutput| {
            prompt.take_focus(view.now, &mut out.screen);
            Some(prompt)
        };
        self.answer(focus, &mut Vec::new(), view, effects)
    }
}

/// The length of the key at the start of these bytes, and the key, unless it is not whole or not a key.
fn first_key(bytes: &[u8]) -> (usize, Option<Key>) {
    let length = long_key(bytes).unwrap_or(1).min(bytes.len());
    let mut decoder = Decoder::default();
    match bytes[..length].iter().find_map(|byte| decoder.byte(*byte)) {
        Some(Input::Key(key)) => (length, Some(key)),
        // The first of two is the Esc key.
        _ if bytes.starts_with(&[ESC, ESC]) => (1, Some(Key::plain(Code::Esc))),
        _ => (length, None),
    }
}

/// Keeps type-ahead for the shell's next prompt.
fn hold(ahead: &mut Vec<u8>, effects: &mut Vec<Effect>) {
    if !ahead.is_empty() {
        effects.push(Effect::Hold(std::mem::take(ahead)));
    }
}
