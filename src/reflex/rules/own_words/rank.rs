//! Chooses among several candidates for a wrong word.

use crate::text;

/// How many typing errors lead from `meant` to `wrong`; `None` if they are different words.
pub(super) fn distance(wrong: &str, meant: &str) -> Option<usize> {
    let has_one_dash = wrong.starts_with('-') && !wrong.starts_with("--");
    let (wrong, meant) = (letters(wrong), letters(meant));
    let length = wrong.chars().count();
    if wrong == meant {
        // `-name` stands for `--name`.
        return (has_one_dash && length > 1).then_some(0);
    }
    if length < 2 || is_opposite(&wrong, &meant) {
        return None;
    }
    // An abbreviation counts as one typing error.
    if length >= 3 && meant.starts_with(&wrong) {
        return Some(1);
    }
    let most = length.div_ceil(3);
    if meant.chars().count().abs_diff(length) > most {
        return None;
    }
    let distance = text::distance(&wrong, &meant);
    (distance <= most).then_some(distance)
}

/// `uninstall` never stands for `install`, however similar they are.
pub(super) fn is_opposite(one: &str, other: &str) -> bool {
    let undoes = |one: &str, other: &str| ["un", "de", "dis"].iter().any(|un| one.strip_prefix(un) == Some(other));
    undoes(one, other) || undoes(other, one)
}

/// A word in lower case without leading dashes.
fn letters(word: &str) -> String {
    word.trim_start_matches('-').to_lowercase()
}

/// The words similar to a wrong one, the most similar first. Of equally similar words, those with the same first letter come
/// first.
pub(super) fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut near: Vec<_> =
        candidates.filter_map(|word| Some((distance(wrong, word)?, !begins_alike(wrong, word), word))).collect();
    near.sort_by_key(|(distance, differs, word)| {
        let letters_off = text::distance(&letters(wrong), &letters(word));
        let is_whole_word = letters(word).strip_prefix(&letters(wrong)).is_some_and(|rest| rest.starts_with('-'));
        (*distance, !has_same_letters(wrong, word), *differs, letters_off > 1, !is_whole_word, letters_off)
    });
    near.dedup();
    let best = near.first().map_or(0, |(distance, ..)| *distance);
    near.into_iter().filter(|(distance, ..)| *distance <= best + 1).map(|(.., word)| word.to_owned()).collect()
}

/// Whether only the order of letters differs: `pu` stands for `up` rather than `ps`.
fn has_same_letters(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = letters(word).chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

fn begins_alike(one: &str, other: &str) -> bool {
    letters(one).chars().next() == letters(other).chars().next()
}

/// A tool's own suggestions, the most likely first; equally likely ones keep the tool's order. Of a long list only similar words
/// are kept.
pub(super) fn by_closeness(wrong: &str, mut suggested: Vec<String>) -> Vec<String> {
    if suggested.len() > super::MOST_MEANT {
        let near = nearest(wrong, suggested.iter().map(String::as_str));
        if !near.is_empty() {
            return near;
        }
    }
    let wrong = letters(wrong);
    suggested.sort_by_key(|word| {
        let word = letters(word);
        (text::distance(&wrong, &word), std::cmp::Reverse(in_common(&wrong, &word)))
    });
    suggested
}

/// How many letters two words share, in order.
fn in_common(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row = vec![0; other.len() + 1];
    for letter in one.chars() {
        let mut diagonal = 0;
        for (at, same) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if letter == *same { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        assert_eq!(nearest("pes", ["pause", "ps", "push", "images"].into_iter()), ["ps"]);
        assert_eq!(nearest("inst", ["list", "install", "uninstall"].into_iter())[0], "install");
        assert_eq!(nearest("--nme", ["--name", "--network"].into_iter()), ["--name"]);
        assert!(nearest("zzzz", ["apply", "plan"].into_iter()).is_empty());
        assert!(nearest("x", ["y"].into_iter()).is_empty());
        assert!(nearest("install", ["uninstall"].into_iter()).is_empty());
    }

    #[test]
    fn suggestions_are_put_in_order() {
        let order = |wrong, words: &[&str]| by_closeness(wrong, words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(order("base", &["blame", "phase", "rebase"])[0], "rebase");
        assert_eq!(order("crate", &["rate", "create"])[0], "create");
        assert_eq!(order("pge", &["logs", "pg"]), ["pg", "logs"]);
        assert_eq!(order("t-item", &["put-item", "get-item"]), ["put-item", "get-item"]);
    }
}
