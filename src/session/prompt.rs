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

/// An open question and what was typed so far.
pub(super) struct Prompt {
    reply: Reply,
    typed: Vec<u8>,
}

enum Reply {
    Approval { reply: oneshot::Sender<Decision>, can_last: bool },
    Question { reply: oneshot::Sender<Answer>, choices: Vec<String> },
}

impl Prompt {
    /// Asks for a yes: the whole command or change, where and as whom.
    pub(super) fn approval(
        approval: Approval,
        reply: oneshot::Sender<Decision>,
        user: &str,
        host: &str,
        options: &Options,
        out: &mut Vec<u8>,
    ) -> Prompt {
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
        let can_last = approval.lasting.is_some();
        Prompt { reply: Reply::Approval { reply, can_last }, typed: Vec::new() }
    }

    /// Asks something in the model's words.
    pub(super) fn question(question: Question, reply: oneshot::Sender<Answer>, out: &mut Vec<u8>) -> Prompt {
        let mut words = format!("{}\r\n", text::sanitize(&question.text).replace('\n', "\r\n"));
        for (number, choice) in question.choices.iter().enumerate() {
            words.push_str(&format!("  {}. {}\r\n", number + 1, text::sanitize(choice).replace('\n', " ")));
        }
        words.push_str("? ");
        out.extend_from_slice(words.as_bytes());
        Prompt { reply: Reply::Question { reply, choices: question.choices }, typed: Vec::new() }
    }

    /// Takes a key; the prompt comes back while it is not answered.
    pub(super) fn key(mut self, key: u8, out: &mut Vec<u8>) -> Option<Prompt> {
        let is_first = self.typed.is_empty();
        match (&self.reply, key) {
            (Reply::Approval { .. }, b'y' | b'Y') if is_first => return self.decide(Decision::Once, "yes", out),
            (Reply::Approval { can_last: true, .. }, b'a' | b'A') if is_first => {
                return self.decide(Decision::ForSession, "always", out);
            }
            (_, ESC) => return self.refuse(out),
            (Reply::Approval { .. }, key) if ENTER.contains(&key) && is_first => return Some(self),
            (_, key) if ENTER.contains(&key) => return self.submit(out),
            (_, key) if BACKSPACE.contains(&key) => {
                if let Some(last) = pop(&mut self.typed) {
                    let columns = if last.is_ascii() { 1 } else { text_width(last) };
                    out.extend_from_slice("\x08 \x08".repeat(columns).as_bytes());
                }
            }
            (Reply::Approval { .. }, key) if is_first && !matches!(key, b'n' | b'N') => {}
            (_, key) if key >= 0x20 && self.typed.len() < ANSWER_CAP => {
                self.typed.push(key);
                out.push(key);
            }
            _ => {}
        }
        Some(self)
    }

    fn submit(self, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(b"\r\n");
        let typed = String::from_utf8_lossy(&self.typed).trim().to_owned();
        match self.reply {
            Reply::Approval { reply, .. } => {
                let why = typed.trim_start_matches(['n', 'N']).trim_start_matches(['o', ',']).trim();
                let _ = reply.send(Decision::No { why: (!why.is_empty()).then(|| why.to_owned()) });
            }
            Reply::Question { reply, choices } => {
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
        if let Reply::Approval { reply, .. } = self.reply {
            let _ = reply.send(decision);
        }
        None
    }

    fn refuse(self, out: &mut Vec<u8>) -> Option<Prompt> {
        out.extend_from_slice(b"no\r\n");
        match self.reply {
            Reply::Approval { reply, .. } => drop(reply.send(Decision::No { why: None })),
            Reply::Question { reply, .. } => drop(reply.send(Answer::Declined)),
        }
        None
    }
}

/// Removes the last character, whole.
fn pop(typed: &mut Vec<u8>) -> Option<char> {
    let text = String::from_utf8_lossy(typed).into_owned();
    let last = text.chars().next_back()?;
    let left = text.len() - last.len_utf8();
    typed.truncate(left.min(typed.len()));
    Some(last)
}

fn text_width(character: char) -> usize {
    unicode_width::UnicodeWidthChar::width(character).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(keys: &str) -> Option<Decision> {
        let (reply, mut answer) = oneshot::channel();
        let mut prompt = Some(Prompt { reply: Reply::Approval { reply, can_last: true }, typed: Vec::new() });
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
            let mut prompt = Some(Prompt::question(question, reply, &mut out));
            for key in keys.bytes() {
                prompt = prompt.and_then(|prompt| prompt.key(key, &mut out));
            }
            answer.try_recv().ok()
        };
        assert_eq!(ask("2\r"), Some(Answer::Said("two".into())));
        assert_eq!(ask("neither\r"), Some(Answer::Said("neither".into())));
        assert_eq!(ask("\r"), Some(Answer::Declined));
    }
}
