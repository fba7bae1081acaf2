//! `write_file`: creates or replaces a whole file.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::file::Target;
use super::seen::FileKnowledge;
use super::{Context, Prepared, Preview, Tool, arguments, paths, restore, result};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{EditReach, Intent};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    #[serde(alias = "contents", alias = "text")]
    content: String,
}

pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "write_file",
            "Create a file, or replace one that you have read, with exactly this content. Missing directories are made. Prefer edit_file for changes.",
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn file_texts<'a>(&self, arguments: &'a mut Value) -> Vec<&'a mut String> {
        restore::texts(arguments, &["content", "contents", "text"])
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { path: named, content } = arguments::read(arguments)?;
        let target = Target::named(&named, context)?;
        let before = existing(&target, context)?;
        let title = paths::shown(&target.path, context);
        let old = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default().into_owned();
        let reach = EditReach::of(&target.path, &old, &content);
        let intent = Intent::Write { path: target.path.clone(), reach };
        let preview = Preview::Edit { path: target.path.clone(), before: old, after: content.clone() };
        let context = context.clone();
        let run = result::blocking(move |_| {
            write(&target, before.as_deref(), &content, &context).unwrap_or_else(Outcome::failed)
        });
        Ok(Prepared { title, intent, preview: Some(preview), run })
    }
}

/// The content that would be replaced. An error if the model has not read it.
fn existing(target: &Target, context: &Context) -> Result<Option<Vec<u8>>, String> {
    let Some(now) = target.read(context)? else { return Ok(None) };
    let name = paths::shown(&target.path, context);
    match context.seen.compare(&target.path, &now.print) {
        FileKnowledge::AsItIs => Ok(Some(now.bytes)),
        FileKnowledge::Changed => {
            Err(format!("{name} has changed since you read it; read it again before you replace it"))
        }
        FileKnowledge::Never if now.bytes.is_empty() => Ok(Some(now.bytes)),
        FileKnowledge::Never => Err(format!("{name} exists and you have not read it; read it before you replace it")),
    }
}

/// Writes the file, unless it has changed since the person saw it.
fn write(target: &Target, before: Option<&[u8]>, content: &str, context: &Context) -> Result<Outcome, String> {
    let name = paths::shown(&target.path, context);
    if existing(target, context)?.as_deref() != before {
        return Err(format!("{name} changed in the meantime; nothing was written"));
    }
    let print = target.write(content.as_bytes(), context)?;
    context.seen.wrote(&target.path, print);
    let verb = if before.is_some() { "replaced" } else { "created" };
    Ok(Outcome::done(format!("{verb} {name}: {} lines, {} bytes", content.lines().count(), content.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::read::ReadFile;
    use crate::tool::tests::{Home, finish};
    use serde_json::json;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn missing_directories_of_a_new_file_are_created() {
        let home = Home::new();
        let prepared = home.prepare(&WriteFile, json!({"path": "src/new.rs", "content": "a\nb\n"})).unwrap();
        assert_eq!(prepared.title, "src/new.rs");
        let path = home.path("app/src/new.rs");
        assert_eq!(prepared.intent, Intent::Write { path: path.clone(), reach: EditReach::Unknown });
        assert_eq!(
            prepared.preview,
            Some(Preview::Edit { path: path.clone(), before: String::new(), after: "a\nb\n".into() })
        );
        assert!(!path.exists(), "nothing happens before it may");
        assert_eq!(finish(prepared).text(), "created src/new.rs: 2 lines, 4 bytes");
        assert_eq!(home.read("app/src/new.rs"), "a\nb\n");
        assert_eq!(
            home.done(&WriteFile, json!({"path": "src/new.rs", "content": "c"})),
            "replaced src/new.rs: 1 lines, 1 bytes"
        );
    }

    #[test]
    fn a_file_that_was_not_read_is_not_replaced() {
        let home = Home::new();
        home.write("app/a", "precious");
        let write = || json!({"path": "a", "content": "new"});
        assert!(home.failed(&WriteFile, write()).contains("you have not read it"));
        home.done(&ReadFile, json!({"path": "a"}));
        home.write("app/a", "more precious");
        assert!(home.failed(&WriteFile, write()).contains("has changed since"));
        home.done(&ReadFile, json!({"path": "a"}));
        let asked = home.prepare(&WriteFile, write()).unwrap();
        home.write("app/a", "most precious");
        assert!(finish(asked).is_failed());
        assert_eq!(home.read("app/a"), "most precious");
    }

    #[test]
    fn a_file_created_during_the_question_is_not_overwritten() {
        let home = Home::new();
        let asked = home.prepare(&WriteFile, json!({"path": "a", "content": "new"})).unwrap();
        home.write("app/a", "theirs");
        assert!(finish(asked).is_failed());
        assert_eq!(home.read("app/a"), "theirs");
    }

    #[test]
    fn a_link_stays_a_link() {
        let home = Home::new();
        home.write("real", "old");
        symlink(home.path("real"), home.path("app/link")).unwrap();
        symlink(home.path("nowhere"), home.path("app/dangling")).unwrap();
        home.done(&ReadFile, json!({"path": "link"}));
        home.done(&WriteFile, json!({"path": "link", "content": "new"}));
        assert_eq!(home.read("real"), "new");
        assert!(home.path("app/link").is_symlink());
        assert!(home.failed(&WriteFile, json!({"path": "dangling", "content": ""})).contains("link"));
        assert!(home.failed(&WriteFile, json!({"path": ".", "content": ""})).contains("directory"));
    }

    #[test]
    fn a_directory_swapped_for_a_link_after_the_question_is_not_written_through() {
        let home = Home::new();
        fs::create_dir(home.path(".ssh")).unwrap();
        fs::create_dir(home.path("app/sub")).unwrap();
        let asked = home.prepare(&WriteFile, json!({"path": "sub/authorized_keys", "content": "key"})).unwrap();
        fs::rename(home.path("app/sub"), home.path("app/aside")).unwrap();
        symlink(home.path(".ssh"), home.path("app/sub")).unwrap();
        let outcome = finish(asked);
        assert!(!home.path(".ssh/authorized_keys").exists());
        assert!(!home.path("app/aside/authorized_keys").exists());
        assert!(outcome.is_failed() && outcome.text().contains("its directory was replaced"), "{outcome:?}");
    }

    #[test]
    fn a_file_swapped_for_a_link_after_the_question_is_not_written_through() {
        let home = Home::new();
        home.write("secret", "");
        home.write("app/a", "");
        let asked = home.prepare(&WriteFile, json!({"path": "a", "content": "new"})).unwrap();
        fs::remove_file(home.path("app/a")).unwrap();
        symlink(home.path("secret"), home.path("app/a")).unwrap();
        assert!(finish(asked).is_failed());
        assert_eq!(home.read("secret"), "");
    }
}
