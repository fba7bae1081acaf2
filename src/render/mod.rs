//! What the agent does, as bytes for the terminal.
//!
//! Pure: events in, bytes into the `Vec` that is given; time and size are handed over. Append-only in the main screen: what is
//! final is never rewritten, and only the live region at the cursor is redrawn. Text of models, tools and files passes
//! `text::sanitize` before anything else, so that only our own sequences reach the terminal: SGR, erase in line, relative moves,
//! synchronized output, hyperlinks. Touches `chat` and `text` alone.

mod ascii;
mod ask;
mod call;
mod code;
mod diff;
mod line;
mod link;
mod markdown;
mod output;
mod painter;
mod region;
mod status;
mod theme;
mod thought;

#[cfg(test)]
mod tests;

pub use ask::{Change, Question, question};
pub use code::warm;
pub use diff::diff;
pub use painter::Painter;

/// What the terminal can do and how wide it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub columns: u16,
    pub colour: Colour,
    /// Whether it shows UTF-8; otherwise everything is ASCII.
    pub unicode: bool,
    /// Whether it holds back painting between `CSI ?2026 h` and `l`.
    pub synchronized: bool,
    /// Whether it knows OSC 8.
    pub hyperlinks: bool,
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// As `NO_COLOR` asks; bold, dim and the like remain.
    None,
    /// The terminal's own 16.
    Ansi16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Terminal,
    /// `TERM=dumb`, or no terminal at all: plain text, nothing redrawn, no escapes.
    Dumb,
}

impl Options {
    /// A terminal in raw mode needs the carriage return.
    fn newline(&self) -> &'static [u8] {
        match self.mode {
            Mode::Terminal => b"\r\n",
            Mode::Dumb => b"\n",
        }
    }
}
