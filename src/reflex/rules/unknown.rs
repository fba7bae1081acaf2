//! Commands that do not exist.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;
use crate::text;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "a misspelt command",
    tools: &[],
    signs: &["command not found", "Unknown command", "not found"],
    apply: misspelt,
}];

fn misspelt(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = case.word(0)?;
    let said = case
        .output
        .captures(pattern!(r"(?:(\S+): command not found$|command not found: (\S+)$|Unknown command: (\S+)$)"))?;
    let named = said.iter().skip(1).flatten().next()?.as_str();
    if named != name || world.has(name) {
        return None;
    }
    let meant = text::nearest(name, world.commands().iter().map(String::as_str))?;
    Some(Finding::fix(Confidence::Likely, case.with_word(0, meant), format!("the nearest command to {name}")))
}
