//! The size and the capabilities of the terminal.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::style::Depth;

use super::code::CodeColours;
use super::theme::Theme;

/// The line break. A terminal in raw mode needs the carriage return.
pub(super) const NEWLINE: &[u8] = b"\r\n";

/// Converts line breaks to `\n`, for a file or for a terminal that is not in raw mode.
pub(crate) fn cooked(painted: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(painted.len());
    for (at, byte) in painted.iter().enumerate() {
        if *byte != b'\r' || painted.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// Options for rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderOptions {
    pub columns: u16,
    /// The height of the window. Rows that have scrolled off the screen cannot be redrawn.
    pub rows: u16,
    pub wrap: Wrapping,
    pub colour: Depth,
    pub theme: Theme,
    /// The colours of code.
    pub code: CodeColours,
    /// Whether the terminal displays UTF-8. Otherwise all output is ASCII.
    pub unicode: bool,
    /// Whether the terminal supports synchronized output (`CSI ?2026 h`).
    pub synchronized: bool,
    /// Whether the terminal supports hyperlinks (OSC 8).
    pub hyperlinks: bool,
    pub mode: TerminalMode,
    /// The keys that are named while an answer is painted.
    pub keys: Arc<KeyLabels>,
}

/// The names of keys on the screen. An action without a key has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyLabels {
    /// Stops the answer.
    pub stop: String,
    /// Unfolds output.
    pub unfold: Option<String>,
    /// Shows thoughts.
    pub thinking: Option<String>,
}

impl Default for KeyLabels {
    fn default() -> KeyLabels {
        KeyLabels { stop: "Ctrl-C".into(), unfold: Some("Ctrl-O".into()), thinking: Some("Ctrl-T".into()) }
    }
}

/// The size of a terminal in cells, or 0 if it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScreenSize {
    pub columns: u16,
    pub rows: u16,
}

/// How lines of prose that are too wide are wrapped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wrapping {
    /// shellmate wraps them at words.
    #[default]
    Words,
    /// The terminal wraps them at the margin.
    Terminal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalMode {
    Terminal,
    /// `TERM=dumb`, or no terminal: plain text without redraws and escape sequences.
    Dumb,
    /// For a screen reader: as `Dumb`, but only finished lines, and words in place of signs.
    Reader,
}

impl RenderOptions {
    /// Reads the capabilities of the terminal from the environment. `variable` returns an empty string for an unset variable.
    pub(crate) fn of_terminal(
        size: ScreenSize,
        theme: Theme,
        wrap: Wrapping,
        variable: impl Fn(&str) -> String,
    ) -> RenderOptions {
        let term = variable("TERM");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(&variable).into_iter().find(|value| !value.is_empty());
        let is_plain = term.is_empty() || term == "dumb";
        let is_read_aloud = !["", "0", "false", "no"].contains(&variable("ACCESSIBLE").as_str());
        let is_console = term == "linux";
        RenderOptions {
            columns: if size.columns == 0 { 80 } else { size.columns },
            rows: if size.rows == 0 { 24 } else { size.rows },
            wrap,
            colour: depth(&term, &variable("COLORTERM"), &variable("NO_COLOR")),
            theme,
            code: CodeColours::default(),
            unicode: locale.is_some_and(|locale| locale.to_uppercase().replace('-', "").contains("UTF8")),
            synchronized: !is_console,
            hyperlinks: !is_console,
            mode: match (is_read_aloud, is_plain) {
                (true, _) => TerminalMode::Reader,
                (false, true) => TerminalMode::Dumb,
                (false, false) => TerminalMode::Terminal,
            },
            keys: Arc::default(),
        }
    }
}

impl RenderOptions {
    /// These options for a screen reader, if the person uses one.
    pub(crate) fn read_aloud(self, is_read_aloud: bool) -> RenderOptions {
        if is_read_aloud { RenderOptions { mode: TerminalMode::Reader, ..self } } else { self }
    }

    /// Whether signs such as `✓` are used. A screen reader would spell them out.
    pub(super) fn has_signs(&self) -> bool {
        self.unicode && self.mode != TerminalMode::Reader
    }

    pub(super) fn width(&self) -> usize {
        usize::from(self.columns.max(2))
    }

    /// The most rows of text that are redrawn at a time. Some rows are left for the status line and running calls.
    pub(super) fn height(&self) -> usize {
        usize::from(self.rows).saturating_sub(4).max(2)
    }

    pub(super) fn resize(&mut self, size: ScreenSize) {
        (self.columns, self.rows) = (size.columns, size.rows);
    }
}

/// The number of colours, from `TERM`, `COLORTERM` and `NO_COLOR`.
fn depth(term: &str, colours: &str, no_colour: &str) -> Depth {
    if !no_colour.is_empty() {
        Depth::None
    } else if ["truecolor", "24bit"].contains(&colours) || term.ends_with("-direct") {
        Depth::True
    } else if term.contains("256") {
        Depth::Indexed
    } else {
        Depth::Ansi16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read_from_the_environment() {
        let of = |pairs: &[(&str, &str)]| {
            let variable =
                |name: &str| pairs.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value).to_owned();
            let options = RenderOptions::of_terminal(
                ScreenSize { columns: 0, rows: 0 },
                Theme::default(),
                Wrapping::Words,
                variable,
            );
            (options.colour, options.unicode, options.mode)
        };
        assert_eq!(of(&[]), (Depth::Ansi16, false, TerminalMode::Dumb));
        assert_eq!(of(&[("TERM", "dumb"), ("LANG", "en_US.UTF-8")]), (Depth::Ansi16, true, TerminalMode::Dumb));
        assert_eq!(of(&[("TERM", "xterm-256color")]), (Depth::Indexed, false, TerminalMode::Terminal));
        assert_eq!(of(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]).0, Depth::True);
        assert_eq!(of(&[("TERM", "xterm"), ("ACCESSIBLE", "1")]).2, TerminalMode::Reader);
        assert_eq!(of(&[("TERM", "xterm"), ("ACCESSIBLE", "0")]).2, TerminalMode::Terminal);
        assert_eq!(of(&[("TERM", "xterm"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")]).0, Depth::None);
        // The first locale variable that is set decides, as in other programs.
        assert!(!of(&[("TERM", "xterm"), ("LC_ALL", "C"), ("LANG", "de_DE.utf8")]).1);
    }
}
