//! Pieces of markdown into lines.

use crate::render::code::Highlighter;
use crate::render::line::Line;
use crate::render::region::Final;
use crate::render::{Options, theme};
use crate::text::style::Style;
use crate::text::{KIB, width};

use super::block::{self, Kind};
use super::inline::{cut, inline};
use super::preview::{certain, mended};
use super::table::table;

/// So often a growing text is looked at for what may be final.
const STEP: usize = 160;
/// A row of a table can't be shown before it is complete; beyond this it is no table.
const LONGEST_ROW: usize = 8 * KIB;
/// Columns must be known before a table is shown; beyond this it is shown as it was written.
const MOST_ROWS: usize = 500;
/// Rows of a table shown while it grows.
const ROWS_SHOWN: usize = 6;

pub(in crate::render) struct Stream {
    options: Options,
    /// The source line so far.
    line: String,
    /// The beginning of the source line has gone into the block already.
    within: bool,
    block: Block,
    /// The indents of the list items we are in.
    items: Vec<usize>,
    finals: Vec<Final>,
    blank_due: bool,
    begun: bool,
}

enum Block {
    None,
    Text(Text),
    Code { indent: usize, mark: char, length: usize, highlighter: Option<Highlighter> },
    Table(Vec<String>),
}

/// A paragraph, heading, list item or quote: one logical line.
struct Text {
    /// What stands before it, until that is final.
    lead: Line,
    style: Style,
    source: String,
    quoted: usize,
    /// The length of the source at which to look next.
    due: usize,
    /// Terminals disagree on the width of what is final of it.
    disputed: bool,
}

impl Stream {
    pub(in crate::render) fn new(options: Options) -> Stream {
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

    pub(in crate::render) fn resize(&mut self, columns: u16) {
        self.options.columns = columns;
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

    /// Takes what has become final.
    pub(in crate::render) fn take(&mut self) -> Vec<Final> {
        std::mem::take(&mut self.finals)
    }

    /// How much is held, and how much may be before something is done about it.
    fn held(&self) -> (usize, usize) {
        let line = self.line.len();
        match &self.block {
            Block::Text(text) if self.within => (text.source.len() + line, text.due),
            Block::Table(_) => (line, LONGEST_ROW),
            Block::Code { .. } => (line, self.cap()),
            Block::None | Block::Text(_) if self.line.starts_with('|') => (line, LONGEST_ROW),
            Block::None | Block::Text(_) => (line, STEP),
        }
    }

    /// The most that is held while something is open that may never be closed: about six rows.
    fn cap(&self) -> usize {
        (usize::from(self.options.columns) * 6).clamp(480, 1200)
    }

    /// The line is too long to wait for its end: it is what it looks like.
    fn spill(&mut self) {
        let line = std::mem::take(&mut self.line);
        if let Block::Code { .. } = self.block {
            self.finals.push(Final::Part(Line::of(Style::PLAIN, &line)));
        } else if self.within {
            self.grow(&line);
        } else {
            self.begin(&line);
        }
        // A block that ends with its line has taken what there was; the rest begins another.
        self.within = matches!(self.block, Block::Text(_) | Block::Code { .. });
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if std::mem::take(&mut self.within) {
            match &mut self.block {
                Block::Code { .. } => self.finals.push(Final::Line(Line::of(Style::PLAIN, line))),
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
            // Colours come when the line is complete, too late where it can't be redrawn.
            let coloured = coloured.filter(|_| width::is_settled(text));
            let shown = coloured.unwrap_or_else(|| Line::of(Style::PLAIN, text));
            self.finals.push(Final::Line(shown));
            return;
        }
        if block::kind(line) != Kind::Row {
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

    /// Opens what a line begins, or goes on with what is open. A row is text here: its table has its own way.
    fn begin(&mut self, line: &str) {
        if let Block::Table(_) = self.block {
            self.close();
        }
        match block::kind(line) {
            Kind::Blank => {
                self.close();
                self.blank_due = true;
            }
            Kind::Fence(fence) => {
                self.close();
                self.blank_due = true;
                self.gap();
                let highlighter = Highlighter::new(fence.language);
                let (indent, mark, length) = (fence.indent, fence.mark, fence.length);
                self.block = Block::Code { indent, mark, length, highlighter };
            }
            Kind::Rule => {
                self.close();
                self.gap();
                let length = usize::from(self.options.columns).saturating_sub(1).min(40);
                self.finals.push(Final::Line(Line::of(theme::MUTED, &"─".repeat(length))));
            }
            Kind::Text { indent, text } if self.is_indented_code(indent) => {
                self.gap();
                let text = format!("{}{text}", " ".repeat(indent - 4));
                self.finals.push(Final::Line(Line::of(Style::PLAIN, &text)));
            }
            Kind::Text { .. } | Kind::Quote { .. } | Kind::Heading { .. } | Kind::Item { .. } | Kind::Row => {
                let continues = self.continues(line);
                if !continues {
                    self.close();
                }
                let fresh = self.opened(line);
                self.settle_items(line);
                match &mut self.block {
                    Block::Text(open) if continues => join(&mut open.source, &fresh.source),
                    Block::None | Block::Text(_) | Block::Code { .. } | Block::Table(_) => {
                        self.gap();
                        self.block = Block::Text(fresh);
                    }
                }
                self.commit();
            }
        }
    }

    fn is_indented_code(&self, indent: usize) -> bool {
        indent >= 4 && self.items.is_empty() && !matches!(self.block, Block::Text(_))
    }

    /// Whether the line goes on with the open text.
    fn continues(&self, line: &str) -> bool {
        // A heading is one line.
        let Block::Text(open) = &self.block else { return false };
        if open.style.bold {
            return false;
        }
        match block::kind(line) {
            Kind::Text { .. } => true,
            Kind::Quote { depth, text } => open.quoted == depth && !text.is_empty() && block::item(text).is_none(),
            Kind::Blank | Kind::Heading { .. } | Kind::Rule | Kind::Fence(_) | Kind::Item { .. } | Kind::Row => false,
        }
    }

    /// The text a line opens, if it does not go on with another.
    fn opened(&self, line: &str) -> Text {
        let indent = |levels: usize| Line::of(Style::PLAIN, &"  ".repeat(levels));
        let text = |lead, style, source: &str| Text {
            lead,
            style,
            source: source.to_owned(),
            quoted: 0,
            due: STEP,
            disputed: false,
        };
        match block::kind(line) {
            Kind::Heading { level: 1, text: title } => text(Line::new(), theme::TITLE, title),
            Kind::Heading { text: title, .. } => text(Line::new(), theme::HEADING, title),
            Kind::Item { indent: column, marker, text: words } => {
                let levels = self.items.iter().take_while(|item| **item < column).count();
                let lead = indent(levels).with(Style::PLAIN, &format!("{} ", bullet(marker)));
                let (lead, words) = task(lead, words);
                text(lead, Style::PLAIN, words)
            }
            Kind::Quote { depth, text: words } => {
                let mut lead = Line::of(theme::MUTED, &"> ".repeat(depth));
                let words = match block::item(words) {
                    Some((marker, words)) => {
                        lead.push(Style::PLAIN, &format!("{} ", bullet(marker)));
                        words
                    }
                    None => words,
                };
                Text { quoted: depth, ..text(lead, Style { italic: true, ..Style::PLAIN }, words) }
            }
            Kind::Text { indent: column, text: words } => {
                let levels = self.items.iter().take_while(|item| **item < column).count();
                text(indent(levels), Style::PLAIN, words)
            }
            Kind::Row | Kind::Blank | Kind::Rule | Kind::Fence(_) => text(Line::new(), Style::PLAIN, line.trim_start()),
        }
    }

    /// Keeps the items a line is still within, and adds its own.
    fn settle_items(&mut self, line: &str) {
        match block::kind(line) {
            Kind::Item { indent, .. } => {
                self.items.retain(|item| *item < indent);
                self.items.push(indent);
            }
            Kind::Text { indent, .. } if !matches!(self.block, Block::Text(_)) => {
                self.items.retain(|item| *item < indent)
            }
            Kind::Heading { .. } => self.items.clear(),
            Kind::Text { .. } | Kind::Quote { .. } | Kind::Row | Kind::Blank | Kind::Rule | Kind::Fence(_) => {}
        }
    }

    /// More of a line whose beginning is in the block.
    fn grow(&mut self, more: &str) {
        if let Block::Text(open) = &mut self.block {
            open.source.push_str(more);
        }
        self.commit();
    }

    /// Makes the beginning of a long text final.
    fn commit(&mut self) {
        let cap = self.cap();
        while let Block::Text(open) = &mut self.block
            && open.source.len() >= open.due
        {
            let at = match cut(&open.source) {
                0 if open.source.len() >= cap => forced_cut(&open.source, cap),
                at => at,
            };
            let rest = open.source.split_off(at);
            open.due = if rest.len() >= cap { cap } else { rest.len() + STEP };
            let part = std::mem::replace(&mut open.source, rest);
            if !part.is_empty() {
                open.disputed |= !width::is_settled(&part);
                let mut line = std::mem::take(&mut open.lead);
                line.append(&inline(&part, open.style, &self.options));
                self.finals.push(Final::Part(line));
            }
        }
    }

    /// Ends the logical line where two blanks or a backslash ask for it.
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
            Block::Text(open) => self.finals.push(Final::Line(self.ended(&open))),
            Block::Table(rows) => {
                let plain = || rows.iter().map(|row| inline(row.trim(), Style::PLAIN, &self.options)).collect();
                let lines = table(&rows, &self.options).unwrap_or_else(plain);
                self.finals.extend(lines.into_iter().map(Final::Line));
            }
        }
    }

    /// Puts the blank line that is due before what follows.
    fn gap(&mut self) {
        if std::mem::take(&mut self.blank_due) && self.begun {
            self.finals.push(Final::Line(Line::new()));
        }
        self.begun = true;
    }

    /// The lines that are not final, as they look now.
    pub(in crate::render) fn live(&self) -> Vec<Line> {
        let line = self.line.as_str();
        match &self.block {
            Block::Code { mark, indent, .. } => {
                let hidden = !self.within && !line.is_empty() && line.trim().chars().all(|c| c == *mark);
                if hidden { Vec::new() } else { shown(Line::of(Style::PLAIN, unindented(line, *indent)), self.within) }
            }
            Block::Table(rows) => {
                let rows = rows.iter().map(String::as_str).chain(Some(line).filter(|line| !line.is_empty()));
                let rows: Vec<&str> = rows.collect();
                let last = rows.len().saturating_sub(ROWS_SHOWN);
                let room = usize::from(self.options.columns).saturating_sub(1);
                rows[last..].iter().map(|row| Line::of(theme::MUTED, row).clipped(room, &self.options)).collect()
            }
            Block::Text(open) => {
                let unclear = !self.within && block::is_unclear(line);
                if self.within {
                    return vec![self.guess(open, line)];
                }
                if unclear || self.continues(line) {
                    let mut source = open.source.clone();
                    if !unclear {
                        join(&mut source, line.trim());
                    }
                    return vec![self.guess(&Text { lead: open.lead.clone(), source, ..*open }, "")];
                }
                let Some(next) = self.beginning(line) else { return vec![self.guess(open, "")] };
                // Something else begins, so the text has come to its end.
                let mut lines = vec![self.ended(open)];
                lines.push(next);
                lines
            }
            Block::None => {
                let mut lines: Vec<Line> = self.beginning(line).into_iter().collect();
                if self.blank_due && self.begun && !lines.is_empty() {
                    lines.insert(0, Line::new());
                }
                lines
            }
        }
    }

    /// A line that has only begun, and goes on with nothing.
    fn beginning(&self, line: &str) -> Option<Line> {
        if block::is_unclear(line) {
            return None;
        }
        match block::kind(line) {
            Kind::Blank | Kind::Rule | Kind::Fence(_) => None,
            Kind::Row => {
                let room = usize::from(self.options.columns).saturating_sub(1);
                Some(Line::of(theme::MUTED, line).clipped(room, &self.options))
            }
            Kind::Text { indent, .. } if self.is_indented_code(indent) => {
                Some(Line::of(Style::PLAIN, unindented(line, 4)))
            }
            Kind::Text { .. } | Kind::Quote { .. } | Kind::Heading { .. } | Kind::Item { .. } => {
                Some(self.guess(&self.opened(line), ""))
            }
        }
    }

    fn ended(&self, open: &Text) -> Line {
        let mut line = open.lead.clone();
        line.append(&inline(open.source.trim_end(), open.style, &self.options));
        line
    }

    fn guess(&self, open: &Text, more: &str) -> Line {
        let mut line = open.lead.clone();
        // A blank at the end may turn out to be the end.
        let source = format!("{}{more}", open.source);
        let source = if open.disputed { certain(&source).to_owned() } else { mended(&source) };
        line.append(&inline(source.trim_end(), open.style, &self.options));
        line
    }
}

fn shown(line: Line, even_empty: bool) -> Vec<Line> {
    if line.is_empty() && !even_empty { Vec::new() } else { vec![line] }
}

fn bullet(marker: &str) -> &str {
    if marker.ends_with(['.', ')']) { marker } else { "-" }
}

/// Moves a task's box from the words to what stands before them.
fn task(mut lead: Line, words: &str) -> (Line, &str) {
    for (source, style) in [("[ ] ", theme::MUTED), ("[x] ", theme::GOOD), ("[X] ", theme::GOOD)] {
        if let Some(rest) = words.strip_prefix(source) {
            lead.push(style, &source.to_ascii_lowercase());
            return (lead, rest);
        }
    }
    (lead, words)
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}

fn unindented(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|b| *b == b' ').count();
    &line[blanks..]
}

/// Joins lines of a paragraph; ideographs need no blank between them.
fn join(source: &mut String, more: &str) {
    let wide = |c: Option<char>| c.is_some_and(|c| width::cells(c.encode_utf8(&mut [0; 4])) == 2);
    let ideographs = wide(source.trim_end().chars().next_back()) && wide(more.chars().next());
    source.truncate(source.trim_end().len());
    if !ideographs && !source.is_empty() {
        source.push(' ');
    }
    source.push_str(more);
}

/// Where to cut a text in which something was opened and never closed.
fn forced_cut(source: &str, cap: usize) -> usize {
    let end = char_boundary_from(source, cap / 2);
    source[..end].rfind(' ').map_or(end, |blank| blank + 1)
}

/// The first character boundary at or after `at`.
fn char_boundary_from(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
