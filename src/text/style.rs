//! Text styles: how they are written in themes, and the SGR sequences that select them.

use std::fmt;
use std::str::FromStr;

use crossterm::style::{Attribute, SetAttribute};

use super::{ansi, nearest};

/// One of the eight colours every terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ansi {
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
}

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// A colour of the terminal's palette.
    Ansi(Ansi),
    /// The bright form of a colour of the terminal's palette.
    Bright(Ansi),
    Rgb(u8, u8, u8),
}

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// No colours, as `NO_COLOR` asks. Bold, dim and other attributes remain.
    None,
    /// The 16 colours of the terminal's palette.
    Ansi16,
    /// The fixed palette of 256 colours too.
    Indexed,
    True,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub ink: Option<Ink>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub strike: bool,
    pub reverse: bool,
}

const ATTRIBUTES: [&str; 6] = ["bold", "dim", "italic", "underline", "reverse", "strike"];
const COLOURS: [(&str, Ansi); 8] = [
    ("black", Ansi::Black),
    ("red", Ansi::Red),
    ("green", Ansi::Green),
    ("yellow", Ansi::Yellow),
    ("blue", Ansi::Blue),
    ("magenta", Ansi::Magenta),
    ("cyan", Ansi::Cyan),
    ("white", Ansi::White),
];

impl Style {
    pub(crate) const PLAIN: Style =
        Style { ink: None, bold: false, dim: false, italic: false, underline: false, strike: false, reverse: false };
    pub(crate) const BOLD: Style = Style { bold: true, ..Style::PLAIN };
    pub(crate) const DIM: Style = Style { dim: true, ..Style::PLAIN };

    pub(crate) const fn colour(colour: Ansi) -> Style {
        Style { ink: Some(Ink::Ansi(colour)), ..Style::PLAIN }
    }

    /// Combines two styles. If both have a colour, that of `other` is used.
    pub(crate) fn and(self, other: Style) -> Style {
        Style {
            ink: other.ink.or(self.ink),
            bold: self.bold || other.bold,
            dim: self.dim || other.dim,
            italic: self.italic || other.italic,
            underline: self.underline || other.underline,
            strike: self.strike || other.strike,
            reverse: self.reverse || other.reverse,
        }
    }

    /// Returns `text` in this style, followed by a reset of all attributes.
    pub(crate) fn paint(self, text: &str, depth: Depth) -> String {
        let on = self.sgr(depth);
        if on.is_empty() || text.is_empty() {
            return text.to_owned();
        }
        format!("{on}{text}{}", SetAttribute(Attribute::Reset))
    }

    /// The sequence that selects this style after a reset. Empty for the plain style.
    fn sgr(self, depth: Depth) -> String {
        let attributes = [
            (self.bold, Attribute::Bold),
            (self.dim, Attribute::Dim),
            (self.italic, Attribute::Italic),
            (self.underline, Attribute::Underlined),
            (self.reverse, Attribute::Reverse),
            (self.strike, Attribute::CrossedOut),
        ];
        let attributes = attributes.into_iter().filter(|(on, _)| *on).map(|(_, attribute)| attribute.sgr());
        let ink = self.ink.and_then(|ink| ink.code(depth));
        let codes: Vec<String> = attributes.chain(ink).collect();
        if codes.is_empty() { String::new() } else { ansi::sgr(&codes) }
    }
}

impl Ink {
    fn code(self, depth: Depth) -> Option<String> {
        Some(match (self, depth) {
            (_, Depth::None) => return None,
            (Ink::Ansi(colour), _) => (30 + colour as u8).to_string(),
            (Ink::Bright(colour), _) => (90 + colour as u8).to_string(),
            (Ink::Rgb(r, g, b), Depth::True) => format!("38;2;{r};{g};{b}"),
            (Ink::Rgb(r, g, b), Depth::Indexed) => format!("38;5;{}", indexed(r, g, b)),
            (Ink::Rgb(r, g, b), Depth::Ansi16) => (30 + nearest_of_six(r, g, b) as u8).to_string(),
        })
    }
}

/// The nearest colour of the 6 × 6 × 6 cube, or the nearest of the 24 greys.
fn indexed(r: u8, g: u8, b: u8) -> u8 {
    let spread = r.max(g).max(b) - r.min(g).min(b);
    if spread < 12 {
        return match r {
            0..8 => 16,
            8..=238 => 232 + ((u16::from(r) - 8) / 10).min(23) as u8,
            239.. => 231,
        };
    }
    // The steps of the cube are 0, 95, 135, 175, 215 and 255.
    let step = |value: u8| match value {
        0..48 => 0,
        48..115 => 1,
        115.. => (value - 35) / 40,
    };
    16 + 36 * step(r) + 6 * step(g) + step(b)
}

/// The nearest hue that is legible on light and on dark backgrounds.
fn nearest_of_six(r: u8, g: u8, b: u8) -> Ansi {
    let middle = (u16::from(r.max(g).max(b)) + u16::from(r.min(g).min(b))) / 2;
    let high = |value: u8| u16::from(value) > middle;
    match (high(r), high(g), high(b)) {
        (true, false, false) => Ansi::Red,
        (false, true, false) => Ansi::Green,
        (true, true, false) => Ansi::Yellow,
        (true, false, true) => Ansi::Magenta,
        (false, true, true) => Ansi::Cyan,
        (false, false, _) | (true, true, true) => Ansi::Blue,
    }
}

/// A word that names neither a colour nor an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadStyle(String);

impl fmt::Display for BadStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is neither a colour (cyan, bright-cyan, #8bd5ca) nor one of {}",
            self.0,
            ATTRIBUTES.join(", ")
        )?;
        let known = ATTRIBUTES.into_iter().chain(COLOURS.iter().map(|(name, _)| *name));
        nearest(&self.0, known).map_or(Ok(()), |name| write!(f, "; did you mean {name}?"))
    }
}

impl FromStr for Style {
    type Err = BadStyle;

    /// Reads words such as `bold underline #8bd5ca`. `plain` has no effect.
    fn from_str(words: &str) -> Result<Style, BadStyle> {
        let mut style = Style::default();
        for word in words.split_whitespace() {
            match word {
                "plain" => {}
                "bold" => style.bold = true,
                "dim" => style.dim = true,
                "italic" => style.italic = true,
                "underline" => style.underline = true,
                "reverse" => style.reverse = true,
                "strike" => style.strike = true,
                other => style.ink = Some(ink(other).ok_or_else(|| BadStyle(other.to_owned()))?),
            }
        }
        Ok(style)
    }
}

fn ink(word: &str) -> Option<Ink> {
    if let Some(digits) = word.strip_prefix('#') {
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6)?;
        let [_, r, g, b] = number.to_be_bytes();
        return Some(Ink::Rgb(r, g, b));
    }
    let named = |name: &str| COLOURS.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour);
    match word.strip_prefix("bright-") {
        Some(name) => named(name).map(Ink::Bright),
        None => named(word).map(Ink::Ansi),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sgr(words: &str, depth: Depth) -> String {
        words.parse::<Style>().unwrap().sgr(depth)
    }

    #[test]
    fn painted_text_ends_with_a_reset() {
        assert_eq!(Style::BOLD.paint("a", Depth::None), "\x1b[1ma\x1b[0m");
        assert_eq!(Style::BOLD.paint("", Depth::None), "");
        assert_eq!(Style::colour(Ansi::Red).paint("a", Depth::None), "a");
    }

    #[test]
    fn the_sequence_contains_only_the_attributes_that_are_set() {
        assert_eq!(sgr("plain", Depth::True), "");
        assert_eq!(sgr("bold cyan", Depth::Ansi16), "\x1b[1;36m");
        assert_eq!(sgr("bold cyan", Depth::None), "\x1b[1m");
        assert_eq!(sgr("bright-red", Depth::Ansi16), "\x1b[91m");
        assert_eq!(sgr("bold dim italic underline reverse strike", Depth::True), "\x1b[1;2;3;4;7;9m");
    }

    #[test]
    fn a_colour_is_reduced_to_the_depth_of_the_terminal() {
        assert_eq!(sgr("#ff8700", Depth::True), "\x1b[38;2;255;135;0m");
        assert_eq!(sgr("#ff8700", Depth::Indexed), "\x1b[38;5;208m");
        assert_eq!(sgr("#808080", Depth::Indexed), "\x1b[38;5;244m");
        assert_eq!(sgr("#ff8700", Depth::Ansi16), "\x1b[33m");
        assert_eq!(sgr("#8aadf4", Depth::Ansi16), "\x1b[34m");
        for grey in 0..=255 {
            assert!((16..=255).contains(&indexed(grey, grey, grey)) && indexed(grey, 0, 255) <= 231);
        }
    }

    #[test]
    fn an_unknown_word_is_named_in_the_error() {
        let said = "bold cyann".parse::<Style>().unwrap_err().to_string();
        assert!(said.starts_with("`cyann` is neither a colour") && said.ends_with("did you mean cyan?"), "{said}");
        for bad in ["#12345", "#gggggg", "bright-bold", "#é23"] {
            assert!(bad.parse::<Style>().is_err(), "{bad}");
        }
    }
}
