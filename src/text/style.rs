//! A style, and the SGR bytes that select it.

/// The terminal's own colours that are legible on light and dark alike: black and white are not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ansi {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: Option<Ansi>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub strike: bool,
    pub reverse: bool,
}

impl Style {
    pub const PLAIN: Style =
        Style { colour: None, bold: false, dim: false, italic: false, underline: false, strike: false, reverse: false };
    pub const BOLD: Style = Style { bold: true, ..Style::PLAIN };
    pub const DIM: Style = Style { dim: true, ..Style::PLAIN };

    pub const fn colour(colour: Ansi) -> Style {
        Style { colour: Some(colour), ..Style::PLAIN }
    }

    /// Adds what `other` has; its colour wins.
    pub fn and(self, other: Style) -> Style {
        Style {
            colour: other.colour.or(self.colour),
            bold: self.bold || other.bold,
            dim: self.dim || other.dim,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            strike: self.strike || other.strike,
            reverse: self.reverse || other.reverse,
        }
    }

    /// The sequence that turns it on from a plain state, or nothing for plain; [`RESET`] ends it.
    pub fn sgr(self) -> String {
        let attributes =
            [(self.bold, 1), (self.dim, 2), (self.italic, 3), (self.underline, 4), (self.reverse, 7), (self.strike, 9)];
        let attributes = attributes.into_iter().filter(|(on, _)| *on).map(|(_, code)| code);
        let codes: Vec<String> = attributes.chain(self.colour.map(code)).map(|code: u8| code.to_string()).collect();
        if codes.is_empty() { String::new() } else { format!("\x1b[{}m", codes.join(";")) }
    }
}

/// Back to plain.
pub const RESET: &str = "\x1b[0m";

fn code(colour: Ansi) -> u8 {
    match colour {
        Ansi::Red => 31,
        Ansi::Green => 32,
        Ansi::Yellow => 33,
        Ansi::Blue => 34,
        Ansi::Magenta => 35,
        Ansi::Cyan => 36,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_set_is_said() {
        assert_eq!(Style::PLAIN.sgr(), "");
        assert_eq!(Style::BOLD.and(Style::colour(Ansi::Cyan)).sgr(), "\x1b[1;36m");
    }
}
