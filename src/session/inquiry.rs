//! A question of the agent's on the terminal of a program that has no session, such as `shellmate ask`.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::render::{Options, Size, Theme, Wrapping};
use crate::tty::{self, Tty, TtyError};

use super::prompt::{Around, Asked, Moment, Prompt, Read};
use super::wires::is_later;

/// How often it is checked whether somebody still waits for the answer, in milliseconds.
const TICK: u8 = 50;
const CTRL_C: u8 = 0x03;

/// How a question on the terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inquired {
    Answered,
    /// The person pressed Ctrl-C.
    Interrupted,
    /// Nobody waits for the answer any more, or the terminal is gone.
    TakenBack,
}

/// Why nobody was asked.
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
pub(crate) struct Look {
    pub theme: Theme,
    pub wrap: Wrapping,
}

/// Asks on the terminal and waits for the answer, or until `is_over`. The terminal is as it was when this returns.
pub(crate) fn inquire(
    asked: Asked,
    look: &Look,
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
    let mut desk = Desk { tty, out: Vec::new(), reads: 0, typed: None };
    let prompt = desk.ask(asked, look, cwd)?;
    desk.wait_for_answer(prompt, is_over)
}

/// The terminal while a question is open.
struct Desk {
    tty: Tty,
    /// Bytes to be shown.
    out: Vec<u8>,
    reads: u64,
    /// When a key was last typed that did not count.
    typed: Option<Instant>,
}

impl Desk {
    fn ask(&mut self, asked: Asked, look: &Look, cwd: &Path) -> io::Result<Prompt> {
        let size = self.tty.size();
        let size = Size { columns: size.cols, rows: size.rows };
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let options = Options::of_terminal(size, look.theme, look.wrap, variable);
        let mut prompt = Prompt::new(asked, self.reads);
        // The directory is that of the prompt above, so neither user nor host has to be named.
        let around = Around { user: "", host: "", cwd: Some(cwd), rows: size.rows };
        prompt.write(&around, &options, &mut self.out);
        self.show()?;
        Ok(prompt)
    }

    fn wait_for_answer(&mut self, prompt: Prompt, is_over: impl Fn() -> bool) -> Result<Inquired, InquiryError> {
        let mut prompt = Some(prompt);
        let mut keys = [0; 256];
        while let Some(mut open) = prompt.take() {
            if open.open(Moment { now: Instant::now(), is_drawn: true, typed: self.typed }, &mut self.out) {
                self.tty.forget_keys();
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
                Err(error) if is_later(&error) => prompt = open.settle(&mut self.out),
                Err(error) => return Err(error.into()),
            }
        }
        self.show()?;
        Ok(Inquired::Answered)
    }

    /// Takes keys that were read at once; the prompt comes back while it is not answered.
    fn take(&mut self, prompt: Prompt, keys: &[u8]) -> Option<Prompt> {
        self.reads += 1;
        if !prompt.hears() {
            self.typed = Some(Instant::now());
            return Some(prompt);
        }
        let number = self.reads;
        keys.iter().enumerate().try_fold(prompt, |prompt, (at, byte)| {
            prompt.byte(*byte, Read { number, is_last: at + 1 == keys.len() }, &mut self.out)
        })
    }

    /// Waits a little for keys.
    fn read(&self, keys: &mut [u8]) -> io::Result<usize> {
        poll(&mut [PollFd::new(self.tty.as_fd(), PollFlags::POLLIN)], PollTimeout::from(TICK))?;
        self.tty.read(keys)
    }

    fn show(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            match self.tty.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if is_later(&error) => {
                    poll(&mut [PollFd::new(self.tty.as_fd(), PollFlags::POLLOUT)], PollTimeout::NONE)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
