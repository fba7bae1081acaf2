//! A growing text: one logical line.

use crate::render::RenderOptions;
use crate::render::line::{Hang, StyledLine};
use crate::render::look::Look;
use crate::text::width;

use super::block::{self, LineKind};
use super::inline::{cut, inline};
use super::preview::{certain, mended};

/// After how many bytes a growing text is examined for a part that is final.
pub(super) const STEP: usize = 160;

/// A paragraph, heading, list item or quote: one logical line.
#[derive(Clone)]
pub(super) struct TextBlock {
    /// The marker before the text, such as a bullet. Empty once it is final.
    lead: StyledLine,
    /// The indentation of further rows.
    hang: Hang,
    pub(super) style: Look,
    pub(super) source: String,
    /// The quote depth.
    pub(super) quoted: usize,
    /// The length of the source at which it is examined next.
    pub(super) due: usize,
    /// Whether terminals disagree on the width of its final part.
    disputed: bool,
    /// The number of its source lines.
    pub(super) lines: usize,
    /// Whether a part of it is final.
    pub(super) begun: bool,
}

impl TextBlock {
    /// The text that a line begins, inside list items with these indents.
    pub(super) fn opened(line: &str, items: &[usize]) -> TextBlock {
        let indent = |levels: usize| StyledLine::of(Look::PLAIN, &"  ".repeat(levels));
        let text = |lead: StyledLine, style, source: &str| TextBlock {
            hang: Hang::below(lead.cells()),
            lead,
            style,
            source: source.to_owned(),
            quoted: 0,
            due: STEP,
            disputed: false,
            lines: 1,
            begun: false,
        };
        match block::kind(line) {
            LineKind::Heading { level: 1, text: title } => text(StyledLine::new(), Look::TITLE, title),
            LineKind::Heading { text: title, .. } => text(StyledLine::new(), Look::HEADING, title),
            LineKind::Item { indent: column, marker, text: words } => {
                let levels = items.iter().take_while(|item| **item < column).count();
                let lead = indent(levels).with(Look::PLAIN, &format!("{} ", bullet(marker)));
                let (lead, words) = task(lead, words);
                text(lead, Look::PLAIN, words)
            }
            LineKind::Quote { depth, text: words } => {
                let mut lead = StyledLine::of(Look::MUTED, &"> ".repeat(depth));
                let words = match block::item(words) {
                    Some((marker, words)) => {
                        lead.push(Look::PLAIN, &format!("{} ", bullet(marker)));
                        words
                    }
                    None => words,
                };
                let text = text(lead, Look::QUOTE, words);
                TextBlock { quoted: depth, hang: Hang { quoted: depth, ..text.hang }, ..text }
            }
            LineKind::Text { indent: column, text: words } => {
                let levels = items.iter().take_while(|item| **item < column).count();
                text(indent(levels), Look::PLAIN, words)
            }
            LineKind::Row | LineKind::Blank | LineKind::Rule | LineKind::Fence(_) => {
                text(StyledLine::new(), Look::PLAIN, line.trim_start())
            }
        }
    }

    /// Joins a further source line. Ideographs are joined without a blank, except in a text of disputed width: the word at the line end is
    /// already shown, and without a blank it would become longer and be held back again.
    pub(super) fn join(&mut self, more: &str) {
        let wide = |c: Option<char>| c.is_some_and(|c| width::cells(c.encode_utf8(&mut [0; 4])) == 2);
        self.source.truncate(self.source.trim_end().len());
        let is_settled = !self.disputed && width::is_settled(&self.source);
        let ideographs = is_settled && wide(self.source.chars().next_back()) && wide(more.chars().next());
        if !ideographs && !self.source.is_empty() {
            self.source.push(' ');
        }
        self.source.push_str(more);
        self.lines += 1;
    }

    /// Takes the beginning of a long text and makes it final.
    pub(super) fn commit(&mut self, cap: usize, options: &RenderOptions) -> Vec<StyledLine> {
        let mut parts = Vec::new();
        while self.source.len() >= self.due.min(cap) {
            let at = match cut(&self.source) {
                0 if self.source.len() >= cap => forced_cut(&self.source, cap),
                at => at,
            };
            let rest = self.source.split_off(at);
            self.due = if rest.len() >= cap { cap } else { rest.len() + STEP.min(cap) };
            let part = std::mem::replace(&mut self.source, rest);
            if !part.is_empty() {
                self.begun = true;
                self.disputed |= !width::is_settled(&part);
                let mut line = std::mem::take(&mut self.lead);
                line.append(&inline(&part, self.style, options));
                parts.push(line.wrapped(self.hang));
            }
        }
        parts
    }

    /// Whether it is a paragraph outside of lists and quotes that may still become a heading or a table: no part is final, and it can be
    /// redrawn.
    pub(super) fn is_open_paragraph(&self) -> bool {
        let is_paragraph = self.lead.is_empty() && self.style == Look::PLAIN;
        is_paragraph && !self.begun && width::is_settled(&self.source)
    }

    /// The look of the text if nothing follows.
    pub(super) fn ended(&self, options: &RenderOptions) -> StyledLine {
        let mut line = self.lead.clone();
        line.append(&inline(self.source.trim_end(), self.style, options));
        line.wrapped(self.hang)
    }

    /// The likely look of the text with `more` appended.
    pub(super) fn guess(&self, more: &str, options: &RenderOptions) -> StyledLine {
        let source = format!("{}{more}", self.source);
        let source = if self.disputed { certain(&source).to_owned() } else { mended(&source) };
        let mut line = self.lead.clone();
        // A blank at the end is not shown, because the text may end there.
        line.append(&inline(source.trim_end(), self.style, options));
        line.wrapped(self.hang)
    }
}

fn bullet(marker: &str) -> &str {
    if marker.ends_with(['.', ')']) { marker } else { "-" }
}

/// Moves the checkbox of a task from the text to the marker.
fn task(mut lead: StyledLine, words: &str) -> (StyledLine, &str) {
    for (source, style) in [("[ ] ", Look::MUTED), ("[x] ", Look::GOOD), ("[X] ", Look::GOOD)] {
        if let Some(rest) = words.strip_prefix(source) {
            lead.push(style, &source.to_ascii_lowercase());
            return (lead, rest);
        }
    }
    (lead, words)
}

/// The offset at which a text with unclosed markup is cut.
fn forced_cut(source: &str, cap: usize) -> usize {
    let end = char_boundary_from(source, cap / 2);
    source[..end].rfind(' ').map_or(end, |blank| blank + 1)
}

/// The first character boundary at or after `at`.
pub(super) fn char_boundary_from(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
