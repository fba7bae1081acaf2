//! Which signs of the rules a long output holds, found in one pass over it.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::rules;

/// Every sign of every rule, once. Building it takes longer than a short output is searched for each.
static ALL: LazyLock<(Vec<&'static str>, Option<AhoCorasick>)> = LazyLock::new(|| {
    let signs: Vec<&str> = rules::signs().collect::<HashSet<_>>().into_iter().collect();
    let search = AhoCorasick::new(&signs).ok();
    (signs, search)
});

/// The signs in any of these texts.
pub(super) fn seen(texts: &[&str]) -> HashSet<&'static str> {
    let (signs, search) = &*ALL;
    let Some(search) = search else { return signs.iter().copied().collect() };
    let mut is_seen = vec![false; signs.len()];
    for text in texts {
        for found in search.find_overlapping_iter(text) {
            is_seen[found.pattern().as_usize()] = true;
        }
    }
    signs.iter().zip(is_seen).filter(|(_, is_seen)| *is_seen).map(|(sign, _)| *sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_within_others_are_seen() {
        let found = seen(&["x\nbash: gti: command not found\n", "fatal: not a git repository"]);
        assert!(found.contains("command not found") && found.contains("not found") && !found.contains("EADDRINUSE"));
    }
}
