//! Questions on the terminal: a list with numbers, or yes and no. Esc, Ctrl-C and `q` leave.

use std::io::{self, Write};

use crate::text::sanitize;
use crate::tty;

/// What a person answered: a value, or that they leave.
pub(in crate::cli) type Answer<T> = io::Result<Option<T>>;

/// Reads one line after a prompt. `None` means that the person leaves.
pub(in crate::cli) trait Answers {
    fn read(&mut self, prompt: &str) -> Answer<String>;
}

/// The person at the terminal.
pub(in crate::cli) struct AtTerminal;

impl Answers for AtTerminal {
    fn read(&mut self, prompt: &str) -> Answer<String> {
        tty::read_answer(prompt)
    }
}

/// Asks for one of several things. Enter takes the one at `usual`.
pub(in crate::cli) fn choose(
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
            word => match numbered(word, choices) {
                Some(at) => return Ok(Some(at)),
                None => {
                    writeln!(out, "Please type a number from 1 to {}, or one of the names.", choices.len())?;
                    out.flush()?;
                }
            },
        }
    }
}

/// The choice with this number, or whose first word this is.
fn numbered(word: &str, choices: &[String]) -> Option<usize> {
    let is_named =
        |choice: &String| choice.split_whitespace().next().is_some_and(|name| name.eq_ignore_ascii_case(word));
    match word.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|at| *at < choices.len()),
        Err(_) => choices.iter().position(is_named),
    }
}

/// Asks a question with yes or no. Enter means `usual`.
pub(in crate::cli) fn agree(
    question: &str,
    usual: bool,
    answers: &mut dyn Answers,
    out: &mut dyn Write,
) -> Answer<bool> {
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
