//! Walks the files below a directory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{Walk, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::Context;
use crate::guard::holds_credentials;

/// The time limit of a walk. It is enough for a large checkout but not for a whole disk.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walked {
    All,
    /// The visitor stopped it.
    Enough,
    OutOfTime,
}

/// Walks everything below `root` in the order of the paths. Like git, the walk leaves out ignored files and `.git` and does not follow links.
/// What `is_kept` rejects is left out too, but never `root` itself.
pub(crate) fn walk_like_git(root: &Path, is_kept: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Walk {
    let top = root.to_owned();
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .sort_by_file_path(Path::cmp)
        .filter_entry(move |entry| entry.path() == top || entry.file_name() != ".git" && is_kept(entry.path()))
        .build()
}

/// Visits the files below `root`, as [`walk_like_git`] finds them. Files with credentials are skipped, unless `root` itself is one; the person has approved it in that case.
pub(super) fn files(
    root: &Path,
    context: &Context,
    cancel: &CancellationToken,
    mut visit: impl FnMut(&Path) -> bool,
) -> Walked {
    let (project, home) = (context.cwd.clone(), context.home().map(Path::to_owned));
    let asked = holds_credentials(root, &project, home.as_deref());
    let walk = walk_like_git(root, move |path| asked || !holds_credentials(path, &project, home.as_deref()));
    let began = Instant::now();
    for entry in walk.flatten() {
        if cancel.is_cancelled() || began.elapsed() > PATIENCE {
            return Walked::OutOfTime;
        }
        if entry.file_type().is_some_and(|kind| kind.is_file()) && !visit(entry.path()) {
            return Walked::Enough;
        }
    }
    Walked::All
}

/// A glob pattern. Without a slash it matches file names at any depth, otherwise paths relative to the root.
pub(super) struct Pattern {
    matcher: GlobMatcher,
    is_name: bool,
}

impl Pattern {
    pub(super) fn new(pattern: &str, field: &str) -> Result<Pattern, String> {
        let below = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(below).literal_separator(true).build();
        let matcher = glob.map_err(|error| format!("bad argument {field}: {error}"))?.compile_matcher();
        Ok(Pattern { matcher, is_name: !pattern.contains('/') })
    }

    pub(super) fn matches(&self, path: &Path, root: &Path) -> bool {
        let below = match path.strip_prefix(root) {
            Ok(below) if !below.as_os_str().is_empty() => below,
            // The root is the file itself.
            _ => path.file_name().map_or(path, Path::new),
        };
        self.matcher.is_match(if self.is_name { below.file_name().map_or(below, Path::new) } else { below })
    }
}

/// Splits the leading directories without wildcards from a pattern.
pub(super) fn split(pattern: &str) -> (PathBuf, String) {
    let is_wild = |part: &str| part.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = pattern.split('/').collect();
    let fixed = parts.iter().take(parts.len() - 1).take_while(|part| !is_wild(part)).count();
    let directory = if fixed == 1 && parts[0].is_empty() { "/".to_owned() } else { parts[..fixed].join("/") };
    (PathBuf::from(directory), parts[fixed..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;

    fn walked(home: &Home, root: &str) -> Vec<String> {
        let mut found = Vec::new();
        let root = home.path(root);
        files(&root, &home.context(), &CancellationToken::new(), |path| {
            found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            true
        });
        found
    }

    #[test]
    fn ignored_files_and_credentials_are_skipped() {
        let home = Home::new();
        for file in ["b.rs", "a/x.rs", ".env", ".github/ci.yml", ".git/config", "target/out", "server.pem"] {
            home.write(&format!("app/{file}"), "");
        }
        home.write("app/.gitignore", "target\n");
        assert_eq!(walked(&home, "app"), [".env", ".github/ci.yml", ".gitignore", "a/x.rs", "b.rs"]);
        home.write(".ssh/id_rsa", "");
        home.write("other/.env", "");
        let all = walked(&home, "");
        assert!(!all.iter().any(|path| path.contains(".ssh") || path == "other/.env"), "{all:?}");
        assert_eq!(walked(&home, ".ssh"), ["id_rsa"], "what was asked for by name is there");
    }

    #[test]
    fn a_walk_can_be_stopped() {
        let home = Home::new();
        home.write("app/a", "");
        home.write("app/b", "");
        let cancel = CancellationToken::new();
        assert_eq!(files(&home.path("app"), &home.context(), &cancel, |_| false), Walked::Enough);
        cancel.cancel();
        assert_eq!(files(&home.path("app"), &home.context(), &cancel, |_| true), Walked::OutOfTime);
    }

    #[test]
    fn patterns_match_names_or_paths() {
        let matches = |pattern, path| Pattern::new(pattern, "glob").unwrap().matches(Path::new(path), Path::new("/r"));
        assert!(matches("*.rs", "/r/a/b.rs"));
        assert!(matches("*.{rs,toml}", "/r/a.toml"));
        assert!(matches("src/**/*.rs", "/r/src/a/b.rs") && matches("src/**/*.rs", "/r/src/b.rs"));
        assert!(!matches("src/*.rs", "/r/src/a/b.rs") && !matches("*.rs", "/r/a.rst"));
        let file = Path::new("/r/a.rs");
        assert!(Pattern::new("*.rs", "glob").unwrap().matches(file, file), "a root that is a file has its own name");
        assert!(Pattern::new("a[", "glob").is_err_and(|error| error.starts_with("bad argument glob: ")));
    }

    #[test]
    fn leading_directories_are_split_from_a_pattern() {
        let parts = |pattern| {
            let (directory, rest) = split(pattern);
            (directory.to_str().unwrap().to_owned(), rest)
        };
        assert_eq!(parts("*.rs"), (String::new(), "*.rs".into()));
        assert_eq!(parts("/etc/**/*.conf"), ("/etc".into(), "**/*.conf".into()));
        assert_eq!(parts("~/a/b.rs"), ("~/a".into(), "b.rs".into()));
        assert_eq!(parts("/*.rs"), ("/".into(), "*.rs".into()));
        assert_eq!(parts("src/*/mod.rs"), ("src".into(), "*/mod.rs".into()));
    }
}
