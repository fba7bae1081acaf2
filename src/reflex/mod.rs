//! Rules that explain and correct a failed command without a model.
//!
//! A [`FailedCommand`] (the typed line, its output and status) becomes a [`Case`]: the words of the line with their positions, the part that
//! failed, and a bounded view of the output. A rule is a small pure function from a case to a [`Finding`]. A family of rules is one file in
//! `rules/`, and a new rule changes only that file. [`diagnose`] applies the rules whose tool and signs match, and orders their findings.
//!
//! Invariants: precision matters more than recall; a proposal is never more destructive than the typed line (`harm`); time is linear in the
//! output. Uses: text. Only `machine` accesses the system; rules see it through the trait [`World`].

mod builtins;
mod case;
mod excerpt;
mod finding;
mod harm;
mod line;
mod listener;
mod machine;
mod moved;
mod near;
mod output;
mod part;
mod question;
mod role;
mod rules;
mod signs;
mod status;
#[cfg(test)]
mod tests;
mod tongues;
mod typo;
mod viewer;
mod world;

use std::borrow::Cow;
use std::path::Path;

pub(crate) use builtins::builtins;
pub(crate) use finding::{Diagnosis, Proposal};
pub(crate) use machine::Machine;
pub(crate) use question::LocalQuestion;
pub(crate) use role::RulesRole;
pub(crate) use world::World;

use case::Case;
use moved::{FromThere, Moved};

/// The most proposals of a diagnosis.
const MOST_PROPOSALS: usize = 3;

/// The status of a command that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A command that failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedCommand<'a> {
    /// As typed, possibly several lines.
    pub command: &'a str,
    /// Its output as the terminal displayed it.
    pub output: &'a str,
    /// `None` if it is not known.
    pub status: Option<i32>,
    pub cwd: &'a Path,
}

/// Explains a failed command and proposes corrections.
pub(crate) fn diagnose(failure: &FailedCommand<'_>, world: &dyn World) -> Diagnosis {
    let english = tongues::in_english(failure.output);
    let mut case = Case::new(&FailedCommand { output: &english, ..*failure });
    if !case.has_failed() {
        return Diagnosis::default();
    }
    let moved = Moved::of(&case, world);
    case.cwd.extend(moved.iter().map(|moved| &moved.directory));
    let there = moved.as_ref().map(|moved| FromThere { world, directory: &moved.directory });
    let world = there.as_ref().map_or(world, |there| there as &dyn World);
    let mut findings = Vec::new();
    // A command that was interrupted with Ctrl-C has no error to explain.
    let rules = rules::all().filter(|_| failure.status != Some(INTERRUPTED));
    for rule in rules.filter(|rule| rule.concerns(&case)) {
        if let Some(finding) = (rule.apply)(&case, world) {
            tracing::debug!(rule = rule.name, "found something");
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.confidence));
    // The quoted lines are in the language of the output.
    let lines = match &english {
        Cow::Borrowed(_) => excerpt::lines(&case),
        Cow::Owned(_) => excerpt::lines(&Case::new(failure)),
    };
    Diagnosis::compose(&case, findings, lines, (world, moved.as_ref()))
}
