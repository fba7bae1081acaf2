//! `glob`: finds files by name, newest first.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::held::Opener;
use super::result::{self, ListingPage};
use super::walk::{self, Pattern, Walked};
use super::{Context, Prepared, Tool, arguments, paths};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::Intent;
use crate::text::sanitize;

const FILES: usize = 200;

/// The most files that are collected and sorted.
const MOST: usize = 50_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// *.rs (any depth) or src/**/*.rs
    pattern: String,
    /// Directory (.)
    path: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

pub(super) struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>("glob", "Find files by name, newest first, skipping git-ignored ones.")
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { pattern: written, path, offset, limit } = arguments::read(arguments)?;
        let (directory, pattern) = walk::split(&written);
        let base = Path::new(path.as_deref().unwrap_or_default());
        // A pattern may begin with `~`, which is only expanded at the start of a path.
        let named = if directory.starts_with("~") { directory.clone() } else { base.join(&directory) };
        let root = paths::resolve(&named.to_string_lossy(), context);
        let is_below = !directory.as_os_str().is_empty();
        let pattern = Pattern::new(&if is_below { format!("./{pattern}") } else { pattern }, "pattern")?;
        let title = format!("{} in {}", sanitize(&written).replace('\n', " "), paths::shown(&root, context));
        let page = ListingPage::new(offset, limit.unwrap_or(FILES).max(1));
        let (intent, context) = (Intent::Read { paths: vec![root.clone()] }, context.clone());
        let run = result::blocking(move |run| find(&root, &pattern, page, &context, &run.cancel));
        Ok(Prepared { title, intent, preview: None, run })
    }
}

fn find(
    root: &Path,
    pattern: &Pattern,
    mut page: ListingPage,
    context: &Context,
    cancel: &CancellationToken,
) -> Outcome {
    if !root.exists() {
        return Outcome::failed(paths::missing(root, context));
    }
    let mut found: Vec<(Reverse<SystemTime>, PathBuf)> = Vec::new();
    let mut opener = Opener::default();
    let walked = walk::files(root, context, cancel, |path| {
        // Files behind a link that was created after the path was judged are not listed.
        if pattern.matches(path, root)
            && let Ok(about) = opener.about(path)
        {
            let seconds = Duration::from_secs(about.st_mtime.try_into().unwrap_or_default());
            let nanos = Duration::from_nanos(about.st_mtime_nsec.try_into().unwrap_or_default());
            found.push((Reverse(SystemTime::UNIX_EPOCH + seconds + nanos), path.to_owned()));
        }
        found.len() < MOST
    });
    found.sort();
    let _ = found.iter().all(|(_, path)| page.push(&paths::shown(path, context)));
    let mut text = page.finish("no files");
    match walked {
        Walked::All => {}
        Walked::Enough => text.push_str(&format!("[there are more than {MOST}; narrow the pattern]\n")),
        Walked::OutOfTime => text.push_str("[not every directory was seen: it took too long]\n"),
    }
    Outcome::done(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use serde_json::json;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn files_are_found_newest_first() {
        let home = Home::new();
        for (age, name) in [(3, "src/old.rs"), (1, "src/deep/new.rs"), (2, "mid.rs"), (0, "other.txt")] {
            home.write(&format!("app/{name}"), "");
            let file = File::options().write(true).open(home.path("app").join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age * 100)).unwrap();
        }
        let glob = |arguments| home.done(&Glob, arguments);
        assert_eq!(glob(json!({"pattern": "*.rs"})), "src/deep/new.rs\nmid.rs\nsrc/old.rs\n");
        assert_eq!(glob(json!({"pattern": "src/*.rs"})), "src/old.rs\n");
        assert_eq!(glob(json!({"pattern": "src/**/*.rs"})), "src/deep/new.rs\nsrc/old.rs\n");
        assert_eq!(glob(json!({"pattern": "*.rs", "path": "src"})), "src/deep/new.rs\nsrc/old.rs\n");
        assert_eq!(glob(json!({"pattern": "~/app/*.rs"})), "mid.rs\n");
        let absolute = home.path("app/src").to_str().unwrap().to_owned() + "/**/n*";
        assert_eq!(glob(json!({"pattern": absolute})), "src/deep/new.rs\n");
        assert_eq!(glob(json!({"pattern": "*.py"})), "no files\n");
        let page = glob(json!({"pattern": "*.rs", "limit": 1, "offset": 1}));
        assert_eq!(page, "mid.rs\n[more follows: go on with offset 2]\n");
        assert!(home.failed(&Glob, json!({"pattern": "scr/*.rs"})).contains("did you mean src?"));
    }
}
