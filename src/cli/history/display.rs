//! What stdout can show: its width and colours.

use std::ffi::OsString;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::style::{Depth, Style};

/// The properties of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Display {
    pub terminal: bool,
    /// In columns. Unused if stdout is not a terminal.
    pub width: usize,
    pub colour: bool,
}

impl Display {
    /// A terminal has colours unless `NO_COLOR` is set or `TERM` is `dumb`.
    pub(crate) fn new(terminal: bool, width: usize, env: impl Fn(&str) -> Option<OsString>) -> Display {
        let refused = env("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        Display { terminal, width, colour: terminal && !refused && !dumb }
    }

    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { style.paint(text, Depth::Ansi16) } else { text.to_owned() }
    }
}

/// The width of a text in columns.
pub(super) fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Cuts the text to `columns`, with `…` at the end if it was cut.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut clipped = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        // One column is for the `…`.
        if used >= columns {
            break;
        }
        clipped.push_str(grapheme);
    }
    if columns > 0 {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_characters_are_measured() {
        assert_eq!(clip("日本語", 6), "日本語");
        assert_eq!(clip("日本語", 5), "日本…");
        assert_eq!(clip("日本語", 4), "日…");
        assert_eq!(clip("abc", 2), "a…");
        assert_eq!(clip("abc", 0), "");
    }

    #[test]
    fn the_environment_turns_colours_off() {
        let colour = |terminal, vars: &[(&str, &str)]| {
            let env = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            Display::new(terminal, 80, env).colour
        };
        assert!(colour(true, &[("TERM", "xterm")]));
        assert!(colour(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!colour(true, &[("TERM", "xterm"), ("NO_COLOR", "1")]));
        assert!(!colour(true, &[("TERM", "dumb")]));
        assert!(!colour(true, &[]));
        assert!(!colour(false, &[("TERM", "xterm")]));
    }

    proptest! {
        #[test]
        fn clipped_text_fits(text: String, columns in 0usize..40) {
            prop_assert!(width(&clip(&text, columns)) <= columns);
        }
    }
}
