//! Text that grows: one logical line.

use crate::render::Options;
use crate::render::line::{Hang, StyledLine};
use crate::render::look::Look;
use crate::text::width;

use super::block::{self, Kind};
use super::inline::{cut, inline};
use super::preview::{certain, mended};

/// So often a growing text is looked at for what may be final.
pub(super) const STEP: usize = 160;

/// A paragraph, heading, list item or quote: one logical line.
#[derive(Clone)]
pub(super) struct Text {
    /// What stands before it, until that is final.
    lead: StyledLine,
    /// Its further rows begin below its words.
    hang: Hang,
    pub(super) style: Look,
    pub(super) source: String,
    /// How deep it is quoted.
    pub(super) quoted: usize,
    /// The length of the source at which to look next.
    pub(super) due: usize,
    /// Terminals disagree on the width of what is final of it.
    disputed: bool,
    /// Source lines it was made of.
    pub(super) lines: usize,
    /// A beginning of it is final.
    pub(super) begun: bool,
}

impl Text {
    /// The text a line opens within list items of these indents, if it does not go on with another.
    pub(super) fn opened(line: &str, items: &[usize]) -> Text {
        let indent = |levels: usize| StyledLine::of(Look::PLAIN, &"  ".repeat(levels));
        let text = |lead: StyledLine, style, source: &str| Text {
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
            Kind::Heading { level: 1, text: title } => text(StyledLine::new(), Look::TITLE, title),
            Kind::Heading { text: title, .. } => text(StyledLine::new(), Look::HEADING, title),
            Kind::Item { indent: column, marker, text: words } => {
                let levels = items.iter().take_while(|item| **item < column).count();
                let lead = indent(levels).with(Look::PLAIN, &format!("{} ", bullet(marker)));
                let (lead, words) = task(lead, words);
                text(lead, Look::PLAIN, words)
            }
            Kind::Quote { depth, text: words } => {
                let mut lead = StyledLine::of(Look::MUTED, &"> ".repeat(depth));
                let words = match block::item(words) {
                    Some((marker, words)) => {
                        lead.push(Look::PLAIN, &format!("{} ", bullet(marker)));
                        words
                    }
                    None => words,
                };
                let text = text(lead, Look::QUOTE, words);
                Text { quoted: depth, hang: Hang { quoted: depth, ..text.hang }, ..text }
            }
            Kind::Text { indent: column, text: words } => {
                let levels = items.iter().take_while(|item| **item < column).count();
                text(indent(levels), Look::PLAIN, words)
            }
            Kind::Row | Kind::Blank | Kind::Rule | Kind::Fence(_) => {
                text(StyledLine::new(), Look::PLAIN, line.trim_start())
            }
        }
    }

    /// Joins a further line; ideographs need no blank between them. They get one where the text is of disputed width: their word was
    /// shown when its line ended, and would be held back again if it became longer.
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

    /// Takes the beginning of a long text, which is final from now on.
    pub(super) fn commit(&mut self, cap: usize, options: &Options) -> Vec<StyledLine> {
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

    /// Whether it is a paragraph outside of lists and quotes that may yet turn out to be something else: nothing of it is final, and
    /// it can be redrawn.
    pub(super) fn is_open_paragraph(&self) -> bool {
        let is_paragraph = self.lead.is_empty() && self.style == Look::PLAIN;
        is_paragraph && !self.begun && width::is_settled(&self.source)
    }

    /// As it looks if nothing follows.
    pub(super) fn ended(&self, options: &Options) -> StyledLine {
        let mut line = self.lead.clone();
        line.append(&inline(self.source.trim_end(), self.style, options));
        line.wrapped(self.hang)
    }

    /// As it looks now, with `more` behind it.
    pub(super) fn guess(&self, more: &str, options: &Options) -> StyledLine {
        let source = format!("{}{more}", self.source);
        let source = if self.disputed { certain(&source).to_owned() } else { mended(&source) };
        let mut line = self.lead.clone();
        // A blank at the end may turn out to be the end.
        line.append(&inline(source.trim_end(), self.style, options));
        line.wrapped(self.hang)
    }
}

fn bullet(marker: &str) -> &str {
    if marker.ends_with(['.', ')']) { marker } else { "-" }
}

/// Moves a task's box from the words to what stands before them.
fn task(mut lead: StyledLine, words: &str) -> (StyledLine, &str) {
    for (source, style) in [("[ ] ", Look::MUTED), ("[x] ", Look::GOOD), ("[X] ", Look::GOOD)] {
        if let Some(rest) = words.strip_prefix(source) {
            lead.push(style, &source.to_ascii_lowercase());
            return (lead, rest);
        }
    }
    (lead, words)
}

/// Where to cut a text in which something was opened and never closed.
fn forced_cut(source: &str, cap: usize) -> usize {
    let end = char_boundary_from(source, cap / 2);
    source[..end].rfind(' ').map_or(end, |blank| blank + 1)
}

/// The first character boundary at or after `at`.
pub(super) fn char_boundary_from(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
