//! Escape sequences, appended to a buffer of bytes.
//!
//! crossterm's commands write them: `out.put(MoveUp(2))`. Only this file writes sequences by hand, because crossterm
//! - has no command for hyperlinks (OSC 8);
//! - writes one sequence per attribute, where a theme's style needs a single sequence for all of them;
//! - writes the terminal's own 16 colours as `38;5;n`, which old terminals do not understand and which bold does not brighten;
//! - omits every colour when `NO_COLOR` is in the environment, which this room does not read.

use std::fmt;

use crossterm::Command;

/// A buffer that crossterm's commands can be appended to.
pub(crate) trait Put {
    fn put(&mut self, command: impl Command) -> &mut Self;
}

impl Put for Vec<u8> {
    fn put(&mut self, command: impl Command) -> &mut Self {
        // Appending to a `Vec` cannot fail.
        let _ = command.write_ansi(&mut ByteWriter(self));
        self
    }
}

struct ByteWriter<'a>(&'a mut Vec<u8>);

impl fmt::Write for ByteWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// The SGR sequence (Select Graphic Rendition) with these parameters.
pub(super) fn sgr(parameters: &[String]) -> String {
    format!("\x1b[{}m", parameters.join(";"))
}

/// Makes `text` a hyperlink to `url`, which must not contain control characters.
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
