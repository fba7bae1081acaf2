//! The files of the configuration, one above the other: the machine's, then the person's.
//!
//! A key of a later file replaces that of an earlier one, key by key. `[[rules]]` and `[[scope]]` of all files count together, so a
//! rule of the machine stays in force. A project's file is not read here: it holds for a directory, not for a session
//! (`agent::Project`).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::{Table, Value};

use super::load::{self, Stamp};
use super::parse::ParsedFile;
use super::{Config, Loaded, Origins, Paths, Problem};

/// The lists whose entries are added up.
const ADDITIVE: [&str; 2] = ["rules", "scope"];

/// Whose file it is. A later one has precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    System,
    User,
    /// The file of a project, which counts only in its directory.
    Project,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layer::System => "system",
            Layer::User => "user",
            Layer::Project => "project",
        })
    }
}

/// Reads the files, again and again while a session runs. A file that was saved broken keeps its last good values.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfigReader {
    files: Vec<ConfigSource>,
    /// A file that a setting names, such as a theme.
    named: Option<(PathBuf, Stamp)>,
}

/// One file, and what was read of it.
#[derive(Debug, Clone)]
struct ConfigSource {
    layer: Layer,
    path: PathBuf,
    stamp: Stamp,
    good: Option<Arc<ParsedFile>>,
}

impl ConfigReader {
    /// Reads nothing yet.
    pub(crate) fn new(files: impl IntoIterator<Item = (Layer, PathBuf)>) -> ConfigReader {
        let source = |(layer, path)| ConfigSource { layer, path, stamp: Stamp::default(), good: None };
        ConfigReader { files: files.into_iter().map(source).collect(), named: None }
    }

    /// Notices changes of a file that a setting names, too.
    pub(crate) fn depend_on(&mut self, file: Option<PathBuf>) {
        self.named = file.map(|file| (file.clone(), Stamp::of(&file)));
    }

    /// All files, whether they exist or not.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let named = self.named.iter().map(|(path, _)| path.as_path());
        self.files.iter().map(|source| source.path.as_path()).chain(named)
    }

    /// The person's own file, whether or not it exists.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.files.iter().find(|source| source.layer == Layer::User).map(|source| source.path.as_path())
    }

    /// Whether a file was saved, made or deleted since it was read.
    pub(crate) fn has_changed(&self) -> bool {
        let named = self.named.iter().any(|(path, stamp)| Stamp::of(path) != *stamp);
        named || self.files.iter().any(|source| Stamp::of(&source.path) != source.stamp)
    }

    /// Whether a file is gone that was there when it was read.
    pub(crate) fn has_lost_a_file(&self) -> bool {
        let is_gone = |source: &ConfigSource| source.stamp != Stamp::default() && !source.path.exists();
        self.files.iter().any(is_gone)
    }

    /// Reads all files. Never fails: what cannot be used is reported.
    pub(crate) fn read(&mut self) -> Loaded {
        let mut problems = Vec::new();
        for source in &mut self.files {
            problems.extend(source.read());
        }
        let parsed =
            self.files.iter().filter_map(|source| Some((source.layer, &*source.path, source.good.as_deref()?)));
        let (config, origins, more) = merged(parsed);
        problems.extend(more);
        Loaded { config, problems, origins }
    }
}

impl ConfigSource {
    /// Reads the file. Returns its problems.
    fn read(&mut self) -> Vec<Problem> {
        // Taken before reading, so that a file that is saved meanwhile is read again.
        self.stamp = Stamp::of(&self.path);
        let unreadable = |error| Problem::new(&format!("cannot be read: {error}"));
        let text = match load::read(&self.path).and_then(|text| self.vetted(text)) {
            Ok(text) => text,
            Err(error) => return vec![self.broken(unreadable(error))],
        };
        let Some(text) = text else {
            self.good = None;
            return Vec::new();
        };
        let parsed = ParsedFile::parse(&text);
        // A file that is saved half-written would reset the settings of its other half.
        if parsed.is_broken && self.good.as_deref().is_some_and(|good| !good.is_broken) {
            let broken = parsed.problems.into_iter().filter(Problem::is_about_syntax);
            return broken.map(|problem| self.broken(problem)).collect();
        }
        let problems = parsed.problems.iter().map(|problem| problem.clone().file(&self.path)).collect();
        self.good = Some(Arc::new(parsed));
        problems
    }

    /// Everyone who can write the machine's file chooses the shells of all users.
    fn vetted(&self, text: Option<String>) -> std::io::Result<Option<String>> {
        let is_open = || std::fs::metadata(&self.path).is_ok_and(|found| load::is_open_to_all(&found));
        match self.layer {
            Layer::System if text.is_some() && is_open() => {
                Err(std::io::Error::other("everyone can write it (`chmod o-w` it once you know what is in it)"))
            }
            Layer::System | Layer::User | Layer::Project => Ok(text),
        }
    }

    /// The problem of a file that is not used as it is now.
    fn broken(&self, problem: Problem) -> Problem {
        let instead = if self.good.is_some() { "the settings before this change stay" } else { "none of it is used" };
        let message = format!("{}; {instead}", problem.message);
        Problem { message, ..problem }.file(&self.path)
    }
}

impl Config {
    /// Reads the configuration: the machine's file, and the person's above it. Without files the defaults are used.
    pub(crate) fn load(paths: &Paths) -> Loaded {
        paths.config_reader().read()
    }
}

/// Puts files one above the other.
fn merged<'a>(files: impl Iterator<Item = (Layer, &'a Path, &'a ParsedFile)>) -> (Config, Origins, Vec<Problem>) {
    let (mut table, mut origins) = (Table::new(), Origins::default());
    for (layer, path, parsed) in files {
        put(&mut table, parsed.table.clone(), true);
        origins.add(layer, path, &parsed.lines, |key| ADDITIVE.contains(&key));
    }
    // Each file could be used alone, so the whole can be used too.
    let mut config: Config = table.try_into().unwrap_or_else(|error| {
        tracing::error!(%error, "the files of the configuration do not fit together");
        Config::default()
    });
    let changed = config.clamp().into_iter();
    let problems = changed.map(|(key, message)| origins.locate(Problem::new(&message).key(key))).collect();
    (config, origins, problems)
}

/// Puts the keys of `over` above those of `table`.
fn put(table: &mut Table, over: Table, is_top: bool) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) if !is_source(below) && !is_source(&above) => {
                put(below, above, false);
            }
            (Some(Value::Array(below)), Value::Array(above)) if is_top && ADDITIVE.contains(&key.as_str()) => {
                below.extend(above);
            }
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Whether a table is one value: `{ env = "NAME" }` or `{ command = "…" }`.
fn is_source(table: &Table) -> bool {
    table.len() == 1 && ["env", "command"].iter().any(|key| table.get(*key).is_some_and(Value::is_str))
}

/// The configuration of one text, as of the person's file.
pub(super) fn of_text(text: &str) -> Loaded {
    let parsed = ParsedFile::parse(text);
    let (config, origins, more) = merged([(Layer::User, Path::new(""), &parsed)].into_iter());
    let mut problems = parsed.problems.clone();
    problems.extend(more.into_iter().map(|problem| Problem { file: None, ..problem }));
    problems.sort_by_key(|problem| problem.line);
    Loaded { config, problems, origins }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Origin;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    struct Files {
        _temp: tempfile::TempDir,
        system: PathBuf,
        user: PathBuf,
    }

    fn files(system: &str, user: &str) -> (Files, ConfigReader) {
        let temp = tempfile::tempdir().unwrap();
        let files = Files { system: temp.path().join("system.toml"), user: temp.path().join("user.toml"), _temp: temp };
        fs::write(&files.system, system).unwrap();
        fs::set_permissions(&files.system, fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(&files.user, user).unwrap();
        let reader = ConfigReader::new([(Layer::System, files.system.clone()), (Layer::User, files.user.clone())]);
        (files, reader)
    }

    #[test]
    fn a_later_file_overrides_key_by_key_and_rules_add_up() {
        let (files, mut reader) = files(
            "theme = 'dark'\n[history]\ncommands = 5\nenabled = false\n[[rules]]\ncommand = 'a'\ndecision = 'deny'\n",
            "[history]\ncommands = 7\n\n[[rules]]\ncommand = 'b'\ndecision = 'ask'\n",
        );
        let Loaded { config, problems, origins } = reader.read();
        assert_eq!(problems, []);
        assert_eq!((config.theme.name(None), config.history.commands, config.history.enabled), ("dark", 7, false));
        let commands: Vec<&str> = config.rules.iter().map(|rule| rule.command.as_str()).collect();
        assert_eq!(commands, ["a", "b"]);
        let at = |path: &Path, line: usize| format!("{}:{line}", path.display());
        assert_eq!(origins.of("theme").to_string(), at(&files.system, 1));
        assert_eq!(origins.of("history.commands").to_string(), at(&files.user, 2));
        assert_eq!(origins.of("history.enabled").to_string(), at(&files.system, 4));
        assert_eq!(origins.of("history.size"), Origin::Default);
        let entries: Vec<String> = origins.entries("rules").iter().map(ToString::to_string).collect();
        assert_eq!(entries, [at(&files.system, 5), at(&files.user, 4)]);
    }

    #[test]
    fn problems_of_every_layer_name_their_file_and_the_rest_counts() {
        let (files, mut reader) =
            files("hint = 3\n[history]\ncommands = 5\n", "thme = 'dark'\n[history]\ncommands = 0\n");
        let loaded = reader.read();
        let said: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        let (system, user) = (files.system.display(), files.user.display());
        assert_eq!(
            said,
            [
                format!("{system}:1: hint: expected true or false, not 3"),
                format!("{user}:1: unknown key `thme`, did you mean `theme`?"),
                format!("{user}:3: history.commands: 0 is not between 1 and 100000000; 1 is used"),
            ]
        );
        fs::write(&files.user, "hint = true\n[history\ncommands = 7").unwrap();
        let loaded =
            ConfigReader::new([(Layer::System, files.system.clone()), (Layer::User, files.user.clone())]).read();
        assert_eq!((loaded.config.history.commands, loaded.config.hint), (5, true), "the rest of both files counts");
        let said = loaded.problems[1].to_string();
        assert!(said.starts_with(&format!("{user}:2:9: not valid TOML: ")), "{said}");
        assert!(said.ends_with("; the settings below this line are not used"), "{said}");
    }

    #[test]
    fn a_file_that_is_saved_broken_keeps_its_last_good_values() {
        let (files, mut reader) = files("", "[history]\ncommands = 7\n");
        assert!(reader.has_changed());
        reader.read();
        assert!(!reader.has_changed());
        fs::write(&files.user, "[history]\ncommands = \n").unwrap();
        assert!(reader.has_changed());
        let loaded = reader.read();
        assert_eq!(loaded.config.history.commands, 7);
        let said = loaded.problems[0].to_string();
        assert!(said.contains("user.toml:2:") && said.ends_with("the settings before this change stay"), "{said}");
        fs::write(&files.user, "[history]\ncommands = 8\n").unwrap();
        let loaded = reader.read();
        assert_eq!((loaded.config.history.commands, loaded.problems), (8, Vec::new()));
        fs::remove_file(&files.user).unwrap();
        assert!(reader.has_changed());
        assert_eq!(reader.read().config, Config::default());
    }

    #[test]
    fn a_system_file_that_everyone_can_write_is_not_used() {
        let (files, mut reader) = files("theme = 'dark'\n", "");
        fs::set_permissions(&files.system, fs::Permissions::from_mode(0o666)).unwrap();
        let loaded = reader.read();
        assert_eq!(loaded.config, Config::default());
        assert!(loaded.problems[0].to_string().contains("everyone can write it"));
    }

    #[test]
    fn a_value_from_elsewhere_replaces_the_one_below_as_a_whole() {
        let table = |text: &str| text.parse::<Table>().unwrap();
        let mut below = table("[a]\nkey = { env = 'X' }\nother = 1\n");
        put(&mut below, table("[a]\nkey = { command = 'y' }\n"), true);
        assert_eq!(below, table("[a]\nkey = { command = 'y' }\nother = 1\n"));
    }
}
