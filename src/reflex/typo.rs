//! Finds the words that a misspelt word was probably meant for.

use crate::text;

/// The rows of a keyboard, for errors that hit a neighbouring key.
const ROWS: [&str; 4] = ["1234567890-", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// The candidates that a word may have been meant for, the best first. The first letter is seldom wrong, two letters are often swapped, and
/// short words allow fewer errors.
pub(super) fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    ranked(word, candidates.into_iter().map(|name| (name, 0)))
}

/// Like [`meant`], with a preference for each candidate that decides between equally near ones.
pub(super) fn ranked<'a>(word: &str, candidates: impl Iterator<Item = (&'a str, i32)>) -> Vec<&'a str> {
    let letters = word.chars().count();
    let most = most_slips(letters);
    let mut found: Vec<(i32, &str)> = Vec::new();
    for (name, preference) in candidates {
        if name.chars().count().abs_diff(letters) > most || name == word {
            continue;
        }
        let distance = text::distance(&word.to_lowercase(), &name.to_lowercase());
        if distance <= most {
            found.push((cost(word, name, distance) - preference, name));
        }
    }
    found.sort_unstable();
    found.dedup_by(|one, other| one.1 == other.1);
    found.into_iter().map(|(_, name)| name).collect()
}

/// The best candidate, if there is one.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    meant(word, candidates).into_iter().next()
}

fn most_slips(letters: usize) -> usize {
    match letters {
        0 | 1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}

/// The cost of a candidate: ten per error, less for frequent errors.
fn cost(word: &str, name: &str, distance: usize) -> i32 {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let undoubled = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.dedup();
        letters
    };
    let mut cost = i32::try_from(distance).unwrap_or(i32::MAX / 20) * 10;
    if sorted(word) == sorted(name) || undoubled(word) == undoubled(name) {
        cost -= 4;
    }
    if word.chars().next() != name.chars().next() {
        cost += 3;
    }
    if is_beside(word, name) {
        cost -= 3;
    }
    cost
}

/// Whether one letter was replaced by its neighbour on the keyboard.
fn is_beside(word: &str, name: &str) -> bool {
    if word.len() != name.len() {
        return false;
    }
    let mut wrong = word.chars().zip(name.chars()).filter(|(one, other)| one != other);
    let (Some((one, other)), None) = (wrong.next(), wrong.next()) else { return false };
    let place = |c: char| ROWS.iter().enumerate().find_map(|(row, keys)| Some((row, keys.find(c)?)));
    let (Some((row, column)), Some((other_row, other_column))) = (place(one), place(other)) else { return false };
    row.abs_diff(other_row) <= 1 && column.abs_diff(other_column) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_typing_error_is_preferred() {
        assert_eq!(meant("gti", ["gtf", "git", "gcc"]), ["git", "gtf"]);
        assert_eq!(nearest("sl", ["ss", "ls", "sh"]), Some("ls"));
        assert_eq!(nearest("gut", ["cut", "git"]), Some("git"));
        assert_eq!(nearest("statsu", ["stats", "status"]), Some("status"));
        assert_eq!(nearest("vimm", ["vi", "vim", "view"]), Some("vim"));
    }

    #[test]
    fn a_different_word_has_no_candidates() {
        assert!(meant("foo", ["bar", "for-each", "fmt"]).is_empty());
        assert!(meant("x", ["y", "w"]).is_empty());
    }
}
