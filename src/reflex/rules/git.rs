//! git.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "git: a misspelt subcommand",
    tools: &["git"],
    signs: &["is not a git command"],
    apply: misspelt_subcommand,
}];

fn misspelt_subcommand(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = &case.output.captures(pattern!(r"git: '(.+)' is not a git command"))?[1];
    let index = case.position(wrong)?;
    let mut meant = case.output.lines().iter().skip_while(|line| !line.starts_with("The most similar command")).skip(1);
    let first = meant.next()?.trim();
    let mut finding = Finding::fix(Confidence::Sure, case.with_word(index, first), "git's own nearest command")
        .because(format!("git has no command {wrong}"));
    for other in meant.map_while(|line| line.strip_prefix('\t')) {
        finding = finding.or(case.with_word(index, other), "near, too");
    }
    Some(finding)
}
