//! What a project says about itself: `AGENTS.md`, its relatives, and the rules that other editors keep.
//!
//! These files are somebody else's words. They are sent as data with their origin, in bounded size, with secrets masked; nothing in
//! them is executed, and they grant nothing. They are sent with the first question, and again only when their text has changed:
//! after a `cd`, or because a file was edited. Those of a directory below the current one come with the result of the first call that
//! touches a file there.

mod find;
mod imports;
mod nearby;
mod rules;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

pub(super) use nearby::Nearby;

use super::context::escape;
use crate::guard::Redactor;
use crate::text::{KIB, beginning, human};

/// Bytes of all conventions together.
pub(super) const CAP: usize = 32 * KIB;
/// Bytes of all conventions together for a model with a window of this many tokens: at most an eighth of it.
pub(super) fn cap(window: u32) -> usize {
    CAP.min(window as usize / 2)
}

/// A file with less room than this is not begun.
const LEAST: usize = 200;

/// One file with conventions.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Convention {
    /// As the model reads it: relative to the project, or with `~`.
    name: String,
    text: String,
}

/// The conventions that hold in a directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Conventions {
    /// Outermost first, as it is sent. Empty if there are none.
    pub(super) text: String,
    /// One line each for the person, about files that were cut or could not be read.
    pub(super) notices: Vec<String>,
}

impl Conventions {
    /// Reads the conventions of a directory. `own` is the person's configuration directory.
    pub(super) fn of(
        cwd: &Path,
        own: Option<&Path>,
        home: Option<&Path>,
        cap: usize,
        redactor: &Redactor,
    ) -> Conventions {
        let found = find::all(cwd, own, home);
        let mut conventions = Conventions { notices: found.problems, ..Conventions::default() };
        let sections = fitting(&found.files, cap, redactor, &mut conventions.notices);
        conventions.text = sections.concat();
        conventions
    }

    /// Tells one text from another.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        hasher.finish()
    }
}

/// The sections of the files that fit. The room is spent on the nearest file first, but the outermost comes first in the text.
fn fitting(files: &[Convention], cap: usize, redactor: &Redactor, notices: &mut Vec<String>) -> Vec<String> {
    let mut left = cap;
    let mut sections = Vec::new();
    for Convention { name, text } in files.iter().rev() {
        // Masked before it is cut: a part of a secret would not be recognised.
        let text = escape(&redactor.mask(text.trim()));
        if left < LEAST {
            notices.push(format!(
                "{name} is not sent: the conventions of this project are longer than {}",
                human::size(cap as u64)
            ));
            continue;
        }
        let kept = beginning(&text, left);
        let cut = if kept.len() < text.len() {
            let (sent, whole) = (human::size(kept.len() as u64), human::size(text.len() as u64));
            notices.push(format!("only {sent} of the {whole} of {name} is sent"));
            format!("\n[{} more bytes left out; read_file shows them]", text.len() - kept.len())
        } else {
            String::new()
        };
        left -= kept.len();
        sections.push(format!("<conventions path=\"{}\">\n{kept}{cut}\n</conventions>\n", escape(name)));
    }
    sections.reverse();
    sections
}

#[cfg(test)]
mod tests;
