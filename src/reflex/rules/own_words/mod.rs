//! Corrections from a tool's own message about a word that it does not know, for all tools.
//!
//! A [`Complaint`] is a word of the typed line that the tool reports as unknown. The intended word is searched, in this order, in
//! the tool's own suggestion, in the choices that it prints, in the [`vocabulary`] and among other tools' words for the same
//! thing. The result differs from the typed line only in that word. [`advice`] is a whole command that the tool advises to run.

mod advice;
mod choices;
mod complaint;
mod names;
mod rank;
mod suggestion;
mod usage;
mod vocabulary;

use super::Rule;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;

use complaint::{Complaint, ComplaintKind};

/// These rules have many signs, which are searched only at the start and the end of the output. So the rules search for them
/// themselves.
pub(super) const RULES: &[Rule] = &[
    Rule { name: "own words: an unknown word", tools: &[], signs: &[], apply: unknown_word },
    Rule { name: "own words: a suggestion alone", tools: &[], signs: &[], apply: suggestion_alone },
    Rule { name: "own words: a usage", tools: &[], signs: &[], apply: usage::instead },
    Rule { name: "own words: a command to run", tools: &[], signs: &[], apply: advice::to_run },
    Rule { name: "own words: help", tools: &[], signs: &[], apply: advice::help },
];

/// More candidates than this are not a correction.
const MOST_MEANT: usize = 3;

fn unknown_word(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let complaints = complaint::all(case);
    let first = complaints.first()?;
    let found = complaints.iter().find_map(|complaint| correction(case, complaint));
    Some(found.unwrap_or_else(|| Finding::cause(Confidence::Likely, first.cause(case))))
}

/// The correction of a word that is reported as unknown.
fn correction(case: &Case<'_>, wrong: &Complaint) -> Option<Finding> {
    let mut suggested: Vec<String> = suggestion::all(case, Some(wrong));
    suggested.retain(|word| !rank::is_opposite(&wrong.word, word));
    let (meant, confidence, why) = if suggested.is_empty() {
        let (meant, why) = known(case, wrong)?;
        (meant, Confidence::Likely, why)
    } else {
        (rank::by_closeness(&wrong.word, suggested), Confidence::Sure, format!("{}'s own suggestion", case.tool()))
    };
    let mut finding = Finding::cause(confidence, wrong.cause(case));
    for word in meant.iter().take(MOST_MEANT) {
        finding = finding.or(wrong.replaced(case, word), why.as_str());
    }
    (!finding.proposals.is_empty()).then_some(finding)
}

/// The intended words, from the tool's output or from its known words.
fn known(case: &Case<'_>, wrong: &Complaint) -> Option<(Vec<String>, String)> {
    let is_verb = vocabulary::is_verb(&wrong.word);
    let listed = rank::nearest(&wrong.word, choices::all(case, wrong).iter().map(String::as_str));
    if !listed.is_empty() && !is_verb {
        return Some((listed, format!("the nearest that {} lists", case.tool())));
    }
    let words = match wrong.kind {
        ComplaintKind::Command => vocabulary::commands(&wrong.path(case)),
        ComplaintKind::Option => Some(vocabulary::options(&wrong.path(case)))
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| vec!["help", "version"]),
        ComplaintKind::Value => {
            vocabulary::values(case.tool()).into_iter().chain(vocabulary::commands(&wrong.path(case))).collect()
        }
    };
    // `uninstall` is a word of its own and not a misspelt `install`.
    if let Some(same) = vocabulary::synonym(&wrong.word, &words).filter(|_| wrong.kind == ComplaintKind::Command) {
        return Some((vec![same.to_owned()], format!("what {} calls it", case.tool())));
    }
    // An abbreviation does not say which word was meant; the table has the common ones first.
    let begun = wrong.word.trim_start_matches('-');
    let begun =
        words.iter().filter(|word| wrong.kind == ComplaintKind::Option && begun.len() > 2 && word.starts_with(begun));
    let begun: Vec<String> = begun.map(|word| (*word).to_owned()).collect();
    let near = if begun.is_empty() { rank::nearest(&wrong.word, words.iter().copied()) } else { begun };
    (!near.is_empty()).then(|| (near, format!("the nearest that {} knows", case.tool())))
}

/// A suggestion in a message that does not name the wrong word, if only one of the typed words can be meant.
fn suggestion_alone(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if !complaint::all(case).is_empty() {
        return None;
    }
    let suggested = suggestion::all(case, None);
    let fixes = suggested.iter().filter_map(|meant| {
        let is_option = meant.starts_with('-');
        let typed = case.words().iter().enumerate().skip(1);
        let near = typed.filter(|(_, word)| word.text.starts_with('-') == is_option && word.text != *meant);
        let (_, index) = near.filter_map(|(index, word)| Some((rank::distance(&word.text, meant)?, index))).min()?;
        Some(case.with_word(index, meant))
    });
    let mut finding: Option<Finding> = None;
    for fix in fixes.take(MOST_MEANT) {
        let why = format!("{}'s own suggestion", case.tool());
        finding = Some(match finding {
            Some(finding) => finding.or(fix, why),
            None => Finding::fix(Confidence::Sure, fix, why),
        });
    }
    finding
}
