//! A text with placeholders in it, and the way back to the original.

use std::ops::Range;

use super::found::Found;
use super::placeholder;

/// A text whose secrets were replaced, for another search.
pub(super) struct MaskedDraft {
    pub(super) text: String,
    /// Where each placeholder is in the draft, and the secret in the original; in order.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

impl MaskedDraft {
    pub(super) fn new(original: &str, found: &[Found]) -> MaskedDraft {
        let mut text = String::with_capacity(original.len());
        let mut replaced = Vec::with_capacity(found.len());
        let mut from = 0;
        for Found { range, kind } in found {
            text.push_str(&original[from..range.start]);
            let start = text.len();
            // With a number, as it will be written: its `#` begins a comment for what reads the text as a command.
            text.push_str(&placeholder::write(kind, Some(1)));
            replaced.push((start..text.len(), range.clone()));
            from = range.end;
        }
        text.push_str(&original[from..]);
        MaskedDraft { text, replaced }
    }

    /// The range of the original that a range of the draft stands for; part of a placeholder stands for the whole secret.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        self.place(range.start, |secret| secret.start)..self.place(range.end, |secret| secret.end)
    }

    fn place(&self, at: usize, inside: fn(&Range<usize>) -> usize) -> usize {
        let before = self.replaced.partition_point(|(placeholder, _)| placeholder.start < at);
        match before.checked_sub(1).map(|index| &self.replaced[index]) {
            None => at,
            Some((placeholder, secret)) if at < placeholder.end => inside(secret),
            Some((placeholder, secret)) => secret.end + (at - placeholder.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_the_draft_finds_its_original() {
        let original = "a SECRET b OTHER c";
        let draft = MaskedDraft::new(original, &[Found::new(2..8, "token"), Found::new(11..16, "key")]);
        assert_eq!(draft.text, "a [masked: token #1] b [masked: key #1] c");
        let original_of = |words: &str| {
            let start = draft.text.find(words).unwrap();
            &original[draft.original(start..start + words.len())]
        };
        assert_eq!(original_of("a "), "a ");
        assert_eq!(original_of("[masked: token #1]"), "SECRET");
        assert_eq!(original_of("[masked: token #1] b"), "SECRET b");
        assert_eq!(original_of("ked: tok"), "SECRET");
        assert_eq!(original_of("key #1] c"), "OTHER c");
        assert_eq!(original_of(" c"), " c");
    }
}
