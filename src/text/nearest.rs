//! Suggestions for misspelled words.

/// Returns the candidate with the smallest edit distance to `word`: at most one edit for a short word, three for a long one. Of several
/// the one with the same number of letters is preferred.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str| name.chars().count().abs_diff(word.chars().count());
    let (distance, _, name) = candidates.map(|name| (distance(word, name), letters(name), name)).min()?;
    // Two edits turn a short word into another word: `cost` is not a misspelled `copy`.
    let slips = match word.chars().count() {
        0..6 => 1,
        6..9 => 2,
        9.. => 3,
    };
    (distance <= slips).then_some(name)
}

/// The edit distance: how many letters to insert, remove, change or swap with their neighbour to turn one word into the other.
pub(crate) fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i; to.len() + 1];
        for j in 1..=to.len() {
            let change = above[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            row[j] = change.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_word_finds_its_candidate_and_a_different_word_does_not() {
        let names = || ["/help", "/model", "/context"].into_iter();
        assert_eq!(nearest("/hlep", names()), Some("/help"));
        assert_eq!(nearest("/contxt", names()), Some("/context"));
        assert_eq!(nearest("/zzzzz", names()), None);
        assert_eq!(nearest("/modle", ["/mode", "/model"].into_iter()), Some("/model"));
        assert_eq!(nearest("cost", ["copy"].into_iter()), None);
        assert_eq!(nearest("hstory", ["history"].into_iter()), Some("history"));
    }

    #[test]
    fn a_swap_of_neighbours_counts_as_one_edit() {
        assert_eq!(distance("ignor", "ignore"), 1);
        assert_eq!(distance("head", "tail"), 4);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
        assert_eq!(distance("gti", "git"), 1);
    }
}
