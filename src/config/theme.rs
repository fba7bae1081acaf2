//! The configured theme.

use std::path::{Path, PathBuf};

use super::{Config, Paths, Problem, load};
use crate::render::{BUILT_IN_THEMES, Theme};

impl Config {
    /// Loads the configured theme. Returns `None` for the unmodified default theme.
    pub(crate) fn theme_of_choice(&self, paths: &Paths) -> Option<(Theme, Option<Problem>)> {
        let is_own = || theme_file(&self.theme, paths).is_some_and(|file| file.exists());
        (self.theme != Config::default().theme || is_own()).then(|| self.theme(paths))
    }

    /// Loads the theme. If it cannot be used, returns the default theme and the problem.
    pub(crate) fn theme(&self, paths: &Paths) -> (Theme, Option<Problem>) {
        match theme_text(&self.theme, paths).and_then(|(text, file)| parsed(&text, file.as_deref())) {
            Ok(theme) => (theme, None),
            Err(problem) => {
                let message = format!("{}; the default theme is used", problem.message);
                (Theme::default(), Some(Problem { message, ..problem }))
            }
        }
    }
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
    let message = format!("there is no theme `{name}` (there are {})", theme_names(paths).join(", "));
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

    fn wished(name: &str, paths: &Paths) -> (Theme, Option<String>) {
        let (theme, problem) = Config { theme: name.to_owned(), ..Config::default() }.theme(paths);
        (theme, problem.map(|problem| problem.to_string()))
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
        assert_eq!(theme_names(&paths), ["terminal", "dark", "light", "mono", "own"]);
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
        assert_eq!(
            none,
            "theme: there is no theme `drak` (there are terminal, dark, light, mono, bad); the default theme is used"
        );
        assert!(wished("../../x", &paths).1.unwrap().contains("there is no theme"));
    }
}
