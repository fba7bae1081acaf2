//! Keys while the question has them: how they become an answer, or turn out to be typing.

use std::time::Instant;

use crate::agent::Decision;
use crate::guard::{GrantWidth, Intent};
use crate::input::{Code, Input, Key};
use crate::tool::UserAnswer;

use super::choices::{Act, KeyChoice, choices};
use super::field::Field;
use super::pick::Picked;
use super::{AnswerEntry, Asked, Drawing, Prompt, PromptOutput, Rest};

/// A key or a paste, with its bytes and its place in the read that brought it.
pub(super) struct Typed {
    pub(super) input: Input,
    pub(super) raw: Vec<u8>,
    pub(super) is_first: bool,
    pub(super) rest: Rest,
    pub(super) at: Instant,
}

impl Prompt {
    /// Takes a key or a paste. Returns the prompt if it is not answered yet.
    pub(super) fn input(mut self, typed: Typed, out: &mut PromptOutput) -> Option<Prompt> {
        if let Drawing::Picker(picker, options) = &mut self.drawing {
            let picked = match picker.input(typed.input) {
                Picked::Changed => {
                    picker.draw(options, &mut out.screen);
                    return Some(self);
                }
                Picked::Nothing => return Some(self),
                Picked::Item(id) => Some(id),
                Picked::Left => None,
            };
            self.clear(&mut out.screen);
            if let Asked::Pick(_, reply) = self.asked {
                let _ = reply.send(picked);
            }
            return None;
        }
        if typed.input == Input::Key(Key::plain(Code::Esc)) {
            return self.refuse(out);
        }
        match &mut self.entry {
            AnswerEntry::Line(_) => self.write_line(typed, out),
            AnswerEntry::Chosen { .. } => self.after_choice(typed, out),
            AnswerEntry::Open(_) => self.choose(typed, Vec::new(), out),
        }
    }

    /// Takes a key while no choice was made. `before` are the keys of a choice that this one replaces.
    fn choose(mut self, typed: Typed, before: Vec<u8>, out: &mut PromptOutput) -> Option<Prompt> {
        let letter = match typed.input {
            Input::Key(Key { code: Code::Char(letter), .. }) if letter_stands_alone(&typed) => letter,
            Input::Key(_) | Input::Paste(_) => return self.types_on(typed, before, out),
        };
        if letter == '?' && self.has_more() {
            // The first press shows the meaning of the keys, and each the next page of a long text.
            if let Drawing::Card(view) = &mut self.drawing {
                view.turn_page();
            }
            self.entry = AnswerEntry::Open(true);
            self.draw(b"", &mut out.screen);
            return Some(self);
        }
        // The letters that are not on the screen are the first of many commands.
        let shows_all = matches!(self.entry, AnswerEntry::Open(true));
        let is_on_screen =
            |choice: &&KeyChoice| shows_all || !choice.shown.words.is_empty() || matches!(choice.act, Act::Pick(_));
        let mut shown = self.choices.iter().filter(is_on_screen);
        let Some(choice) = shown.find(|choice| choice.shown.key == letter).cloned() else {
            return self.types_on(typed, before, out);
        };
        let alone = self.focus.alone(typed.at);
        let counts_at = (!self.needs_enter(&choice)).then(|| typed.at + alone);
        let raw = [before, typed.raw].concat();
        self.entry = AnswerEntry::Chosen { choice, raw, counts_at, alone };
        self.chosen_at = typed.at;
        self.draw(b"", &mut out.screen);
        Some(self)
    }

    /// Whether a choice counts only with Enter: it lasts, it can't be taken back, or the person has not seen all of the question.
    fn needs_enter(&self, choice: &KeyChoice) -> bool {
        let is_yes = matches!(choice.act, Act::Approve(_) | Act::Yes);
        let is_hidden = matches!(&self.drawing, Drawing::Card(view) if view.hides_text());
        choice.shown.needs_enter || is_yes && is_hidden
    }

    /// Takes a key after a letter that answers.
    fn after_choice(mut self, typed: Typed, out: &mut PromptOutput) -> Option<Prompt> {
        let AnswerEntry::Chosen { choice, raw, counts_at, alone } = &mut self.entry else { return Some(self) };
        if is_enter(&typed.input) && typed.rest == Rest::Nothing {
            let act = choice.act.clone();
            return self.carry_out(act, out);
        }
        match typed.input {
            // A key that is held down repeats.
            Input::Key(key) if key == Key::plain(Code::Char(choice.shown.key)) => {
                raw.extend_from_slice(&typed.raw);
                *counts_at = counts_at.map(|_| typed.at + *alone);
                self.chosen_at = typed.at;
                Some(self)
            }
            _ => {
                let before = std::mem::take(raw);
                // A choice that waits for Enter may be changed once the person has stopped typing.
                let may_change = counts_at.is_none() && typed.at.saturating_duration_since(self.chosen_at) >= *alone;
                match may_change {
                    true => self.choose(typed, before, out),
                    false => self.types_on(typed, before, out),
                }
            }
        }
    }

    /// The person types something else: the keys are for the prompt.
    fn types_on(mut self, typed: Typed, before: Vec<u8>, out: &mut PromptOutput) -> Option<Prompt> {
        out.ahead.extend_from_slice(&before);
        match typed.input {
            Input::Paste(text) => out.ahead.extend_from_slice(text.replace('\n', "\r").as_bytes()),
            Input::Key(_) => out.ahead.extend_from_slice(&typed.raw),
        }
        self.lose_focus(typed.at);
        Some(self)
    }

    /// Takes a key for the line that is typed.
    fn write_line(mut self, typed: Typed, out: &mut PromptOutput) -> Option<Prompt> {
        let AnswerEntry::Line(field) = &mut self.entry else { return Some(self) };
        match typed.input {
            input if is_enter(&input) => return self.submit(out),
            Input::Paste(text) => field.insert(&text),
            Input::Key(key) => match key.code {
                Code::Backspace => field.erase(),
                Code::Char('h') if key == Key::ctrl('h') => field.erase(),
                Code::Char('u') if key == Key::ctrl('u') => field.clear(),
                Code::Char(letter) if key.is_typed() => field.insert(letter.encode_utf8(&mut [0; 4])),
                _ => {}
            },
        }
        self.draw(b"", &mut out.screen);
        Some(self)
    }

    /// Answers with the line that was typed.
    fn submit(mut self, out: &mut PromptOutput) -> Option<Prompt> {
        let AnswerEntry::Line(field) = &self.entry else { return Some(self) };
        let typed = field.text();
        if typed.is_empty() {
            return self.refuse(out);
        }
        self.clear(&mut out.screen);
        match self.asked {
            Asked::Approval(_, reply) => drop(reply.send(Decision::No { why: Some(typed) })),
            Asked::Question(_, reply) => {
                if let Drawing::Card(view) = &self.drawing {
                    view.outcome(&typed, &mut out.screen);
                }
                let _ = reply.send(UserAnswer::Said(typed));
            }
            Asked::Confirm(_, reply) => drop(reply.send(false)),
            Asked::Pick(_, reply) => drop(reply.send(None)),
        }
        None
    }

    /// Does what a key means.
    pub(super) fn carry_out(mut self, act: Act, out: &mut PromptOutput) -> Option<Prompt> {
        match act {
            Act::Approve(decision) => {
                self.end(self.words_of(&decision), out);
                if let Asked::Approval(_, reply) = self.asked {
                    let _ = reply.send(decision);
                }
            }
            Act::Yes => {
                self.end(Some("yes".to_owned()), out);
                if let Asked::Confirm(_, reply) = self.asked {
                    let _ = reply.send(true);
                }
            }
            Act::No => return self.refuse(out),
            Act::Pick(number) => {
                let Asked::Question(question, _) = &self.asked else { return Some(self) };
                let Some(said) = question.choices.get(number).cloned() else { return Some(self) };
                self.end(Some(said.clone()), out);
                if let Asked::Question(_, reply) = self.asked {
                    let _ = reply.send(UserAnswer::Said(said));
                }
            }
            Act::Write => {
                self.entry = AnswerEntry::Line(Field::default());
                self.draw(b"", &mut out.screen);
                return Some(self);
            }
            Act::Widen => {
                self.width = GrantWidth::Wide;
                self.choices = choices(&self.asked, self.width);
                let shown = self.shown_choices();
                if let Drawing::Card(view) = &mut self.drawing {
                    view.set_choices(shown);
                }
                self.entry = AnswerEntry::Open(true);
                self.draw(b"", &mut out.screen);
                return Some(self);
            }
        }
        None
    }

    /// What stays on the screen of an approval. A call shows by itself that it runs.
    fn words_of(&self, decision: &Decision) -> Option<String> {
        let Asked::Approval(approval, _) = &self.asked else { return None };
        let chosen = self.choices.iter().find(|choice| choice.act == Act::Approve(decision.clone()));
        match decision {
            Decision::Once if approval.intent != Intent::Ask => None,
            _ => chosen.map(|choice| choice.shown.meaning.clone()),
        }
    }

    /// Removes the question from the screen, and leaves one line if there are words for it.
    fn end(&mut self, words: Option<String>, out: &mut PromptOutput) {
        self.clear(&mut out.screen);
        if let (Drawing::Card(view), Some(words)) = (&self.drawing, words) {
            view.outcome(&words, &mut out.screen);
        }
    }

    /// Answers with a no.
    pub(in crate::session) fn refuse(mut self, out: &mut PromptOutput) -> Option<Prompt> {
        let is_call = matches!(&self.asked, Asked::Approval(approval, _) if approval.intent != Intent::Ask);
        self.end((!is_call).then(|| "no".to_owned()), out);
        match self.asked {
            Asked::Approval(_, reply) => drop(reply.send(Decision::No { why: None })),
            Asked::Question(_, reply) => drop(reply.send(UserAnswer::Declined)),
            Asked::Confirm(_, reply) => drop(reply.send(false)),
            Asked::Pick(_, reply) => drop(reply.send(None)),
        }
        None
    }
}

/// Whether this is a letter that came alone in its read, or with nothing but an Enter.
fn letter_stands_alone(typed: &Typed) -> bool {
    let is_typed = matches!(typed.input, Input::Key(key) if key.is_typed());
    is_typed && typed.is_first && typed.rest != Rest::More
}

fn is_enter(input: &Input) -> bool {
    matches!(input, Input::Key(key) if key.code == Code::Enter || *key == Key::ctrl('j'))
}
