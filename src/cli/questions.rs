//! Questions on the terminal: a list with numbers, or yes and no. Esc, Ctrl-C and `q` leave.

use std::io::{self, Write};

use crate::text::sanitize;
use crate::tty;

/// What a person answered: a value, or that they leave.
pub(in crate::cli) type Answer<T> = io::Result<Option<T>>;

/// Reads one line after a prompt. `None` means that the person leaves.
pub(in crate::cli) trait Answers {
    fn read(&mut self, prompt: &str) -> Answer<String>;

    /// Reads a secret, which is not shown.
    fn read_secret(&mut self, prompt: &str) -> Answer<String>;
}

/// The person at the terminal.
pub(in crate::cli) struct AtTerminal;

impl Answers for AtTerminal {
    fn read(&mut self, prompt: &str) -> Answer<String> {
        tty::read_answer(prompt)
    }

    fn read_secret(&mut self, prompt: &str) -> Answer<String> {
        tty::read_secret(prompt)
    }
}

/// A longer list is cut. The rest is found by words.
const MOST_SHOWN: usize = 20;

/// Asks for one of several things. Enter takes the one at `usual`. Of a long list, the first ones and the last one are shown.
pub(in crate::cli) fn choose(
    question: &str,
    choices: &[String],
    usual: usize,
    answers: &mut dyn Answers,
    out: &mut dyn Write,
) -> Answer<usize> {
    writeln!(out, "\n{question}")?;
    let last = choices.len().saturating_sub(1);
    let cut = choices.len().saturating_sub(MOST_SHOWN);
    for (at, choice) in choices.iter().enumerate() {
        if cut == 0 || at < MOST_SHOWN - 1 || at == last {
            writeln!(out, "  {:>2}  {}", at + 1, sanitize(choice))?;
        } else if at == MOST_SHOWN - 1 {
            writeln!(out, "   …  {cut} more: type a part of a name to list those that contain it")?;
        }
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
                None => list_matches(word, choices, out)?,
            },
        }
    }
}

/// Shows the choices that contain these words, with their numbers.
fn list_matches(words: &str, choices: &[String], out: &mut dyn Write) -> io::Result<()> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let has_words = |choice: &str| words.iter().all(|word| choice.to_lowercase().contains(word.as_str()));
    let found = || choices.iter().enumerate().filter(|(_, choice)| has_words(choice));
    for (at, choice) in found().take(MOST_SHOWN) {
        writeln!(out, "  {:>2}  {}", at + 1, sanitize(choice))?;
    }
    match found().count() {
        0 => writeln!(out, "Please type a number from 1 to {}, or one of the names.", choices.len())?,
        count if count > MOST_SHOWN => writeln!(out, "   …  {} more: type more of the name", count - MOST_SHOWN)?,
        _ => {}
    }
    out.flush()
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
