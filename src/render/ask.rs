//! Questions to the user: the approval card before a tool call, and the model's own questions.

use super::look::Look;
use crate::text::{human, mixed_word, not_ascii, spell, width};

use super::diff::compare;
use super::line::{StyledLine, alphabet};
use super::options::NEWLINE;
use super::{RenderOptions, TerminalMode};

/// A tool call that needs the user's approval.
#[derive(Debug, Clone)]
pub(crate) struct ApprovalRequest<'a> {
    pub subject: Subject<'a>,
    /// The user and host that would run the call, if they differ from those of the prompt.
    pub place: Option<&'a str>,
    /// Further answers: each is a key and its meaning.
    pub choices: &'a [(&'a str, &'a str)],
    /// The answers that the key `w` shows: grants that cover more than this call.
    pub wider: &'a [(&'a str, &'a str)],
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

/// A rendered approval request.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    /// The bytes to print. The last line is not ended, because the answer is typed there.
    pub text: String,
    pub size: CardSize,
    /// Printed after the key `w`. Empty if there is no wider answer.
    pub wider: String,
}

/// Whether a card fits on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CardSize {
    /// The whole card is visible.
    Whole,
    /// The top of the card has scrolled off the screen, so a single key cannot approve it.
    TopHidden,
}

/// Renders the request with its choices at the bottom: `y` (once), `n`, `n <why>`, those of the request, Esc (no).
///
/// The action is shown in full, and invisible characters are spelled out. If the card needs more than `rows` rows, the word `yes` has to
/// be typed.
pub(crate) fn approval_card(request: &ApprovalRequest<'_>, rows: u16, options: &RenderOptions) -> Card {
    let mut lines = body(&request.subject, request.place, options);
    let height = height(&lines, options);
    let choices = choices(request.choices, options);
    let size = match height + choices.len() <= usize::from(rows) {
        true => CardSize::Whole,
        false => CardSize::TopHidden,
    };
    match size {
        CardSize::Whole => lines.extend(choices),
        CardSize::TopHidden => {
            lines.push(top_not_visible(&lines, height));
            lines.extend(rows_of(
                &[("yes", " and Enter: yes"), NO, WHY, ESC].map(|(key, meaning)| (key, meaning.to_owned())),
                options,
            ));
        }
    }
    let wider = match request.wider {
        [] => String::new(),
        wider => printed(&rows_of(&spaced(wider), options), options),
    };
    Card { text: printed(&lines, options), size, wider }
}

/// Renders a question of shellmate itself, with the meaning of `y` and of `n`. As in an approval card, the word `yes` has to be typed if the
/// question needs more than `rows` rows.
pub(crate) fn confirmation(text: &str, (yes, no): (&str, &str), rows: u16, options: &RenderOptions) -> Card {
    let mut lines = spelled_lines(text, options);
    let height = height(&lines, options);
    let choices = |yes: (&str, String)| rows_of(&[yes, ("n", format!(" {no}")), (ESC.0, ESC.1.to_owned())], options);
    let brief = choices(("y", format!(" {yes}")));
    let size = match height + brief.len() <= usize::from(rows) {
        true => CardSize::Whole,
        false => CardSize::TopHidden,
    };
    match size {
        CardSize::Whole => lines.extend(brief),
        CardSize::TopHidden => {
            lines.push(top_not_visible(&lines, height));
            lines.extend(choices(("yes", format!(" and Enter: {yes}"))));
        }
    }
    Card { text: printed(&lines, options), size, wider: String::new() }
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

/// The bytes of these lines. The last line is not ended.
fn printed(lines: &[StyledLine], options: &RenderOptions) -> String {
    let mut out = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(NEWLINE);
        }
        line.write(options, &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The number of screen rows that the lines take.
fn height(lines: &[StyledLine], options: &RenderOptions) -> usize {
    let columns = usize::from(options.columns.max(1));
    lines.iter().map(|line| width::widest(&line.text()).div_ceil(columns).max(1)).sum()
}

fn top_not_visible(lines: &[StyledLine], height: usize) -> StyledLine {
    let letters: usize = lines.iter().map(|line| line.text().len()).sum();
    let words = format!("top not visible: {height} rows, {}", human::size(letters as u64));
    StyledLine::of(Look::BOLD.and(Look::WARNING), &words)
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
            let mut first = header("edit").with(Look::BOLD, " ");
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

/// Renders a question of the model with numbered choices. Invisible characters are spelled out. A question of more than `rows` rows says
/// that its top is not visible.
pub(crate) fn inquiry(text: &str, choices: &[String], rows: u16, options: &RenderOptions) -> String {
    let mut lines = spelled_lines(text, options);
    for (number, choice) in choices.iter().enumerate() {
        let mut line = StyledLine::of(Look::BOLD, &format!("  {}. ", number + 1));
        line.push_spelled(Look::PLAIN, choice, options);
        lines.push(line);
    }
    let height = height(&lines, options);
    // The last row of the screen is needed for the answer.
    if height >= usize::from(rows) {
        lines.push(top_not_visible(&lines, height));
    }
    let mut out = Vec::new();
    for line in &lines {
        line.write(options, &mut out);
        out.extend_from_slice(NEWLINE);
    }
    String::from_utf8_lossy(&out).into_owned() + "?"
}

const YES: (&str, &str) = ("y", " yes");
const NO: (&str, &str) = ("n", " no");
const WHY: (&str, &str) = ("n <why>", " tell it why");
const ESC: (&str, &str) = ("Esc", " no");

fn choices(further: &[(&str, &str)], options: &RenderOptions) -> Vec<StyledLine> {
    let usual = [YES, NO, WHY].map(|(key, meaning)| (key, meaning.to_owned()));
    let all: Vec<_> = usual.into_iter().chain(spaced(further)).chain([(ESC.0, ESC.1.to_owned())]).collect();
    rows_of(&all, options)
}

/// Choices with a blank between key and meaning.
fn spaced<'a>(choices: &[(&'a str, &str)]) -> Vec<(&'a str, String)> {
    choices.iter().map(|(key, meaning)| (*key, format!(" {meaning}"))).collect()
}

/// Cells after the choices: the prompt ` > ` and the longest echoed answer, `yes, this session`.
const ANSWER: usize = 3 + 17;

/// Lays out the choices on as many rows as needed. No choice is broken, and the last row has room for the answer.
fn rows_of(choices: &[(&str, String)], options: &RenderOptions) -> Vec<StyledLine> {
    let columns = usize::from(options.columns).saturating_sub(1);
    let mut lines = vec![StyledLine::new()];
    for (index, (key, meaning)) in choices.iter().enumerate() {
        let room = if index + 1 == choices.len() { columns.saturating_sub(ANSWER) } else { columns };
        let mut choice = StyledLine::of(Look::BOLD, key);
        choice.push_spelled(Look::MUTED, meaning, options);
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
