//! `ls`: what is in a directory.

use std::fs::{self, DirEntry};
use std::path::Path;

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::result::{self, Page};
use super::{Context, Prepared, Tool, arguments, paths};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::Intent;
use crate::text::human;

const ENTRIES: usize = 500;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Directory (.)
    path: Option<String>,
    #[serde(default)]
    offset: usize,
}

pub(super) struct Ls;

impl Tool for Ls {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>("ls", "List a directory, hidden and ignored entries too: time, size, name.")
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { path, offset } = arguments::read(arguments)?;
        let path = paths::resolve(path.as_deref().unwrap_or("."), context);
        let context = context.clone();
        Ok(Prepared {
            title: paths::shown(&path, &context),
            intent: Intent::Read { paths: vec![path.clone()] },
            preview: None,
            run: result::blocking(move |_| list(&path, offset, &context).unwrap_or_else(Outcome::failed)),
        })
    }
}

fn list(path: &Path, offset: usize, context: &Context) -> Result<Outcome, String> {
    let name = paths::shown(path, context);
    if !path.exists() {
        return Err(paths::missing(path, context));
    }
    if !path.is_dir() {
        return Err(format!("{name} is a file; use read_file"));
    }
    let entries = fs::read_dir(path).map_err(|error| format!("cannot list {name}: {error}"))?;
    let mut entries: Vec<DirEntry> = entries.flatten().collect();
    entries.sort_by_key(DirEntry::file_name);
    let mut page = Page::new(offset, ENTRIES);
    let here = TimeZone::system();
    let _ = entries.iter().all(|entry| page.push(&line(entry, &here)));
    Ok(Outcome::done(page.finish("the directory is empty")))
}

/// `2026-01-31 09:30  1.5 KiB  name`, with `/` after a directory and the target after a link.
fn line(entry: &DirEntry, here: &TimeZone) -> String {
    let mut name = entry.file_name().to_string_lossy().replace('\n', "\\n");
    let Ok(about) = entry.metadata() else { return format!("? {name}") };
    let modified = about.modified().ok().and_then(|time| jiff::Timestamp::try_from(time).ok());
    let time = modified.map(|time| time.to_zoned(here.clone()).strftime("%Y-%m-%d %H:%M").to_string());
    let size = if about.is_file() { human::size(about.len()) } else { "-".to_owned() };
    if about.is_dir() {
        name.push('/');
    }
    if let Ok(target) = fs::read_link(entry.path()) {
        name.push_str(&format!(" -> {}", target.display()));
    }
    format!("{}  {size}  {name}", time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use serde_json::json;
    use std::os::unix::fs::symlink;

    #[test]
    fn entries_have_time_size_and_kind() {
        let home = Home::new();
        home.write("app/.hidden", "x");
        home.write("app/src/a.rs", "");
        home.write("app/long", "x".repeat(2048));
        symlink("long", home.path("app/zlink")).unwrap();
        let text = home.done(&Ls, json!({}));
        let parts: Vec<Vec<&str>> = text.lines().map(|line| line.split("  ").collect()).collect();
        assert!(parts.iter().all(|parts| parts[0].len() == "2026-01-31 09:30".len()), "{text}");
        let rest: Vec<String> = parts.iter().map(|parts| parts[1..].join("|")).collect();
        assert_eq!(rest, ["1 B|.hidden", "2.0 KiB|long", "-|src/", "-|zlink -> long"]);
        assert_eq!(home.done(&Ls, json!({"path": "~/app/src", "offset": 1})), "nothing after offset 1; there are 1\n");
    }

    #[test]
    fn what_is_no_directory_is_said() {
        let home = Home::new();
        home.write("app/file", "");
        fs::create_dir(home.path("app/empty")).unwrap();
        assert_eq!(home.done(&Ls, json!({"path": "empty"})), "the directory is empty\n");
        assert_eq!(home.failed(&Ls, json!({"path": "file"})), "file is a file; use read_file");
        assert_eq!(home.failed(&Ls, json!({"path": "fil"})), "fil does not exist; did you mean file?");
    }
}
