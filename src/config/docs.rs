//! Generates `docs/CONFIG.md` from the schema.

use std::fmt::Write;

use serde_json::Value;

use super::{Config, schema};

const OPENING: &str = "\
# Configuration

<!-- Generated from the field descriptions in src/config/mod.rs; `UPDATE_DOCS=1 cargo test` writes it. -->

shellmate needs no configuration. To change something, put it into your own file, `$XDG_CONFIG_HOME/shellmate/config.toml` (default
`~/.config/shellmate/config.toml`). `shellmate config edit` opens it and checks it afterwards, `shellmate config set KEY VALUE` changes
a key and keeps your comments, `shellmate config get` shows what is in effect, `shellmate config schema` is a JSON schema for editors.
Sizes are in bytes (`65536`) or have a unit (`\"64 KiB\"`, `\"500 MB\"`).

## Where settings come from

Each of these takes precedence over those before it:

1. the defaults, which are below
2. `/etc/shellmate/config.toml`, for all users of the machine. It is not used if everyone can write it.
3. your own file
4. `.shellmate/config.toml` of the project that you are in. It can set only `mode` and `[[rules]]`, and until you trust the project it can
   only forbid, never allow ([SECURITY](SECURITY.md)).
5. environment variables: `SHELLMATE_SHELL` for `shell`, `SHELLMATE_MODEL` for `model.name`. `SHELLMATE_LOG` turns the log on, for example with `debug`.
6. options of a command, such as `--shell` and `--model`

Your file overrides the machine's key by key. `[[rules]]` and `[[scope]]` of both count together, so a denial of the machine stays.
`shellmate config path` lists the files. With `--origin` (or `--json`), `get` says where a value comes from:

    $ shellmate config get history.commands --origin
    history.commands = 7  # /home/me/.config/shellmate/config.toml:3

In a project, `get` also shows the values of its file. A line `# not used: …` names a setting of the project that does not count, and why.

`shellmate config set` also reaches into tables and lists. Entries are counted from 0, and the number after the last one adds an entry:

    shellmate config set providers.work.base_url https://llm.example.com/v1
    shellmate config set rules.0 '{ command = \"git push *\", decision = \"deny\" }'
    shellmate config set rules.0.reason 'not from here'

## Mistakes

A key or an entry that is wrong is ignored, and the rest of the file counts. One line names the file, the line, the key and what is
accepted, when a tab opens and in `shellmate doctor`. A part that is not valid TOML is ignored in the same way; a broken
line in a `[[rules]]` or `[[scope]]` table ignores the table. No mistake keeps the shell from starting.

## Changes while a session runs

A saved file counts in running tabs: for the agent from the next question, for everything else from the next prompt. If it was saved
with a part that is not valid TOML, the settings before it stay, and one line above the prompt says where it is broken. What concerns the
start of a shell counts in new tabs only: `shell`, `welcome`, `history.key`, and `capture.spill_days`, because old files are deleted when a
tab opens.

## Keys that are not in the file

A key or a header of a provider can be text in quotes, or say where to find it. It is looked up when a question needs it, never before:

    [providers.work]
    base_url = \"https://llm.example.com/v1\"
    api_key = { command = \"pass show work/llm\" }

    [providers.other]
    base_url = \"https://other.example.com/v1\"
    bearer = { env = \"OTHER_TOKEN\" }

`env` is a variable that your shell exports. `command` is run by `sh` in your home directory, without a terminal, for 30 seconds at most;
the first line that it prints is the value. If it asks for a password, unlock it in your shell first. The value is kept in memory until the
session ends or the server refuses it, never written to a file or a log, and masked in everything that a model sees. `config get` shows
the variable or the command, and masks a key that is written in the file.
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
    use crate::config::{Config, ConfigReader, Layer, Paths, set_in_file};
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
            assert_eq!(ConfigReader::new([(Layer::User, file)]).read().config, loaded.config, "{name} {argument}");
        }
    }
}
