//! The words that filter a list.

/// The most bytes of a filter.
const LONGEST: usize = 200;

/// The words that filter a list while the person types them. Keys change only their end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FilterText(String);

impl FilterText {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends typed or pasted text. Line breaks become blanks.
    pub(crate) fn push(&mut self, text: &str) {
        for letter in text.chars() {
            let letter = if letter.is_whitespace() { ' ' } else { letter };
            if !letter.is_control() && self.0.len() + letter.len_utf8() <= LONGEST {
                self.0.push(letter);
            }
        }
    }

    /// Removes the last letter. Returns whether there was one.
    pub(crate) fn erase_letter(&mut self) -> bool {
        self.0.pop().is_some()
    }

    /// Removes the last word.
    pub(crate) fn erase_word(&mut self) {
        let word = self.0.trim_end();
        let start = word.rfind(' ').map_or(0, |blank| blank + 1);
        self.0.truncate(start);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_added_and_removed_at_the_end() {
        let mut filter = FilterText::default();
        filter.push("git\nlog \x1b--é");
        assert_eq!(filter.as_str(), "git log --é");
        assert!(filter.erase_letter());
        assert_eq!(filter.as_str(), "git log --");
        filter.erase_word();
        assert_eq!(filter.as_str(), "git log ");
        filter.erase_word();
        assert_eq!(filter.as_str(), "git ");
        filter.clear();
        assert!(!filter.erase_letter());
        filter.push(&"x".repeat(1000));
        assert_eq!(filter.as_str().len(), LONGEST);
    }
}
