//! Directory changes earlier in a line: they determine where the failed part ran, and are not repeated in a correction.
//!
//! In `cd app && git brnch`, git ran in `app`, and the shell is still there. The rules look for files in `app`, and the correction is
//! `git branch`, because a second `cd app` would fail or lead to another directory.

use std::path::{Path, PathBuf};

use super::case::Case;
use super::line::CommandPart;
use super::part::is_complaint;
use super::world::{DirectoryEntry, FileKind, World};
use crate::text::shell::Operator;

/// The effect of the directory changes before the failed part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    /// The directory that the failed part ran in, absolute or relative to the directory of the line.
    pub(super) directory: PathBuf,
    /// The length of the beginning of the line that must not be repeated.
    pub(super) done: usize,
}

impl Moved {
    /// Reads the directory changes before the failed part. Returns `None` if there are none.
    pub(super) fn of(case: &Case<'_>, world: &dyn World) -> Option<Moved> {
        let (parts, failed) = (case.line.parts(), case.failed_index());
        let (mut directory, mut last) = (PathBuf::new(), None);
        for (at, part) in parts.iter().enumerate().take(failed) {
            if let Some(target) = destination(part).filter(|_| !is_complaint(part, &case.output)) {
                directory.push(expanded(target, world)?);
                last = Some(at);
            }
        }
        let last = last?;
        let leads = parts[..=failed].iter().all(|part| is_sequence(part.operator));
        // The beginning is dropped only if it consists of directory changes. Other commands may have to run again.
        let is_prefix = parts[..=last].iter().all(|part| destination(part).is_some());
        let goes_elsewhere =
            parts[failed + 1..].iter().any(|part| part.operator != Some(Operator::And) && destination(part).is_some());
        let done = if leads && is_prefix && !goes_elsewhere { parts[last + 1].span().start } else { 0 };
        Some(Moved { directory, done })
    }

    /// A proposal without the directory changes that have already happened.
    pub(super) fn shortened(&self, proposal: String, typed: &str) -> String {
        match proposal.strip_prefix(&typed[..self.done]) {
            Some(rest) if !rest.trim().is_empty() => rest.to_owned(),
            Some(_) | None => proposal,
        }
    }
}

/// Whether a part after this operator runs in the shell itself, after the previous part.
fn is_sequence(operator: Option<Operator>) -> bool {
    matches!(operator, None | Some(Operator::And | Operator::Semicolon | Operator::Newline))
}

/// The target of a part that is a plain directory change.
fn destination(part: &CommandPart) -> Option<&str> {
    match part.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>()[..] {
        ["cd" | "pushd", target] | ["builtin" | "command", "cd", target] | ["cd", "--", target] => Some(target),
        _ => None,
    }
    .filter(|target| {
        (is_sequence(part.operator) || part.operator == Some(Operator::Open))
            && !target.starts_with(['-', '+'])
            && !target.contains(['$', '*', '`', '?'])
    })
}

/// The target with `~` expanded. `None` if it is unknown.
fn expanded(target: &str, world: &dyn World) -> Option<PathBuf> {
    match target.strip_prefix('~') {
        None => Some(PathBuf::from(target)),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            world.variable("HOME").map(|home| Path::new(&home).join(rest.trim_start_matches('/')))
        }
        Some(_) => None,
    }
}

/// The machine with the directory of the failed part as its working directory.
pub(super) struct FromThere<'a> {
    pub(super) world: &'a dyn World,
    pub(super) directory: &'a Path,
}

impl World for FromThere<'_> {
    fn commands(&self) -> &[String] {
        self.world.commands()
    }

    fn entries(&self, directory: &Path) -> Vec<DirectoryEntry> {
        self.world.entries(&self.directory.join(directory))
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.world.kind(&self.directory.join(path))
    }

    fn read(&self, path: &Path) -> Option<String> {
        self.world.read(&self.directory.join(path))
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.world.variable(name)
    }

    fn listener(&self, port: u16) -> Option<(u32, String)> {
        self.world.listener(port)
    }

    fn memory_kills(&self) -> u64 {
        self.world.memory_kills()
    }

    fn recent(&self) -> &[String] {
        self.world.recent()
    }

    fn is_root(&self) -> bool {
        self.world.is_root()
    }
}
