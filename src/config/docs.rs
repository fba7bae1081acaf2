//! Generates `docs/CONFIG.md` from the schema.

use std::fmt::Write;

use serde_json::Value;

use super::{Config, schema};

const OPENING: &str = "\
# Configuration

<!-- Generated from the field descriptions in src/config/mod.rs; `UPDATE_DOCS=1 cargo test` writes it. -->

shellmate needs no configuration. What you want otherwise goes into `$XDG_CONFIG_HOME/shellmate/config.toml` (default
`~/.config/shellmate/config.toml`; `shellmate config path` says where yours is). `shellmate config set KEY VALUE` changes a key
and keeps your comments, `shellmate config get` shows what is in effect, `shellmate config schema` is a JSON schema for editors.

A key that is wrong is left at its default and named in one line at the start and by `shellmate doctor`; it never keeps the shell
from starting. Sizes are bytes (`65536`) or have a unit (`\"64 KiB\"`, `\"500 MB\"`).
";

/// Renders the documentation of every key.
pub(crate) fn markdown() -> String {
    let schema = schema();
    let mut out = OPENING.to_owned();
    let empty = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    let (tables, keys): (Vec<_>, Vec<_>) = properties.iter().partition(|(_, value)| value["properties"].is_object());
    if !keys.is_empty() {
        out.push_str("\n## Top level\n");
        keys.into_iter().for_each(|(name, value)| describe(&mut out, name, value));
    }
    for (name, table) in tables {
        let _ = write!(out, "\n## `[{name}]`\n\n{}\n", text(table));
        let order = field_order(name);
        let fields = order.iter().filter_map(|field| Some((field, table["properties"].get(field)?)));
        fields.for_each(|(field, value)| describe(&mut out, field, value));
    }
    out.push_str("\n## All of it, with the defaults\n\n```toml\n");
    out.push_str(&toml::to_string(&Config::default()).unwrap_or_default());
    out.push_str("```\n");
    out
}

fn describe(out: &mut String, name: &str, value: &Value) {
    let _ = write!(out, "\n### `{name}`\n\n{}\n", text(value));
    if let Some(default) = value.get("default") {
        let _ = write!(out, "\nDefault: `{default}`\n");
    }
}

fn text(value: &Value) -> &str {
    value["description"].as_str().unwrap_or_default()
}

/// The keys of a table in the order of the struct's fields. The schema sorts them by name.
fn field_order(table: &str) -> Vec<String> {
    let text = toml::to_string(&Config::default()).unwrap_or_default();
    let doc: toml_edit::DocumentMut = text.parse().unwrap_or_default();
    let names = doc.get(table).and_then(toml_edit::Item::as_table);
    names.map(|table| table.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
}

/// Fails if `docs/<name>` differs from `text`. If `UPDATE_DOCS` is set, the file is rewritten instead.
#[cfg(test)]
pub(crate) fn assert_fresh(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "docs/{name} is stale: run `UPDATE_DOCS=1 cargo test`");
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Paths, set_in_file};
    use crate::manual;

    #[test]
    fn the_configuration_reference_is_up_to_date() {
        super::assert_fresh("CONFIG.md", &super::markdown());
        super::assert_fresh("config.schema.json", &format!("{:#}\n", super::schema()));
    }

    #[test]
    fn the_examples_of_the_manual_are_valid_and_so_are_the_commands() {
        let temp = tempfile::tempdir().unwrap();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| temp.path().into()), 0, None);
        for (name, value, argument) in manual::examples() {
            let text = match name.split_once('.') {
                Some((table, key)) => format!("[{table}]\n{key} = {value}\n"),
                None => format!("{name} = {value}\n"),
            };
            let loaded = Config::parse(&text);
            assert_eq!(loaded.problems, [], "{text}");
            let file = temp.path().join(name);
            set_in_file(&file, name, argument.trim_matches('\''), &paths).unwrap();
            assert_eq!(Config::load(Some(&file)).config, loaded.config, "{name} {argument}");
        }
    }
}
