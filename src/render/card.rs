//! A question on the screen: its text, and below it the choices, what was chosen, a line that is typed, or what waits for the prompt.
//!
//! The card is drawn again whenever one of these changes or the window does, and erased when it is answered, so that nothing of it stays in
//! the scrollback. A long text is shown a page at a time. On a terminal without escape sequences, and for a screen reader, each change is
//! a line of its own.

use std::ops::Range;

use crate::text::width;

use super::ask::CardText;
use super::line::{Hang, StyledLine};
use super::look::Look;
use super::options::NEWLINE;
use super::region::Region;
use super::{RenderOptions, ScreenSize, TerminalMode};

/// The most rows of text that a card shows at a time.
const MOST_ROWS: usize = 20;
/// The fewest.
const FEWEST_ROWS: usize = 3;
/// A title of so few words does not name what is asked, such as `? run` above a script.
const TITLE_WORDS: usize = 2;
/// The cells of a title that are kept in a narrow window.
const SHORTEST_TITLE: usize = 10;

/// A key that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CardChoice {
    pub key: char,
    /// A few words for the row of choices. A choice without words is shown only among all choices.
    pub words: &'static str,
    /// What it means, in one line.
    pub meaning: String,
    /// Whether Enter has to follow the key.
    pub needs_enter: bool,
}

/// What stands below the text of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CardFoot {
    /// The choices in one row.
    Choices,
    /// All choices, each with its meaning.
    AllChoices,
    /// The choice with this key, which counts when no other key follows, or with Enter.
    Chosen { key: char, needs_enter: bool },
    /// A line that is typed, after these words.
    Line { label: &'static str, text: String },
    /// The person types for the prompt: what waits there, and how to answer.
    Waiting { text: String, how: String },
}

/// A question on the screen.
pub(crate) struct CardView {
    text: CardText,
    choices: Vec<CardChoice>,
    options: RenderOptions,
    region: Region,
    foot: CardFoot,
    /// Whether the card is on the screen as it is now.
    is_drawn: bool,
    /// The rows of the text that are shown, the number of all rows, and how many were shown so far, from the first on.
    shown: Range<usize>,
    count: usize,
    seen: usize,
    /// What was printed last, on a terminal without redraws.
    printed: Vec<String>,
}

impl CardView {
    pub(crate) fn new(text: CardText, choices: Vec<CardChoice>, options: RenderOptions) -> CardView {
        CardView {
            text,
            choices,
            region: Region::new(options.clone()),
            options,
            foot: CardFoot::Choices,
            is_drawn: false,
            shown: 0..0,
            count: 0,
            seen: 0,
            printed: Vec::new(),
        }
    }

    /// Draws the card with this foot, if it is not on the screen yet.
    pub(crate) fn draw(&mut self, foot: CardFoot, out: &mut Vec<u8>) {
        if self.foot != foot || !self.is_drawn {
            self.foot = foot;
            self.redraw(out);
        }
    }

    /// Shows other choices from here on.
    pub(crate) fn set_choices(&mut self, choices: Vec<CardChoice>) {
        self.choices = choices;
        self.is_drawn = false;
    }

    /// Shows the next page of the text, or the first one after the last.
    pub(crate) fn turn_page(&mut self) {
        let next = if self.shown.end < self.count { self.shown.end } else { 0 };
        self.shown = next..next;
        self.is_drawn = false;
    }

    /// Whether a part of the text was never on the screen.
    pub(crate) fn hides_text(&self) -> bool {
        self.seen < self.count
    }

    /// Draws the card for another size of the window. `reflows` says whether the terminal wraps its rows again when it gets narrower.
    pub(crate) fn resize(&mut self, size: ScreenSize, reflows: bool, out: &mut Vec<u8>) {
        self.options.columns = size.columns;
        self.options.rows = size.rows;
        if self.is_redrawn() {
            // The rows are others now.
            (self.shown, self.seen) = (0..0, 0);
            self.region.erase_resized(size, reflows, out);
            self.redraw(out);
        }
    }

    /// Removes the card from the screen. The cursor is at the start of a row afterwards.
    pub(crate) fn erase(&mut self, out: &mut Vec<u8>) {
        self.is_drawn = false;
        if self.is_redrawn() {
            self.region.lift(out);
        }
    }

    /// One line that says how the question was answered.
    pub(crate) fn outcome(&self, words: &str, out: &mut Vec<u8>) {
        let mut texts = self.text.lines.iter().map(StyledLine::text);
        let mut title = texts.next().unwrap_or_default().trim_end().to_owned();
        // A command of several lines begins below its title.
        let is_call = ["? ", "question: "].iter().any(|sign| title.starts_with(sign));
        if is_call
            && title.split(' ').count() <= TITLE_WORDS
            && let Some(next) = texts.next()
        {
            title = format!("{title} {}", next.trim());
        }
        let colon = if title.ends_with('?') { "" } else { ":" };
        // The answer is never cut in favour of the question.
        let room = self.options.width().saturating_sub(width::cells(words) + 3).max(SHORTEST_TITLE);
        let mut line = StyledLine::of(Look::MUTED, &title).clipped(room, &self.options);
        line.push(Look::MUTED, &format!("{colon} {words}"));
        line.clipped(self.options.width().saturating_sub(1), &self.options).write(&self.options, out);
        out.extend_from_slice(NEWLINE);
    }

    fn is_redrawn(&self) -> bool {
        self.options.mode == TerminalMode::Terminal
    }

    fn redraw(&mut self, out: &mut Vec<u8>) {
        self.is_drawn = true;
        let text = self.text_rows(self.foot_lines().len());
        // Whether a yes needs Enter depends on what is shown.
        let foot = self.foot_lines();
        let lines: Vec<StyledLine> = text.into_iter().chain(foot).collect();
        if self.is_redrawn() {
            return self.region.paint(Vec::new(), lines, None, out);
        }
        // Only what has changed is printed.
        let printed: Vec<String> = lines.iter().map(StyledLine::text).collect();
        let same = printed.iter().zip(&self.printed).take_while(|(new, old)| new == old).count();
        for line in &lines[same..] {
            line.write(&self.options, out);
            out.extend_from_slice(NEWLINE);
        }
        self.printed = printed;
    }

    /// The rows of the text that fit above a foot of this many rows.
    fn text_rows(&mut self, foot: usize) -> Vec<StyledLine> {
        let rows = |line: &StyledLine| line.rows(&self.options, None).into_iter().map(|row| row.line);
        let rows: Vec<StyledLine> = self.text.lines.iter().flat_map(rows).flat_map(|row| self.cut(&row)).collect();
        // One row stays free, so that the row above the card is still in sight.
        let room = usize::from(self.options.rows).saturating_sub(foot + 1).clamp(FEWEST_ROWS, MOST_ROWS);
        self.count = rows.len();
        let is_whole = rows.len() <= room || !self.is_redrawn();
        let first = if is_whole { 0 } else { self.shown.start };
        self.shown = first..if is_whole { rows.len() } else { rows.len().min(first + room - 1) };
        if self.shown.start <= self.seen {
            self.seen = self.seen.max(self.shown.end);
        }
        if is_whole {
            return rows;
        }
        let mut shown: Vec<StyledLine> = rows[self.shown.clone()].to_vec();
        let dash = if self.options.unicode { "–" } else { "-" };
        let next = if self.shown.end < self.count { "next" } else { "first" };
        let words = format!("rows {}{dash}{} of {}; ? shows the {next}", first + 1, self.shown.end, self.count);
        let note = StyledLine::of(Look::BOLD.and(Look::WARNING), &words);
        shown.push(note.clipped(self.options.width().saturating_sub(1), &self.options));
        shown
    }

    /// A row in parts that are no wider than the window, so that every part is one row of the screen.
    fn cut(&self, row: &StyledLine) -> Vec<StyledLine> {
        let (text, columns) = (row.text(), self.options.width());
        // The blank at which a row is broken.
        let text = text.trim_end();
        let (mut parts, mut from) = (Vec::new(), 0);
        while self.is_redrawn() && width::cells(&text[from..]) > columns {
            let fits = width::fit(&text[from..], columns).len();
            let length = if fits > 0 { fits } else { text[from..].chars().next().map_or(1, char::len_utf8) };
            parts.push(row.slice(from..from + length));
            from += length;
        }
        parts.push(row.slice(from..text.len()));
        parts
    }

    fn foot_lines(&self) -> Vec<StyledLine> {
        match &self.foot {
            CardFoot::Choices => vec![self.row_of_choices()],
            CardFoot::AllChoices => {
                let lines: Vec<StyledLine> =
                    self.choices.iter().flat_map(|choice| self.rows(&self.meaning(choice))).collect();
                let fits = lines.len() + FEWEST_ROWS + 1 < usize::from(self.options.rows);
                if fits || !self.is_redrawn() { lines } else { vec![self.row_of_choices()] }
            }
            CardFoot::Chosen { key, needs_enter } => {
                let chosen = self.choices.iter().find(|choice| choice.key == *key);
                let after = if *needs_enter { "Enter confirms" } else { "Enter: at once" };
                let mut line = chosen.map(|choice| self.meaning(choice)).unwrap_or_default();
                line.push(Look::MUTED, &format!("  {after}"));
                self.rows(&line)
            }
            CardFoot::Line { label, text } => {
                let mut line = StyledLine::of(Look::BOLD, &format!("{label} "));
                line.push_spelled(Look::PLAIN, self.end_of(text, width::cells(label) + 1), &self.options);
                vec![line]
            }
            CardFoot::Waiting { text, how } => {
                let mut lines = self.rows(&StyledLine::of(Look::ACCENT, how));
                // Without redraws every key would print a line.
                if !text.is_empty() && self.is_redrawn() {
                    let mut line = StyledLine::of(Look::MUTED, "waiting: ");
                    line.push_spelled(Look::PLAIN, self.end_of(text, 9), &self.options);
                    lines.push(line);
                }
                lines
            }
        }
    }

    /// The rows of a line of the foot.
    fn rows(&self, line: &StyledLine) -> Vec<StyledLine> {
        let line = line.clone().wrapped(Hang { indent: 2, ..Hang::default() });
        line.rows(&self.options, None).into_iter().flat_map(|row| self.cut(&row.line)).collect()
    }

    /// The end of a text that fits into a row after this many cells.
    fn end_of<'a>(&self, text: &'a str, before: usize) -> &'a str {
        let room = self.options.width().saturating_sub(before + 2).max(1);
        let starts = text.char_indices().map(|(at, _)| at);
        starts.map(|at| &text[at..]).find(|end| width::cells(end) <= room).unwrap_or_default()
    }

    /// A choice with its meaning.
    fn meaning(&self, choice: &CardChoice) -> StyledLine {
        let mut line = StyledLine::of(Look::BOLD, &self.key(choice));
        line.push_spelled(Look::PLAIN, &format!(" {}", choice.meaning), &self.options);
        line
    }

    /// A key, and the Enter that has to follow it.
    fn key(&self, choice: &CardChoice) -> String {
        let needs_enter = choice.needs_enter || choice.key == 'y' && self.hides_text();
        let enter = match (needs_enter, self.options.has_signs()) {
            (false, _) => "",
            (true, true) => "⏎",
            (true, false) => "+Enter",
        };
        format!("{}{enter}", choice.key)
    }

    /// The choices with a few words each; in a narrow window, or where they would take two rows, only their keys.
    fn row_of_choices(&self) -> StyledLine {
        let row = |has_words: bool| {
            let mut line = StyledLine::new();
            for choice in self.choices.iter().filter(|choice| !choice.words.is_empty()) {
                let gap = if line.is_empty() { "" } else { "  " };
                line.push(Look::PLAIN, gap);
                line.push(Look::BOLD, &self.key(choice));
                if has_words {
                    line.push(Look::MUTED, &format!(" {}", choice.words));
                }
            }
            line
        };
        let whole = row(true);
        if whole.cells() < self.options.width() { whole } else { row(false) }
    }
}
