//! `shellmate config get`: effective values, and where they come from.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use toml::{Table, Value};

use crate::cli::{json, report};
use crate::config::{self, Config, Loaded, Origin, Origins, Paths};
use crate::guard::RefusedSetting;
use crate::text::sanitize;

use super::project::ProjectLayer;

/// What is shown in place of a secret.
const MASKED: &str = "[masked]";

/// What is shown of each key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GetForm {
    Values,
    WithOrigins,
    Json,
}

/// Environment variables that set a key for one shell.
const VARIABLES: [(&str, &str); 2] = [("SHELLMATE_SHELL", "shell"), ("SHELLMATE_MODEL", "model.name")];

/// Prints one value or all of them. For a key without a value it prints nothing and exits with 1.
pub(super) fn get(paths: &Paths, key: Option<&str>, form: GetForm, out: &mut impl Write) -> Result<ExitCode> {
    let mut loaded = Config::load(paths);
    report::notices(loaded.all_problems());
    let cwd = std::env::current_dir().unwrap_or_default();
    let project = ProjectLayer::of(&cwd, &loaded.config, paths);
    if let Some(project) = &project {
        project.put_above(&mut loaded);
    }
    add_variables(&mut loaded, |name| std::env::var(name).ok());
    let mut all = Table::try_from(&loaded.config).context("cannot print the configuration")?;
    mask(&mut all, &mut Vec::new(), &config::schema());
    let found = match key {
        None => Value::Table(all),
        Some(key) => match value_at(&all, key) {
            Some(value) => value.clone(),
            None if key == "shell" => return Ok(ExitCode::FAILURE),
            None => return Err(config::unknown_key(key).into()),
        },
    };
    match form {
        GetForm::Values => print(&found, out)?,
        GetForm::WithOrigins => {
            for (key, value) in leaves(key.unwrap_or_default(), &found) {
                let origin = sanitize(&origin_text(&loaded.origins, &key));
                writeln!(out, "{key} = {value}  # {origin}")?;
            }
            for (refused, origin) in refused_below(project.as_ref(), key) {
                writeln!(out, "# not used: {}: {}", sanitize(&origin.to_string()), sanitize(&refused.why))?;
            }
        }
        GetForm::Json => {
            for (key, value) in leaves(key.unwrap_or_default(), &found) {
                let origin = origin_json(&loaded.origins.of(&key));
                let mut object = json!({ "key": key, "value": value, "origin": origin });
                if let entries @ [_, _, ..] = loaded.origins.entries(&key) {
                    object["entries"] = entries.iter().map(origin_json).collect();
                }
                json::print(&object, out)?;
            }
            for (refused, origin) in refused_below(project.as_ref(), key) {
                let object = json!({ "key": refused.key, "refused": refused.why, "origin": origin_json(&origin) });
                json::print(&object, out)?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The settings of the project that do not count, of this key or of all.
fn refused_below<'a>(
    project: Option<&'a ProjectLayer>,
    key: Option<&str>,
) -> impl Iterator<Item = (&'a RefusedSetting, Origin)> {
    let first = key.map(|key| key.split('.').next().unwrap_or_default().to_owned());
    let is_wanted = move |refused: &RefusedSetting| match (&first, &refused.key) {
        (Some(first), Some(key)) => first == key,
        (Some(_), None) | (None, _) => true,
    };
    project.into_iter().flat_map(ProjectLayer::refused).filter(move |(refused, _)| is_wanted(refused))
}

/// Environment variables have precedence over the files.
fn add_variables(loaded: &mut Loaded, get: impl Fn(&str) -> Option<String>) {
    for (variable, key) in VARIABLES {
        let Some(value) = get(variable).filter(|value| !value.trim().is_empty()) else { continue };
        match key {
            "shell" => loaded.config.shell = Some(value.into()),
            _ => loaded.config.model.name = value,
        }
        loaded.origins.set_by_variable(key, variable);
    }
}

/// Replaces secrets that are written in a file. A variable's name or a command is shown as it is.
fn mask(table: &mut Table, path: &mut Vec<String>, schema: &serde_json::Value) {
    for (name, value) in table.iter_mut() {
        path.push(name.clone());
        match value {
            Value::String(text) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                let is_source = matches!(names.last(), Some(&"env" | &"command"));
                if !text.is_empty() && !is_source && config::is_secret(schema, &names) {
                    *text = MASKED.to_owned();
                }
            }
            Value::Table(inner) => mask(inner, path, schema),
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) => {}
        }
        path.pop();
    }
}

/// The value of a key with dots. An entry of a list is named by its number, counted from 0.
fn value_at<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut names = key.split('.');
    let first = table.get(names.next()?)?;
    names.try_fold(first, |value, name| match value {
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        Value::Table(table) => table.get(name),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => None,
    })
}

fn print(value: &Value, out: &mut impl Write) -> Result<()> {
    match value {
        Value::String(text) => writeln!(out, "{text}")?,
        Value::Table(table) => out.write_all(toml::to_string(table)?.as_bytes())?,
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) => {
            writeln!(out, "{value}")?;
        }
    }
    Ok(())
}

/// Every key that has a default, and `shell`.
pub(in crate::cli) fn keys() -> Vec<String> {
    let all = Table::try_from(Config::default()).unwrap_or_default();
    let keys = leaves("", &Value::Table(all)).into_iter().map(|(key, _)| key);
    ["shell".to_owned()].into_iter().chain(keys).collect()
}

/// The keys below `key` that are not tables, with their values.
fn leaves(key: &str, value: &Value) -> Vec<(String, Value)> {
    let is_source = |table: &Table| table.len() == 1 && (table.contains_key("env") || table.contains_key("command"));
    match value {
        Value::Table(table) if !is_source(table) => {
            let below = |name: &String| if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            table.iter().flat_map(|(name, value)| leaves(&below(name), value)).collect()
        }
        value => vec![(key.to_owned(), value.clone())],
    }
}

/// The origin of a key. The entries of a list may come from several files.
fn origin_text(origins: &Origins, key: &str) -> String {
    match origins.entries(key) {
        [] | [_] => origins.of(key).to_string(),
        entries => {
            let mut texts: Vec<String> = entries.iter().map(ToString::to_string).collect();
            texts.dedup();
            texts.join(", ")
        }
    }
}

fn origin_json(origin: &Origin) -> serde_json::Value {
    match origin {
        Origin::Default => json!({ "kind": "default" }),
        Origin::File { layer, path, line } => {
            json!({ "kind": "file", "layer": layer.to_string(), "file": path.to_string_lossy(), "line": line })
        }
        Origin::Variable(name) => json!({ "kind": "environment", "variable": name }),
    }
}
