//! The question before something happens to the person's machine.

use super::look::Look;
use crate::text::{sanitize, width};

use super::line::Line;
use super::options::NEWLINE;
use super::{Options, diff};

/// What is about to happen, for a yes or a no.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// What it would do, such as `run` or `edit`.
    pub action: &'a str,
    /// The whole command, path or address: nothing of it is hidden.
    pub subject: &'a str,
    pub user: &'a str,
    pub host: &'a str,
    pub directory: &'a str,
    /// What a lasting yes would mean; none where a yes can only be for once.
    pub always: Option<&'a str>,
    /// Shown as a diff.
    pub change: Option<Change<'a>>,
}

/// A file before and after.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    pub path: &'a str,
    pub old: &'a str,
    pub new: &'a str,
}

/// Renders the question with its choices: `y` once, `n`, `n <why>`, `a` for the session where that can be, Esc for no.
///
/// The last line is left open for the answer.
pub fn question(question: &Question<'_>, options: &Options) -> String {
    let warning = Look::BOLD.and(Look::WARNING);
    let mut lines = Vec::new();
    let place = format!(" as {}@{} in {}", question.user, question.host, question.directory);
    lines.push(Line::of(warning, &format!("? {}", question.action)).with(Look::MUTED, &place));
    for line in question.subject.split('\n') {
        lines.push(Line::of(Look::BOLD, &format!("  {}", spelled(line))));
    }
    if let Some(always) = question.always {
        lines.push(Line::of(Look::MUTED, &format!("  a: {always}")));
    }
    let mut out = Vec::new();
    for line in &lines {
        line.write(options, &mut out);
        out.extend_from_slice(NEWLINE);
    }
    if let Some(change) = &question.change {
        out.extend_from_slice(diff(change.old, change.new, change.path, options).as_bytes());
    }
    for (index, line) in choices(question.always.is_some(), options).iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(NEWLINE);
        }
        line.write(options, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Spells out what could not be seen: here every character counts.
fn spelled(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        // What sanitising would replace, and blanks of no width, which are the same to the eye as nothing.
        let hidden = c != '\t'
            && (sanitize(c.encode_utf8(&mut [0; 4])).starts_with('\u{FFFD}')
                || width::cells(c.encode_utf8(&mut [0; 4])) == 0);
        if hidden { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// On as many rows as they need; none is broken.
fn choices(can_last: bool, options: &Options) -> Vec<Line> {
    // The sign that keys count comes behind them.
    let room = usize::from(options.columns).saturating_sub(4);
    let choice = |(key, meaning): (&str, &str)| Line::of(Look::BOLD, key).with(Look::MUTED, meaning);
    let always = can_last.then_some(("a", " always in this session"));
    let once = [("y", " yes"), ("n", " no"), ("n <why>", " tell it why")];
    let last = choice(("Esc", " no"));
    let mut lines = vec![Line::new()];
    for choice in once.into_iter().chain(always).map(choice).chain([last]) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = choice,
            Some(line) if line.cells() + 2 + choice.cells() <= room => {
                line.push(Look::PLAIN, "  ");
                line.append(&choice);
            }
            Some(_) | None => lines.push(choice),
        }
    }
    lines
}
