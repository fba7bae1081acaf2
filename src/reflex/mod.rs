//! Answers without a model: rules over a failed command.
//!
//! A [`Failure`] (what was typed, what it printed, its status) becomes a [`Case`]: the line as words that remember where they stood,
//! the part of it that failed, and a bounded view of the output. Rules are small pure functions from a case to a [`Finding`]; a family
//! of them is one file in `rules/`, and a new rule touches that file alone. [`diagnose`] asks those whose tool and signs are there,
//! and puts what they found in order.
//!
//! Invariants: precision before recall; a proposal is never more destructive than what was typed (`harm`); time is linear in the
//! output. Touches: text. Only `machine` looks at the machine, for the rules it is the trait [`World`].

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
pub(crate) use finding::{Answer, Proposal};
pub(crate) use machine::Machine;
pub(crate) use question::Question;
pub(crate) use role::Role;
pub(crate) use world::World;

use case::Case;
use moved::{FromThere, Moved};

/// Proposals in an answer: more are a list to read, not help.
const MOST_PROPOSALS: usize = 3;

/// The status of a command that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// A command that did not do what was meant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure<'a> {
    /// As typed, possibly several lines.
    pub command: &'a str,
    /// What it printed, as the terminal showed it.
    pub output: &'a str,
    /// `None` if it is not known.
    pub status: Option<i32>,
    pub cwd: &'a Path,
}

/// Explains a failure and proposes what to run instead.
pub(crate) fn diagnose(failure: &Failure<'_>, world: &dyn World) -> Answer {
    let english = tongues::in_english(failure.output);
    let mut case = Case::new(&Failure { output: &english, ..*failure });
    if !case.has_failed() {
        return Answer::default();
    }
    let moved = Moved::of(&case, world);
    case.cwd.extend(moved.iter().map(|moved| &moved.directory));
    let there = moved.as_ref().map(|moved| FromThere { world, directory: &moved.directory });
    let world = there.as_ref().map_or(world, |there| there as &dyn World);
    let mut findings = Vec::new();
    // What was interrupted did not fail.
    let rules = rules::all().filter(|_| failure.status != Some(INTERRUPTED));
    for rule in rules.filter(|rule| rule.concerns(&case)) {
        if let Some(finding) = (rule.apply)(&case, world) {
            tracing::debug!(rule = rule.name, "found something");
            findings.push(finding);
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.confidence));
    // A person is shown what was printed, in whatever language.
    let lines = match &english {
        Cow::Borrowed(_) => excerpt::lines(&case),
        Cow::Owned(_) => excerpt::lines(&Case::new(failure)),
    };
    Answer::compose(&case, findings, lines, (world, moved.as_ref()))
}
