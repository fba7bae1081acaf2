//! Resolves the paths that models write, and shortens paths for display.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Context;
use crate::text::spelled;

/// The real path of a name: relative to the shell's directory, with `~` expanded and links resolved as far as the path exists.
pub(super) fn resolve(named: &str, context: &Context) -> PathBuf {
    let named = Path::new(named.trim());
    let path = match (named.strip_prefix("~"), context.home()) {
        (Ok(below), Some(home)) => home.join(below),
        _ => context.cwd.join(named),
    };
    real(&path)
}

fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(mut found) = fs::canonicalize(existing) {
            for part in missing.iter().rev() {
                match part {
                    Component::ParentDir => drop(found.pop()),
                    Component::Normal(name) => found.push(name),
                    Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
                }
            }
            return found;
        }
        let Some((parent, last)) = existing.parent().zip(existing.components().next_back()) else {
            return path.to_owned();
        };
        missing.push(last);
        existing = parent;
    }
}

/// A path for display: relative to the shell's directory or to the home directory if it is below them.
pub(super) fn shown(path: &Path, context: &Context) -> String {
    let from =
        |base: &Path| fs::canonicalize(base).ok().and_then(|base| path.strip_prefix(base).ok().map(Path::to_owned));
    let short = match (from(&context.cwd), context.home().and_then(from)) {
        (Some(below), _) if below.as_os_str().is_empty() => ".".into(),
        (Some(below), _) => below,
        (None, Some(below)) => Path::new("~").join(below),
        (None, None) => path.to_owned(),
    };
    spelled(&short.to_string_lossy())
}

/// The message that a path does not exist, with similar names in its directory.
pub(super) fn missing(path: &Path, context: &Context) -> String {
    let name = shown(path, context);
    let Some(directory) = path.ancestors().skip(1).find(|directory| directory.is_dir()) else {
        return format!("{name} does not exist");
    };
    if path.parent() != Some(directory) {
        let near = shown(directory, context);
        return format!("{name} does not exist, nor does its directory; the nearest that does is {near}");
    }
    let wanted = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MOST_NAMES);
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let candidates: Vec<&str> = lower.iter().map(String::as_str).collect();
    let near = similar::get_close_matches(wanted.as_str(), &candidates, 3, 0.6);
    let near = near.iter().filter_map(|near| names.get(lower.iter().position(|name| name == near)?));
    let near: Vec<String> = near.map(|name| shown(&directory.join(name), context)).collect();
    if near.is_empty() {
        format!("{name} does not exist")
    } else {
        format!("{name} does not exist; did you mean {}?", near.join(", "))
    }
}

/// How many entries of a directory are compared with a missing name.
const MOST_NAMES: usize = 5000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use std::os::unix::fs::symlink;

    #[test]
    fn paths_are_resolved_from_the_shells_directory() {
        let home = Home::new();
        let app = home.context().cwd;
        fs::create_dir(app.join("src")).unwrap();
        home.write("secret", "");
        symlink(home.path("secret"), app.join("innocent")).unwrap();
        let real = |named| resolve(named, &home.context());
        assert_eq!(real("src/../new.rs"), app.join("new.rs"));
        assert_eq!(real("no/such/../file"), app.join("no/file"));
        assert_eq!(real("~/app/src"), app.join("src"));
        assert_eq!(real("innocent"), home.path("secret"));
        assert_eq!(real("/"), Path::new("/"));
    }

    #[test]
    fn paths_are_displayed_relative_and_sanitized() {
        let home = Home::new();
        let context = home.context();
        assert_eq!(shown(&context.cwd.join("src/a.rs"), &context), "src/a.rs");
        assert_eq!(shown(&context.cwd, &context), ".");
        assert_eq!(shown(&home.path("notes"), &context), "~/notes");
        assert_eq!(shown(Path::new("/etc/a\x1b]0;b\n"), &context), "/etc/aU+001B]0;b⏎");
    }

    #[test]
    fn a_missing_file_is_reported_with_similar_names() {
        let home = Home::new();
        let context = home.context();
        home.write("app/README.md", "");
        home.write("app/main.rs", "");
        let said = |named| missing(&resolve(named, &context), &context);
        assert_eq!(said("readme.txt"), "readme.txt does not exist; did you mean README.md?");
        assert_eq!(said("zebra"), "zebra does not exist");
        assert_eq!(said("a/b/c"), "a/b/c does not exist, nor does its directory; the nearest that does is .");
    }
}
