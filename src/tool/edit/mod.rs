//! `edit_file`: makes exact replacements, all or none.

mod miss;
mod replace;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::file::Target;
use super::seen::FileKnowledge;
use super::{Context, Prepared, Preview, Tool, arguments, paths, restore, result};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{EditReach, Intent};

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

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn file_texts<'a>(&self, arguments: &'a mut Value) -> Vec<&'a mut String> {
        let names = ["new_string", "new", "new_str", "new_text"];
        match arguments.get("edits").is_some() {
            true => {
                let edits = arguments.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten();
                edits.flat_map(|edit| restore::texts(edit, &names)).collect()
            }
            false => restore::texts(arguments, &names),
        }
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { path: named, edits } = arguments::read(&as_list(arguments))?;
        let target = Target::named(&named, context)?;
        let plan = EditPlan::of(&target, &edits, context)?;
        let title = paths::shown(&target.path, context);
        let intent =
            Intent::Write { path: target.path.clone(), reach: EditReach::of(&target.path, &plan.before, &plan.after) };
        let preview =
            Preview::Edit { path: target.path.clone(), before: plan.before.clone(), after: plan.after.clone() };
        let context = context.clone();
        let run = result::blocking(move |_| write(&target, &edits, &plan, &context).unwrap_or_else(Outcome::failed));
        Ok(Prepared { title, intent, preview: Some(preview), run })
    }
}

/// Puts a single edit that was written without a list into one.
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
struct EditPlan {
    before: String,
    after: String,
    /// Whether the model has read the current state of the file.
    was_read: bool,
}

impl EditPlan {
    fn of(target: &Target, edits: &[Edit], context: &Context) -> Result<EditPlan, String> {
        let name = paths::shown(&target.path, context);
        let now = target.read(context)?.ok_or_else(|| paths::missing(&target.path, context))?;
        let known = context.seen.compare(&target.path, &now.print);
        if known == FileKnowledge::Changed {
            return Err(format!("{name} has changed since you read it; read it again before you edit it"));
        }
        let before = String::from_utf8(now.bytes)
            .map_err(|_| format!("{name} is not UTF-8 text; change it with a command such as perl or iconv"))?;
        let after = replace::all(&before, edits, &name, &context.redactor)?;
        Ok(EditPlan { before, after, was_read: known == FileKnowledge::AsItIs })
    }
}

/// Writes the file, unless it has changed since the person saw the diff.
fn write(target: &Target, edits: &[Edit], shown: &EditPlan, context: &Context) -> Result<Outcome, String> {
    let name = paths::shown(&target.path, context);
    let now = EditPlan::of(target, edits, context)?;
    if now.before != shown.before {
        return Err(format!("{name} changed in the meantime; nothing was written"));
    }
    let print = target.write(now.after.as_bytes(), context)?;
    if now.was_read {
        context.seen.wrote(&target.path, print);
    }
    let count = if edits.len() == 1 { "1 edit".to_owned() } else { format!("{} edits", edits.len()) };
    Ok(Outcome::done(format!("{name}: {count} made, now {} lines", now.after.lines().count())))
}
