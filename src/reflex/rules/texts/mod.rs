//! A table of error messages, each with its cause and a command to run.
//!
//! A rule that only recognises a text is a row of data here. A rule that compares, chooses or rewrites is a function in its own
//! family.

mod clouds;
mod clusters;
mod containers;
mod databases;
mod debian;
mod files;
mod machines;
mod network;
mod packages;
mod provisioning;
mod services;

use super::{Rule, compiled};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::World;

/// An error message whose meaning is known.
///
/// `cause` and `fixes` may contain `$1` to `$9`, the groups of the pattern; in `fixes` they are quoted for the shell. `fixes` may
/// also contain `$LINE`, the typed line (text after it goes to the end of the part that failed); `$NAME`, the same up to the
/// command's name, with the following text inserted after the name; `$TOOL`, only the name; and `$SUDO`, the whole line run as
/// root.
struct Fact {
    /// The tools that print it; empty for all tools.
    tools: &'static [&'static str],
    /// A text in the output.
    sign: &'static str,
    /// A pattern for one line; empty if the sign is enough.
    said: &'static str,
    cause: &'static str,
    /// Commands with their reasons, the best first.
    fixes: &'static [(&'static str, &'static str)],
}

const fn fact(
    tools: &'static [&'static str],
    sign: &'static str,
    said: &'static str,
    cause: &'static str,
    fixes: &'static [(&'static str, &'static str)],
) -> Fact {
    Fact { tools, sign, said, cause, fixes }
}

const TABLES: &[&[Fact]] = &[
    clouds::FACTS,
    clusters::FACTS,
    containers::FACTS,
    databases::FACTS,
    debian::FACTS,
    files::FACTS,
    machines::FACTS,
    network::FACTS,
    packages::FACTS,
    provisioning::FACTS,
    services::FACTS,
];

pub(super) const RULES: &[Rule] = &[Rule { name: "known messages", tools: &[], signs: &[], apply: first_known }];

/// The first fact that matches: in the tables the particular ones come before the general ones.
fn first_known(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    TABLES.iter().copied().flatten().filter(|fact| fact.concerns(case)).find_map(|fact| fact.finding(case))
}

pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().map(|fact| fact.sign)
}

impl Fact {
    fn concerns(&self, case: &Case<'_>) -> bool {
        (self.tools.is_empty() || self.tools.contains(&case.tool()))
            && case.output.shows(self.sign)
            && case.output.ends().any(|line| line.contains(self.sign))
    }

    fn finding(&self, case: &Case<'_>) -> Option<Finding> {
        // The pattern is compiled only if the sign was found.
        let pattern = compiled(if self.said.is_empty() { "^" } else { self.said }).ok()?;
        let captures = case.output.ends().find_map(|line| pattern.captures(line))?;
        let group = |n: usize| captures.get(n).map_or("", |group| group.as_str().trim());
        let with_groups = |text: &str, is_command: bool| {
            let mut text = text.to_owned();
            for n in (1..captures.len()).rev() {
                let value = if is_command { line::quoted(group(n)) } else { group(n).to_owned() };
                text = text.replace(&format!("${n}"), &value);
            }
            text
        };
        // A correction of the typed line ranks above a command that only shows more information.
        let is_correction = self
            .fixes
            .first()
            .is_some_and(|(command, _)| ["$LINE", "$NAME", "$SUDO"].iter().any(|typed| command.contains(typed)));
        let confidence = if is_correction { Confidence::Sure } else { Confidence::Likely };
        let mut finding = Finding::cause(confidence, with_groups(self.cause, false));
        let is_open = |command: &str| command != "$SUDO" || !case.is_elevated();
        for (command, why) in self.fixes.iter().filter(|(command, _)| is_open(command)) {
            let command = with_groups(command, true);
            let command = if let Some(more) = command.strip_prefix("$LINE ") {
                case.with_inserted(case.words().len(), more)
            } else if let Some(more) = command.strip_prefix("$NAME ") {
                case.with_inserted(1, more)
            } else {
                command
                    .replace("$TOOL", case.tool())
                    .replace("$SUDO", &case.with_elevation("sudo"))
                    .replace("$LINE", case.line.text())
            };
            finding = finding.or(command, *why);
        }
        Some(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_is_well_formed() {
        for fact in TABLES.iter().copied().flatten() {
            let pattern = compiled(fact.said).unwrap_or_else(|e| panic!("{}: {e}", fact.sign));
            let groups = pattern.captures_len();
            for text in fact.fixes.iter().map(|(command, _)| *command).chain([fact.cause]) {
                for n in 1..=9 {
                    assert!(n < groups || !text.contains(&format!("${n}")), "{}: {text}", fact.sign);
                }
            }
            assert!(fact.sign.len() > 3 && fact.cause.ends_with('.'), "{}", fact.sign);
        }
    }
}
