//! Finds the files with conventions.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::super::regular;
use super::{Convention, imports, rules};
use crate::text::KIB;

/// The names of such a file, the most usual first. A directory has one: most projects that have several say the same in each.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "AGENT.md"];
/// Bytes that are read of one file.
const READ: u64 = 64 * KIB as u64;
/// How many directories are looked at between a repository's root and the current directory.
const DEPTH: usize = 64;

/// Why a file of conventions is not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConventionError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it is not text")]
    NotText,
}

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
    if let Some(own) = own {
        found.add_first_of(own, own, home);
    }
    let root = repository(cwd);
    let within = root.unwrap_or(cwd);
    let mut directories: Vec<&Path> = cwd.ancestors().take(DEPTH).take_while(|one| one.starts_with(within)).collect();
    directories.reverse();
    for directory in directories {
        found.add_first_of(directory, within, home);
        if directory == within {
            rules::add(directory, &mut found);
        }
    }
    found
}

/// The root of the repository that a directory is in.
fn repository(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().take(DEPTH).find(|directory| directory.join(".git").exists())
}

impl FoundConventions {
    /// Adds the conventions of one directory, with what they import. Imports stay below `within`.
    fn add_first_of(&mut self, directory: &Path, within: &Path, home: Option<&Path>) {
        let Some(path) = NAMES.iter().map(|name| directory.join(name)).find(|path| path.exists()) else { return };
        let mut imported = Vec::new();
        if let Some(text) = self.read(&path) {
            imports::follow(&text, directory, within, home, self, &mut imported);
            self.files.extend(imported);
            self.files.push(Convention { name: shown(&path, within), text });
        }
    }

    /// Reads a file that was not read before. A file that cannot be read is a problem, a file without text is not.
    pub(super) fn read(&mut self, path: &Path) -> Option<String> {
        let real = path.canonicalize().ok()?;
        if !self.seen.insert(real.clone()) {
            return None;
        }
        match text_of(&real) {
            Ok(text) => Some(text).filter(|text| !text.trim().is_empty()),
            Err(why) => {
                self.problems.push(format!("{} is not sent: {why}", path.display()));
                None
            }
        }
    }
}

/// The beginning of a regular file.
fn text_of(path: &Path) -> Result<String, ConventionError> {
    let opened = regular::open(path)?;
    let Some((file, _)) = opened.filter(|(_, about)| about.is_file()) else {
        return Err(ConventionError::NotRegular);
    };
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    if bytes.contains(&0) { Err(ConventionError::NotText) } else { Ok(String::from_utf8_lossy(&bytes).into_owned()) }
}

/// A path as the model reads it: relative to the project where it is in the project.
pub(super) fn shown(path: &Path, within: &Path) -> String {
    let short = path.strip_prefix(within).unwrap_or(path);
    short.to_string_lossy().replace(char::is_control, "\u{FFFD}")
}
