//! What the terminal can do and how wide it is.

use crate::text::style::Depth;

use super::theme::Theme;

/// A terminal in raw mode needs the carriage return, also one that can do nothing else.
pub(super) const NEWLINE: &[u8] = b"\r\n";

/// What was painted, for a terminal that is not in raw mode and adds the carriage return itself, or for a file.
pub fn cooked(painted: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(painted.len());
    for (at, byte) in painted.iter().enumerate() {
        if *byte != b'\r' || painted.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// How things are painted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub columns: u16,
    pub colour: Depth,
    pub theme: Theme,
    /// Whether it shows UTF-8; otherwise everything is ASCII.
    pub unicode: bool,
    /// Whether it holds back painting between `CSI ?2026 h` and `l`.
    pub synchronized: bool,
    /// Whether it knows OSC 8.
    pub hyperlinks: bool,
    pub mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Terminal,
    /// `TERM=dumb`, or no terminal at all: plain text, nothing redrawn, no escapes.
    Dumb,
}

impl Options {
    /// What the environment says of a terminal; `variable` is empty for one that is not set.
    pub fn of_terminal(columns: u16, theme: Theme, variable: impl Fn(&str) -> String) -> Options {
        let term = variable("TERM");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(&variable).into_iter().find(|value| !value.is_empty());
        let is_plain = term.is_empty() || term == "dumb";
        let is_console = term == "linux";
        Options {
            columns: if columns == 0 { 80 } else { columns },
            colour: depth(&term, &variable("COLORTERM"), &variable("NO_COLOR")),
            theme,
            unicode: locale.is_some_and(|locale| locale.to_uppercase().replace('-', "").contains("UTF8")),
            synchronized: !is_console,
            hyperlinks: !is_console,
            mode: if is_plain { Mode::Dumb } else { Mode::Terminal },
        }
    }
}

/// How many colours the terminal says it has.
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
    fn the_environment_says_what_a_terminal_can() {
        let of = |pairs: &[(&str, &str)]| {
            let variable =
                |name: &str| pairs.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value).to_owned();
            let options = Options::of_terminal(0, Theme::default(), variable);
            (options.colour, options.unicode, options.mode)
        };
        assert_eq!(of(&[]), (Depth::Ansi16, false, Mode::Dumb));
        assert_eq!(of(&[("TERM", "dumb"), ("LANG", "en_US.UTF-8")]), (Depth::Ansi16, true, Mode::Dumb));
        assert_eq!(of(&[("TERM", "xterm-256color")]), (Depth::Indexed, false, Mode::Terminal));
        assert_eq!(of(&[("TERM", "xterm"), ("COLORTERM", "truecolor")]).0, Depth::True);
        assert_eq!(of(&[("TERM", "xterm"), ("COLORTERM", "truecolor"), ("NO_COLOR", "1")]).0, Depth::None);
        // The first that is set counts, as for every other program.
        assert!(!of(&[("TERM", "xterm"), ("LC_ALL", "C"), ("LANG", "de_DE.utf8")]).1);
    }
}
