//! Themes define how roles look. They are read from `themes/*.toml` (built in) or from files of the user.

use std::sync::LazyLock;

use toml::de::{DeTable, DeValue};

use crate::text;
use crate::text::style::Style;

use super::look::{Look, ROLES, TextRole};

/// The built-in themes. The first is the default.
pub(crate) const BUILT_IN: [(&str, &str); 4] = [
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
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
    use crate::text::style::{Ansi, Ink};

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
