//! The model's thinking: one dim line, unless it is unfolded.

use std::time::Instant;

use crate::text::{KIB, human};

use super::line::StyledLine;
use super::look::Look;
use super::unfold::Unfolding;
use super::{RenderOptions, TerminalMode};

/// The most bytes of a thought that are kept for unfolding. The beginning is dropped first.
const CAP: usize = 64 * KIB;

#[derive(Default)]
pub(super) struct Thought {
    text: String,
    since: Option<Instant>,
    /// Whether the text is shown as it arrives.
    pub(super) unfolded: bool,
    /// How much of the text is on the screen.
    shown: usize,
}

impl Thought {
    /// Adds text and returns the part that is to be shown now.
    pub(super) fn push(&mut self, text: &str, now: Instant) -> &str {
        if self.since.is_none() {
            self.since = Some(now);
            self.text.clear();
            self.shown = 0;
        }
        self.text.push_str(text);
        if self.text.len() > 2 * CAP {
            let from = self.text.len() - CAP;
            let cut = (from..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len());
            self.text.drain(..cut);
            self.shown = self.shown.saturating_sub(cut);
        }
        if !self.unfolded {
            return "";
        }
        let from = std::mem::replace(&mut self.shown, self.text.len());
        &self.text[from..]
    }

    /// Ends the thought and returns the line that replaces it.
    pub(super) fn end(&mut self, now: Instant, unfolding: Unfolding, options: &RenderOptions) -> StyledLine {
        let took = now.saturating_duration_since(self.since.take().unwrap_or(now));
        let mark = match options.mode {
            TerminalMode::Reader => "model:",
            TerminalMode::Terminal | TerminalMode::Dumb if options.unicode => "∴",
            TerminalMode::Terminal | TerminalMode::Dumb => "~",
        };
        let hint = if self.shown > 0 { String::new() } else { unfolding.of_thought(options) };
        StyledLine::of(Look::MUTED, &format!("{mark} thought for {}{hint}", human::duration(took)))
    }

    /// Unfolds or folds thinking. Returns the lines of the last thought if it is to be shown now.
    pub(super) fn toggle(&mut self) -> Vec<StyledLine> {
        self.unfolded = !self.unfolded;
        if !self.unfolded || self.since.is_some() || self.shown == self.text.len() {
            return Vec::new();
        }
        self.shown = self.text.len();
        self.text.trim_end().lines().map(|line| StyledLine::of(Look::MUTED, line)).collect()
    }
}
