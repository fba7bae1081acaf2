//! Finds typed words in a text, also if some of its letters were left out.

use memchr::memmem;

/// How close a text is to the typed words, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    /// It contains every word.
    Words,
    /// It contains the letters of every word in order, with few others between them.
    Near,
    /// It contains the letters of every word in order.
    Letters,
}

/// How well typed words fit a name, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameFit {
    Exact,
    Beginning,
    Within,
    /// Its letters, with others between them.
    Letters,
}

impl NameFit {
    /// How well a filter fits the first word of a text, with or without what is before its first slash. Both are in lower case. A part
    /// of the filter may also be anywhere in the text.
    pub(crate) fn of(filter: &str, text: &str) -> Option<NameFit> {
        let name = text.split_whitespace().next().unwrap_or_default();
        let names = [Some(name), name.split_once('/').map(|(_, short)| short)];
        let fits = |is_fit: &dyn Fn(&str) -> bool| names.into_iter().flatten().any(is_fit);
        let has_letters = || {
            let letters: String = filter.split_whitespace().collect();
            span(&letters, name.as_bytes()).is_some()
        };
        match () {
            () if fits(&|name| name == filter) => Some(NameFit::Exact),
            () if fits(&|name| name.starts_with(filter)) => Some(NameFit::Beginning),
            () if filter.split_whitespace().all(|word| text.contains(word)) => Some(NameFit::Within),
            () if has_letters() => Some(NameFit::Letters),
            () => None,
        }
    }
}

/// Letters that are at most this many times as far apart as in the word are near.
const NEAR: usize = 4;

/// Typed words, all of which must be found.
#[derive(Debug, Clone)]
pub(crate) struct FuzzyWords {
    words: Vec<(String, memmem::Finder<'static>)>,
}

impl FuzzyWords {
    /// Upper and lower case are the same.
    pub(crate) fn new(typed: &str) -> FuzzyWords {
        let lower = typed.to_lowercase();
        let word = |word: &str| (word.to_owned(), memmem::Finder::new(word).into_owned());
        FuzzyWords { words: lower.split_whitespace().map(word).collect() }
    }

    /// How close a text in lower case is to the words, if it has them. The least close word decides.
    pub(crate) fn closeness(&self, text: &[u8]) -> Option<Closeness> {
        let mut least = Closeness::Words;
        for (word, finder) in &self.words {
            if finder.find(text).is_none() {
                let found = if span(word, text)? <= word.len() * NEAR { Closeness::Near } else { Closeness::Letters };
                least = least.max(found);
            }
        }
        Some(least)
    }
}

/// The bytes from the first to the last letter of `word` in `text`, which has them in this order.
pub(crate) fn span(word: &str, text: &[u8]) -> Option<usize> {
    let mut bytes = [0; 4];
    let mut end = 0;
    for letter in word.chars() {
        end += memmem::find(&text[end..], letter.encode_utf8(&mut bytes).as_bytes())? + letter.len_utf8();
    }
    let mut start = end;
    for letter in word.chars().rev() {
        start = memmem::rfind(&text[..start], letter.encode_utf8(&mut bytes).as_bytes())?;
    }
    Some(end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closeness(typed: &str, text: &str) -> Option<Closeness> {
        FuzzyWords::new(typed).closeness(text.to_lowercase().as_bytes())
    }

    #[test]
    fn words_come_before_letters_and_near_letters_before_far_ones() {
        assert_eq!(closeness("checkout", "git checkout main"), Some(Closeness::Words));
        assert_eq!(closeness("gco", "git checkout main"), Some(Closeness::Near));
        assert_eq!(closeness("gmn", "git checkout main"), Some(Closeness::Letters));
        assert_eq!(closeness("main gco", "git checkout main"), Some(Closeness::Near), "the least close word decides");
        assert_eq!(closeness("ocg", "git checkout main"), None);
    }

    #[test]
    fn every_word_is_needed_in_any_order_and_case() {
        assert_eq!(closeness("MAIN git", "git checkout main"), Some(Closeness::Words));
        assert_eq!(closeness("main zzz", "git checkout main"), None);
        assert_eq!(closeness(" ", "anything"), Some(Closeness::Words));
    }

    #[test]
    fn letters_of_several_bytes_are_whole() {
        assert_eq!(closeness("ÄÖ", "grep ä und ö"), Some(Closeness::Near));
        assert_eq!(span("ä", "Ã¤".as_bytes()), None);
        assert_eq!(span("ab", b"a a xb ab"), Some(4), "from the last start before the first end");
    }
}
