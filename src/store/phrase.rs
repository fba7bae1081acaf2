//! Finds the words of a search in a text, as the index divides it into words.

/// The words of a search. Words in double quotes are one phrase.
pub(crate) fn words(text: &str) -> Vec<String> {
    let parts = text.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.trim().to_owned()],
    });
    words.filter(|word: &String| !word.is_empty()).collect()
}

/// The words of a search, to be found in lines.
#[derive(Debug)]
pub(crate) struct Phrases(Vec<Vec<String>>);

impl Phrases {
    pub(crate) fn new(words: &[String]) -> Phrases {
        let phrases = words.iter().map(|word| divided(word).map(|(_, word)| word).collect());
        Phrases(phrases.filter(|phrase: &Vec<String>| !phrase.is_empty()).collect())
    }

    /// How many of the words a line has, and the offset of the first one in it.
    pub(crate) fn in_line(&self, line: &str) -> Option<(usize, usize)> {
        let (offsets, has): (Vec<usize>, Vec<String>) = divided(line).unzip();
        let found: Vec<usize> = self
            .0
            .iter()
            .filter_map(|phrase| {
                let at = has.windows(phrase.len()).position(|part| part == phrase.as_slice())?;
                Some(offsets[at])
            })
            .collect();
        Some((found.len(), found.into_iter().min()?))
    }
}

/// The words of a text in lower case, each with its offset. The index divides a text alike, and also ignores accents.
pub(super) fn divided(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_make_a_phrase() {
        assert_eq!(words(r#"cargo "borrow of moved" x"#), ["cargo", "borrow of moved", "x"]);
        assert_eq!(words(r#"a "b c"#), ["a", "b c"], "an open quote");
        assert_eq!(words(" \"\" "), Vec::<String>::new());
    }

    #[test]
    fn lines_are_divided_like_the_index() {
        let phrases = Phrases::new(&words(r#"src/main.rs "moved value" |"#));
        assert_eq!(phrases.in_line("error in SRC/main.rs:4"), Some((1, 9)));
        assert_eq!(phrases.in_line("borrow of moved: value, src main rs"), Some((2, 10)));
        assert_eq!(phrases.in_line("moved a value, src/main"), None);
        assert_eq!(phrases.in_line(""), None);
    }
}
