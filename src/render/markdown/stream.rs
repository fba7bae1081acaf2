//! Turns pieces of Markdown into lines.

use crate::render::code::Highlighter;
use crate::render::line::StyledLine;
use crate::render::look::{Look, TextRole};
use crate::render::region::Final;
use crate::render::{RenderOptions, ScreenSize};
use crate::text::{KIB, width};

use super::block::{self, LineKind};
use super::inline::inline;
use super::table::{begins_loosely, table};
use super::text::{STEP, TextBlock, char_boundary_from};

/// The longest row of a table. A row is held back until it is complete, so a longer one is shown as text.
const LONGEST_ROW: usize = 8 * KIB;
/// The most rows of a table. A table is held back until its column widths are known, so a longer one is shown as it was written.
const MOST_ROWS: usize = 500;
/// The longest paragraph that an underline turns into a heading.
const LONGEST_TITLE: usize = 120;

pub(in crate::render) struct Stream {
    pub(super) options: RenderOptions,
    /// The source line so far.
    pub(super) line: String,
    /// Whether the beginning of the source line is already in the block.
    pub(super) within: bool,
    pub(super) block: Block,
    /// The indents of the open list items.
    pub(super) items: Vec<usize>,
    finals: Vec<Final>,
    /// Whether a blank line is due before the next block.
    pub(super) blank_due: bool,
    pub(super) begun: bool,
}

pub(super) enum Block {
    None,
    Text(TextBlock),
    Code { indent: usize, mark: char, length: usize, highlighter: Option<Highlighter> },
    Table(Vec<String>),
}

impl Stream {
    pub(in crate::render) fn new(options: RenderOptions) -> Stream {
        Stream {
            options,
            line: String::new(),
            within: false,
            block: Block::None,
            items: Vec::new(),
            finals: Vec::new(),
            blank_due: false,
            begun: false,
        }
    }

    pub(in crate::render) fn resize(&mut self, size: ScreenSize) {
        self.options.resize(size);
    }

    pub(in crate::render) fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c == '\n' {
                rest = &rest[1..];
                self.end_line();
                continue;
            }
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let (held, cap) = self.held();
            let take = char_boundary_from(rest, cap.saturating_sub(held).max(1)).min(end);
            let (piece, after) = rest.split_at(take);
            rest = after;
            self.line.push_str(piece);
            if held + take >= cap {
                self.spill();
            }
        }
    }

    /// The source is complete.
    pub(in crate::render) fn end(&mut self) {
        if self.within || !self.line.is_empty() {
            self.end_line();
        }
        self.close();
        self.items.clear();
        self.blank_due = false;
        self.begun = false;
    }

    /// Takes the output that has become final.
    pub(in crate::render) fn take(&mut self) -> Vec<Final> {
        std::mem::take(&mut self.finals)
    }

    /// How many bytes are held back, and the limit for them.
    fn held(&self) -> (usize, usize) {
        let line = self.line.len();
        match &self.block {
            Block::Text(text) if self.within => (text.source.len() + line, text.due.min(self.cap())),
            Block::Table(_) => (line, LONGEST_ROW),
            Block::Code { .. } => (line, self.cap()),
            Block::None | Block::Text(_) if self.line.starts_with('|') => (line, LONGEST_ROW),
            Block::None | Block::Text(_) => (line, STEP.min(self.cap())),
        }
    }

    /// The most bytes that are held back while markup is open that may never be closed. That is about six rows, and never more than the screen
    /// shows, because rows that have scrolled off cannot be redrawn. Words fill at least a third of the rows they are wrapped into.
    fn cap(&self) -> usize {
        let columns = self.options.width();
        (columns * 6).clamp(480, 1200).min(columns * self.options.height() / 3)
    }

    /// Handles a line that is too long to be held back: its kind is decided from the part that has arrived.
    fn spill(&mut self) {
        let line = std::mem::take(&mut self.line);
        if let Block::Code { .. } = self.block {
            self.finals.push(Final::Part(StyledLine::of(Look::PLAIN, &line)));
        } else if self.within {
            self.grow(&line);
        } else {
            self.begin(&line);
        }
        // A block of one line ends here. The rest of the source line begins another block.
        self.within = matches!(self.block, Block::Text(_) | Block::Code { .. });
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if std::mem::take(&mut self.within) {
            match &mut self.block {
                Block::Code { .. } => self.finals.push(Final::Line(StyledLine::of(Look::PLAIN, line))),
                Block::None | Block::Text(_) | Block::Table(_) => self.grow(line),
            }
            return self.break_line(line);
        }
        if let Block::Code { indent, mark, length, highlighter } = &mut self.block {
            if closes(line, *mark, *length) {
                self.block = Block::None;
                self.blank_due = true;
                return;
            }
            let text = unindented(line, *indent);
            let coloured = highlighter.as_mut().map(|highlighter| highlighter.line(text));
            // Highlighting needs the complete line. A line of disputed width is already on the screen by then and cannot be redrawn.
            let coloured = coloured.filter(|_| width::is_settled(text));
            let shown = coloured.unwrap_or_else(|| StyledLine::of(Look::PLAIN, text));
            self.finals.push(Final::Line(shown));
            return;
        }
        if self.begins_loose_table(line) {
            if let Block::Text(open) = std::mem::replace(&mut self.block, Block::None) {
                self.block = Block::Table(vec![open.source, line.to_owned()]);
            }
            return;
        }
        if !self.is_row(line) {
            self.begin(line);
            return self.break_line(line);
        }
        match &mut self.block {
            Block::Table(rows) if rows.len() < MOST_ROWS => rows.push(line.to_owned()),
            Block::None | Block::Text(_) | Block::Code { .. } | Block::Table(_) => {
                self.close();
                self.gap();
                self.block = Block::Table(vec![line.to_owned()]);
            }
        }
    }

    /// Whether this line makes the previous one the header of a table without outer bars.
    fn begins_loose_table(&self, line: &str) -> bool {
        let Block::Text(open) = &self.block else { return false };
        open.lines == 1 && open.is_open_paragraph() && begins_loosely(&open.source, line)
    }

    /// Whether the line is a row of a table. Rows of a table that began without outer bars may lack them too.
    fn is_row(&self, line: &str) -> bool {
        match (block::kind(line), &self.block) {
            (LineKind::Row, _) => true,
            (LineKind::Text { .. }, Block::Table(rows)) => {
                rows.len() > 1 && !rows[0].starts_with('|') && line.contains('|')
            }
            _ => false,
        }
    }

    /// The look of a heading, if the line is its underline.
    fn underlines(&self, line: &str) -> Option<Look> {
        let Block::Text(open) = &self.block else { return None };
        let line = line.trim_end();
        let all = |mark: char| line.len() >= 2 && line.chars().all(|c| c == mark);
        let is_title = open.is_open_paragraph() && open.source.len() <= LONGEST_TITLE.min(self.cap());
        match () {
            () if is_title && all('=') => Some(Look::TITLE),
            () if is_title && all('-') => Some(Look::HEADING),
            () => None,
        }
    }

    /// Opens the block that a line begins, or continues the open block. Rows of tables are handled elsewhere and count as text here.
    fn begin(&mut self, line: &str) {
        if let Block::Table(_) = self.block {
            self.close();
        }
        if let Some(look) = self.underlines(line) {
            if let Block::Text(open) = &mut self.block {
                open.style = look;
            }
            return self.close();
        }
        match block::kind(line) {
            LineKind::Blank => {
                self.close();
                self.blank_due = true;
            }
            LineKind::Fence(fence) => {
                self.close();
                self.blank_due = true;
                self.gap();
                let highlighter = Highlighter::new(fence.language, &self.options.code);
                let (indent, mark, length) = (fence.indent, fence.mark, fence.length);
                self.block = Block::Code { indent, mark, length, highlighter };
            }
            LineKind::Rule => {
                self.close();
                self.gap();
                let length = usize::from(self.options.columns).saturating_sub(1).min(40);
                self.finals.push(Final::Line(StyledLine::of(Look::MUTED, &"─".repeat(length))));
            }
            LineKind::Text { indent, text } if self.is_indented_code(indent) => {
                self.gap();
                let text = format!("{}{text}", " ".repeat(indent - 4));
                self.finals.push(Final::Line(StyledLine::of(Look::PLAIN, &text)));
            }
            LineKind::Text { .. }
            | LineKind::Quote { .. }
            | LineKind::Heading { .. }
            | LineKind::Item { .. }
            | LineKind::Row => {
                let continues = self.continues(line);
                if !continues {
                    self.close();
                }
                let fresh = TextBlock::opened(line, &self.items);
                self.settle_items(line);
                match &mut self.block {
                    Block::Text(open) if continues => open.join(&fresh.source),
                    Block::None | Block::Text(_) | Block::Code { .. } | Block::Table(_) => {
                        self.gap();
                        self.block = Block::Text(fresh);
                    }
                }
                self.commit();
            }
        }
    }

    pub(super) fn is_indented_code(&self, indent: usize) -> bool {
        indent >= 4 && self.items.is_empty() && !matches!(self.block, Block::Text(_))
    }

    /// Whether the line continues the open text.
    pub(super) fn continues(&self, line: &str) -> bool {
        // A heading is a single line.
        let Block::Text(open) = &self.block else { return false };
        if open.style.role.is_some_and(|role| matches!(role, TextRole::Title | TextRole::Heading)) {
            return false;
        }
        match block::kind(line) {
            LineKind::Text { .. } => true,
            LineKind::Quote { depth, text } => open.quoted == depth && !text.is_empty() && block::item(text).is_none(),
            LineKind::Blank
            | LineKind::Heading { .. }
            | LineKind::Rule
            | LineKind::Fence(_)
            | LineKind::Item { .. }
            | LineKind::Row => false,
        }
    }

    /// Closes the list items that the line is not part of, and opens the one that it begins.
    fn settle_items(&mut self, line: &str) {
        match block::kind(line) {
            LineKind::Item { indent, .. } => {
                self.items.retain(|item| *item < indent);
                self.items.push(indent);
            }
            LineKind::Text { indent, .. } if !matches!(self.block, Block::Text(_)) => {
                self.items.retain(|item| *item < indent)
            }
            LineKind::Heading { .. } => self.items.clear(),
            LineKind::Text { .. }
            | LineKind::Quote { .. }
            | LineKind::Row
            | LineKind::Blank
            | LineKind::Rule
            | LineKind::Fence(_) => {}
        }
    }

    /// Adds the rest of a line whose beginning is already in the block.
    fn grow(&mut self, more: &str) {
        if let Block::Text(open) = &mut self.block {
            open.source.push_str(more);
        }
        self.commit();
    }

    /// Makes the beginning of a long text final.
    fn commit(&mut self) {
        let cap = self.cap();
        if let Block::Text(open) = &mut self.block {
            let parts = open.commit(cap, &self.options);
            self.finals.extend(parts.into_iter().map(Final::Part));
        }
    }

    /// Ends the logical line at a hard break (two blanks or a backslash at the end).
    fn break_line(&mut self, line: &str) {
        if let Block::Text(open) = &mut self.block
            && (line.ends_with("  ") || line.ends_with('\\'))
        {
            let kept = open.source.trim_end().trim_end_matches('\\').len();
            open.source.truncate(kept);
            self.close();
        }
    }

    fn close(&mut self) {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None => {}
            Block::Code { .. } => self.blank_due = true,
            Block::Text(open) => self.finals.push(Final::Line(open.ended(&self.options))),
            Block::Table(rows) => {
                let plain = || rows.iter().map(|row| inline(row.trim(), Look::PLAIN, &self.options)).collect();
                let lines = table(&rows, &self.options).unwrap_or_else(plain);
                self.finals.extend(lines.into_iter().map(Final::Line));
            }
        }
    }

    /// Writes the blank line that is due.
    fn gap(&mut self) {
        if std::mem::take(&mut self.blank_due) && self.begun {
            self.finals.push(Final::Line(StyledLine::new()));
        }
        self.begun = true;
    }
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}

pub(super) fn unindented(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    &line[blanks..]
}
