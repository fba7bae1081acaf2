//! Follows the imports of a file with conventions: `@docs/style.md` in its text.

use std::path::{Component, Path, PathBuf};

use super::Convention;
use super::find::{FoundConventions, shown};
use crate::guard;

/// How many files an import may go through.
const HOPS: usize = 5;
/// How many files one file may import.
const MOST: usize = 16;

/// Reads the files that a text imports, and those that they import. A file outside `within`, or one that may hold credentials, is not
/// read: these words are not the person's own.
pub(super) fn follow(
    text: &str,
    directory: &Path,
    within: &Path,
    home: Option<&Path>,
    found: &mut FoundConventions,
    imported: &mut Vec<Convention>,
) {
    let mut open: Vec<(String, PathBuf, usize)> = vec![(text.to_owned(), directory.to_owned(), 0)];
    while let Some((text, directory, hops)) = open.pop() {
        if hops == HOPS {
            continue;
        }
        for name in names(&text).into_iter().take(MOST) {
            let path = normal(&directory.join(&name));
            let Ok(real) = path.canonicalize() else { continue };
            if !may_be_read(&real, within, home) {
                found.problems.push(format!("@{name} is not read: it is outside the project, or may hold credentials"));
                continue;
            }
            if let Some(text) = found.read(&path) {
                let below = path.parent().unwrap_or(within).to_owned();
                open.push((text.clone(), below, hops + 1));
                imported.push(Convention { name: shown(&path, within), text });
            }
        }
    }
}

/// Whether a file, named by its real path, is in the project and holds no credentials.
pub(super) fn may_be_read(real: &Path, within: &Path, home: Option<&Path>) -> bool {
    let is_inside = within.canonicalize().is_ok_and(|within| real.starts_with(within));
    is_inside && !guard::holds_credentials(real, within, home)
}

/// The paths behind an `@` at the beginning of a word, outside of code.
fn names(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut names = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code {
            continue;
        }
        for (at, prose) in line.split('`').enumerate() {
            let words = prose.split_whitespace().filter(|_| at % 2 == 0);
            let paths = words.filter_map(|word| word.strip_prefix('@'));
            let paths = paths.map(|path| path.trim_end_matches(['.', ',', ';', ':', ')']));
            // A name with a dot or a slash is a path; `@alice` is a person.
            names.extend(paths.filter(|path| path.contains(['/', '.'])).map(str::to_owned));
        }
    }
    names
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_paths_outside_of_code() {
        let text = "See @docs/style.md, and (not this) `@x/y`.\n```\n@in/code.md\n```\nAsk @alice. @README.md";
        assert_eq!(names(text), ["docs/style.md", "README.md"]);
        assert_eq!(normal(Path::new("/a/b/../c/./d")), Path::new("/a/c/d"));
    }
}
