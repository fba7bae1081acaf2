//! `ls`: lists a directory.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jiff::tz::TimeZone;
use nix::dir::Dir;
use nix::fcntl::{AtFlags, readlinkat};
use nix::sys::stat::{SFlag, fstatat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::held::{HeldError, Opener};
use super::result::{self, ListingPage};
use super::{Context, Prepared, Tool, arguments, file, paths};
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
    let said = |error: io::Error| format!("cannot list {name}: {error}");
    let opened = Opener::default().open(path).map_err(|error| match error {
        HeldError::Io(error) if error.kind() == io::ErrorKind::NotFound => paths::missing(path, context),
        HeldError::Io(error) => said(error),
        HeldError::Link | HeldError::Replaced => file::not_real(path, context),
    })?;
    if !opened.metadata().map_err(said)?.is_dir() {
        return Err(format!("{name} is a file; use read_file"));
    }
    let directory = opened.try_clone().map_err(said)?;
    let entries = Dir::from_fd(opened.into()).map_err(|errno| said(errno.into()))?;
    let mut names: Vec<Vec<u8>> =
        entries.into_iter().flatten().map(|entry| entry.file_name().to_bytes().to_vec()).collect();
    names.retain(|name| name != b"." && name != b"..");
    names.sort();
    let mut page = ListingPage::new(offset, ENTRIES);
    let here = TimeZone::system();
    let _ = names.iter().all(|name| page.push(&line(&directory, OsStr::from_bytes(name), &here)));
    Ok(Outcome::done(page.finish("the directory is empty")))
}

/// `2026-01-31 09:30  1.5 KiB  name`, with `/` after a directory and the target after a link.
fn line(directory: &File, entry: &OsStr, here: &TimeZone) -> String {
    let mut name = entry.to_string_lossy().replace('\n', "\\n");
    let Ok(about) = fstatat(directory, entry, AtFlags::AT_SYMLINK_NOFOLLOW) else { return format!("? {name}") };
    let modified = jiff::Timestamp::from_second(about.st_mtime).ok();
    let time = modified.map(|time| time.to_zoned(here.clone()).strftime("%Y-%m-%d %H:%M").to_string());
    let kind = SFlag::from_bits_truncate(about.st_mode) & SFlag::S_IFMT;
    let size = match kind {
        SFlag::S_IFREG => human::size(about.st_size.try_into().unwrap_or_default()),
        _ => "-".to_owned(),
    };
    if kind == SFlag::S_IFDIR {
        name.push('/');
    }
    if let Ok(target) = readlinkat(directory, entry) {
        name.push_str(&format!(" -> {}", target.display()));
    }
    format!("{}  {size}  {name}", time.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use serde_json::json;
    use std::fs;
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
    fn a_file_or_a_missing_path_is_reported() {
        let home = Home::new();
        home.write("app/file", "");
        fs::create_dir(home.path("app/empty")).unwrap();
        assert_eq!(home.done(&Ls, json!({"path": "empty"})), "the directory is empty\n");
        assert_eq!(home.failed(&Ls, json!({"path": "file"})), "file is a file; use read_file");
        assert_eq!(home.failed(&Ls, json!({"path": "fil"})), "fil does not exist; did you mean file?");
    }
}
