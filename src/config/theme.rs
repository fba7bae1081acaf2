//! The configured theme.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{Config, Paths, Problem, load};
use crate::render::{BUILT_IN_THEMES, Background, Theme, Themes};
use crate::text;

/// The setting `theme` that follows the background of the terminal with the themes `light` and `dark`.
const AUTO: &str = "auto";

/// One theme, or one for each background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ThemeChoice {
    /// The name of a theme, or `auto`.
    One(String),
    ByBackground {
        light: String,
        dark: String,
    },
}

impl ThemeChoice {
    /// The name of the theme for a background.
    pub(crate) fn name(&self, background: Option<Background>) -> &str {
        match (self, background) {
            (ThemeChoice::One(name), Some(background)) if name == AUTO => background.name(),
            (ThemeChoice::One(name), None) if name == AUTO => "terminal",
            (ThemeChoice::One(name), _) => name,
            (ThemeChoice::ByBackground { light, .. }, Some(Background::Light)) => light,
            // Most terminals are dark.
            (ThemeChoice::ByBackground { dark, .. }, Some(Background::Dark) | None) => dark,
        }
    }
}

impl Default for ThemeChoice {
    fn default() -> Self {
        ThemeChoice::One("terminal".to_owned())
    }
}

impl fmt::Display for ThemeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ThemeChoice::One(name) => f.write_str(name),
            ThemeChoice::ByBackground { light, dark } => write!(f, "{light} (light), {dark} (dark)"),
        }
    }
}

impl<'de> Deserialize<'de> for ThemeChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ThemeVisitor)
    }
}

struct ThemeVisitor;

impl<'de> Visitor<'de> for ThemeVisitor {
    type Value = ThemeChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a theme, or { light = \"NAME\", dark = \"NAME\" }")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ThemeChoice, E> {
        Ok(ThemeChoice::One(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ThemeChoice, A::Error> {
        let (mut light, mut dark) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "light" => light = Some(map.next_value()?),
                "dark" => dark = Some(map.next_value()?),
                _ => return Err(de::Error::unknown_field(&key, &["light", "dark"])),
            }
        }
        match (light, dark) {
            (Some(light), Some(dark)) => Ok(ThemeChoice::ByBackground { light, dark }),
            (None, _) => Err(de::Error::missing_field("light")),
            (_, None) => Err(de::Error::missing_field("dark")),
        }
    }
}

impl Config {
    /// The file of the theme, if it were one of the user's own. Of a pair, that of the dark theme.
    pub(crate) fn theme_file(&self, paths: &Paths) -> Option<PathBuf> {
        theme_file(self.theme.name(None), paths)
    }

    /// Loads the configured themes. Returns `None` for the unmodified default theme.
    pub(crate) fn themes_of_choice(&self, paths: &Paths) -> Option<(Themes, Option<Problem>)> {
        let name = self.theme.name(None);
        let is_own = || theme_file(name, paths).is_some_and(|file| file.exists());
        (self.theme != ThemeChoice::default() || is_own()).then(|| self.themes(paths))
    }

    /// Loads the theme for each background. For one that cannot be used, returns the default theme and the problem.
    pub(crate) fn themes(&self, paths: &Paths) -> (Themes, Option<Problem>) {
        let (themes, problem) = self.load_themes(paths);
        let noted = |problem: Problem| {
            let message = format!("{}; the default theme is used", problem.message);
            Problem { message, ..problem }
        };
        (themes, problem.map(noted))
    }

    /// The problem of the first theme that cannot be used.
    pub(super) fn theme_problem(&self, paths: &Paths) -> Option<Problem> {
        self.load_themes(paths).1
    }

    fn load_themes(&self, paths: &Paths) -> (Themes, Option<Problem>) {
        let mut first = None;
        let mut load = |background| {
            let loaded = load_theme(self.theme.name(background), paths);
            loaded.unwrap_or_else(|problem| {
                first.get_or_insert(problem);
                Theme::default()
            })
        };
        let unknown = load(None);
        let themes = match &self.theme {
            ThemeChoice::One(name) if name != AUTO => Themes::of_one(unknown),
            ThemeChoice::One(_) | ThemeChoice::ByBackground { .. } => {
                Themes { light: load(Some(Background::Light)), dark: load(Some(Background::Dark)), unknown }
            }
        };
        (themes, first)
    }
}

/// Loads one theme.
fn load_theme(name: &str, paths: &Paths) -> Result<Theme, Problem> {
    let (text, file) = theme_text(name, paths)?;
    parsed(&text, file.as_deref())
}

/// The path of the user's own theme with this name.
fn theme_file(name: &str, paths: &Paths) -> Option<PathBuf> {
    paths.themes_dir().filter(|_| is_name(name)).map(|dir| dir.join(format!("{name}.toml")))
}

/// The text of a theme, and its file if it is one of the user's own. The user's themes take precedence.
pub(crate) fn theme_text(name: &str, paths: &Paths) -> Result<(String, Option<PathBuf>), Problem> {
    if let Some(file) = theme_file(name, paths) {
        match load::read(&file) {
            Ok(Some(text)) => return Ok((text, Some(file))),
            Ok(None) => {}
            Err(error) => return Err(Problem::new(&format!("cannot be read: {error}")).file(&file)),
        }
    }
    if let Some((_, text)) = BUILT_IN_THEMES.iter().find(|(known, _)| *known == name) {
        return Ok(((*text).to_owned(), None));
    }
    let names = theme_names(paths);
    let near = text::nearest(name, names.iter().map(String::as_str));
    let family: Vec<String> =
        names.iter().filter(|known| known.starts_with(&format!("{name}-"))).map(|known| format!("`{known}`")).collect();
    let message = match near {
        _ if !family.is_empty() => format!("there is no theme `{name}`, but {}", family.join(" and ")),
        Some(near) => format!("there is no theme `{name}`, did you mean `{near}`?"),
        None => format!("there is no theme `{name}`; `shellmate theme list` lists them"),
    };
    Err(Problem::new(&message).key("theme"))
}

/// Parses the text of a theme.
pub(crate) fn parsed(text: &str, file: Option<&Path>) -> Result<Theme, Problem> {
    Theme::parse(text).map_err(|error| {
        let problem = Problem::new(&error.message).line(error.line);
        file.map_or(problem.clone(), |file| problem.file(file))
    })
}

/// The names of all themes: the built-in ones, then the user's own.
pub(crate) fn theme_names(paths: &Paths) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN_THEMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let entries = paths.themes_dir().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten();
    let own = entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()));
    let mut own: Vec<String> = own.filter(|name| is_name(name) && !names.contains(name)).collect();
    own.sort();
    names.append(&mut own);
    names
}

/// Whether this is a valid name of a theme, and not a path.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']) && !name.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn paths(home: &Path) -> Paths {
        Paths::from_env(|name| (name == "HOME").then(|| home.into()), 1, None)
    }

    fn config(theme: &str) -> Config {
        let loaded = Config::parse(&format!("theme = {theme}"));
        assert_eq!(loaded.problems, []);
        loaded.config
    }

    fn wished(name: &str, paths: &Paths) -> (Theme, Option<String>) {
        let (themes, problem) = config(&format!("{name:?}")).themes(paths);
        assert!(!themes.follow_background());
        (themes.unknown, problem.map(|problem| problem.to_string()))
    }

    #[test]
    fn a_pair_of_themes_follows_the_background() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(home.path());
        let built_in = |name: &str| load_theme(name, &paths).unwrap();
        let (themes, problem) = config("{ light = 'rose-pine-dawn', dark = 'rose-pine' }").themes(&paths);
        assert_eq!((problem, themes.follow_background()), (None, true));
        assert_eq!(themes.on(Some(Background::Light)), built_in("rose-pine-dawn"));
        assert_eq!(themes.on(Some(Background::Dark)), built_in("rose-pine"));
        assert_eq!(themes.on(None), built_in("rose-pine"));
        let (auto, problem) = config("'auto'").themes(&paths);
        assert_eq!((problem, auto.on(None)), (None, Theme::default()));
        assert_eq!((auto.light, auto.dark), (built_in("light"), built_in("dark")));
        let (half, problem) = config("{ light = 'lite', dark = 'rose-pine' }").themes(&paths);
        assert_eq!((half.light, half.dark), (Theme::default(), built_in("rose-pine")));
        assert!(problem.unwrap().to_string().starts_with("theme: there is no theme `lite`"));
    }

    #[test]
    fn an_incomplete_pair_is_reported() {
        for (text, expected) in [
            ("theme = { light = 'light' }", "theme: the key `dark` is missing"),
            ("theme = { day = 'light' }", "theme: unknown key `day`"),
            ("theme = 3", "theme: expected the name of a theme, or"),
        ] {
            let loaded = Config::parse(text);
            assert_eq!(loaded.config.theme, ThemeChoice::default(), "{text}");
            assert!(loaded.problems[0].to_string().starts_with(expected), "{}", loaded.problems[0]);
        }
    }

    #[test]
    fn the_users_own_themes_take_precedence() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(home.path());
        assert_eq!(wished("terminal", &paths), (Theme::default(), None));
        let dir = home.path().join(".config/shellmate/themes");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("dark.toml"), "code = \"red\"\n").unwrap();
        fs::write(dir.join("own.toml"), "code = \"blue\"\n").unwrap();
        assert_eq!(wished("dark", &paths).0, Theme::parse("code = \"red\"").unwrap());
        let names = theme_names(&paths);
        assert_eq!((names[0].as_str(), names.last().unwrap().as_str()), ("terminal", "own"));
        assert_eq!(names.len(), BUILT_IN_THEMES.len() + 1);
    }

    #[test]
    fn an_invalid_theme_gives_the_default_and_a_problem_with_its_line() {
        let home = tempfile::tempdir().unwrap();
        let paths = paths(home.path());
        let dir = home.path().join(".config/shellmate/themes");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("bad.toml"), "code = \"red\"\nlink = \"blu\"\n").unwrap();
        let (theme, problem) = wished("bad", &paths);
        let problem = problem.unwrap();
        assert_eq!(theme, Theme::default());
        assert!(problem.contains("bad.toml:2: link: `blu` is neither"), "{problem}");
        assert!(problem.ends_with("did you mean blue?; the default theme is used"), "{problem}");
        let none = wished("drak", &paths).1.unwrap();
        assert_eq!(none, "theme: there is no theme `drak`, did you mean `dark`?; the default theme is used");
        let family = wished("gruvbox", &paths).1.unwrap();
        assert!(
            family.starts_with("theme: there is no theme `gruvbox`, but `gruvbox-light` and `gruvbox-dark`"),
            "{family}"
        );
        assert!(wished("../../x", &paths).1.unwrap().contains("there is no theme"));
    }
}
