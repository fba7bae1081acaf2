//! A question of the agent or of shellmate itself, and the keys that answer it.
//!
//! Typing is never an answer (`focus.rs`). While the question has the keys, a letter answers if it stands alone: no other key in its read,
//! and none for half a second after it, in which the choice is shown. Enter confirms it at once. Any other key shows that the person was
//! typing something else: both go to the prompt, and the question lets go of the keys. A choice that lasts, that leaves the sandbox or that
//! `/undo` can't take back needs Enter. A paste never answers. Esc always means no.

mod answer;
mod card;
mod choices;
mod field;
mod focus;
mod pick;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::agent::{Approval, Decision};
use crate::guard::GrantWidth;
use crate::input::Decoder;
use crate::render::{self, CardFoot, CardView, RenderOptions, ScreenSize};
use crate::tool::{UserAnswer, UserQuestion};

use super::keyboard::{CTRL_C, ESC_PATIENCE, waiting_text};
use answer::Typed;
pub(super) use card::CardContext;
use choices::{KeyChoice, choices};
use field::Field;
use focus::Focus;
pub(super) use focus::QuestionMoment;
use pick::Picker;
pub(crate) use pick::{PickItem, PickList};

/// After this time without the keys, a question rings.
const RINGS_AFTER: Duration = Duration::from_secs(10);

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
    /// Whether a yes lasts beyond this question, so that Enter has to follow it.
    pub lasts: bool,
}

/// An open question and what was typed so far.
pub(super) struct Prompt {
    asked: Asked,
    focus: Focus,
    entry: AnswerEntry,
    choices: Vec<KeyChoice>,
    decoder: Decoder,
    /// The bytes of the key that the decoder is reading.
    raw: Vec<u8>,
    /// The read that contained the last key, and its time.
    last: (u64, Instant),
    /// When the last key of a choice was typed.
    chosen_at: Instant,
    /// Which calls the letters of a grant cover.
    width: GrantWidth,
    drawing: Drawing,
    typing: Typing,
    /// Whether no key was waiting to be read when the question was drawn, so that the next ones are later.
    is_quiet: bool,
    /// The name of the key that gives the question the keys.
    hotkey: String,
    /// Since when the question has waited without the keys.
    waits: Option<Instant>,
}

/// How far the answer is.
enum AnswerEntry {
    /// No choice was made. `true` if all choices are shown.
    Open(bool),
    /// A choice that counts if no other key follows.
    Chosen {
        choice: KeyChoice,
        /// The keys that chose it, for the prompt if it was typing.
        raw: Vec<u8>,
        /// When it counts. It waits for Enter if there is no such time.
        counts_at: Option<Instant>,
        alone: Duration,
    },
    /// The line that is being typed.
    Line(Field),
}

/// What is on the screen.
enum Drawing {
    None,
    Card(Box<CardView>),
    Picker(Box<Picker>, RenderOptions),
}

/// What becomes of keys that are not for the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    /// They are kept for the prompt.
    Kept,
    /// Nobody can give them to the shell.
    Lost,
}

/// The read of the keyboard that brought a byte, and what comes after the byte in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadPosition {
    pub(super) number: u64,
    pub(super) at: Instant,
    pub(super) rest: Rest,
}

/// The bytes after another in the same read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Nothing,
    /// Only Enter: over a slow connection an answer and its Enter arrive together.
    Enter,
    More,
}

impl Rest {
    pub(super) fn of(rest: &[u8]) -> Rest {
        match rest {
            [] => Rest::Nothing,
            [b'\r'] => Rest::Enter,
            _ => Rest::More,
        }
    }
}

/// Where the bytes of a question and the keys that are not for it go.
#[derive(Default)]
pub(super) struct PromptOutput {
    /// Bytes for the screen.
    pub(super) screen: Vec<u8>,
    /// Keys for the prompt.
    pub(super) ahead: Vec<u8>,
}

impl Prompt {
    /// A question that is asked now, after this many reads of the keyboard.
    pub(super) fn new(asked: Asked, typing: Typing, hotkey: String, read: u64, now: Instant) -> Prompt {
        Prompt {
            choices: choices(&asked, GrantWidth::Exact),
            asked,
            focus: Focus::Drawing,
            entry: AnswerEntry::Open(false),
            decoder: Decoder::default(),
            raw: Vec::new(),
            last: (read, now),
            chosen_at: now,
            width: GrantWidth::Exact,
            drawing: Drawing::None,
            typing,
            is_quiet: false,
            hotkey,
            waits: None,
        }
    }

    /// Draws the question. `waiting` are the keys that wait for the prompt.
    pub(super) fn write(
        &mut self,
        around: &CardContext<'_>,
        options: &RenderOptions,
        waiting: &[u8],
        out: &mut Vec<u8>,
    ) {
        let text = match &self.asked {
            Asked::Approval(approval, _) => card::text(approval, around, options),
            Asked::Question(question, _) => render::inquiry(&question.text, &question.choices, options),
            Asked::Confirm(Confirmation { text, .. }, _) => render::confirmation(text, options),
            Asked::Pick(list, _) => {
                let mut picker = Picker::new(list.clone(), Arc::clone(around.keys));
                picker.draw(options, out);
                self.drawing = Drawing::Picker(Box::new(picker), options.clone());
                return;
            }
        };
        let view = CardView::new(text, self.shown_choices(), options.clone());
        self.drawing = Drawing::Card(Box::new(view));
        if !waiting.is_empty() {
            self.focus = Focus::Prompt;
        }
        self.draw(waiting, out);
    }

    fn shown_choices(&self) -> Vec<render::CardChoice> {
        let mut shown: Vec<render::CardChoice> = self.choices.iter().map(|choice| choice.shown.clone()).collect();
        if self.has_more() {
            let meaning = "these words".to_owned();
            shown.push(render::CardChoice { key: '?', words: "more", meaning, needs_enter: false });
        }
        shown
    }

    /// Whether there is more to show than the row of choices.
    fn has_more(&self) -> bool {
        matches!(self.asked, Asked::Approval(..))
    }

    /// Draws the card as it is now. `waiting` are the keys that wait for the prompt.
    fn draw(&mut self, waiting: &[u8], out: &mut Vec<u8>) {
        let label = match self.asked {
            Asked::Approval(..) => "why?",
            Asked::Question(..) | Asked::Confirm(..) | Asked::Pick(..) => ">",
        };
        let foot = match (&self.focus, &self.entry) {
            (Focus::Prompt, _) => CardFoot::Waiting { text: waiting_text(waiting), how: self.how(waiting) },
            (_, AnswerEntry::Open(false)) => CardFoot::Choices,
            (_, AnswerEntry::Open(true)) => CardFoot::AllChoices,
            (_, AnswerEntry::Chosen { choice, counts_at, .. }) => {
                CardFoot::Chosen { key: choice.shown.key, needs_enter: counts_at.is_none() }
            }
            (_, AnswerEntry::Line(field)) => CardFoot::Line { label, text: field.whole().to_owned() },
        };
        match &mut self.drawing {
            Drawing::Card(view) => view.draw(foot, out),
            Drawing::Picker(picker, options) => {
                let how = match foot {
                    CardFoot::Waiting { text, how } => {
                        Some(if text.is_empty() { how } else { format!("{how}; waiting: {text}") })
                    }
                    _ => None,
                };
                if picker.set_note(how) {
                    picker.draw(options, out);
                }
            }
            Drawing::None => {}
        }
    }

    /// How the person gets from typing to the question.
    fn how(&self, waiting: &[u8]) -> String {
        let has_line = waiting.contains(&b'\r');
        let kept = match self.typing {
            Typing::Kept if has_line => "your command is kept for the prompt; ",
            Typing::Kept => "",
            Typing::Lost => "what you type is lost; ",
        };
        let or = if has_line { "" } else { ", or Ctrl-U and a rest" };
        format!("{kept}a question waits: {} answers it{or}", self.hotkey)
    }

    /// Notes that no key was waiting to be read when the question was drawn.
    pub(super) fn drawn_in_silence(self) -> Prompt {
        Prompt { is_quiet: true, ..self }
    }

    /// Whether keys that are read now were pressed after the question was drawn, though it does not have the keys yet.
    pub(super) fn is_about_to_have_focus(&self) -> bool {
        self.is_quiet && self.focus == Focus::Drawing
    }

    /// Whether keys answer the question now.
    pub(super) fn has_focus(&self) -> bool {
        matches!(self.focus, Focus::Question(_))
    }

    /// Gives the question the keys, because the person has asked for it.
    pub(super) fn take_focus(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.focus = Focus::Question(now);
        self.waits = None;
        // A question without choices is answered with a line.
        let is_free = matches!(&self.asked, Asked::Question(question, _) if question.choices.is_empty());
        if is_free && matches!(self.entry, AnswerEntry::Open(_)) {
            self.entry = AnswerEntry::Line(Field::default());
        }
        self.draw(b"", out);
    }

    /// The keys are for the prompt from here on.
    fn lose_focus(&mut self, now: Instant) {
        self.focus = Focus::Prompt;
        self.entry = AnswerEntry::Open(false);
        self.waits = Some(now);
    }

    /// Called when all keys that were waiting have been read. Returns the prompt if it is not answered yet.
    pub(super) fn follow(mut self, moment: QuestionMoment<'_>, out: &mut PromptOutput) -> Option<Prompt> {
        let (had_focus, now) = (self.has_focus(), moment.now);
        self.focus = self.focus.at(moment);
        if let AnswerEntry::Chosen { choice, counts_at: Some(at), .. } = &self.entry
            && self.has_focus()
            && now >= *at
        {
            let act = choice.act.clone();
            return self.carry_out(act, out);
        }
        match (had_focus, self.has_focus()) {
            (true, _) => {}
            (false, true) => {
                self.waits = None;
                self.draw(b"", &mut out.screen);
            }
            (false, false) if self.focus == Focus::Prompt => {
                self.waits.get_or_insert(now);
                self.draw(moment.waiting, &mut out.screen);
            }
            (false, false) => {}
        }
        Some(self)
    }

    /// Whether the question has waited without the keys for long enough to ring.
    pub(super) fn rings(&self, now: Instant) -> bool {
        self.waits.is_some_and(|since| now.saturating_duration_since(since) >= RINGS_AFTER)
    }

    /// Draws the question for another size of the window.
    pub(super) fn resize(&mut self, size: ScreenSize, reflows: bool, out: &mut Vec<u8>) {
        match &mut self.drawing {
            Drawing::Card(view) => view.resize(size, reflows, out),
            Drawing::Picker(picker, options) => {
                (options.columns, options.rows) = (size.columns, size.rows);
                picker.draw(options, out);
            }
            Drawing::None => {}
        }
    }

    /// Removes the question from the screen.
    pub(super) fn clear(&mut self, out: &mut Vec<u8>) {
        match &mut self.drawing {
            Drawing::Card(view) => view.erase(out),
            Drawing::Picker(picker, _) => picker.erase(out),
            Drawing::None => {}
        }
    }

    /// Takes the question back unanswered.
    pub(super) fn close(mut self, out: &mut Vec<u8>) -> Asked {
        self.clear(out);
        self.asked
    }

    /// Takes a byte of the keyboard, while the question has the keys. Returns the prompt if it is not answered yet.
    pub(super) fn byte(mut self, byte: u8, read: ReadPosition, out: &mut PromptOutput) -> Option<Prompt> {
        let is_first = self.last.0 != read.number;
        self.raw.push(byte);
        let Some(input) = self.decoder.byte(byte) else {
            self.last.1 = read.at;
            return Some(self);
        };
        self.last = (read.number, read.at);
        let typed = Typed { input, raw: std::mem::take(&mut self.raw), is_first, rest: read.rest, at: read.at };
        self.input(typed, out)
    }

    /// Takes an ESC as the Esc key if nothing has followed it for a while.
    pub(super) fn settle(mut self, now: Instant, out: &mut PromptOutput) -> Option<Prompt> {
        let is_due = now.saturating_duration_since(self.last.1) >= ESC_PATIENCE;
        match is_due.then(|| self.decoder.settle()).flatten() {
            Some(input) => {
                let raw = std::mem::take(&mut self.raw);
                self.input(Typed { input, raw, is_first: true, rest: Rest::Nothing, at: now }, out)
            }
            None => Some(self),
        }
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
    use crate::guard::{Grant, GrantOffer, GrantOffers, GrantScope, Intent};

    const MS: Duration = Duration::from_millis(1);

    fn offer(scope: GrantScope) -> GrantOffer {
        GrantOffer { scope, grant: vec![Grant::Edits("/".into())] }
    }

    fn approval(is_contained: bool) -> Approval {
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
            is_contained,
        }
    }

    /// A person with a keyboard and a question on the screen.
    struct Person {
        prompt: Option<Prompt>,
        now: Instant,
        reads: u64,
        /// What waits for the prompt.
        waiting: Vec<u8>,
        typed: Option<Instant>,
    }

    impl Person {
        /// The question was read a second ago.
        fn asked(asked: Asked) -> Person {
            let now = Instant::now();
            let mut prompt = Prompt::new(asked, Typing::Kept, "Ctrl-\\".into(), 0, now);
            let size = ScreenSize { columns: 80, rows: 24 };
            let options = RenderOptions::of_terminal(size, Default::default(), Default::default(), |_| String::new());
            let around = CardContext { user: "", host: "", cwd: None, keys: &Arc::default() };
            prompt.write(&around, &options, b"", &mut Vec::new());
            let mut person = Person { prompt: Some(prompt), now, reads: 0, waiting: Vec::new(), typed: None };
            person.rests(1);
            person.rests(1000);
            person
        }

        /// Types keys that arrive in one read.
        fn types(&mut self, keys: &str) -> &mut Person {
            self.reads += 1;
            let bytes = keys.as_bytes();
            for (at, byte) in bytes.iter().enumerate() {
                let mut out = PromptOutput::default();
                match self.prompt.take() {
                    Some(prompt) if prompt.has_focus() => {
                        let rest = Rest::of(&bytes[at + 1..]);
                        let read = ReadPosition { number: self.reads, at: self.now, rest };
                        self.prompt = prompt.byte(*byte, read, &mut out);
                    }
                    other => {
                        self.prompt = other;
                        out.ahead.push(*byte);
                    }
                }
                if !out.ahead.is_empty() {
                    crate::session::keyboard::type_ahead(&mut self.waiting, &out.ahead);
                    self.typed = Some(self.now);
                }
            }
            self.rests(0)
        }

        fn rests(&mut self, ms: u32) -> &mut Person {
            self.now += ms * MS;
            let mut out = PromptOutput::default();
            self.prompt = self.prompt.take().and_then(|prompt| prompt.settle(self.now, &mut out));
            let moment = QuestionMoment { now: self.now, is_drawn: true, typed: self.typed, waiting: &self.waiting };
            self.prompt = self.prompt.take().and_then(|prompt| prompt.follow(moment, &mut out));
            self
        }

        fn presses_hotkey(&mut self) -> &mut Person {
            let now = self.now;
            self.prompt.iter_mut().for_each(|prompt| prompt.take_focus(now, &mut Vec::new()));
            self
        }

        fn has_focus(&self) -> bool {
            self.prompt.as_ref().is_some_and(Prompt::has_focus)
        }
    }

    fn call(is_contained: bool) -> (Person, oneshot::Receiver<Decision>) {
        let (reply, answer) = oneshot::channel();
        (Person::asked(Asked::Approval(Box::new(approval(is_contained)), reply)), answer)
    }

    /// Answers a contained call. Each text arrives in one read, with these milliseconds before the next.
    fn answer(reads: &[(&str, u32)]) -> (Option<Decision>, String) {
        let (mut person, mut answer) = call(true);
        for (keys, rest) in reads {
            person.types(keys).rests(*rest);
        }
        (answer.try_recv().ok(), String::from_utf8(person.waiting).unwrap())
    }

    fn granted(width: GrantWidth, scope: GrantScope) -> Option<Decision> {
        Some(Decision::Granted { width, scope })
    }

    #[test]
    fn a_letter_that_stands_alone_answers() {
        assert_eq!(answer(&[("y", 500)]).0, Some(Decision::Once));
        assert_eq!(answer(&[("Y", 500)]).0, None, "a capital is typing");
        assert_eq!(answer(&[("y", 499)]).0, None, "not yet");
        assert_eq!(answer(&[("n", 500)]).0, Some(Decision::No { why: None }));
        assert_eq!(answer(&[("\x1b", 50)]).0, Some(Decision::No { why: None }));
        assert_eq!(answer(&[("\x1b[121u", 500)]).0, Some(Decision::Once), "as some terminals spell it");
        assert_eq!(answer(&[("y", 30), ("\r", 0)]).0, Some(Decision::Once), "Enter confirms at once");
        assert_eq!(answer(&[("y\r", 0)]).0, Some(Decision::Once), "both in one read");
        assert_eq!(answer(&[("y", 300), ("y", 30), ("y", 30), ("y", 500)]).0, Some(Decision::Once), "held down");
    }

    #[test]
    fn what_lasts_or_has_no_walls_needs_enter() {
        assert_eq!(answer(&[("a", 5000)]).0, None);
        assert_eq!(answer(&[("a", 400), ("\r", 0)]).0, granted(GrantWidth::Exact, GrantScope::Session));
        assert_eq!(answer(&[("p", 400), ("\r", 0)]).0, granted(GrantWidth::Exact, GrantScope::Project));
        assert_eq!(answer(&[("?", 0), ("m", 400), ("\r", 0)]).0, Some(Decision::AutoMode));
        assert_eq!(answer(&[("g", 400), ("\r", 0)]).0, None, "it is not offered");
        assert_eq!(
            answer(&[("?", 0), ("w", 500), ("g", 400), ("\r", 0)]).0,
            granted(GrantWidth::Wide, GrantScope::Everywhere)
        );
        assert_eq!(answer(&[("w", 500), ("\r", 500)]), (None, "w\r".into()), "it is not on the screen");
        assert_eq!(answer(&[("a", 600), ("n", 600)]).0, Some(Decision::No { why: None }), "a change of mind");
        let (mut person, mut answer) = call(false);
        person.types("y").rests(60_000);
        assert!(answer.try_recv().is_err());
        person.types("\r");
        assert_eq!(answer.try_recv().ok(), Some(Decision::Once));
        let (mut person, mut answer) = call(false);
        person.types("n").rests(500);
        assert_eq!(answer.try_recv().ok(), Some(Decision::No { why: None }), "a no never needs Enter");
    }

    #[test]
    fn a_reason_opens_a_line() {
        let (decision, waiting) =
            answer(&[("?", 0), ("r", 500), ("use m\u{e4}\x7fake", 0), ("\x1b[200~ now\r!\x1b[201~", 0), ("\r", 0)]);
        assert_eq!(decision, Some(Decision::No { why: Some("use make now !".into()) }));
        assert_eq!(waiting, "");
        assert_eq!(answer(&[("?", 0), ("r", 500), ("\r", 0)]).0, Some(Decision::No { why: None }));
        assert_eq!(answer(&[("?", 0), ("r", 500), ("x", 0), ("\x1b", 50)]).0, Some(Decision::No { why: None }));
    }

    #[test]
    fn every_other_key_is_typing_and_reaches_the_prompt() {
        for line in
            ["yarn install\r", "ls -a\r", "echo happy\r", "any", "python", "\t", "\x1b[A\r", "1", "\r", "y ", "ya"]
        {
            for gap in [0, 40, 150, 400] {
                let (mut person, mut answer) = call(true);
                let keys: Vec<String> = match line.strip_prefix("\x1b[A") {
                    Some(rest) => vec!["\x1b[A".to_owned(), rest.to_owned()],
                    None => line.chars().map(String::from).collect(),
                };
                for key in &keys {
                    person.types(key).rests(gap);
                }
                person.rests(10_000);
                assert!(answer.try_recv().is_err(), "{line:?} {gap}");
                assert_eq!(String::from_utf8(std::mem::take(&mut person.waiting)).unwrap(), line, "{gap}");
                assert!(!person.has_focus());
            }
        }
    }

    #[test]
    fn a_paste_is_typing_and_arrives_without_its_brackets() {
        for paste in ["\x1b[200~y\x1b[201~", "\x1b[200~y\ry\x1b[201~"] {
            let (decision, waiting) = answer(&[(paste, 600), ("y", 600), ("\r", 0)]);
            assert_eq!(decision, None);
            let text = paste.replace("\x1b[200~", "").replace("\x1b[201~", "");
            assert_eq!(waiting, format!("{text}y\r"));
        }
        assert_eq!(answer(&[("y", 100), ("\x1b[200~x\x1b[201~", 600)]), (None, "yx".into()));
    }

    #[test]
    fn the_person_gets_back_to_a_question() {
        let (mut person, mut answer) = call(true);
        person.types("l").rests(200).types("s").rests(5000).types("y").rests(5000);
        assert!(answer.try_recv().is_err());
        assert_eq!(person.waiting, b"lsy");
        person.presses_hotkey().rests(500).types("y").rests(500);
        assert_eq!(answer.try_recv().ok(), Some(Decision::Once));
        assert_eq!(person.waiting, b"lsy", "what was typed still waits");

        let (mut person, mut answer) = call(true);
        person.types("l").rests(100).types("s").rests(100).types("\x15").rests(999);
        assert!(!person.has_focus());
        person.rests(1);
        assert!(person.has_focus());
        person.rests(500).types("y").rests(500);
        assert_eq!(answer.try_recv().ok(), Some(Decision::Once));
    }

    #[test]
    fn a_question_without_the_keys_rings_after_ten_seconds() {
        let (mut person, _answer) = call(true);
        person.rests(60_000);
        let rings = |person: &Person| person.prompt.as_ref().unwrap().rings(person.now);
        assert!(!rings(&person), "it has the keys");
        person.types("ls").rests(9_999);
        assert!(!rings(&person));
        person.rests(1);
        assert!(rings(&person));
        person.presses_hotkey();
        assert!(!rings(&person));
    }

    fn question(choices: &[&str]) -> (Person, oneshot::Receiver<UserAnswer>) {
        let (reply, answer) = oneshot::channel();
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        (Person::asked(Asked::Question(UserQuestion { text: "which?".into(), choices }, reply)), answer)
    }

    #[test]
    fn a_question_of_the_model_takes_a_number_or_a_line() {
        let said = |text: &str| Ok(UserAnswer::Said(text.to_owned()));
        let (mut person, mut answer) = question(&["one", "two"]);
        person.types("2").rests(500);
        assert_eq!(answer.try_recv(), said("two"));
        let (mut person, mut answer) = question(&["one", "two"]);
        person.types("r").rests(500).types("neither\r");
        assert_eq!(answer.try_recv(), said("neither"));
        let (mut person, mut answer) = question(&[]);
        person.types("l").rests(100).types("s\r").rests(10_000);
        assert!(answer.try_recv().is_err(), "a line that is typed without asking for the question is not an answer");
        assert_eq!(person.waiting, b"ls\r");
        person.presses_hotkey().types("that one").types("\r");
        assert_eq!(answer.try_recv(), said("that one"));
        let (mut person, mut answer) = question(&[]);
        person.types("n").rests(500);
        assert_eq!(answer.try_recv(), Ok(UserAnswer::Declined));
    }

    #[test]
    fn shellmate_itself_is_told_yes_or_no() {
        let ask = |lasts: bool, reads: &[(&str, u32)]| {
            let (reply, mut answer) = oneshot::channel();
            let confirmation = Confirmation { text: "undo it?".into(), yes: "yes", no: "no", lasts };
            let mut person = Person::asked(Asked::Confirm(confirmation, reply));
            for (keys, rest) in reads {
                person.types(keys).rests(*rest);
            }
            answer.try_recv().ok()
        };
        assert_eq!(ask(false, &[("y", 500)]), Some(true));
        assert_eq!(ask(true, &[("y", 500)]), None);
        assert_eq!(ask(true, &[("y", 500), ("\r", 0)]), Some(true));
        assert_eq!(ask(true, &[("n", 500)]), Some(false));
        assert_eq!(ask(true, &[("\x1b", 50)]), Some(false));
        assert_eq!(ask(false, &[("\r", 0), ("y", 500)]), None, "Enter is typing too");
    }

    #[test]
    fn a_question_that_is_not_drawn_yet_takes_nothing() {
        let (reply, mut answer) = oneshot::channel();
        let mut person = Person::asked(Asked::Approval(Box::new(approval(true)), reply));
        person.prompt.as_mut().unwrap().focus = Focus::Drawing;
        person.types("y").rests(600);
        assert!(answer.try_recv().is_err());
        assert_eq!(person.waiting, b"y");
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
