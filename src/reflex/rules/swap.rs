//! Findings that replace a wrong word.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::typo;

/// The word or words that the tool itself suggests.
pub(super) fn told<'a>(case: &Case<'_>, wrong: &str, meant: impl IntoIterator<Item = &'a str>) -> Option<Finding> {
    let index = case.position(wrong)?;
    let mut finding: Option<Finding> = None;
    for word in meant {
        let command = case.with_word(index, word);
        finding = Some(match finding {
            None => Finding::fix(Confidence::Sure, command, format!("{} suggests {word}", case.tool())),
            Some(found) => found.or(command, format!("{} suggests it, too", case.tool())),
        });
    }
    finding
}

/// The most similar of the words that are valid here.
pub(super) fn nearest<'a>(case: &Case<'_>, wrong: &str, words: impl IntoIterator<Item = &'a str>) -> Option<Finding> {
    nearest_at(case, case.position(wrong)?, wrong, words)
}

/// Like [`nearest`], for the word at an index.
pub(super) fn nearest_at<'a>(
    case: &Case<'_>,
    index: usize,
    wrong: &str,
    words: impl IntoIterator<Item = &'a str>,
) -> Option<Finding> {
    let mut meant = typo::meant(wrong, words).into_iter();
    let first = meant.next()?;
    let mut finding =
        Finding::fix(Confidence::Likely, case.with_word(index, first), format!("{first} is the nearest to {wrong}"));
    for word in meant.take(2) {
        finding = finding.or(case.with_word(index, word), format!("{word} is near, too"));
    }
    Some(finding)
}

/// The indented words of a list below a line of the output, up to an empty line: `Did you mean one of these?`.
pub(super) fn listed<'a>(case: &Case<'a>, heading: &str) -> Vec<&'a str> {
    let lines = case.output.after(heading).iter().skip_while(|line| line.trim().is_empty());
    let listed = lines.take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    // Bullets are not words.
    let has_letters = |word: &&str| word.contains(char::is_alphanumeric);
    let words = listed.filter_map(|line| line.split_whitespace().find(has_letters));
    words.map(|word| word.trim_end_matches([':', ','])).collect()
}
