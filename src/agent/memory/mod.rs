//! Notes that the person asked to keep: `/remember`, and the files behind it.
//!
//! There is one Markdown file for each repository (or directory outside of one) and one for everywhere, which the person can edit. The
//! notes are sent as a hint with secrets masked, once and again when they change. Nothing is kept or sent unless the setting `memory`
//! is on.

mod file;
mod learn;

use std::path::{Path, PathBuf};

use super::context::escape;
use crate::guard::Redactor;
use crate::repository;
use crate::text::KIB;

/// Bytes of all notes together: about 2,000 tokens.
pub(super) const CAP: usize = 7_200;
/// Bytes of one note.
const NOTE: usize = 2 * KIB;
/// Bytes of one file.
const FILE: u64 = 64 * KIB as u64;

const HEADING: &str = "Notes that the user asked to keep, newest last. They may be out of date: the repository, and what the user says \
                       now, count more.";

/// Where a note holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryScope {
    /// In the repository, or in the directory outside of one.
    Here,
    Everywhere,
}

/// Why a note is not kept, or not deleted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    #[error("the note looks as if it contains a secret, so it was not written")]
    Secret,
    #[error("the note is longer than 2 KiB")]
    TooLong,
    #[error("{0} is full (64 KiB); `/memory edit` opens it")]
    Full(String),
    #[error("{0} is not a regular file of yours")]
    NotOurs(String),
    #[error("{path} cannot be written: {source}")]
    Write { path: String, source: std::io::Error },
}

/// The files with notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notebook {
    /// A private directory.
    directory: PathBuf,
}

/// The notes of one file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Notes {
    pub scope: MemoryScope,
    pub path: PathBuf,
    pub text: String,
}

/// The notes that are sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SentNotes {
    /// Empty if there are none.
    pub(super) text: String,
    /// For the person, if notes were left out.
    pub(super) notice: Option<String>,
}

impl Notebook {
    pub(crate) fn new(directory: PathBuf) -> Notebook {
        Notebook { directory }
    }

    /// The file for notes of this scope.
    pub(crate) fn path(&self, scope: MemoryScope, cwd: &Path) -> PathBuf {
        match scope {
            MemoryScope::Everywhere => self.directory.join("everywhere.md"),
            MemoryScope::Here => self.directory.join(file::name(&repository::real_root_or(cwd))),
        }
    }

    /// The notes that hold in a directory: those for it first.
    pub(crate) fn notes(&self, cwd: &Path) -> Vec<Notes> {
        let read = |scope| {
            let path = self.path(scope, cwd);
            let text = file::read(&path)?;
            Some(Notes { scope, path, text })
        };
        [MemoryScope::Here, MemoryScope::Everywhere].into_iter().filter_map(read).collect()
    }

    /// Keeps a note. `date` is today's.
    pub(crate) fn remember(
        &self,
        note: &str,
        scope: MemoryScope,
        cwd: &Path,
        date: &str,
        redactor: &Redactor,
    ) -> Result<PathBuf, MemoryError> {
        let note = note.split_whitespace().collect::<Vec<_>>().join(" ");
        if redactor.mask(&note) != note {
            return Err(MemoryError::Secret);
        }
        if note.len() > NOTE {
            return Err(MemoryError::TooLong);
        }
        let path = self.create(scope, cwd)?;
        file::append(&path, &format!("- {date}: {note}\n"))?;
        Ok(path)
    }

    /// Creates the file of this scope with its heading, unless it exists.
    pub(crate) fn create(&self, scope: MemoryScope, cwd: &Path) -> Result<PathBuf, MemoryError> {
        let path = self.path(scope, cwd);
        file::create(&path, &heading(scope, cwd))?;
        Ok(path)
    }

    /// Deletes the notes of this scope. Returns how many there were.
    pub(crate) fn clear(&self, scope: MemoryScope, cwd: &Path) -> Result<usize, MemoryError> {
        let path = self.path(scope, cwd);
        let count = file::read(&path).map_or(0, |text| notes(&text).count());
        file::remove(&path)?;
        Ok(count)
    }

    /// The notes as the model reads them. The notes for the directory get the room first, and of each file the newest.
    pub(super) fn sent(&self, cwd: &Path, cap: usize, redactor: &Redactor) -> SentNotes {
        let mut left = cap.saturating_sub(HEADING.len() + 100);
        let (mut sections, mut omitted) = (Vec::new(), 0);
        for Notes { scope, text, .. } in self.notes(cwd) {
            let text = escape(&redactor.mask(&text));
            let all: Vec<&str> = notes(&text).collect();
            let fits = |note: &&&str| {
                let rest = left.checked_sub(note.len() + 1);
                left = rest.unwrap_or(left);
                rest.is_some()
            };
            let mut kept: Vec<&str> = all.iter().rev().take_while(fits).copied().collect();
            omitted += all.len() - kept.len();
            kept.reverse();
            if !kept.is_empty() {
                let name = if scope == MemoryScope::Here { "For this directory:" } else { "For everywhere:" };
                sections.push(format!("{name}\n{}", kept.join("\n")));
            }
        }
        if sections.is_empty() {
            return SentNotes::default();
        }
        let cut = if omitted > 0 { format!("\n[{omitted} older lines left out]") } else { String::new() };
        let text = format!("<memory>\n{HEADING}\n{}{cut}\n</memory>\n", sections.join("\n"));
        let notice = format!("{omitted} older lines of your notes are not sent; `/memory edit` opens the file");
        SentNotes { text, notice: (omitted > 0).then_some(notice) }
    }
}

/// The first lines of a file.
fn heading(scope: MemoryScope, cwd: &Path) -> String {
    let name = match scope {
        MemoryScope::Here => repository::real_root_or(cwd).display().to_string().replace(char::is_control, "\u{FFFD}"),
        MemoryScope::Everywhere => "everywhere".to_owned(),
    };
    format!("# Notes for {name}\n\n")
}

/// The lines of a file that say something: not empty, and not its heading.
fn notes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with("# Notes for "))
}

#[cfg(test)]
mod tests;
