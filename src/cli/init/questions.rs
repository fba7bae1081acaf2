//! Questions on the terminal: a list with numbers, or yes and no. Esc, Ctrl-C and `q` leave.

use std::io::{self, Write};

use crate::text::sanitize;
use crate::tty;

/// What a person answered: a value, or that they leave.
pub(super) type Answer<T> = io::Result<Option<T>>;

/// Reads one line after a prompt. `None` means that the person leaves.
pub(super) trait Answers {
    fn read(&mut self, prompt: &str) -> Answer<String>;
}

/// The person at the terminal.
pub(super) struct AtTerminal;

impl Answers for AtTerminal {
    fn read(&mut self, prompt: &str) -> Answer<String> {
        tty::read_answer(prompt)
    }
}

/// Asks for one of several things. Enter takes the one at `usual`.
pub(super) fn choose(
    question: &str,
    choices: &[String],
    usual: usize,
    answers: &mut dyn Answers,
    out: &mut dyn Write,
) -> Answer<usize> {
    writeln!(out, "\n{question}")?;
    for (at, choice) in choices.iter().enumerate() {
        writeln!(out, "  {:>2}  {}", at + 1, sanitize(choice))?;
    }
    out.flush()?;
    loop {
        let prompt = format!("A number, Enter for {}, or q to leave: ", usual + 1);
        let Some(said) = answers.read(&prompt)? else { return Ok(None) };
        match said.trim() {
            "" => return Ok(Some(usual)),
            "q" | "Q" => return Ok(None),
            word => match word.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                Some(at) if at < choices.len() => return Ok(Some(at)),
                Some(_) | None => {
                    writeln!(out, "Please type a number from 1 to {}.", choices.len())?;
                    out.flush()?;
                }
            },
        }
    }
}

/// Asks a question with yes or no. Enter means `usual`.
pub(super) fn agree(question: &str, usual: bool, answers: &mut dyn Answers, out: &mut dyn Write) -> Answer<bool> {
    writeln!(out, "\n{}", sanitize(question))?;
    out.flush()?;
    loop {
        let prompt = if usual { "y or n, Enter for y, q to leave: " } else { "y or n, Enter for n, q to leave: " };
        let Some(said) = answers.read(prompt)? else { return Ok(None) };
        match said.trim().to_ascii_lowercase().as_str() {
            "" => return Ok(Some(usual)),
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            "q" => return Ok(None),
            _ => {
                writeln!(out, "Please type y or n.")?;
                out.flush()?;
            }
        }
    }
}
