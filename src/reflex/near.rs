//! Finds existing paths that are similar to a wrong one.

use std::path::{Path, PathBuf};

use super::typo;
use super::world::{DirectoryEntry, FileKind, World};
use crate::text::shell::{Token, tokens};

/// The most directories that are searched for a file one level down.
const MOST_INSIDE: usize = 64;

/// The existing path that is most similar to a path that does not exist.
pub(super) fn path(wrong: &str, world: &dyn World) -> Option<String> {
    nearest(wrong, world, |_| true).or_else(|| one_level_down(wrong, world))
}

/// Like [`path`], for a directory.
pub(super) fn directory(wrong: &str, world: &dyn World) -> Option<String> {
    nearest(wrong, world, |kind| kind == FileKind::Directory).or_else(|| used_before(wrong, world))
}

/// A directory with this name in an earlier command.
fn used_before(wrong: &str, world: &dyn World) -> Option<String> {
    let ending = format!("/{}", wrong.trim_end_matches('/'));
    let words = world.recent().iter().flat_map(|line| tokens(line)).filter_map(|token| match token {
        Token::Word(word) => Some(word.text.trim_end_matches('/').to_owned()),
        Token::Redirection(_) | Token::Operator(..) => None,
    });
    let mut paths = words.filter(|word| word.ends_with(&ending));
    paths.find(|path| world.kind(&expanded(path, world)) == Some(FileKind::Directory))
}

/// The path with `~` expanded.
pub(super) fn expanded(path: &str, world: &dyn World) -> PathBuf {
    match (path.strip_prefix('~'), world.variable("HOME")) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => PathBuf::from(format!("{home}{rest}")),
        _ => PathBuf::from(path),
    }
}

/// Whether a path exists.
pub(super) fn exists(path: &str, world: &dyn World) -> bool {
    world.kind(&expanded(path, world)).is_some()
}

fn nearest(wrong: &str, world: &dyn World, is_wanted: fn(FileKind) -> bool) -> Option<String> {
    if wrong.is_empty() || wrong.contains(['*', '?', '$', '\n']) || wrong.contains("://") {
        return None;
    }
    // A missing or an extra slash at the front is tried first.
    let other = match wrong.strip_prefix('/') {
        Some(relative) => relative.to_owned(),
        None => format!("/{wrong}"),
    };
    if wrong.contains('/') && world.kind(Path::new(&other)).is_some_and(is_wanted) && !other.is_empty() {
        return Some(other);
    }
    let trailing = if wrong.ends_with('/') { "/" } else { "" };
    let parts: Vec<&str> = wrong.trim_end_matches('/').split('/').collect();
    let mut found = String::new();
    for (n, part) in parts.iter().enumerate() {
        let is_last = n + 1 == parts.len();
        let so_far = format!("{found}{part}");
        let is_there = |kind: FileKind| if is_last { is_wanted(kind) } else { kind == FileKind::Directory };
        if part.is_empty()
            || *part == "~"
            || [".", ".."].contains(part)
            || world.kind(&expanded(&so_far, world)).is_some_and(is_there)
        {
            found = so_far;
        } else {
            let directory = if found.is_empty() { PathBuf::new() } else { expanded(&found, world) };
            let entries = world.entries(&directory);
            let name = meant(part, entries.iter().filter(|entry| is_there(entry.kind)))?;
            found.push_str(name);
        }
        if !is_last {
            found.push('/');
        }
    }
    let found = format!("{found}{trailing}");
    (found != wrong).then_some(found)
}

/// The entry that a name was probably meant for: misspelt, in another case, or without its extension.
fn meant<'a>(name: &str, entries: impl Iterator<Item = &'a DirectoryEntry> + Clone) -> Option<&'a str> {
    let names = entries.map(|entry| entry.name.as_str());
    let mut same = names.clone().filter(|known| known.to_lowercase() == name.to_lowercase());
    if let Some(found) = same.next() {
        return Some(found);
    }
    let mut longer = names
        .clone()
        .filter(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.') && rest.len() > 1));
    if let (Some(found), None) = (longer.next(), longer.next()) {
        return Some(found);
    }
    let is_hidden = name.starts_with('.');
    typo::nearest(name, names.filter(|known| known.starts_with('.') == is_hidden))
}

/// Finds `src/main.rs` for `main.rs`, if there is only one such file.
fn one_level_down(wrong: &str, world: &dyn World) -> Option<String> {
    if wrong.contains('/') || !wrong.contains('.') {
        return None;
    }
    let directories = world
        .entries(Path::new(""))
        .into_iter()
        .filter(|entry| entry.kind == FileKind::Directory && !entry.name.starts_with('.'));
    let mut inside = directories
        .take(MOST_INSIDE)
        .map(|entry| format!("{}/{wrong}", entry.name))
        .filter(|path| world.kind(Path::new(path)).is_some());
    match (inside.next(), inside.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}
