//! A question of the agent on a terminal without a session, for `shellmate ask`.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::input::KeyMap;
use crate::render::{RenderOptions, ScreenSize, Theme, Wrapping};
use crate::tty::{self, Terminal, Tty, TtyError};

use super::keyboard::{CTRL_C, type_ahead};
use super::prompt::{Asked, CardContext, Prompt, PromptOutput, QuestionMoment, ReadPosition, Rest, Typing};
use super::wires::is_later;

/// The time between two checks whether an answer is still awaited, in milliseconds.
const TICK: u8 = 50;

/// The key that gives a question the keys.
const HOTKEY: u8 = 0x1C;
const HOTKEY_LABEL: &str = "Ctrl-\\";

const ESC: u8 = 0x1B;

/// How a question on the terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inquired {
    Answered,
    /// The person pressed Ctrl-C.
    Interrupted,
    /// The answer is no longer awaited, or the terminal is gone.
    TakenBack,
}

/// Why the question could not be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InquiryError {
    #[error(transparent)]
    Tty(#[from] TtyError),
    #[error("the terminal belongs to another program")]
    Background,
    #[error("cannot use the terminal")]
    Io(#[from] io::Error),
}

/// How questions look.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuestionLook {
    pub theme: Theme,
    pub wrap: Wrapping,
    pub is_read_aloud: bool,
    pub keys: Arc<KeyMap>,
}

/// Asks on the terminal and waits for an answer, or until `is_over`. Restores the terminal before it returns.
pub(crate) fn inquire(
    asked: Asked,
    look: &QuestionLook,
    cwd: &Path,
    is_over: impl Fn() -> bool,
) -> Result<Inquired, InquiryError> {
    if !tty::is_in_foreground() {
        return Err(InquiryError::Background);
    }
    if is_over() {
        return Ok(Inquired::TakenBack);
    }
    let tty = Tty::open()?;
    tty.enter_raw()?;
    QuestionTerminal::new(Box::new(tty)).inquire(asked, look, cwd, is_over)
}

/// The terminal while a question is open.
struct QuestionTerminal {
    terminal: Box<dyn Terminal>,
    /// Bytes to be shown.
    out: Vec<u8>,
    reads: u64,
    /// The time of the last key that was not for the question, and all such keys.
    typed: Option<Instant>,
    waiting: Vec<u8>,
    /// Since when an ESC may be the Esc key.
    esc: Option<Instant>,
}

impl QuestionTerminal {
    fn new(terminal: Box<dyn Terminal>) -> QuestionTerminal {
        QuestionTerminal { terminal, out: Vec::new(), reads: 0, typed: None, waiting: Vec::new(), esc: None }
    }

    fn inquire(
        mut self,
        asked: Asked,
        look: &QuestionLook,
        cwd: &Path,
        is_over: impl Fn() -> bool,
    ) -> Result<Inquired, InquiryError> {
        // Whoever types while the question appears has not read it.
        let mut keys = [0; 256];
        while let Ok(count @ 1..) = self.terminal.read(&mut keys) {
            self.type_ahead(&keys[..count], Instant::now());
        }
        let prompt = self.ask(asked, look, cwd)?;
        self.wait_for_answer(prompt, is_over)
    }

    fn ask(&mut self, asked: Asked, look: &QuestionLook, cwd: &Path) -> io::Result<Prompt> {
        let size = self.terminal.size();
        let size = ScreenSize { columns: size.cols, rows: size.rows };
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let options = RenderOptions::of_terminal(size, look.theme, look.wrap, variable).read_aloud(look.is_read_aloud);
        let mut prompt = Prompt::new(asked, Typing::Lost, HOTKEY_LABEL.to_owned(), self.reads, Instant::now());
        // The directory is that of the prompt above, so user and host need not be shown.
        let around = CardContext { user: "", host: "", cwd: Some(cwd), keys: &look.keys };
        prompt.write(&around, &options, &self.waiting, &mut self.out);
        self.show()?;
        Ok(prompt)
    }

    fn wait_for_answer(&mut self, prompt: Prompt, is_over: impl Fn() -> bool) -> Result<Inquired, InquiryError> {
        let mut prompt = self.follow(prompt);
        self.show()?;
        let mut keys = [0; 256];
        while let Some(open) = prompt.take() {
            let read = self.read(&mut keys);
            if is_over() || matches!(read, Ok(0)) {
                open.close(&mut self.out);
                self.show()?;
                return Ok(Inquired::TakenBack);
            }
            prompt = match read {
                Ok(count) if keys[..count].contains(&CTRL_C) => {
                    open.close(&mut self.out);
                    self.show()?;
                    return Ok(Inquired::Interrupted);
                }
                Ok(count) => self.take(open, &keys[..count]),
                Err(error) if is_later(&error) => self.settle(open),
                Err(error) => return Err(error.into()),
            };
            prompt = prompt.and_then(|open| self.follow(open));
            self.show()?;
        }
        self.show()?;
        Ok(Inquired::Answered)
    }

    /// Takes keys that were read at once. Returns the prompt if it is not answered yet.
    fn take(&mut self, mut prompt: Prompt, keys: &[u8]) -> Option<Prompt> {
        self.reads += 1;
        let (number, at) = (self.reads, Instant::now());
        for (index, byte) in keys.iter().enumerate() {
            let rest = &keys[index + 1..];
            match prompt.has_focus() {
                _ if keys == [HOTKEY] => prompt.take_focus(at, &mut self.out),
                true => {
                    let mut out = PromptOutput::default();
                    let asked = prompt.byte(*byte, ReadPosition { number, at, rest: Rest::of(rest) }, &mut out);
                    self.spread(out, at);
                    prompt = asked?;
                }
                false if keys == [ESC] => self.esc = Some(at),
                false => {
                    self.type_ahead(&keys[index..], at);
                    break;
                }
            }
        }
        Some(prompt)
    }

    /// Decides what an ESC was, because no byte has followed it.
    fn settle(&mut self, prompt: Prompt) -> Option<Prompt> {
        let (mut out, now) = (PromptOutput::default(), Instant::now());
        let prompt = match self.esc.take() {
            Some(_) => prompt.refuse(&mut out),
            None => prompt.settle(now, &mut out),
        };
        self.spread(out, now);
        prompt
    }

    /// Lets a choice count, or the question get the keys.
    fn follow(&mut self, prompt: Prompt) -> Option<Prompt> {
        let (mut out, now) = (PromptOutput::default(), Instant::now());
        let moment = QuestionMoment { now, is_drawn: true, typed: self.typed, waiting: &self.waiting };
        let prompt = prompt.follow(moment, &mut out);
        self.spread(out, now);
        prompt
    }

    fn spread(&mut self, out: PromptOutput, now: Instant) {
        self.out.extend(out.screen);
        if !out.ahead.is_empty() {
            self.type_ahead(&out.ahead, now);
        }
    }

    /// Notes keys that are not for the question.
    fn type_ahead(&mut self, keys: &[u8], now: Instant) {
        type_ahead(&mut self.waiting, keys);
        self.typed = Some(now);
    }

    /// Waits a short time for keys.
    fn read(&self, keys: &mut [u8]) -> io::Result<usize> {
        poll(&mut [PollFd::new(self.terminal.as_fd(), PollFlags::POLLIN)], PollTimeout::from(TICK))?;
        self.terminal.read(keys)
    }

    fn show(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            match self.terminal.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if is_later(&error) => {
                    poll(&mut [PollFd::new(self.terminal.as_fd(), PollFlags::POLLOUT)], PollTimeout::NONE)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::sync::oneshot;

    use super::*;
    use crate::tool::{UserAnswer, UserQuestion};
    use crate::tty::{Person, ScriptedTerminal};

    /// Asks a question. `acts` plays the person and is called repeatedly; it returns whether the answer is no longer awaited.
    fn inquire(acts: impl Fn(&Person) -> bool) -> (Inquired, Option<UserAnswer>) {
        let (terminal, person) = ScriptedTerminal::new();
        let (reply, mut answer) = oneshot::channel();
        let asked = Asked::Question(UserQuestion { text: "which one?".into(), choices: Vec::new() }, reply);
        let desk = QuestionTerminal::new(Box::new(terminal));
        let inquired = desk.inquire(asked, &QuestionLook::default(), Path::new("/"), || acts(&person)).unwrap();
        (inquired, answer.try_recv().ok())
    }

    #[test]
    fn an_answer_is_typed_on_a_line_that_the_person_asks_for() {
        let step = Cell::new(0);
        let (inquired, answer) = inquire(|person| {
            let screen = person.sees();
            match step.get() {
                0 if screen.contains("no answer") => person.types(b"\x1c"),
                1 if screen.contains("> ") => person.types(b"that\r"),
                _ => return false,
            }
            step.set(step.get() + 1);
            false
        });
        assert_eq!((inquired, answer), (Inquired::Answered, Some(UserAnswer::Said("that".into()))));
    }

    #[test]
    fn ctrl_c_interrupts() {
        let (inquired, answer) = inquire(|person| {
            person.types(b"\x03");
            false
        });
        assert_eq!((inquired, answer), (Inquired::Interrupted, None));
    }

    #[test]
    fn a_question_is_withdrawn_when_the_answer_is_no_longer_awaited() {
        let (inquired, answer) = inquire(|_| true);
        assert_eq!((inquired, answer), (Inquired::TakenBack, None));
    }

    #[test]
    fn a_line_that_is_typed_meanwhile_does_not_answer() {
        let rounds = Cell::new(0);
        let (inquired, answer) = inquire(|person| {
            rounds.set(rounds.get() + 1);
            if rounds.get() < 4 {
                person.types(b"no\r");
            }
            rounds.get() > 12
        });
        assert_eq!((inquired, answer), (Inquired::TakenBack, None));
    }

    #[test]
    fn esc_says_no_whoever_has_the_keys() {
        let step = Cell::new(0);
        let (inquired, answer) = inquire(|person| {
            let screen = person.sees();
            match step.get() {
                0 if screen.contains("no answer") => person.types(b"ls"),
                1 if screen.contains("a question waits") => person.types(b"\x1b"),
                _ => return false,
            }
            step.set(step.get() + 1);
            false
        });
        assert_eq!((inquired, answer), (Inquired::Answered, Some(UserAnswer::Declined)));
    }
}
