//! The last word of a text that arrives in pieces.

use crate::text::width;

/// The longest part of a word that is held back, in bytes.
const LONGEST: usize = 400;

/// Holds back the rest of a word as soon as terminals disagree on its width, and every further word of that line until it is complete. A
/// joined emoji becomes wider with every part that arrives, and a row that ends in half a word could not be broken before it any more.
#[derive(Debug, Default)]
pub(super) struct UnfinishedWord {
    /// The word so far.
    text: String,
    /// How many of its bytes were returned already.
    shown: usize,
    /// Whether terminals disagree on the width of an earlier word of the line.
    is_disputed: bool,
}

impl UnfinishedWord {
    /// Adds text and returns what can be shown now.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut fresh = String::new();
        let words = text.rfind([' ', '\n']).map_or(0, |blank| blank + 1);
        if words > 0 {
            self.text.push_str(&text[..words]);
            let line = self.text.rfind('\n').map_or(0, |end| end + 1);
            self.is_disputed &= line == 0;
            self.is_disputed |= !width::is_settled(&self.text[line..]);
            fresh.push_str(&self.text[self.shown..]);
            self.text.clear();
            self.shown = 0;
        }
        self.text.push_str(&text[words..]);
        let is_settled = !self.is_disputed && width::is_settled(&self.text);
        if is_settled || self.text.len() - self.shown > LONGEST {
            let end = if is_settled { self.text.len() - may_widen(&self.text) } else { self.text.len() };
            let end = end.max(self.shown);
            fresh.push_str(&self.text[self.shown..end]);
            self.shown = end;
        }
        fresh
    }

    /// The text is complete. Returns what was held back of it.
    pub(super) fn end(&mut self) -> String {
        let rest = self.text.split_off(self.shown);
        *self = UnfinishedWord::default();
        rest
    }
}

/// The bytes at the end of a word that a variation selector would turn into an emoji, such as a digit.
fn may_widen(word: &str) -> usize {
    let is_base = |letter: &char| {
        let is_symbol = ('\u{A9}'..='\u{3299}').contains(letter) && !letter.is_alphanumeric();
        letter.is_ascii_digit() || "#*".contains(*letter) || is_symbol
    };
    word.chars().last().filter(is_base).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_at_once_unless_their_width_is_disputed() {
        let mut word = UnfinishedWord::default();
        let shown = ["pl", "ain 👍", "🏽", "\u{200d}♀", " on", "e ", "\nt", "wo"].map(|piece| word.push(piece));
        assert_eq!(shown, ["pl", "ain 👍", "", "", "🏽\u{200d}♀ ", "one ", "\nt", "wo"]);
        assert_eq!(word.end(), "");
    }

    #[test]
    fn a_character_that_may_become_an_emoji_waits_for_the_next() {
        let mut word = UnfinishedWord::default();
        let shown = ["a1", "2b ⚠", "\u{fe0f} it3", "\u{fe0f}\u{20e3}"].map(|piece| word.push(piece));
        assert_eq!(shown, ["a", "12b ", "⚠\u{fe0f} ", ""]);
        assert_eq!(word.end(), "it3\u{fe0f}\u{20e3}");
    }

    #[test]
    fn the_end_of_the_text_and_a_long_word_give_back_what_was_held() {
        let mut word = UnfinishedWord::default();
        assert_eq!((word.push("a 🇫"), word.end()), ("a ".to_owned(), "🇫".to_owned()));
        assert_eq!(word.push(&"🇫🇷".repeat(60)), "🇫🇷".repeat(60));
    }
}
