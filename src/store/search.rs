//! Turns the words a user types into an FTS5 query that is always valid.

/// Shortest word that is searched as a prefix. A single letter would match a tenth of all words.
const PREFIX: usize = 2;

/// Whether the last word of a search may be the beginning of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastWord {
    /// It is still being typed. A prefix that many words share is slow to look up.
    Unfinished,
    Whole,
}

/// A search. All of its parts must match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchTerms {
    /// Phrases for the index; `None` when no word has a letter or digit.
    pub(super) indexed: Option<String>,
    /// Words of signs only (`|`, `&&`), which the index does not know: looked for in the command's text.
    pub(super) signs: Vec<String>,
}

impl SearchTerms {
    /// Each word is a phrase, so quoting `"borrow of moved"` in the shell means it.
    pub(super) fn new<S: AsRef<str>>(words: &[S], last: LastWord) -> SearchTerms {
        let (indexed, signs): (Vec<_>, Vec<_>) = words
            .iter()
            .map(|word| word.as_ref().trim())
            .filter(|word| !word.is_empty())
            .partition(|word| word.chars().any(char::is_alphanumeric));
        let is_long = indexed.last().is_some_and(|last| last.chars().count() >= PREFIX);
        let unfinished = is_long && last == LastWord::Unfinished;
        let phrases: Vec<String> = indexed.into_iter().map(phrase).collect();
        SearchTerms {
            indexed: (!phrases.is_empty()).then(|| phrases.join(" AND ") + if unfinished { "*" } else { "" }),
            signs: signs.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The same search, in the text of commands only.
    pub(super) fn in_command(self) -> SearchTerms {
        SearchTerms { indexed: self.indexed.map(|phrases| format!("command : ({phrases})")), ..self }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.indexed.is_none() && self.signs.is_empty()
    }
}

/// Inside quotes only the quote itself means anything to FTS5, and a NUL ends the whole query.
fn phrase(word: &str) -> String {
    format!("\"{}\"", word.replace('\0', " ").replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_quoted_phrases() {
        let words = ["src/main.rs", "AND", "|", "-x", "say\"hi\"", " "];
        let query = SearchTerms::new(&words, LastWord::Unfinished);
        assert_eq!(
            query,
            SearchTerms {
                indexed: Some(r#""src/main.rs" AND "AND" AND "-x" AND "say""hi"""*"#.to_owned()),
                signs: vec!["|".to_owned()],
            }
        );
        let whole = SearchTerms::new(&words, LastWord::Whole).indexed;
        assert_eq!(whole.as_deref(), Some(r#""src/main.rs" AND "AND" AND "-x" AND "say""hi""""#));
        assert!(SearchTerms::new(&["", " "], LastWord::Whole).is_empty());
    }
}
