//! The answer on a terminal, painted as a session paints it.

use std::time::Instant;

use crate::chat::Event;
use crate::render::{self, Options, Painter, Size, Theme, Wrapping};
use crate::session::Grammars;
use crate::tty;

/// Paints the answer's text, and nothing else: what is done meanwhile is said on stderr.
pub(super) struct Brush {
    painter: Painter,
    size: Size,
    grammars: Grammars,
    /// Whether there is text that has not been ended.
    is_open: bool,
}

impl Brush {
    pub(super) fn new(theme: Theme, wrap: Wrapping) -> Brush {
        let size = size();
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let painter = Painter::new(Options::of_terminal(size, theme, wrap, variable));
        Brush { painter, size, grammars: Grammars::default(), is_open: false }
    }

    /// The bytes that show more of the answer; none for blank lines that it begins with.
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
        // Nothing else is kept waiting here, and there may be no second answer to colour.
        for language in self.grammars.languages(&event) {
            render::warm(&language);
        }
        self.painter.event(&event, Instant::now(), &mut out);
        render::cooked(&out)
    }

    /// Whether there is text to be ended, on the screen or held back.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The bytes that end what is open; the cursor is at the start of a line then.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.painter.finish(&mut out);
        self.is_open = false;
        render::cooked(&out)
    }
}

fn size() -> Size {
    let tty::Size { rows, cols, .. } = tty::size_of_stdout();
    Size { columns: cols, rows }
}
