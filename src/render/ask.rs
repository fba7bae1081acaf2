//! The texts of questions to the user: the approval of a tool call, the model's own questions, and those of shellmate itself.
//! [`CardView`](super::CardView) draws them.

use super::look::Look;
use crate::text::{mixed_word, not_ascii, spell};

use super::diff::compare;
use super::line::{Hang, StyledLine, alphabet};
use super::{RenderOptions, TerminalMode};

/// A tool call that needs the user's approval.
#[derive(Debug, Clone)]
pub(crate) struct ApprovalRequest<'a> {
    pub subject: Subject<'a>,
    /// Where the call runs, if that differs from the prompt, and other facts about it.
    pub place: Option<&'a str>,
    /// What the call may do beyond the sandbox.
    pub exception: Option<&'a str>,
    /// Why the model wants the exception, in the model's words.
    pub reason: Option<&'a str>,
}

/// The action that needs approval.
#[derive(Debug, Clone)]
pub(crate) enum Subject<'a> {
    /// A command, and how it would be run: `run`, or `run in your shell`.
    Command { action: &'a str, command: &'a str },
    /// A file before and after.
    Edit(FileChange<'a>),
    /// Any other action in one line, such as reading files.
    Other { action: &'a str, title: &'a str },
}

/// A file before and after.
#[derive(Debug, Clone)]
pub(crate) struct FileChange<'a> {
    pub path: &'a str,
    pub old: &'a str,
    pub new: &'a str,
}

/// The text of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CardText {
    /// The question, and what belongs to it, such as a diff.
    pub(super) lines: Vec<StyledLine>,
}

impl CardText {
    fn new(lines: Vec<StyledLine>) -> CardText {
        CardText { lines: lines.into_iter().map(|line| line.wrapped(Hang { indent: 2, ..Hang::default() })).collect() }
    }
}

/// The text of an approval request. The action is shown in full, and invisible characters are spelled out.
pub(crate) fn approval(request: &ApprovalRequest<'_>, options: &RenderOptions) -> CardText {
    let mut lines = body(&request.subject, request.place, options);
    // These stand right below the action, not at the end of a long diff.
    let mut notes = Vec::new();
    if let Some(exception) = request.exception {
        let mut line = StyledLine::of(Look::BOLD.and(Look::WARNING), "  ");
        line.push_spelled(Look::BOLD.and(Look::WARNING), exception, options);
        notes.push(line);
    }
    if let Some(reason) = request.reason {
        let [open, close] = if options.unicode { ["“", "”"] } else { ["\"", "\""] };
        let mut line = StyledLine::of(Look::MUTED, &format!("  it says: {open}"));
        line.push_spelled(Look::MUTED, reason, options);
        line.push(Look::MUTED, close);
        notes.push(line);
    }
    let at = if matches!(request.subject, Subject::Edit(_)) { 1 } else { lines.len() };
    lines.splice(at..at, notes);
    CardText::new(lines)
}

/// The text of a question of shellmate itself.
pub(crate) fn confirmation(text: &str, options: &RenderOptions) -> CardText {
    CardText::new(spelled_lines(text, options))
}

/// The text of a question of the model, with numbered choices.
pub(crate) fn inquiry(text: &str, choices: &[String], options: &RenderOptions) -> CardText {
    let mut lines = spelled_lines(text, options);
    for (number, choice) in choices.iter().enumerate() {
        let mut line = StyledLine::of(Look::BOLD, &format!("  {}. ", number + 1));
        line.push_spelled(Look::PLAIN, choice, options);
        lines.push(line);
    }
    CardText::new(lines)
}

/// A line for each line of a text, with invisible characters spelled out.
fn spelled_lines(text: &str, options: &RenderOptions) -> Vec<StyledLine> {
    let line = |pieces: Vec<_>| {
        let mut line = StyledLine::new();
        line.push_pieces(Look::PLAIN, &pieces);
        line
    };
    spell(text, alphabet(options)).into_iter().map(line).collect()
}

/// The lines that describe the action.
fn body(subject: &Subject<'_>, place: Option<&str>, options: &RenderOptions) -> Vec<StyledLine> {
    let sign = if options.mode == TerminalMode::Reader { "question:" } else { "?" };
    let header = |action: &str| StyledLine::of(Look::BOLD.and(Look::WARNING), &format!("{sign} {action}"));
    let place = place.map(|place| format!(" {place}")).unwrap_or_default();
    match subject {
        Subject::Command { action, command } => {
            let mut spelled = spell(command, alphabet(options));
            let mut first = header(action);
            let mut lines = Vec::new();
            // A command of one line follows the header; a script begins on the next line.
            if let [only] = &mut spelled[..] {
                first.push(Look::BOLD, " ");
                first.push_pieces(Look::BOLD, only);
                spelled.clear();
            }
            first.push(Look::MUTED, &place);
            lines.push(first);
            for pieces in &spelled {
                let mut line = StyledLine::of(Look::BOLD, "  ");
                line.push_pieces(Look::BOLD, pieces);
                lines.push(line);
            }
            let note = mixed_word(command).and_then(not_ascii);
            lines.extend(note.map(|note| StyledLine::of(Look::WARNING, &format!("  mixes scripts, {note}"))));
            lines
        }
        Subject::Edit(change) => {
            let mut first = header(if change.old.is_empty() { "write" } else { "edit" }).with(Look::BOLD, " ");
            first.push_spelled(Look::BOLD, change.path, options);
            let difference = compare(change.old, change.new, change.path, options);
            if let Some(difference) = &difference {
                first = difference.counts(first.with(Look::PLAIN, " "));
            }
            let mut lines = vec![first.with(Look::MUTED, &place)];
            let note = not_ascii(change.path);
            lines.extend(note.map(|note| StyledLine::of(Look::WARNING, &format!("  {note}"))));
            lines.extend(difference.into_iter().flat_map(|difference| difference.lines));
            lines
        }
        Subject::Other { action, title } => {
            let mut first = header(action).with(Look::BOLD, " ");
            first.push_spelled(Look::BOLD, title, options);
            let note = not_ascii(title).map(|note| StyledLine::of(Look::WARNING, &format!("  {note}")));
            [first.with(Look::MUTED, &place)].into_iter().chain(note).collect()
        }
    }
}
