//! Turns the words a user types into an FTS5 query that is always valid.

/// Shortest word that is searched as a prefix. A single letter would match a tenth of all words.
const PREFIX: usize = 2;

/// A search. All of its parts must match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchTerms {
    /// Phrases for the index; `None` when no word has a letter or digit.
    pub(super) indexed: Option<String>,
    /// Words of signs only (`|`, `&&`), which the index does not know: looked for in the command's text.
    pub(super) signs: Vec<String>,
}

impl SearchTerms {
    /// Each word is a phrase, so quoting `"borrow of moved"` in the shell means it; the last one may be unfinished.
    pub(super) fn new<S: AsRef<str>>(words: &[S]) -> SearchTerms {
        let (indexed, signs): (Vec<_>, Vec<_>) = words
            .iter()
            .map(|word| word.as_ref().trim())
            .filter(|word| !word.is_empty())
            .partition(|word| word.chars().any(char::is_alphanumeric));
        let unfinished = indexed.last().is_some_and(|last| last.chars().count() >= PREFIX);
        let phrases: Vec<String> = indexed.into_iter().map(phrase).collect();
        SearchTerms {
            indexed: (!phrases.is_empty()).then(|| phrases.join(" AND ") + if unfinished { "*" } else { "" }),
            signs: signs.into_iter().map(str::to_owned).collect(),
        }
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
        let query = SearchTerms::new(&["src/main.rs", "AND", "|", "-x", "say\"hi\"", " "]);
        assert_eq!(
            query,
            SearchTerms {
                indexed: Some(r#""src/main.rs" AND "AND" AND "-x" AND "say""hi"""*"#.to_owned()),
                signs: vec!["|".to_owned()],
            }
        );
        assert!(SearchTerms::new(&["", " "]).is_empty());
    }
}
