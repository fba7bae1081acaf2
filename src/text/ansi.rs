//! Escape sequences, appended to a buffer of bytes.
//!
//! They are crossterm's commands wherever it has one: `out.put(MoveUp(2))`. This file alone writes others by hand, because crossterm
//! - has no hyperlinks (OSC 8);
//! - writes one sequence for each attribute, where a theme's style is one sequence for all of them;
//! - writes the terminal's own 16 colours as `38;5;n`, which old terminals do not know and where bold is no brighter, and leaves out
//!   every colour when it finds `NO_COLOR` in the environment, which this room does not read.

use std::fmt;

use crossterm::Command;

/// Takes crossterm's commands.
pub(crate) trait Put {
    fn put(&mut self, command: impl Command) -> &mut Self;
}

impl Put for Vec<u8> {
    fn put(&mut self, command: impl Command) -> &mut Self {
        // Appending to memory does not fail.
        let _ = command.write_ansi(&mut Bytes(self));
        self
    }
}

struct Bytes<'a>(&'a mut Vec<u8>);

impl fmt::Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// Selects what these parameters name.
pub(super) fn sgr(parameters: &[String]) -> String {
    format!("\x1b[{}m", parameters.join(";"))
}

/// Makes `text` a link to `url`, which must be free of control characters.
pub(crate) fn link(url: &str, text: &str) -> String {
    format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\")
}

#[cfg(test)]
mod tests {
    use crossterm::cursor::{MoveRight, MoveUp};
    use crossterm::terminal::{Clear, ClearType};

    use super::*;

    #[test]
    fn commands_are_appended_in_order() {
        let mut out = b"a".to_vec();
        out.put(MoveUp(2)).put(MoveRight(3)).put(Clear(ClearType::UntilNewLine));
        assert_eq!(out, b"a\x1b[2A\x1b[3C\x1b[K");
    }
}
