//! The word that was probably meant.

/// The candidate nearest to a word, unless all are other words: a third of its letters may be wrong.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, name) = candidates.map(|name| (distance(word, name), name)).min()?;
    (distance <= word.chars().count().div_ceil(3)).then_some(name)
}

/// The number of letters to insert, remove or change to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in to.iter().enumerate() {
            let change = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
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
    }

    #[test]
    fn distances_are_letters() {
        assert_eq!(distance("ignor", "ignore"), 1);
        assert_eq!(distance("head", "tail"), 4);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
