//! A question of the agent's, and the keys that answer it.

use tokio::sync::oneshot;

use crate::agent::{Approval, Decision};
use crate::guard::Intent;
use crate::render::{self, Change, Options};
use crate::text;
use crate::tool::{Answer, Preview, Question};

const ENTER: [u8; 2] = [b'\r', b'\n'];
const ESC: u8 = 0x1B;
const BACKSPACE: [u8; 2] = [0x7F, 0x08];

/// What an answer may hold; nobody types more.
const ANSWER_CAP: usize = 4096;

/// A question, and who waits for its answer.
pub(super) enum Asked {
    Approval(Box<Approval>, oneshot::Sender<Decision>),
    Question(Question, oneshot::Sender<Answer>),
}

/// An open question and what was typed so far.
pub(super) struct Prompt {
    asked: Asked,
    typed: Field,
}

impl Prompt {
    /// Asks.
    pub(super) fn open(asked: Asked, user: &str, host: &str, options: &Options, out: &mut Vec<u8>) -> Prompt {
        match &asked {
            Asked::Approval(approval, _) => Prompt::write_approval(approval, user, host, options, out),
            Asked::Question(question, _) => Prompt::write_question(question, out),
        }
        Prompt { asked, typed: Field::default() }
    }

    /// Takes the question back unanswered.
    pub(super) fn close(self, out: &mut Vec<u8>) -> Asked {
        out.extend_from_slice(b"\r\n");
        self.asked
    }

    /// Asks for a yes: the whole command or change, where and as whom.
    fn write_approval(approval: &Approval, user: &str, host: &str, options: &Options, out: &mut Vec<u8>) {
        let (action, subject) = match &approval.intent {
            Intent::Run { command, .. } => ("run", command.clone()),
            Intent::RunInShell { command, .. } => ("run in your shell", command.clone()),
            Intent::Write { path } => ("edit", path.display().to_string()),
            Intent::Read { .. } => ("read", approval.title.clone()),
            Intent::Ask | Intent::Suggest { .. } => ("go on", approval.title.clone()),
        };
        let paths = match &approval.preview {
            Some(Preview::Edit { path, .. }) => path.display().to_string(),
            _ => String::new(),
        };
        let change = match &approval.preview {
            Some(Preview::Edit { before, after, .. }) => Some(Change { path: &paths, old: before, new: after }),
            Some(Preview::Command { .. }) | None => None,
        };
        let why = approval.lasting.as_ref().map(|grant| format!("a: {grant}"));
        let directory = approval.cwd.display().to_string();
        let question = render::Question {
            action,
            subject: &subject,
            user,
            host,
            directory: &directory,
            why: why.as_deref(),
            change,
        };
        out.extend_from_slice(render::question(&question, options).as_bytes());
    }

    /// Asks something in the model's words.
    fn write_question(question: &Question, out: &mut Vec<u8>) {
        let mut words = format!("{}\r\n", text::sanitize(&question.text).replace('\n', "\r\n"));
        for (number, choice) in question.choices.iter().enumerate() {
            words.push_str(&format!("  {}. {}\r\n", number + 1, text::sanitize(choice).replace('\n', " ")));
        }
        words.push_str("? ");
        out.extend_from_slice(words.as_bytes());
    }

    /// Takes a key; the prompt comes back while it is not answered.
    pub(super) fn key(mut self, key: u8, out: &mut Vec<u8>) -> Option<Prompt> {
        if let (Asked::Approval(approval, _), true) = (&self.asked, self.typed.is_empty()) {
            match key {
                b'y' | b'Y' => return self.decide(Decision::Once, "yes", out),
                b'a' | b'A' if approval.lasting.is_some() => return self.decide(Decision::ForSession, "always", out),
                b'n' | b'N' | ESC => {}
                _ => return Some(self),
            }
        }
        match self.typed.key(key, out) {
            Typed::More => Some(self),
            Typed::Left => self.refuse(out),
            Typed::Entered(words) => self.submit(words, out),
        }
    }

    fn submit(self, typed: String, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(b"\r\n");
        match self.asked {
            Asked::Approval(_, reply) => {
                let why = typed.trim_start_matches(['n', 'N']).trim_start_matches(['o', ',']).trim();
                let _ = reply.send(Decision::No { why: (!why.is_empty()).then(|| why.to_owned()) });
            }
            Asked::Question(Question { choices, .. }, reply) => {
                let chosen =
                    typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?)).cloned();
                let said = chosen.unwrap_or(typed);
                let _ = reply.send(if said.is_empty() { Answer::Declined } else { Answer::Said(said) });
            }
        }
        None
    }

    fn decide(self, decision: Decision, word: &str, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(format!("{word}\r\n").as_bytes());
        if let Asked::Approval(_, reply) = self.asked {
            let _ = reply.send(decision);
        }
        None
    }

    fn refuse(self, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(b"no\r\n");
        match self.asked {
            Asked::Approval(_, reply) => drop(reply.send(Decision::No { why: None })),
            Asked::Question(_, reply) => drop(reply.send(Answer::Declined)),
        }
        None
    }
}

/// Words being typed on one line.
#[derive(Default)]
struct Field {
    bytes: Vec<u8>,
}

/// What came of a key.
enum Typed {
    More,
    Entered(String),
    Left,
}

impl Field {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim().to_owned()
    }

    /// Takes a key and shows what it does.
    fn key(&mut self, key: u8, out: &mut Vec<u8>) -> Typed {
        match key {
            ESC => return Typed::Left,
            key if ENTER.contains(&key) => return Typed::Entered(self.text()),
            key if BACKSPACE.contains(&key) => {
                if let Some(last) = self.pop() {
                    let columns = unicode_width::UnicodeWidthChar::width(last).unwrap_or(1);
                    out.extend_from_slice("\x08 \x08".repeat(columns).as_bytes());
                }
            }
            0x20.. if self.bytes.len() < ANSWER_CAP => {
                self.bytes.push(key);
                out.push(key);
            }
            _ => {}
        }
        Typed::More
    }

    /// Removes the last character, whole.
    fn pop(&mut self) -> Option<char> {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        let last = text.chars().next_back()?;
        self.bytes.truncate((text.len() - last.len_utf8()).min(self.bytes.len()));
        Some(last)
    }
}

/// The length of the key these bytes begin with, where it is one that means nothing here: an arrow, a function key, Alt.
pub(super) fn idle_key(keys: &[u8]) -> Option<usize> {
    match keys {
        [ESC, b'[', rest @ ..] => Some(3 + rest.iter().position(|byte| (0x40..0x7F).contains(byte))?),
        [ESC, b'O', _, ..] => Some(3),
        [ESC, 0x20..0x7F, ..] => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Grant;

    fn answer(keys: &str) -> Option<Decision> {
        let (reply, mut answer) = oneshot::channel();
        let approval = Approval {
            title: "make".into(),
            tool: "bash".into(),
            intent: Intent::Run { command: "make".into(), cwd: "/".into() },
            preview: None,
            lasting: Some(Grant::Edits("/".into())),
            cwd: "/".into(),
        };
        let mut prompt = Some(Prompt { asked: Asked::Approval(Box::new(approval), reply), typed: Field::default() });
        let mut out = Vec::new();
        for key in keys.bytes() {
            prompt = prompt.and_then(|prompt| prompt.key(key, &mut out));
        }
        answer.try_recv().ok()
    }

    #[test]
    fn one_key_decides_and_a_no_may_say_why() {
        assert_eq!(answer("y"), Some(Decision::Once));
        assert_eq!(answer("a"), Some(Decision::ForSession));
        assert_eq!(answer("n\r"), Some(Decision::No { why: None }));
        assert_eq!(answer("n use make\x7f\x7fke\r"), Some(Decision::No { why: Some("use make".into()) }));
        assert_eq!(answer("\x1b"), Some(Decision::No { why: None }));
        assert_eq!(answer("\rxq"), None, "nothing is decided by other keys");
    }

    #[test]
    fn a_question_takes_a_number_or_words() {
        let ask = |keys: &str| {
            let (reply, mut answer) = oneshot::channel();
            let question = Question { text: "which?".into(), choices: vec!["one".into(), "two".into()] };
            let mut out = Vec::new();
            let mut prompt = Some(Prompt { asked: Asked::Question(question, reply), typed: Field::default() });
            for key in keys.bytes() {
                prompt = prompt.and_then(|prompt| prompt.key(key, &mut out));
            }
            answer.try_recv().ok()
        };
        assert_eq!(ask("2\r"), Some(Answer::Said("two".into())));
        assert_eq!(ask("neither\r"), Some(Answer::Said("neither".into())));
        assert_eq!(ask("\r"), Some(Answer::Declined));
    }

    #[test]
    fn arrows_and_their_kin_are_no_escape() {
        assert_eq!(idle_key(b"\x1b[A"), Some(3));
        assert_eq!(idle_key(b"\x1b[1;5Cx"), Some(6));
        assert_eq!(idle_key(b"\x1bOPy"), Some(3));
        assert_eq!(idle_key(b"\x1bb"), Some(2));
        assert_eq!(idle_key(b"\x1b"), None);
        assert_eq!(idle_key(b"\x1b\x1b"), None);
        assert_eq!(idle_key(b"y"), None);
    }
}
