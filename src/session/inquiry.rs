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

use super::keyboard::CTRL_C;
use super::prompt::{Asked, CardContext, Prompt, QuestionMoment, ReadPosition};
use super::wires::is_later;

/// The time between two checks whether an answer is still awaited, in milliseconds.
const TICK: u8 = 50;

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
    tty.forget_keys();
    QuestionTerminal::new(Box::new(tty)).inquire(asked, look, cwd, is_over)
}

/// The terminal while a question is open.
struct QuestionTerminal {
    terminal: Box<dyn Terminal>,
    /// Bytes to be shown.
    out: Vec<u8>,
    reads: u64,
    /// The time of the last key that did not count.
    typed: Option<Instant>,
}

impl QuestionTerminal {
    fn new(terminal: Box<dyn Terminal>) -> QuestionTerminal {
        QuestionTerminal { terminal, out: Vec::new(), reads: 0, typed: None }
    }

    fn inquire(
        mut self,
        asked: Asked,
        look: &QuestionLook,
        cwd: &Path,
        is_over: impl Fn() -> bool,
    ) -> Result<Inquired, InquiryError> {
        let prompt = self.ask(asked, look, cwd)?;
        self.wait_for_answer(prompt, is_over)
    }

    fn ask(&mut self, asked: Asked, look: &QuestionLook, cwd: &Path) -> io::Result<Prompt> {
        let size = self.terminal.size();
        let size = ScreenSize { columns: size.cols, rows: size.rows };
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let options = RenderOptions::of_terminal(size, look.theme, look.wrap, variable).read_aloud(look.is_read_aloud);
        let mut prompt = Prompt::new(asked, self.reads, Instant::now());
        // The directory is that of the prompt above, so user and host need not be shown.
        let around = CardContext { user: "", host: "", cwd: Some(cwd), rows: size.rows, keys: &look.keys };
        prompt.write(&around, &options, &mut self.out);
        self.show()?;
        Ok(prompt)
    }

    fn wait_for_answer(&mut self, prompt: Prompt, is_over: impl Fn() -> bool) -> Result<Inquired, InquiryError> {
        let mut prompt = Some(prompt);
        let mut keys = [0; 256];
        while let Some(mut open) = prompt.take() {
            if open.open(QuestionMoment { now: Instant::now(), is_drawn: true, typed: self.typed }, &mut self.out) {
                self.terminal.forget_keys();
            }
            self.show()?;
            let read = self.read(&mut keys);
            if is_over() || matches!(read, Ok(0)) {
                open.close(&mut self.out);
                self.show()?;
                return Ok(Inquired::TakenBack);
            }
            match read {
                Ok(count) if keys[..count].contains(&CTRL_C) => {
                    open.close(&mut self.out);
                    self.show()?;
                    return Ok(Inquired::Interrupted);
                }
                Ok(count) => prompt = self.take(open, &keys[..count]),
                Err(error) if is_later(&error) => prompt = open.settle(Instant::now(), &mut self.out),
                Err(error) => return Err(error.into()),
            }
        }
        self.show()?;
        Ok(Inquired::Answered)
    }

    /// Takes keys that were read at once. Returns the prompt if it is not answered yet.
    fn take(&mut self, prompt: Prompt, keys: &[u8]) -> Option<Prompt> {
        self.reads += 1;
        let (number, now) = (self.reads, Instant::now());
        if !prompt.hears() {
            self.typed = Some(now);
            return Some(prompt);
        }
        keys.iter().enumerate().try_fold(prompt, |prompt, (at, byte)| {
            prompt.byte(*byte, ReadPosition { number, at: now, is_last: at + 1 == keys.len() }, &mut self.out)
        })
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
    fn an_answer_counts_only_after_the_question_accepts_keys() {
        let (asked, typed) = (Cell::new(false), Cell::new(false));
        let (inquired, answer) = inquire(|person| {
            let screen = person.sees();
            asked.set(asked.get() || screen.contains("which one?"));
            if screen.contains(" > ") {
                person.types(b"that\r");
                typed.set(true);
            }
            false
        });
        assert!(asked.get() && typed.get());
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
    fn keys_that_were_typed_too_early_do_not_answer() {
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
}
