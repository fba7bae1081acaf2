//! The word that was probably meant.

/// The candidate nearest to a word: at most one slip in a short word, three in a long one.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, name) = candidates.map(|name| (distance(word, name), name)).min()?;
    // Two slips in a short word make another word: `cost` is not `copy`.
    let slips = match word.chars().count() {
        0..6 => 1,
        6..9 => 2,
        9.. => 3,
    };
    (distance <= slips).then_some(name)
}

/// The number of letters to insert, remove, change or swap with their neighbour to get from one word to the other.
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
    fn a_slip_is_forgiven_and_another_word_is_not() {
        let names = || ["/help", "/model", "/context"].into_iter();
        assert_eq!(nearest("/hlep", names()), Some("/help"));
        assert_eq!(nearest("/contxt", names()), Some("/context"));
        assert_eq!(nearest("/zzzzz", names()), None);
        assert_eq!(nearest("cost", ["copy"].into_iter()), None);
        assert_eq!(nearest("hstory", ["history"].into_iter()), Some("history"));
    }

    #[test]
    fn distances_are_letters() {
        assert_eq!(distance("ignor", "ignore"), 1);
        assert_eq!(distance("head", "tail"), 4);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
        assert_eq!(distance("gti", "git"), 1);
    }
}
