//! The directories of `[[scope]]` settings: whether one holds the current directory, and how deep it is.

use std::path::{Component, Path, PathBuf};

/// How deep a directory is, if it holds the current one. `~` stands for the home directory. A link to a directory is in that directory.
pub(crate) fn depth(directory: &Path, cwd: &Path, home: Option<&Path>) -> Option<usize> {
    let named = match (directory.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        (Ok(_), None) | (Err(_), _) => directory.to_owned(),
    };
    let real_directory = real(&named);
    let holds = cwd.starts_with(&named) || real(cwd).starts_with(&real_directory);
    holds.then(|| real_directory.components().count())
}

/// The path without links and `..`. A directory that was deleted while the shell is in it is still below the same ones.
fn real(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let Some((ancestor, mut real_path)) = existing else { return path.to_owned() };
    let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
    for component in rest.components() {
        match component {
            Component::ParentDir => drop(real_path.pop()),
            Component::Normal(name) => real_path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    // What is behind `..` may exist.
    let goes_up = rest.components().any(|component| component == Component::ParentDir);
    if goes_up { real(&real_path) } else { real_path }
}
