//! Themes define how roles look. They are read from `themes/*.toml` (built in) or from files of the user.

use std::sync::LazyLock;

use toml::de::{DeTable, DeValue};

use crate::text;
use crate::text::bars::ChartPaint;
use crate::text::style::{Depth, Ink, Style};

use super::look::{Look, ROLES, TextRole};

/// The built-in themes. The first is the default.
pub(crate) const BUILT_IN: [(&str, &str); 16] = [
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("catppuccin-latte", include_str!("../../themes/catppuccin-latte.toml")),
    ("catppuccin-mocha", include_str!("../../themes/catppuccin-mocha.toml")),
    ("gruvbox-light", include_str!("../../themes/gruvbox-light.toml")),
    ("gruvbox-dark", include_str!("../../themes/gruvbox-dark.toml")),
    ("solarized-light", include_str!("../../themes/solarized-light.toml")),
    ("solarized-dark", include_str!("../../themes/solarized-dark.toml")),
    ("tokyo-night", include_str!("../../themes/tokyo-night.toml")),
    ("tokyo-night-day", include_str!("../../themes/tokyo-night-day.toml")),
    ("rose-pine", include_str!("../../themes/rose-pine.toml")),
    ("rose-pine-dawn", include_str!("../../themes/rose-pine-dawn.toml")),
    ("high-contrast-light", include_str!("../../themes/high-contrast-light.toml")),
    ("high-contrast-dark", include_str!("../../themes/high-contrast-dark.toml")),
];

static DEFAULT: LazyLock<Theme> = LazyLock::new(|| {
    read(BUILT_IN[0].1, Theme { styles: Default::default() }).unwrap_or(Theme { styles: Default::default() })
});

/// The style of each role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    styles: [Style; ROLES.len()],
}

/// Why a theme could not be read, and in which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct BadTheme {
    /// Counted from 1.
    pub line: Option<usize>,
    pub message: String,
}

impl Default for Theme {
    fn default() -> Theme {
        *DEFAULT
    }
}

impl Theme {
    /// Reads a theme. Roles that it does not name look as in the default theme.
    pub(crate) fn parse(text: &str) -> Result<Theme, BadTheme> {
        read(text, Theme::default())
    }

    /// The styles of a chart. Without a depth it has no styles at all.
    pub(crate) fn chart_paint(&self, depth: Option<Depth>) -> ChartPaint {
        let of = |role: TextRole| self.styles[role as usize];
        ChartPaint { depth, heading: of(TextRole::Heading), bar: of(TextRole::Code), bad: of(TextRole::Bad) }
    }

    /// The style of a look.
    pub(super) fn style(&self, look: Look) -> Style {
        let of = |role: Option<TextRole>| role.map(|role| self.styles[role as usize]).unwrap_or_default();
        let own = Style {
            bold: look.bold,
            italic: look.italic,
            strike: look.strike,
            reverse: look.reverse,
            ..Style::default()
        };
        of(look.within).and(of(look.role)).and(own)
    }
}

/// The description of a theme (its key `about`).
pub(crate) fn about(text: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    table.get_ref().get("about")?.get_ref().as_str().map(str::to_owned)
}

/// The background that a theme is made for (its key `background`).
pub(crate) fn background(text: &str) -> Option<[u8; 3]> {
    let table = DeTable::parse(text).ok()?;
    colour(table.get_ref().get("background")?.get_ref().as_str()?)
}

/// The parts of a colour such as `#1e1e2e`.
fn colour(words: &str) -> Option<[u8; 3]> {
    match words.parse::<Style>().ok()?.ink? {
        Ink::Rgb(r, g, b) => Some([r, g, b]),
        Ink::Ansi(_) | Ink::Bright(_) => None,
    }
}

fn read(text: &str, mut theme: Theme) -> Result<Theme, BadTheme> {
    let line = |at: usize| Some(text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1);
    let table = DeTable::parse(text).map_err(|error| BadTheme {
        line: error.span().and_then(|span| line(span.start)),
        message: format!("not valid TOML: {}", error.message().replace('\n', ", ")),
    })?;
    for (key, value) in table.get_ref() {
        let bad = |message: String| BadTheme { line: line(key.span().start), message };
        let name: &str = key.get_ref();
        if name == "about" {
            continue;
        }
        if name == "background" {
            match value.get_ref().as_str().and_then(colour) {
                Some(_) => continue,
                None => return Err(bad("background: expected a colour such as \"#1e1e2e\"".to_owned())),
            }
        }
        let Some((_, role)) = ROLES.iter().find(|(known, _)| *known == name) else {
            let near = text::nearest(name, ROLES.iter().map(|(known, _)| *known));
            let near = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            return Err(bad(format!("there is no role `{name}`{near}")));
        };
        let DeValue::String(words) = value.get_ref() else {
            return Err(bad(format!("{name}: expected words such as \"bold cyan\"")));
        };
        theme.styles[*role as usize] = words.parse().map_err(|error| bad(format!("{name}: {error}")))?;
    }
    Ok(theme)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::background::{Background, contrast};
    use crate::text::style::Ansi;

    #[test]
    fn every_built_in_theme_is_valid_and_names_all_roles() {
        for (name, text) in BUILT_IN {
            Theme::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(about(text).is_some(), "{name}");
            for (role, _) in ROLES {
                assert!(text.contains(&format!("\n{role} = ")), "{name} has no {role}");
            }
        }
        assert_eq!(Theme::parse("").unwrap(), Theme::parse(BUILT_IN[0].1).unwrap());
    }

    /// The least contrast with the background: of the roles that are read, and of those that may recede.
    fn least_contrast(theme: &str, role: TextRole) -> f64 {
        match role {
            _ if theme.starts_with("high-contrast") => 7.0,
            TextRole::Muted | TextRole::Comment => 3.0,
            _ => 4.5,
        }
    }

    #[test]
    fn every_colour_of_a_built_in_theme_is_legible_on_its_background() {
        let mut measured = 0;
        for (name, text) in BUILT_IN {
            let styles = Theme::parse(text).unwrap().styles;
            let Some(background) = background(text) else {
                // Without a background the theme has no colours of its own.
                assert!(styles.iter().all(|style| !matches!(style.ink, Some(Ink::Rgb(..)))), "{name}");
                continue;
            };
            for (role, (slot, kind)) in styles.iter().zip(ROLES) {
                let Some(Ink::Rgb(r, g, b)) = role.ink else { panic!("{name}: {slot} has no colour") };
                let (found, least) = (contrast([r, g, b], background), least_contrast(name, kind));
                assert!(found >= least, "{name}: {slot} has a contrast of {found:.2}, expected {least}");
                assert!(!role.dim, "{name}: {slot} is dimmed, so its contrast is unknown");
                measured += 1;
            }
        }
        assert_eq!(measured, (BUILT_IN.len() - 2) * ROLES.len());
    }

    #[test]
    fn the_name_of_a_theme_fits_its_background() {
        for (name, text) in BUILT_IN {
            let made_for = background(text).map(Background::of_colour);
            let light = ["light", "latte", "day", "dawn"].iter().any(|word| name.ends_with(word));
            let expected = match name {
                "terminal" | "mono" => None,
                _ if light => Some(Background::Light),
                _ => Some(Background::Dark),
            };
            assert_eq!(made_for, expected, "{name}");
        }
    }

    #[test]
    fn roles_are_in_the_order_of_the_table() {
        for (at, (_, role)) in ROLES.into_iter().enumerate() {
            assert_eq!(role as usize, at);
        }
    }

    #[test]
    fn the_default_theme_uses_the_colours_of_the_terminal() {
        // Black and white are legible either on light or on dark backgrounds, but not on both.
        let is_own = |style: &Style| match style.ink {
            None => true,
            Some(Ink::Ansi(colour)) => colour != Ansi::Black && colour != Ansi::White,
            Some(Ink::Bright(_) | Ink::Rgb(..)) => false,
        };
        assert!(Theme::default().styles.iter().all(is_own));
        let mono = Theme::parse(BUILT_IN[3].1).unwrap();
        assert!(mono.styles.iter().all(|style| style.ink.is_none()));
    }

    #[test]
    fn an_invalid_theme_is_reported_with_its_line() {
        for (text, line, message) in [
            ("code = \"cyan\"\nheadin = \"bold\"\n", 2, "there is no role `headin`, did you mean `heading`?"),
            ("\n\ncode = \"cyann\"", 3, "code: `cyann` is neither a colour"),
            ("background = \"red\"", 1, "background: expected a colour such as"),
            ("code = 3", 1, "code: expected words such as"),
            ("code = \"cyan", 1, "not valid TOML: "),
        ] {
            let error = Theme::parse(text).unwrap_err();
            assert_eq!(error.line, Some(line), "{error}");
            assert!(error.message.starts_with(message), "{error}");
        }
    }

    #[test]
    fn a_nested_look_keeps_the_attributes_around_it() {
        let theme = Theme::default();
        let style = theme.style(Look::HEADING.and(Look::CODE));
        assert!(style.bold && style.ink == Some(Ink::Ansi(Ansi::Cyan)));
        assert!(theme.style(Look::MUTED.and(Look::GOOD)).dim);
    }
}
