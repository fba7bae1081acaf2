//! Usage texts of tools that do not say which word is wrong.

use super::complaint::{self, Complaint, ComplaintKind};
use super::{choices, rank, vocabulary};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;

const SIGNS: &[&str] = &["Usage:", "usage:", "USAGE", "Android Debug Bridge version"];

/// The output is a usage text if the usage starts within these lines.
const FIRST_LINES: usize = 6;

/// The first word that is not a command of the tool, if it is similar to one.
pub(super) fn instead(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let lines = case.output.lines();
    let is_usage = lines.iter().take(FIRST_LINES).any(|line| SIGNS.iter().any(|sign| line.contains(sign)));
    if !is_usage || !complaint::all(case).is_empty() {
        return None;
    }
    let arguments = case
        .words()
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, word)| word.text.starts_with(|c: char| c.is_ascii_alphabetic()));
    for (index, word) in arguments {
        let wrong = Complaint { kind: ComplaintKind::Command, word: word.text.clone(), index };
        let mut known = vocabulary::commands(&wrong.path(case));
        let listed = choices::all(case, &wrong);
        known.extend(listed.iter().map(|word| word.as_str()));
        if known.contains(&wrong.word.as_str()) {
            continue;
        }
        let meant = rank::nearest(&wrong.word, known.iter().copied()).into_iter().next()?;
        if vocabulary::is_verb(&wrong.word) {
            return None;
        }
        let why = format!("the nearest that {} lists", case.tool());
        return Some(Finding::fix(Confidence::Likely, wrong.replaced(case, &meant), why).because(wrong.cause(case)));
    }
    None
}
