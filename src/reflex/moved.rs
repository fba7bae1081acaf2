//! Directory changes earlier in a line: where its failed part ran, and what of the line need not be repeated.
//!
//! In `cd app && git brnch` git ran in `app`, and the shell is still there. The rules look for files in `app`, and the
//! correction is `git branch`: a second `cd app` would fail, or lead to another directory.

use std::path::{Path, PathBuf};

use super::case::Case;
use super::line::Part;
use super::part::is_complaint;
use super::world::{Entry, Kind, World};
use crate::text::shell::Operator;

/// How a line moved the shell before the part that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    /// Where the failed part ran, relative to where the line began unless it is absolute.
    pub(super) directory: PathBuf,
    /// Bytes at the beginning of the line that have had their effect and are not to be repeated.
    pub(super) done: usize,
}

impl Moved {
    /// Reads the directory changes before the failed part; `None` if it ran where the line began.
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
        // Only a prefix of nothing but changes of directory is left out: anything else may be worth running again.
        let is_prefix = parts[..=last].iter().all(|part| destination(part).is_some());
        let goes_elsewhere =
            parts[failed + 1..].iter().any(|part| part.operator != Some(Operator::And) && destination(part).is_some());
        let done = if leads && is_prefix && !goes_elsewhere { parts[last + 1].span().start } else { 0 };
        Some(Moved { directory, done })
    }

    /// A proposal without what has had its effect.
    pub(super) fn shortened(&self, proposal: String, typed: &str) -> String {
        match proposal.strip_prefix(&typed[..self.done]) {
            Some(rest) if !rest.trim().is_empty() => rest.to_owned(),
            Some(_) | None => proposal,
        }
    }
}

/// Whether a part with this operator before it runs in the shell itself, after the one before it.
fn is_sequence(operator: Option<Operator>) -> bool {
    matches!(operator, None | Some(Operator::And | Operator::Semicolon | Operator::Newline))
}

/// Where a part goes, if it is a plain change of directory.
fn destination(part: &Part) -> Option<&str> {
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

/// The target with the home directory in place of `~`; `None` where it cannot be known.
fn expanded(target: &str, world: &dyn World) -> Option<PathBuf> {
    match target.strip_prefix('~') {
        None => Some(PathBuf::from(target)),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            world.variable("HOME").map(|home| Path::new(&home).join(rest.trim_start_matches('/')))
        }
        Some(_) => None,
    }
}

/// The machine as seen from the directory that the failed part ran in.
pub(super) struct FromThere<'a> {
    pub(super) world: &'a dyn World,
    pub(super) directory: &'a Path,
}

impl World for FromThere<'_> {
    fn commands(&self) -> &[String] {
        self.world.commands()
    }

    fn entries(&self, directory: &Path) -> Vec<Entry> {
        self.world.entries(&self.directory.join(directory))
    }

    fn kind(&self, path: &Path) -> Option<Kind> {
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
