//! Changes one key of the configuration file and keeps the rest as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, RawString, Table, TableLike, Value};

use super::schema::{self, schema};
use super::{Config, Paths, Problem, load};

/// Why a key could not be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error("there is no key `{0}`")]
    UnknownKey(String, Option<String>),
    #[error("`{key}` is a table, not a key")]
    IsTable { key: String, keys: Vec<String> },
    #[error("`{list}` has {count} entries, counted from 0; there is no entry {entry}")]
    NoEntry { list: String, entry: usize, count: usize },
    #[error("{0}")]
    BadValue(Problem),
    #[error("nothing was changed, because the file has a mistake: {0}")]
    NotToml(Problem),
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    #[error("cannot write {0}")]
    Write(PathBuf, #[source] io::Error),
}

impl EditError {
    /// Names the file of the text that was to be changed.
    pub(crate) fn in_file(self, path: &Path) -> EditError {
        match self {
            EditError::NotToml(problem) => EditError::NotToml(problem.file(path)),
            other => other,
        }
    }
}

/// Waits for other processes that change the file, until the lock is dropped. Without the lock, the later of two changes at the same
/// time would undo the earlier one. A directory that cannot be locked keeps nobody from a change.
fn lock(path: &Path) -> Option<Flock<File>> {
    let parent = path.parent()?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(parent).ok()?;
    Flock::lock(File::open(parent).ok()?, FlockArg::LockExclusive).ok()
}

/// Sets a key in the file, which is created if it is missing. `paths` locates the user's themes.
pub(crate) fn set_in_file(path: &Path, key: &str, value: &str, paths: &Paths) -> Result<(), EditError> {
    let _lock = lock(path);
    let text = load::read(path).map_err(|error| EditError::Read(path.to_owned(), error))?.unwrap_or_default();
    let text = set(&text, key, value).map_err(|error| error.in_file(path))?;
    if let Some(problem) = unusable(&Config::parse(&text).config, key, paths) {
        return Err(EditError::BadValue(problem));
    }
    replace(path, &text).map_err(|error| EditError::Write(path.to_owned(), error))
}

/// Sets the usual model in the file. The name need not be known here: it was resolved before.
pub(crate) fn set_model(path: &Path, name: &str) -> Result<(), EditError> {
    let _lock = lock(path);
    let text = load::read(path).map_err(|error| EditError::Read(path.to_owned(), error))?.unwrap_or_default();
    let text = set(&text, "model.name", name).map_err(|error| error.in_file(path))?;
    replace(path, &text).map_err(|error| EditError::Write(path.to_owned(), error))
}

/// Returns `text` with `key` set to `value`. Comments and other keys are not changed.
///
/// The value is parsed as TOML if that fits the key, and taken literally otherwise, so neither `64 KiB` nor a path needs quotes.
pub(crate) fn set(text: &str, key: &str, value: &str) -> Result<String, EditError> {
    let path: Vec<&str> = key.split('.').collect();
    let kind = kind_of(&path).ok_or_else(|| unknown_key(key))?;
    let parsed = value.trim().parse::<Value>().ok();
    let plain = Value::from(value);
    let spelled = match kind {
        KeyKind::Entry => None,
        KeyKind::Table(names) => {
            let keys = names.iter().map(|name| format!("{key}.{name}")).collect();
            return Err(EditError::IsTable { key: key.to_owned(), keys });
        }
        KeyKind::List => Some(Value::Array(Array::from_iter([plain]))),
        KeyKind::Scalar => Some(plain),
    };
    // A table with a mistake is not a text that begins with a bracket.
    let spelled = spelled.filter(|_| !(takes_tables(&path) && value.trim_start().starts_with('{')));
    // The other entries of a list may have problems of their own.
    let known = if path.iter().any(|name| is_index(name)) { Config::parse(text).all_problems() } else { Vec::new() };
    let mut refusal = None;
    for candidate in parsed.into_iter().chain(spelled) {
        let mut doc: DocumentMut = text.parse().map_err(|error| not_toml(text, &error))?;
        put(&mut doc, &path, candidate)?;
        let edited = doc.to_string();
        match fault(&edited, key, &known) {
            None => return Ok(edited),
            Some(problem) => refusal = refusal.or(Some(problem)),
        }
    }
    let no_table = || {
        let example = match takes_tables(&path) {
            true => "expected text, { env = \"NAME\" } or { command = \"PROGRAM\" }",
            false => "expected a table such as { command = \"git push *\", decision = \"ask\" }",
        };
        Problem::new(example).key(key)
    };
    Err(EditError::BadValue(refusal.unwrap_or_else(no_table)))
}

/// The first mistake in a text that is not TOML.
fn not_toml(text: &str, error: &toml_edit::TomlError) -> EditError {
    let problem = Config::parse(text).problems.into_iter().find(Problem::is_about_syntax);
    EditError::NotToml(problem.unwrap_or_else(|| Problem::new(error.message())))
}

/// Whether the value is a text or a table, such as `{ env = "NAME" }`.
fn takes_tables(path: &[&str]) -> bool {
    let schema = schema();
    let forms = schema::at(&schema, path).and_then(|found| found.get("anyOf")?.as_array());
    forms.is_some_and(|forms| forms.iter().any(|form| form["type"] == "object"))
}

enum KeyKind {
    /// A table with these keys.
    Table(Vec<String>),
    List,
    /// A table in a list.
    Entry,
    Scalar,
}

fn is_index(name: &str) -> bool {
    name.parse::<usize>().is_ok()
}

fn kind_of(path: &[&str]) -> Option<KeyKind> {
    let schema = schema();
    let found = schema::at(&schema, path)?;
    Some(match found.get("type").and_then(Json::as_str) {
        Some("object") if path.last().is_some_and(|name| is_index(name)) => KeyKind::Entry,
        Some("object") => {
            let keys = found.get("properties").and_then(Json::as_object);
            KeyKind::Table(keys.map(|keys| keys.keys().cloned().collect()).unwrap_or_default())
        }
        Some("array") => KeyKind::List,
        Some(_) | None => KeyKind::Scalar,
    })
}

/// Finds a problem with a value of the right type: a theme that does not exist.
fn unusable(config: &Config, key: &str, paths: &Paths) -> Option<Problem> {
    if key == "theme" { config.theme_problem(paths) } else { None }
}

/// The error for an unknown key, with a similar key if there is one.
pub(crate) fn unknown_key(key: &str) -> EditError {
    let path: Vec<String> = key.split('.').map(str::to_owned).collect();
    let near = path.split_last().and_then(|(name, parents)| schema::nearest(parents, name));
    EditError::UnknownKey(key.to_owned(), near)
}

/// The problem that the edited text has with this key, unless it is one of the `known` ones.
fn fault(text: &str, key: &str, known: &[Problem]) -> Option<Problem> {
    let about = |problem: &Problem| {
        let rest = problem.key.as_deref().and_then(|other| key.strip_prefix(other));
        let is_known = || known.iter().any(|one| (&one.key, &one.message) == (&problem.key, &problem.message));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) && !is_known()
    };
    let problems = Config::parse(text).all_problems();
    problems.into_iter().find(about).map(|problem| Problem { line: None, file: None, ..problem })
}

fn put(doc: &mut DocumentMut, path: &[&str], value: Value) -> Result<(), EditError> {
    let Some((name, parents)) = path.split_last() else { return Ok(()) };
    // Comments at the end of the file belong to the keys before them, so new keys are added after the comments.
    let trailing = doc.trailing().as_str().unwrap_or_default().to_owned();
    let mut used_trailing = false;
    let is_first = doc.as_table().is_empty();
    let mut table: &mut dyn TableLike = doc.as_table_mut();
    for (at, parent) in parents.iter().enumerate() {
        if is_index(parent) {
            // The step before this one has led to the entry.
            continue;
        }
        let entry = path.get(at + 1).and_then(|next| next.parse::<usize>().ok());
        if entry.is_some_and(|_| is_list(&path[..=at])) {
            let list = table.entry(parent).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
            let (entry, is_whole) = (entry.unwrap_or_default(), at + 2 == path.len());
            if is_whole {
                return put_entry(list, entry, value, parent);
            }
            table = entry_of(list, entry, parent)?;
            continue;
        }
        if !table.get(parent).is_some_and(Item::is_table_like) {
            let mut added = Table::new();
            // `[providers.work]` needs no `[providers]` above it.
            added.set_implicit(at + 1 < parents.len());
            added.decor_mut().set_prefix(set_apart(&trailing, !table.is_empty() || (at > 0 && !is_first)));
            used_trailing = true;
            table.insert(parent, Item::Table(added));
        }
        let Some(inner) = table.get_mut(parent).and_then(Item::as_table_like_mut) else { return Ok(()) };
        table = inner;
    }
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            // The comment after a value is part of its decor.
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        Some(other) => *other = Item::Value(value),
        None => {
            let first = parents.is_empty() && table.is_empty();
            table.insert(name, Item::Value(value));
            if first && let Some(mut key) = table.key_mut(name) {
                key.leaf_decor_mut().set_prefix(set_apart(&trailing, false));
                used_trailing = true;
            }
        }
    }
    if used_trailing {
        doc.set_trailing(RawString::default());
    }
    Ok(())
}

/// Whether the key at this path is a list of tables.
fn is_list(path: &[&str]) -> bool {
    schema::at(&schema(), path).is_some_and(|found| found.get("items").is_some())
}

fn no_entry(list: &str, entry: usize, count: usize) -> EditError {
    EditError::NoEntry { list: list.to_owned(), entry, count }
}

/// An entry of a list of tables, written as `[[list]]` or inline.
fn entry_of<'a>(list: &'a mut Item, entry: usize, name: &str) -> Result<&'a mut dyn TableLike, EditError> {
    let (count, found): (usize, Option<&mut dyn TableLike>) = match list {
        Item::ArrayOfTables(tables) => (tables.len(), tables.get_mut(entry).map(|table| table as &mut dyn TableLike)),
        Item::Value(Value::Array(values)) => {
            let found = values.get_mut(entry).and_then(Value::as_inline_table_mut);
            (0, found.map(|table| table as &mut dyn TableLike))
        }
        Item::None | Item::Value(_) | Item::Table(_) => (0, None),
    };
    found.ok_or_else(|| no_entry(name, entry, count))
}

/// Replaces an entry of a list, or adds one at its end.
fn put_entry(list: &mut Item, entry: usize, value: Value, name: &str) -> Result<(), EditError> {
    match (list, value) {
        (Item::ArrayOfTables(tables), Value::InlineTable(added)) if entry == tables.len() => {
            tables.push(added.into_table());
        }
        (Item::ArrayOfTables(tables), Value::InlineTable(added)) => {
            let count = tables.len();
            let old = tables.get_mut(entry).ok_or_else(|| no_entry(name, entry, count))?;
            let decor = old.decor().clone();
            *old = added.into_table();
            *old.decor_mut() = decor;
        }
        (Item::Value(Value::Array(values)), value) if entry == values.len() => values.push(value),
        (Item::Value(Value::Array(values)), value) if entry < values.len() => drop(values.replace(entry, value)),
        (list, _) => {
            let count = list.as_array().map_or(0, Array::len);
            return Err(no_entry(name, entry, count));
        }
    }
    Ok(())
}

/// The comments to put above an added key, followed by a blank line.
fn set_apart(trailing: &str, after_something: bool) -> String {
    match (trailing.trim_end(), after_something) {
        ("", false) => String::new(),
        ("", true) => "\n".to_owned(),
        (comments, _) => format!("{comments}\n\n"),
    }
}

/// Replaces the file atomically, so that a reader sees the old or the new text.
///
/// If the file is a symbolic link, as dotfile managers create them, its target is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    let fresh = parent.join(format!(".config.toml.{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    let written = (|| {
        file.write_all(text.as_bytes())?;
        if let Ok(old) = fs::metadata(&target) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&fresh, &target)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn refused(text: &str, key: &str, value: &str) -> String {
        set(text, key, value).unwrap_err().to_string()
    }

    #[test]
    fn comments_and_other_keys_are_kept() {
        let text = "# mine\nshell = '/bin/sh' # old\n\n[history] # h\n  commands   =   5 # five\nignore = [\n  'a', # a\n]\n\n# end\n";
        let text = set(text, "history.commands", "6").unwrap();
        let text = set(&text, "shell", "/bin/zsh").unwrap();
        assert_eq!(
            text,
            "# mine\nshell = \"/bin/zsh\" # old\n\n[history] # h\n  commands   =   6 # five\nignore = [\n  'a', # a\n]\n\n# end\n"
        );
    }

    #[test]
    fn missing_keys_and_tables_are_added() {
        assert_eq!(set("", "history.enabled", "false").unwrap(), "[history]\nenabled = false\n");
        assert_eq!(
            set("", "providers.work.base_url", "https://a.example").unwrap(),
            "[providers.work]\nbase_url = \"https://a.example\"\n"
        );
        assert_eq!(set("# mine\n", "shell", "zsh").unwrap(), "# mine\n\nshell = \"zsh\"\n");
        assert_eq!(set("# mine", "capture.head", "1 MiB").unwrap(), "# mine\n\n[capture]\nhead = \"1 MiB\"\n");
        assert_eq!(
            set("shell = 'a'\n# end\n", "capture.tail", "5").unwrap(),
            "shell = 'a'\n# end\n\n[capture]\ntail = 5\n"
        );
        assert_eq!(set("[history]\nsize = 5\n", "shell", "a").unwrap(), "shell = \"a\"\n[history]\nsize = 5\n");
        assert_eq!(
            set("capture = { tail = 5 }\n", "capture.spill_days", "7").unwrap(),
            "capture = { tail = 5 , spill_days = 7 }\n"
        );
    }

    #[test]
    fn values_are_parsed_by_the_type_of_the_key() {
        assert_eq!(set("", "shell", "true").unwrap(), "shell = \"true\"\n");
        assert_eq!(set("", "history.ignore", "^a b$").unwrap(), "[history]\nignore = [\"^a b$\"]\n");
        assert_eq!(set("", "history.ignore", "['a', 'b']").unwrap(), "[history]\nignore = ['a', 'b']\n");
        assert!(set("[capture]\nspill = 'x'\n", "capture.spill_total", "1").is_ok());
        assert_eq!(set("", "capture.head", "\"2k\"").unwrap(), "[capture]\nhead = \"2k\"\n");
    }

    #[test]
    fn entries_of_a_list_are_changed_and_added() {
        let text = "# mine\n[[rules]] # first\ncommand = 'a'\ndecision = 'ask' # for now\n\n[history]\nsize = 5\n";
        let text = set(text, "rules.0.decision", "deny").unwrap();
        assert!(text.contains("[[rules]] # first\ncommand = 'a'\ndecision = \"deny\" # for now\n"), "{text}");
        let text = set(&text, "rules.1", "{ command = \"b\", decision = \"ask\" }").unwrap();
        let rules = Config::parse(&text).config.rules;
        assert_eq!(rules.iter().map(|rule| rule.command.as_str()).collect::<Vec<_>>(), ["a", "b"], "{text}");
        assert_eq!(refused(&text, "rules.5.reason", "x"), "`rules` has 2 entries, counted from 0; there is no entry 5");
        assert!(refused(&text, "rules.0.decision", "maybe").contains("unknown value `maybe`"));
        assert!(refused(&text, "rules.2", "{ command = \"c\" }").contains("the key `decision` is missing"));
        let added = set("", "rules.0", "{ command = \"b\", decision = \"ask\" }").unwrap();
        assert_eq!(Config::parse(&added).config.rules.len(), 1, "{added}");
        // A wrong entry elsewhere is not this change's fault.
        let text = "[[rules]]\ncommand = 'a'\n\n[[rules]]\ncommand = 'b'\ndecision = 'ask'\n";
        assert!(set(text, "rules.1.reason", "because").unwrap().contains("reason = \"because\""));
    }

    #[test]
    fn values_that_would_not_load_are_refused() {
        assert_eq!(
            refused("", "history.commands", "0"),
            "history.commands: 0 is not between 1 and 100000000; 1 is used"
        );
        assert_eq!(refused("", "history.commands", "many"), "history.commands: expected a whole number, not \"many\"");
        assert_eq!(
            refused("", "history.ignore", "("),
            "history.ignore: `(` is not a regular expression: unclosed group"
        );
        assert_eq!(refused("", "history", "1"), "`history` is a table, not a key");
        let broken = refused("hint = yes", "shell", "a");
        assert!(broken.ends_with("a mistake: hint: not valid TOML: write true or false, not yes"), "{broken}");
        assert!(refused("", "providers.x.api_key", "{env=FOO}").contains("expected text, { env = \"NAME\" }"));
        assert_eq!(refused("history = 3\n", "history.", "a"), "there is no key `history.`");
        let Err(EditError::IsTable { keys, .. }) = set("", "model", "x") else { panic!() };
        assert!(keys.contains(&"model.name".to_owned()), "{keys:?}");
        let Err(EditError::UnknownKey(_, Some(near))) = set("", "history.ignor", "a") else { panic!() };
        assert_eq!(near, "history.ignore");
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("new/config.toml");
        let paths = Paths::from_env(|_| None::<std::ffi::OsString>, 0, None);
        std::thread::scope(|threads| {
            for number in 0..16 {
                let (file, paths) = (&file, &paths);
                let key = format!("providers.p{number}.base_url");
                threads.spawn(move || set_in_file(file, &key, "https://a.example/v1", paths).unwrap());
            }
        });
        assert_eq!(fs::read_to_string(&file).unwrap().matches("base_url").count(), 16);
    }

    #[test]
    fn unusable_values_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        let home = temp.path().as_os_str().to_owned();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
        let set = |key: &str, value: &str| set_in_file(&file, key, value, &paths).map_err(|error| error.to_string());
        let said = set("theme", "pink").unwrap_err();
        assert_eq!(said, "theme: there is no theme `pink`; `shellmate theme list` lists them");
        assert!(set("model.api_key_env", "sk-ant-1234").unwrap_err().contains("shellmate auth login"));
        assert!(set("model.base_url", "localhost:8080").unwrap_err().contains("http://"));
        assert!(!file.exists(), "nothing was written");
        for (key, value) in [
            ("theme", "dark"),
            ("theme", "{ light = 'light', dark = 'mono' }"),
            ("model.api_key_env", "MY_KEY"),
            ("model.base_url", "http://[::1]:1/v1"),
        ] {
            set(key, value).unwrap();
        }
        assert!(set("model.base_url", "https://a b/v1").unwrap_err().contains("http://"));
        set("model.base_url", "").unwrap();
        set("model.api_key_env", "").unwrap();
    }

    #[test]
    fn a_new_file_is_private_and_a_link_is_kept() {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().join("a/b/config.toml");
        let paths = Paths::from_env(|_| None::<std::ffi::OsString>, 0, None);
        set_in_file(&real, "shell", "/bin/sh", &paths).unwrap();
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(real.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        let link = temp.path().join("config.toml");
        symlink(&real, &link).unwrap();
        set_in_file(&link, "shell", "/bin/zsh", &paths).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "shell = \"/bin/zsh\"\n");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o644);
        assert_eq!(fs::read_dir(real.parent().unwrap()).unwrap().count(), 1);
    }
}
