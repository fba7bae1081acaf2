//! Finds the files with conventions.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::regular;
use super::{Convention, imports, rules};
use crate::repository;
use crate::text::KIB;

/// The names of such a file, the most usual first. A directory has one: most projects that have several say the same in each.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "AGENT.md"];
/// Bytes that are read of one file.
const READ: u64 = 64 * KIB as u64;

/// What was found, outermost first.
#[derive(Debug, Default)]
pub(super) struct FoundConventions {
    pub(super) files: Vec<Convention>,
    /// One line each for the person.
    pub(super) problems: Vec<String>,
    /// The files so far by their real paths. Links to the same file are common.
    seen: HashSet<PathBuf>,
}

/// All conventions that hold in a directory: the person's own, then those of every directory from the repository's root to here.
pub(super) fn all(cwd: &Path, own: Option<&Path>, home: Option<&Path>) -> FoundConventions {
    let mut found = FoundConventions::default();
    if let Some(path) = own.and_then(first_in) {
        found.add(&path, path.parent().unwrap_or(cwd), home);
    }
    let within = repository::root_or(cwd);
    for directory in repository::directories(cwd).into_iter().rev() {
        found.add_first_of(directory, within, home);
        if directory == within {
            rules::add(directory, &mut found);
        }
    }
    found
}

impl FoundConventions {
    /// Adds the conventions of one directory of a project. The file may be a link, but not to a file outside of the project.
    pub(super) fn add_first_of(&mut self, directory: &Path, within: &Path, home: Option<&Path>) {
        let Some(path) = first_in(directory) else { return };
        if path.canonicalize().is_ok_and(|real| imports::may_be_read(&real, within, home)) {
            self.add(&path, within, home);
        } else {
            let name = shown(&path, within);
            self.problems.push(format!("{name} is not sent: it is outside the project, or may hold credentials"));
        }
    }

    /// Adds a file, with what it imports. Imports stay below `within`.
    fn add(&mut self, path: &Path, within: &Path, home: Option<&Path>) {
        let mut imported = Vec::new();
        if let Some(text) = self.read(path) {
            imports::follow(&text, path.parent().unwrap_or(within), within, home, self, &mut imported);
            self.files.extend(imported);
            self.files.push(Convention { name: shown(path, within), text });
        }
    }

    /// Reads a file that was not read before. A file that cannot be read is a problem, a file without text is not.
    pub(super) fn read(&mut self, path: &Path) -> Option<String> {
        let real = path.canonicalize().ok()?;
        if !self.seen.insert(real.clone()) {
            return None;
        }
        match regular::text(&real, READ) {
            Ok((text, _)) => Some(text).filter(|text| !text.trim().is_empty()),
            Err(why) => {
                self.problems.push(format!("{} is not sent: {why}", path.display()));
                None
            }
        }
    }
}

/// The file with the conventions of a directory.
fn first_in(directory: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| directory.join(name)).find(|path| path.exists())
}

/// A path as the model reads it: relative to the project where it is in the project.
pub(super) fn shown(path: &Path, within: &Path) -> String {
    let short = path.strip_prefix(within).unwrap_or(path);
    short.to_string_lossy().replace(char::is_control, "\u{FFFD}")
}
