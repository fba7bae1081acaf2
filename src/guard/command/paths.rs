//! Paths that a command touches.

use std::path::{Component, Path, PathBuf};

use super::argument::{Argument, Certainty};
use super::scope::Scope;
use super::{Extent, Touched};

/// The characters that begin a pattern.
pub(super) const PATTERN: [char; 3] = ['*', '?', '['];

/// Adds the paths that an argument names. A pattern stands for anything below the directory that it begins with.
pub(super) fn add(touched: &mut Vec<Touched>, argument: &Argument, extent: Extent, scope: &Scope<'_>) {
    let (text, extent) = match &argument.known {
        Certainty::Literal => (argument.text.as_str(), extent),
        Certainty::Pattern => (pattern_directory(&argument.text), Extent::Below),
        Certainty::Unknown(_) => return,
    };
    add_text(touched, text, extent, scope);
}

/// Adds the paths that a text names: as written, and as they really are.
pub(super) fn add_text(touched: &mut Vec<Touched>, text: &str, extent: Extent, scope: &Scope<'_>) {
    let mut add = |path: PathBuf| {
        let found = Touched { path, extent };
        if !touched.contains(&found) {
            touched.push(found);
        }
    };
    if Path::new(text).is_absolute() {
        add(normal(Path::new(text)));
        add(real(Path::new(text)));
        return;
    }
    for cwd in &scope.cwds {
        add(normal(&cwd.join(text)));
        add(real(&cwd.join(text)));
    }
}

/// The directory before the first component with a pattern.
pub(super) fn pattern_directory(pattern: &str) -> &str {
    let end = pattern.find(PATTERN).unwrap_or(pattern.len());
    match pattern[..end].rfind('/') {
        Some(0) => "/",
        Some(slash) => &pattern[..slash],
        None => ".",
    }
}

/// Every absolute path that a text may stand for, without following its last component.
pub(super) fn absolute(text: &str, scope: &Scope<'_>) -> Vec<PathBuf> {
    let path = Path::new(text);
    let joined =
        if path.is_absolute() { vec![path.to_owned()] } else { scope.cwds.iter().map(|cwd| cwd.join(path)).collect() };
    let mut found = Vec::new();
    for path in joined {
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !text.ends_with('/') => self::real(parent).join(name),
            _ => self::real(&path),
        };
        for path in [normal(&path), real] {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// The path without `.` and `..`, by its text alone.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(component),
        }
    }
    normal
}

/// The path with the links of its existing part resolved.
pub(super) fn real(path: &Path) -> PathBuf {
    let mut existing = path;
    let mut missing = Vec::new();
    loop {
        if let Ok(real) = existing.canonicalize() {
            return normal(&missing.iter().rev().fold(real, |path: PathBuf, name: &Component<'_>| path.join(name)));
        }
        let (Some(last), Some(parent)) = (existing.components().next_back(), existing.parent()) else {
            return normal(path);
        };
        missing.push(last);
        existing = parent;
    }
}

/// Whether a relative path names something in a directory the command may run in.
pub(super) fn exists(text: &str, scope: &Scope<'_>) -> bool {
    !text.is_empty() && text.len() < 256 && scope.cwds.iter().any(|cwd| cwd.join(text).symlink_metadata().is_ok())
}
