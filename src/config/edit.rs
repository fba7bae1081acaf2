//! Changes one key of the configuration file and keeps the rest as it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, RawString, Table, TableLike, Value};

use super::theme::{parsed, theme_text};
use super::{Config, Paths, Problem, load, schema};

/// Why a key could not be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error("there is no key `{0}`")]
    UnknownKey(String, Option<String>),
    #[error("`{key}` is a table, not a key")]
    IsTable { key: String, keys: Vec<String> },
    #[error("{0}")]
    BadValue(Problem),
    #[error("the configuration is not valid TOML")]
    NotToml(#[source] Box<toml_edit::TomlError>),
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    #[error("cannot write {0}")]
    Write(PathBuf, #[source] io::Error),
}

/// Sets a key in the file, which is created if it is missing. `paths` locates the user's themes.
pub(crate) fn set_in_file(path: &Path, key: &str, value: &str, paths: &Paths) -> Result<(), EditError> {
    let text = load::read(path).map_err(|error| EditError::Read(path.to_owned(), error))?.unwrap_or_default();
    let text = set(&text, key, value)?;
    if let Some(problem) = unusable(&Config::parse(&text).config, key, paths) {
        return Err(EditError::BadValue(problem));
    }
    replace(path, &text).map_err(|error| EditError::Write(path.to_owned(), error))
}

/// Returns `text` with `key` set to `value`. Comments and other keys are not changed.
///
/// The value is parsed as TOML if that fits the key, and taken literally otherwise, so neither `64 KiB` nor a path needs quotes.
pub(crate) fn set(text: &str, key: &str, value: &str) -> Result<String, EditError> {
    let path: Vec<&str> = key.split('.').collect();
    let kind = kind_of(&path).ok_or_else(|| unknown_key(key))?;
    let plain = Value::from(value);
    let spelled = match kind {
        KeyKind::Table(names) => {
            let keys = names.iter().map(|name| format!("{key}.{name}")).collect();
            return Err(EditError::IsTable { key: key.to_owned(), keys });
        }
        KeyKind::List => Value::Array(Array::from_iter([plain])),
        KeyKind::Scalar => plain,
    };
    let mut refusal = None;
    for candidate in value.trim().parse::<Value>().ok().into_iter().chain([spelled]) {
        let mut doc: DocumentMut = text.parse().map_err(|error| EditError::NotToml(Box::new(error)))?;
        put(&mut doc, &path, candidate);
        let edited = doc.to_string();
        match fault(&edited, key) {
            None => return Ok(edited),
            Some(problem) => refusal = refusal.or(Some(problem)),
        }
    }
    Err(refusal.map_or_else(|| unknown_key(key), EditError::BadValue))
}

enum KeyKind {
    /// A table with these keys.
    Table(Vec<String>),
    List,
    Scalar,
}

fn kind_of(path: &[&str]) -> Option<KeyKind> {
    let schema = schema();
    let found = path.iter().try_fold(&schema, |table, name| table.get("properties")?.get(name))?;
    Some(match found.get("type").and_then(Json::as_str) {
        Some("object") => {
            let keys = found.get("properties").and_then(Json::as_object);
            KeyKind::Table(keys.map(|keys| keys.keys().cloned().collect()).unwrap_or_default())
        }
        Some("array") => KeyKind::List,
        Some(_) | None => KeyKind::Scalar,
    })
}

/// Finds a problem with a value of the right type: a theme that does not exist, an API key in place of a variable's name.
fn unusable(config: &Config, key: &str, paths: &Paths) -> Option<Problem> {
    let model = &config.model;
    let message = match key {
        "theme" => {
            let loaded = theme_text(&config.theme, paths).and_then(|(text, file)| parsed(&text, file.as_deref()));
            return loaded.err();
        }
        "model.api_key_env" if !is_variable(&model.api_key_env) => {
            "this is not the name of a variable; `shellmate auth login` keeps a key itself"
        }
        "model.base_url" if !["", "http://", "https://"].contains(&scheme(&model.base_url)) => {
            "a URL begins with http:// or https://"
        }
        _ => return None,
    };
    Some(Problem::new(message).key(key))
}

/// Whether this is a valid name of an environment variable. An empty name is allowed and means that none is set.
fn is_variable(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_letter) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The scheme of a URL, with `://`.
fn scheme(url: &str) -> &str {
    let url = url.trim();
    url.find("://").map_or(url, |at| &url[..at + 3])
}

/// The error for an unknown key, with a similar key if there is one.
pub(crate) fn unknown_key(key: &str) -> EditError {
    let path: Vec<String> = key.split('.').map(str::to_owned).collect();
    let near = path.split_last().and_then(|(name, parents)| {
        super::schema::nearest(parents, name).map(|near| [parents, &[near]].concat().join("."))
    });
    EditError::UnknownKey(key.to_owned(), near)
}

/// The problem that the edited text has with this key.
fn fault(text: &str, key: &str) -> Option<Problem> {
    let loaded = Config::parse(text);
    let patterns = loaded.config.pattern_problems();
    let about = |problem: &Problem| {
        let rest = problem.key.as_deref().and_then(|other| key.strip_prefix(other));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    loaded.problems.into_iter().chain(patterns).find(about).map(|problem| Problem { line: None, ..problem })
}

fn put(doc: &mut DocumentMut, path: &[&str], value: Value) {
    let Some((name, parents)) = path.split_last() else { return };
    // Comments at the end of the file belong to the keys before them, so new keys are added after the comments.
    let trailing = doc.trailing().as_str().unwrap_or_default().to_owned();
    let mut used_trailing = false;
    let mut table: &mut dyn TableLike = doc.as_table_mut();
    for parent in parents {
        if !table.get(parent).is_some_and(Item::is_table_like) {
            let mut added = Table::new();
            added.decor_mut().set_prefix(set_apart(&trailing, !table.is_empty()));
            used_trailing = true;
            table.insert(parent, Item::Table(added));
        }
        let Some(inner) = table.get_mut(parent).and_then(Item::as_table_like_mut) else { return };
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
fn replace(path: &Path, text: &str) -> io::Result<()> {
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
    fn values_that_would_not_load_are_refused() {
        assert_eq!(
            refused("", "history.commands", "0"),
            "history.commands: 0 is not between 1 and 100000000; 1 is used"
        );
        assert_eq!(
            refused("", "history.commands", "many"),
            "history.commands: invalid type: string \"many\", expected a whole number"
        );
        assert_eq!(
            refused("", "history.ignore", "("),
            "history.ignore: `(` is not a regular expression: unclosed group"
        );
        assert_eq!(refused("", "history", "1"), "`history` is a table, not a key");
        assert_eq!(refused("a = [", "shell", "a"), "the configuration is not valid TOML");
        assert_eq!(refused("history = 3\n", "history.", "a"), "there is no key `history.`");
        let Err(EditError::IsTable { keys, .. }) = set("", "model", "x") else { panic!() };
        assert!(keys.contains(&"model.name".to_owned()), "{keys:?}");
        let Err(EditError::UnknownKey(_, Some(near))) = set("", "history.ignor", "a") else { panic!() };
        assert_eq!(near, "history.ignore");
    }

    #[test]
    fn unusable_values_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("config.toml");
        let home = temp.path().as_os_str().to_owned();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
        let set = |key: &str, value: &str| set_in_file(&file, key, value, &paths).map_err(|error| error.to_string());
        let said = set("theme", "pink").unwrap_err();
        assert_eq!(said, "theme: there is no theme `pink` (there are terminal, dark, light, mono)");
        assert!(set("model.api_key_env", "sk-ant-1234").unwrap_err().contains("shellmate auth login"));
        assert!(set("model.base_url", "localhost:8080").unwrap_err().contains("http://"));
        assert!(!file.exists(), "nothing was written");
        for (key, value) in
            [("theme", "dark"), ("model.api_key_env", "MY_KEY"), ("model.base_url", "http://[::1]:1/v1")]
        {
            set(key, value).unwrap();
        }
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
