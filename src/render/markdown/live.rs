//! The lines that are not final yet.

use crate::render::line::StyledLine;
use crate::render::look::Look;

use super::block::{self, LineKind};
use super::stream::{Block, Stream, unindented};
use super::text::TextBlock;

/// How many rows of an incomplete table are shown.
const ROWS_SHOWN: usize = 6;

impl Stream {
    /// The current look of the lines that are not final.
    pub(in crate::render) fn live(&self) -> Vec<StyledLine> {
        let line = self.line.as_str();
        match &self.block {
            Block::Code { mark, indent, .. } => {
                if self.within {
                    return vec![StyledLine::of(Look::PLAIN, line)];
                }
                // A line that may be the closing fence is not shown until it is clear that it is not.
                let hidden = line.trim().chars().all(|c| c == *mark);
                if hidden { Vec::new() } else { vec![StyledLine::of(Look::PLAIN, unindented(line, *indent))] }
            }
            Block::Table(rows) => {
                let rows = rows.iter().map(String::as_str).chain(Some(line).filter(|line| !line.is_empty()));
                let rows: Vec<&str> = rows.collect();
                let last = rows.len().saturating_sub(ROWS_SHOWN.min(self.options.height()));
                let room = usize::from(self.options.columns).saturating_sub(1);
                rows[last..].iter().map(|row| StyledLine::of(Look::MUTED, row).clipped(room, &self.options)).collect()
            }
            Block::Text(open) => {
                let unclear = !self.within && block::is_unclear(line);
                if self.within {
                    return vec![open.guess(line, &self.options)];
                }
                if unclear || self.continues(line) {
                    let mut joined = open.clone();
                    if !unclear {
                        // A quoted line is joined without its marker.
                        joined.join(TextBlock::opened(line, &self.items).source.trim_end());
                    }
                    return vec![joined.guess("", &self.options)];
                }
                let Some(next) = self.beginning(line) else { return vec![open.guess("", &self.options)] };
                // Another block begins, so the text is complete.
                vec![open.ended(&self.options), next]
            }
            Block::None => {
                let mut lines: Vec<StyledLine> = self.beginning(line).into_iter().collect();
                if self.blank_due && self.begun && !lines.is_empty() {
                    lines.insert(0, StyledLine::new());
                }
                lines
            }
        }
    }

    /// The look of an incomplete line that begins a new block.
    fn beginning(&self, line: &str) -> Option<StyledLine> {
        if block::is_unclear(line) {
            return None;
        }
        match block::kind(line) {
            LineKind::Blank | LineKind::Rule | LineKind::Fence(_) => None,
            LineKind::Row => {
                let room = usize::from(self.options.columns).saturating_sub(1);
                Some(StyledLine::of(Look::MUTED, line).clipped(room, &self.options))
            }
            LineKind::Text { indent, .. } if self.is_indented_code(indent) => {
                Some(StyledLine::of(Look::PLAIN, unindented(line, 4)))
            }
            LineKind::Text { .. } | LineKind::Quote { .. } | LineKind::Heading { .. } | LineKind::Item { .. } => {
                Some(TextBlock::opened(line, &self.items).guess("", &self.options))
            }
        }
    }
}
