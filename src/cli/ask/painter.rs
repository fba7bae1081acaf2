//! Paints the answer on a terminal, as in a session.

use std::time::Instant;

use crate::chat::Event;
use crate::render::{self, Painter, RenderOptions, ScreenSize, Theme, Wrapping};
use crate::session::Grammars;
use crate::tty;

/// Paints the text of the answer. Tool calls are reported on stderr.
pub(super) struct AnswerPainter {
    painter: Painter,
    size: ScreenSize,
    grammars: Grammars,
    /// Whether the last line of text is unfinished.
    is_open: bool,
}

impl AnswerPainter {
    pub(super) fn new(theme: Theme, wrap: Wrapping, is_read_aloud: bool) -> AnswerPainter {
        let size = size();
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let painter = Painter::new(RenderOptions::of_terminal(size, theme, wrap, variable).read_aloud(is_read_aloud));
        AnswerPainter { painter, size, grammars: Grammars::default(), is_open: false }
    }

    /// The bytes that show more of the answer. Blank lines at its start are left out.
    pub(super) fn text(&mut self, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        self.is_open |= text.contains(|c| c != '\n' && c != '\r');
        if !self.is_open {
            return out;
        }
        let size = size();
        if size != self.size {
            self.size = size;
            self.painter.resize(size, &mut out);
        }
        let event = Event::Text(text.to_owned());
        // Load the grammar at once: nothing else waits, and there is no later answer to colour.
        for language in self.grammars.languages(&event) {
            self.painter.options().code.warm(&language);
        }
        self.painter.event(&event, Instant::now(), &mut out);
        render::cooked(&out)
    }

    /// Whether there is unfinished text, on the screen or not yet painted.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The bytes that finish the text. The cursor is at the start of a line afterwards.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.painter.finish(&mut out);
        self.is_open = false;
        render::cooked(&out)
    }
}

fn size() -> ScreenSize {
    let tty::WindowSize { rows, cols, .. } = tty::size_of_stdout();
    ScreenSize { columns: cols, rows }
}
