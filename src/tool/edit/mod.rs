//! `edit_file`: exact replacements, all or none.

mod miss;
mod replace;
#[cfg(test)]
mod tests;

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::seen::Known;
use super::{Context, Prepared, Preview, Tool, arguments, file, paths, result};
use crate::chat::{Outcome, ToolSpec};
use crate::guard::Intent;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    /// Applied in order, all or none
    edits: Vec<Edit>,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Edit {
    /// Exact text, found once; no line numbers
    #[serde(alias = "old", alias = "old_str", alias = "old_text")]
    old_string: String,
    #[serde(alias = "new", alias = "new_str", alias = "new_text")]
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

pub(super) struct EditFile;

impl Tool for EditFile {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "edit_file",
            "Replace exact text in a file. Each old_string must occur exactly once unless replace_all is set: include enough \
             surrounding lines.",
        )
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { path: named, edits } = arguments::read(&as_list(arguments))?;
        let path = paths::resolve(&named, context);
        let (before, after) = plan(&path, &edits, context)?;
        let title = paths::shown(&path, context);
        let intent = Intent::Write { path: path.clone() };
        let preview = Preview::Edit { path: path.clone(), before: before.clone(), after };
        let context = context.clone();
        let run = result::blocking(move |_| write(&path, &edits, &before, &context).unwrap_or_else(Outcome::failed));
        Ok(Prepared { title, intent, preview: Some(preview), run })
    }
}

/// One edit may be written without a list around it.
fn as_list(arguments: &Value) -> Value {
    match arguments {
        Value::Object(fields) if !fields.contains_key("edits") && fields.keys().any(|key| key.starts_with("old")) => {
            let path = ["path", "file_path", "file"].iter().find_map(|name| fields.get(*name));
            json!({"path": path, "edits": [arguments]})
        }
        _ => arguments.clone(),
    }
}

/// The file before and after.
fn plan(path: &Path, edits: &[Edit], context: &Context) -> Result<(String, String), String> {
    let name = paths::shown(path, context);
    let now = file::read(path, context)?;
    if context.seen.compare(path, &now.print) == Known::Changed {
        return Err(format!("{name} has changed since you read it; read it again before you edit it"));
    }
    let before = String::from_utf8(now.bytes)
        .map_err(|_| format!("{name} is not UTF-8 text; change it with a command such as perl or iconv"))?;
    let after = replace::all(&before, edits, &name, &context.redactor)?;
    Ok((before, after))
}

/// Writes, unless the file is no longer what was shown.
fn write(path: &Path, edits: &[Edit], shown: &str, context: &Context) -> Result<Outcome, String> {
    let name = paths::shown(path, context);
    let was_read = context.seen.compare(path, &file::read(path, context)?.print) == Known::AsItIs;
    let (before, after) = plan(path, edits, context)?;
    if before != shown {
        return Err(format!("{name} changed in the meantime; nothing was written"));
    }
    let print = file::replace(path, after.as_bytes()).map_err(|error| format!("cannot write {name}: {error}"))?;
    if was_read {
        context.seen.wrote(path, print);
    }
    let count = if edits.len() == 1 { "1 edit".to_owned() } else { format!("{} edits", edits.len()) };
    Ok(Outcome::done(format!("{name}: {count} made, now {} lines", after.lines().count())))
}
