//! Turns the words a user types into an FTS5 query that is always valid.

/// Shortest word that is searched as a prefix. A single letter would match a tenth of all words.
const PREFIX: usize = 2;

/// Whether the last word of a search may be the beginning of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastWord<'a> {
    /// It is still being typed. A prefix that many words share is slow to look up.
    Unfinished,
    Whole,
    /// It stands for any of these.
    AnyOf(&'a [String]),
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
    pub(super) fn new<S: AsRef<str>>(words: &[S], last: LastWord<'_>) -> SearchTerms {
        let (indexed, signs): (Vec<&str>, Vec<&str>) = trimmed(words).partition(|word| is_indexed(word));
        let mut phrases: Vec<String> = indexed.iter().map(|word| phrase(word)).collect();
        if let (Some(word), Some(end)) = (indexed.last(), phrases.last_mut()) {
            match last {
                LastWord::Unfinished if word.chars().count() >= PREFIX => end.push('*'),
                LastWord::Unfinished | LastWord::Whole => {}
                LastWord::AnyOf(words) => {
                    let words: Vec<String> = words.iter().map(|word| phrase(word)).collect();
                    *end = format!("({})", words.join(" OR "));
                }
            }
        }
        SearchTerms {
            indexed: (!phrases.is_empty()).then(|| phrases.join(" AND ")),
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

/// The last word of a search that the index knows.
pub(super) fn last_indexed<S: AsRef<str>>(words: &[S]) -> Option<&str> {
    trimmed(words).filter(|word| is_indexed(word)).last()
}

fn trimmed<S: AsRef<str>>(words: &[S]) -> impl Iterator<Item = &str> {
    words.iter().map(|word| word.as_ref().trim()).filter(|word| !word.is_empty())
}

fn is_indexed(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
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
        let any = ["xy".to_owned(), "x\"z".to_owned()];
        let completed = SearchTerms::new(&["make", "x", "|"], LastWord::AnyOf(&any)).indexed;
        assert_eq!(completed.as_deref(), Some(r#""make" AND ("xy" OR "x""z")"#));
    }
}
