//! Where secrets are.

use std::borrow::Cow;
use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    /// What it is, such as `GitHub token`.
    pub(super) kind: Cow<'static, str>,
}

impl Found {
    pub(super) fn new(range: Range<usize>, kind: impl Into<Cow<'static, str>>) -> Found {
        Found { range, kind: kind.into() }
    }
}

/// Joins what overlaps; the kind is that of whoever found it first. What is nothing but a placeholder is no secret.
pub(super) fn merged(found: Vec<Found>, placeholders: &[Range<usize>]) -> Vec<Found> {
    let mut ranked: Vec<(usize, Found)> = found.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, found)| (found.range.start, *rank));
    let mut apart: Vec<(usize, Found)> = Vec::new();
    for (rank, mut one) in ranked {
        widen(&mut one.range, placeholders);
        match apart.last_mut() {
            Some((best, last)) if one.range.start < last.range.end => {
                last.range.end = last.range.end.max(one.range.end);
                if rank < *best {
                    (*best, last.kind) = (rank, one.kind);
                }
            }
            Some(_) | None => apart.push((rank, one)),
        }
    }
    let is_masked = |range: &Range<usize>| {
        placeholders
            .binary_search_by_key(&range.start, |span| span.start)
            .is_ok_and(|at| placeholders[at].end >= range.end)
    };
    apart.into_iter().map(|(_, one)| one).filter(|one| !is_masked(&one.range)).collect()
}

/// A placeholder is masked whole or not at all.
fn widen(range: &mut Range<usize>, placeholders: &[Range<usize>]) {
    let first = placeholders.partition_point(|span| span.end <= range.start);
    for span in placeholders[first..].iter().take_while(|span| span.start < range.end) {
        range.start = range.start.min(span.start);
    }
    let last = placeholders.partition_point(|span| span.start < range.end);
    if let Some(span) = last.checked_sub(1).and_then(|last| placeholders.get(last))
        && span.end > range.start
    {
        range.end = range.end.max(span.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_one_secret_of_the_first_kind() {
        let found = vec![Found::new(4..9, "b"), Found::new(2..6, "a"), Found::new(20..22, "c"), Found::new(9..12, "d")];
        let expected = [Found::new(2..9, "b"), Found::new(9..12, "d"), Found::new(20..22, "c")];
        assert_eq!(merged(found, &[]), expected);
    }

    #[test]
    fn a_placeholder_is_masked_whole_or_not_at_all() {
        let placeholder = std::slice::from_ref(&(5..20));
        assert_eq!(merged(vec![Found::new(5..8, "a")], placeholder), []);
        assert_eq!(merged(vec![Found::new(3..8, "a")], placeholder), [Found::new(3..20, "a")]);
        assert_eq!(merged(vec![Found::new(0..30, "a")], placeholder), [Found::new(0..30, "a")]);
    }
}
