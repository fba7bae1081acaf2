//! Light and dark backgrounds: what a terminal says about its own, and the themes for both.

use super::theme::Theme;

/// Whether the background of a terminal is light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    Light,
    Dark,
}

/// A theme for each background. All three are equal if the person chose one theme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Themes {
    pub light: Theme,
    pub dark: Theme,
    /// For a terminal that does not say what background it has.
    pub unknown: Theme,
}

impl Background {
    /// The background that `COLORFGBG` names: `15;0`, or `0;default;15`. The last number is a colour of the 16-colour palette.
    pub(crate) fn of_variable(value: &str) -> Option<Background> {
        let (_, last) = value.rsplit_once(';')?;
        Some(match last.parse::<u8>().ok()? {
            0..=6 | 8 => Background::Dark,
            7 | 9..=15 => Background::Light,
            16.. => return None,
        })
    }

    /// The background with this colour.
    pub(crate) fn of_colour(colour: [u8; 3]) -> Background {
        // Black text and white text are equally legible at this luminance.
        if luminance(colour) > 0.179 { Background::Light } else { Background::Dark }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Background::Light => "light",
            Background::Dark => "dark",
        }
    }
}

impl Themes {
    /// The same theme for every background.
    pub(crate) fn of_one(theme: Theme) -> Themes {
        Themes { light: theme, dark: theme, unknown: theme }
    }

    /// Whether the background makes a difference.
    pub(crate) fn follow_background(&self) -> bool {
        self.light != self.dark || self.dark != self.unknown
    }

    pub(crate) fn on(&self, background: Option<Background>) -> Theme {
        match background {
            Some(Background::Light) => self.light,
            Some(Background::Dark) => self.dark,
            None => self.unknown,
        }
    }
}

/// The relative luminance of a colour, from 0 (black) to 1 (white), as WCAG 2 defines it.
fn luminance(colour: [u8; 3]) -> f64 {
    let linear = |part: u8| match f64::from(part) / 255.0 {
        part if part <= 0.039_28 => part / 12.92,
        part => ((part + 0.055) / 1.055).powf(2.4),
    };
    let [r, g, b] = colour.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The contrast of two colours, from 1 to 21, as WCAG 2 defines it.
#[cfg(test)]
pub(super) fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_colorfgbg_is_the_background() {
        for (value, expected) in [
            ("15;0", Some(Background::Dark)),
            ("0;15", Some(Background::Light)),
            ("0;default;15", Some(Background::Light)),
            ("12;8", Some(Background::Dark)),
            ("0;7", Some(Background::Light)),
            ("15;default", None),
            ("15", None),
            ("0;255", None),
            ("", None),
        ] {
            assert_eq!(Background::of_variable(value), expected, "{value}");
        }
    }

    #[test]
    fn a_colour_is_light_or_dark_by_its_luminance() {
        let white = [255; 3];
        assert_eq!(
            (Background::of_colour([0; 3]), Background::of_colour(white)),
            (Background::Dark, Background::Light)
        );
        assert_eq!(Background::of_colour([0x00, 0x2B, 0x36]), Background::Dark);
        assert_eq!(Background::of_colour([0xFD, 0xF6, 0xE3]), Background::Light);
        assert!((contrast([0; 3], white) - 21.0).abs() < 0.01 && contrast(white, white) < 1.01);
        // The two kinds of text are equally legible at the border.
        let border = (0..=255).find(|grey| Background::of_colour([*grey; 3]) == Background::Light).unwrap();
        assert!((contrast([border; 3], white) - contrast([border; 3], [0; 3])).abs() < 0.15);
    }
}
