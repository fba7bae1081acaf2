//! A question of the agent, and the keys that answer it.
//!
//! A key counts as a yes only if it was pressed for the question: some time after the question was shown, alone in its read, and
//! not pasted. Keys that were typed before go to the shell. The sign `>` at the end of the question appears when keys start to
//! count.

mod card;
mod field;
mod hearing;
mod pick;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use crate::agent::{Approval, Decision};
use crate::guard::{GrantScope, GrantWidth};
use crate::input::{Code, Decoder, Input, Key};
use crate::render::{self, CardSize, RenderOptions};
use crate::tool::{UserAnswer, UserQuestion};

use super::keyboard::{CTRL_C, ESC_PATIENCE};
pub(super) use card::CardContext;
use field::Field;
use hearing::Hearing;
pub(super) use hearing::QuestionMoment;
pub(crate) use pick::{PickItem, PickList};
use pick::{Picked, Picker};

/// Appears at the end of a question when keys begin to answer it.
const SIGN: &[u8] = b" > ";

/// A question, and the channel for its answer.
pub(crate) enum Asked {
    Approval(Box<Approval>, oneshot::Sender<Decision>),
    Question(UserQuestion, oneshot::Sender<UserAnswer>),
    /// A question of shellmate itself.
    Confirm(Confirmation, oneshot::Sender<bool>),
    /// A list to pick from. A pick approves nothing.
    Pick(PickList, oneshot::Sender<Option<i64>>),
}

/// A question of shellmate itself that one key answers: `y` or `n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirmation {
    pub text: String,
    /// What is shown beside `y`, such as "yes, and remember it".
    pub yes: &'static str,
    /// What is shown beside `n`.
    pub no: &'static str,
}

/// An open question and what was typed so far.
pub(super) struct Prompt {
    asked: Asked,
    typed: Field,
    decoder: Decoder,
    /// The read that contained the last key, and its time.
    last: (u64, Instant),
    hearing: Hearing,
    size: CardSize,
    /// The answers that the key `w` shows.
    wider: String,
    /// Which calls the letters of a grant cover.
    width: GrantWidth,
    /// The list to pick from, and how it is drawn.
    picker: Option<(Picker, RenderOptions)>,
}

/// The read of the keyboard that brought a byte, and whether the byte was its last.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadPosition {
    pub(super) number: u64,
    pub(super) at: Instant,
    pub(super) is_last: bool,
}

impl Prompt {
    /// A question that is asked now, after this many reads of the keyboard.
    pub(super) fn new(asked: Asked, read: u64, now: Instant) -> Prompt {
        Prompt {
            asked,
            typed: Field::default(),
            decoder: Decoder::default(),
            last: (read, now),
            hearing: Hearing::Drawing,
            size: CardSize::Whole,
            wider: String::new(),
            width: GrantWidth::Exact,
            picker: None,
        }
    }

    /// Draws the question.
    pub(super) fn write(&mut self, around: &CardContext<'_>, options: &RenderOptions, out: &mut Vec<u8>) {
        match &self.asked {
            Asked::Approval(approval, _) => {
                let card = card::card(approval, around, options);
                (self.size, self.wider) = (card.size, card.wider);
                out.extend_from_slice(card.text.as_bytes());
            }
            Asked::Question(question, _) => {
                out.extend_from_slice(
                    render::inquiry(&question.text, &question.choices, around.rows, options).as_bytes(),
                );
            }
            Asked::Confirm(Confirmation { text, yes, no }, _) => {
                let card = render::confirmation(text, (yes, no), around.rows, options);
                self.size = card.size;
                out.extend_from_slice(card.text.as_bytes());
            }
            Asked::Pick(list, _) => {
                let mut picker = Picker::new(list.clone(), Arc::clone(around.keys));
                picker.draw(options, out);
                self.picker = Some((picker, options.clone()));
                self.hearing = Hearing::Open;
            }
        }
    }

    /// Whether keys answer the question now.
    pub(super) fn hears(&self) -> bool {
        self.hearing == Hearing::Open
    }

    /// Returns whether keys start to count at this moment. If so, appends the sign.
    pub(super) fn open(&mut self, moment: QuestionMoment, out: &mut Vec<u8>) -> bool {
        let was_open = self.hears();
        self.hearing = self.hearing.at(moment);
        let is_news = self.hears() && !was_open;
        if is_news {
            out.extend_from_slice(SIGN);
        }
        is_news
    }

    /// Removes a list from the screen. Other questions stay there.
    pub(super) fn clear(&mut self, out: &mut Vec<u8>) {
        self.picker.iter_mut().for_each(|(picker, _)| picker.erase(out));
    }

    /// Takes the question back unanswered.
    pub(super) fn close(mut self, out: &mut Vec<u8>) -> Asked {
        match self.picker.is_some() {
            true => self.clear(out),
            false => out.extend_from_slice(b"\r\n"),
        }
        self.asked
    }

    /// Takes a byte of the keyboard. Returns the prompt if it is not answered yet.
    pub(super) fn byte(mut self, byte: u8, read: ReadPosition, out: &mut Vec<u8>) -> Option<Prompt> {
        let is_first = self.last.0 != read.number;
        let Some(input) = self.decoder.byte(byte) else {
            self.last.1 = read.at;
            return Some(self);
        };
        self.last = (read.number, read.at);
        self.input(input, is_first && read.is_last, out)
    }

    /// Takes an ESC as the Esc key if nothing has followed it for a while.
    pub(super) fn settle(mut self, now: Instant, out: &mut Vec<u8>) -> Option<Prompt> {
        let is_due = now.saturating_duration_since(self.last.1) >= ESC_PATIENCE;
        match is_due.then(|| self.decoder.settle()).flatten() {
            Some(input) => self.input(input, true, out),
            None => Some(self),
        }
    }

    fn input(mut self, input: Input, is_alone: bool, out: &mut Vec<u8>) -> Option<Prompt> {
        if let Some((picker, options)) = &mut self.picker {
            let picked = match picker.input(input) {
                Picked::Changed => {
                    picker.draw(options, out);
                    return Some(self);
                }
                Picked::Nothing => return Some(self),
                Picked::Item(id) => Some(id),
                Picked::Left => None,
            };
            if let Asked::Pick(_, reply) = self.close(out) {
                let _ = reply.send(picked);
            }
            return None;
        }
        let key = match input {
            Input::Key(key) => key,
            Input::Paste(text) => {
                // A reason may be pasted, a yes may not.
                if !self.is_undecided() && !self.wants_word() {
                    self.typed.insert(&text, out);
                }
                return Some(self);
            }
        };
        if self.is_undecided() {
            match key.code {
                Code::Esc => return self.refuse(out),
                Code::Char('y' | 'Y') if key.is_typed() && self.size == CardSize::TopHidden => {}
                Code::Char('n' | 'N') if key.is_typed() && matches!(self.asked, Asked::Confirm(..)) => {
                    return self.refuse(out);
                }
                Code::Char('n' | 'N') if key.is_typed() => {}
                Code::Char(letter) if is_alone && key.is_typed() && self.size == CardSize::Whole => {
                    return self.letter(letter.to_ascii_lowercase(), out);
                }
                _ => return Some(self),
            }
        }
        match key.code {
            Code::Esc => return self.refuse(out),
            Code::Enter => return self.submit(is_alone, out),
            Code::Char('j') if key == Key::ctrl('j') => return self.submit(is_alone, out),
            Code::Backspace => self.typed.erase(out),
            Code::Char('h') if key == Key::ctrl('h') => self.typed.erase(out),
            Code::Char(letter) if key.is_typed() => self.typed.insert(letter.encode_utf8(&mut [0; 4]), out),
            _ => {}
        }
        Some(self)
    }

    /// Takes a letter that decides by itself.
    fn letter(mut self, letter: char, out: &mut Vec<u8>) -> Option<Prompt> {
        if letter == 'y' {
            return self.decide(Decision::Once, "yes", out);
        }
        let Asked::Approval(approval, _) = &self.asked else { return Some(self) };
        let scope = match letter {
            'm' if approval.offers.auto => return self.decide(Decision::AutoMode, "yes, auto mode", out),
            'w' if self.width == GrantWidth::Exact && !approval.offers.wide.is_empty() => {
                let rows = format!("w\r\n{}", self.wider);
                out.extend_from_slice(rows.as_bytes());
                out.extend_from_slice(SIGN);
                self.width = GrantWidth::Wide;
                return Some(self);
            }
            'a' => GrantScope::Session,
            'p' => GrantScope::Project,
            'g' => GrantScope::Everywhere,
            _ => return Some(self),
        };
        let width = self.width;
        match approval.offers.find(width, scope) {
            Some(_) => self.decide(Decision::Granted { width, scope }, scope_words(scope), out),
            None => Some(self),
        }
    }

    /// Whether neither yes nor no was typed. A reason may follow an `n`.
    fn is_undecided(&self) -> bool {
        self.needs_yes() && self.typed.is_empty()
    }

    /// Whether keys approve something.
    fn needs_yes(&self) -> bool {
        match self.asked {
            Asked::Approval(..) | Asked::Confirm(..) => true,
            Asked::Question(..) | Asked::Pick(..) => false,
        }
    }

    /// Whether the person is typing the word `yes`.
    fn wants_word(&self) -> bool {
        self.needs_yes() && self.typed.text().starts_with(['y', 'Y'])
    }

    fn submit(mut self, is_alone: bool, out: &mut Vec<u8>) -> Option<Prompt> {
        let typed = self.typed.text();
        if self.wants_word() {
            if typed.eq_ignore_ascii_case("yes") && is_alone {
                return self.decide(Decision::Once, "", out);
            }
            self.typed.clear(out);
            return Some(self);
        }
        out.extend_from_slice(b"\r\n");
        match self.asked {
            Asked::Approval(_, reply) => {
                let why = typed.trim_start_matches(['n', 'N']).trim_start_matches(['o', ',']).trim();
                let _ = reply.send(Decision::No { why: (!why.is_empty()).then(|| why.to_owned()) });
            }
            Asked::Question(UserQuestion { choices, .. }, reply) => {
                let chosen =
                    typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?)).cloned();
                let said = chosen.unwrap_or(typed);
                let _ = reply.send(if said.is_empty() { UserAnswer::Declined } else { UserAnswer::Said(said) });
            }
            Asked::Confirm(_, reply) => drop(reply.send(false)),
            Asked::Pick(_, reply) => drop(reply.send(None)),
        }
        None
    }

    /// Answers with a yes of some kind. Only an approval has more than one.
    fn decide(self, decision: Decision, word: &str, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(format!("{word}\r\n").as_bytes());
        match self.asked {
            Asked::Approval(_, reply) => drop(reply.send(decision)),
            Asked::Confirm(_, reply) => drop(reply.send(true)),
            Asked::Question(..) | Asked::Pick(..) => {}
        }
        None
    }

    fn refuse(self, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(b"no\r\n");
        match self.asked {
            Asked::Approval(_, reply) => drop(reply.send(Decision::No { why: None })),
            Asked::Question(_, reply) => drop(reply.send(UserAnswer::Declined)),
            Asked::Confirm(_, reply) => drop(reply.send(false)),
            Asked::Pick(_, reply) => drop(reply.send(None)),
        }
        None
    }
}

/// The answer as it is shown behind the question.
fn scope_words(scope: GrantScope) -> &'static str {
    match scope {
        GrantScope::Session => "yes, this session",
        GrantScope::Project => "yes, this project",
        GrantScope::Everywhere => "yes, everywhere",
    }
}

const ESC: u8 = 0x1B;

/// The length of the key at the start of these bytes, if it is one of several bytes: an arrow, a function key, Alt.
pub(super) fn long_key(keys: &[u8]) -> Option<usize> {
    match keys {
        // F1 to F5 on the Linux console.
        [ESC, b'[', b'[', _, ..] => Some(4),
        [ESC, b'[', rest @ ..] => Some(3 + rest.iter().position(|byte| (0x40..0x7F).contains(byte))?),
        [ESC, b'O', _, ..] => Some(3),
        // Ctrl-C is never part of another key.
        [ESC, CTRL_C | ESC, ..] => None,
        [ESC, 0..=0x7F, ..] => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Grant, GrantOffer, GrantOffers, Intent};

    fn offer(scope: GrantScope) -> GrantOffer {
        GrantOffer { scope, grant: vec![Grant::Edits("/".into())] }
    }

    fn granted(width: GrantWidth, scope: GrantScope) -> Option<Decision> {
        Some(Decision::Granted { width, scope })
    }

    fn approval() -> Approval {
        Approval {
            title: "make".into(),
            tool: "bash".into(),
            intent: Intent::Run { command: "make".into(), cwd: "/".into(), exception: None },
            preview: None,
            offers: GrantOffers {
                exact: vec![offer(GrantScope::Session), offer(GrantScope::Project)],
                wide: vec![offer(GrantScope::Everywhere)],
                auto: true,
            },
            cwd: "/".into(),
            secrets: Vec::new(),
            weakness: None,
        }
    }

    fn answer(reads: &[&str]) -> Option<Decision> {
        let (reply, mut answer) = oneshot::channel();
        type_in(Prompt::new(Asked::Approval(Box::new(approval()), reply), 0, Instant::now()), reads);
        answer.try_recv().ok()
    }

    /// Types each text in one read, then waits long enough for a single ESC to count as Esc.
    fn type_in(prompt: Prompt, reads: &[&str]) {
        let (mut out, now) = (Vec::new(), Instant::now());
        let mut prompt = Some(prompt);
        for (number, keys) in (1..).zip(reads) {
            for (at, key) in keys.bytes().enumerate() {
                let read = ReadPosition { number, at: now, is_last: at + 1 == keys.len() };
                prompt = prompt.and_then(|prompt| prompt.byte(key, read, &mut out));
            }
        }
        if let Some(prompt) = prompt {
            prompt.settle(now + ESC_PATIENCE, &mut out);
        }
    }

    #[test]
    fn one_key_decides_and_a_no_can_have_a_reason() {
        assert_eq!(answer(&["y"]), Some(Decision::Once));
        assert_eq!(answer(&["a"]), granted(GrantWidth::Exact, GrantScope::Session));
        assert_eq!(answer(&["p"]), granted(GrantWidth::Exact, GrantScope::Project));
        assert_eq!(answer(&["g"]), None, "it is not offered");
        assert_eq!(answer(&["w", "g"]), granted(GrantWidth::Wide, GrantScope::Everywhere));
        assert_eq!(answer(&["w", "a"]), None, "it is not offered");
        assert_eq!(answer(&["m"]), Some(Decision::AutoMode));
        assert_eq!(answer(&["\x1b[121u"]), Some(Decision::Once), "as some terminals spell it");
        assert_eq!(answer(&["n\r"]), Some(Decision::No { why: None }));
        assert_eq!(answer(&["n use mä\x7fake\r"]), Some(Decision::No { why: Some("use make".into()) }));
        assert_eq!(answer(&["\x1b"]), Some(Decision::No { why: None }));
        assert_eq!(answer(&["\r", "x", "q", "\x1b[A", "\x1by", "\x19"]), None, "nothing is decided by other keys");
    }

    #[test]
    fn a_card_that_does_not_fit_the_screen_needs_a_whole_word() {
        let tall = |reads: &[&str]| {
            let (reply, mut answer) = oneshot::channel();
            let mut prompt = Prompt::new(Asked::Approval(Box::new(approval()), reply), 0, Instant::now());
            prompt.size = CardSize::TopHidden;
            type_in(prompt, reads);
            answer.try_recv().ok()
        };
        assert_eq!(tall(&["y"]), None);
        assert_eq!(tall(&["a"]), None);
        assert_eq!(tall(&["y", "\r"]), None, "not the word");
        assert_eq!(tall(&["yes\r"]), None, "a burst is no typing");
        assert_eq!(tall(&["y", "\x1b[200~es\x1b[201~", "\r"]), None, "a paste is no typing");
        assert_eq!(tall(&["y", "e", "s", "\r"]), Some(Decision::Once));
        assert_eq!(tall(&["y", "\r", "yes", "\r"]), Some(Decision::Once), "a second try");
        assert_eq!(tall(&["n\r"]), Some(Decision::No { why: None }));
        assert_eq!(tall(&["\x1b"]), Some(Decision::No { why: None }));
    }

    #[test]
    fn a_paste_approves_nothing() {
        for paste in ["\x1b[200~y\x1b[201~", "\x1b[200~y\ry\r\x1b[201~", "yes\r", "y\r", "yy", "make; y"] {
            assert_eq!(answer(&[paste]), None, "{paste:?}");
        }
        // Wherever it is cut, and whatever comes before it.
        assert_eq!(answer(&["\x1b[200~", "y", "\x1b[201~"]), None);
        assert_eq!(answer(&["x", "\x1b[200~a", "y", "a\x1b[201~"]), None);
        // A reason may be pasted.
        let why = answer(&["n ", "\x1b[200~use\rmake\x1b[201~", "\r"]);
        assert_eq!(why, Some(Decision::No { why: Some("use make".into()) }));
        assert_eq!(answer(&["\x1b[200~y\x1b[201~", "y"]), Some(Decision::Once));
    }

    #[test]
    fn a_question_takes_a_number_or_text() {
        let ask = |keys: &str| {
            let (reply, mut answer) = oneshot::channel();
            let question = UserQuestion { text: "which?".into(), choices: vec!["one".into(), "two".into()] };
            type_in(Prompt::new(Asked::Question(question, reply), 0, Instant::now()), &[keys]);
            answer.try_recv().ok()
        };
        assert_eq!(ask("2\r"), Some(UserAnswer::Said("two".into())));
        assert_eq!(ask("neither\r"), Some(UserAnswer::Said("neither".into())));
        assert_eq!(ask("\r"), Some(UserAnswer::Declined));
    }

    #[test]
    fn one_key_says_yes_or_no_to_shellmate_itself() {
        let ask = |size: CardSize, reads: &[&str]| {
            let (reply, mut answer) = oneshot::channel();
            let question = Confirmation { text: "undo it?".into(), yes: "yes", no: "no" };
            let mut prompt = Prompt::new(Asked::Confirm(question, reply), 0, Instant::now());
            prompt.size = size;
            type_in(prompt, reads);
            answer.try_recv().ok()
        };
        let whole = |reads: &[&str]| ask(CardSize::Whole, reads);
        assert_eq!(whole(&["y"]), Some(true));
        assert_eq!(whole(&["Y"]), Some(true));
        assert_eq!(whole(&["n"]), Some(false));
        assert_eq!(whole(&["\x1b"]), Some(false));
        assert_eq!(whole(&["\r", "1", "a", "w", "m"]), None, "other keys mean nothing");
        assert_eq!(whole(&["y\r"]), None, "a burst is no typing");
        assert_eq!(whole(&["\x1b[200~y\x1b[201~"]), None, "a paste approves nothing");
        let tall = |reads: &[&str]| ask(CardSize::TopHidden, reads);
        assert_eq!(tall(&["y", "\r"]), None);
        assert_eq!(tall(&["y", "e", "s", "\r"]), Some(true));
        assert_eq!(tall(&["n"]), Some(false));
    }

    #[test]
    fn arrows_and_function_keys_are_not_esc() {
        assert_eq!(long_key(b"\x1b[A"), Some(3));
        assert_eq!(long_key(b"\x1b[1;5Cx"), Some(6));
        assert_eq!(long_key(b"\x1bOPy"), Some(3));
        assert_eq!(long_key(b"\x1bb"), Some(2));
        assert_eq!(long_key(b"\x1b\rx"), Some(2));
        assert_eq!(long_key(b"\x1b[[Ex"), Some(4));
        assert_eq!(long_key(b"\x1b\x03"), None);
        assert_eq!(long_key(b"\x1b"), None);
        assert_eq!(long_key(b"\x1b\x1b"), None);
        assert_eq!(long_key(b"y"), None);
    }
}
