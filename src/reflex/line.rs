//! A command line as words that remember where they stood.
//!
//! Enough of a shell's grammar to change one word and leave every other byte as it was typed: quotes, backslashes, operators,
//! redirections. Nothing is expanded. What it cannot read (a here-document, an open quote) is still cut into words somehow; it never fails.

use std::ops::Range;

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Without its quotes and backslashes.
    pub(super) text: String,
    /// Where it stands in the line, quotes included.
    pub(super) span: Range<usize>,
}

/// One simple command of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) words: Vec<Word>,
    /// The operator before it: `|`, `&&`, `;`, … or empty for the first.
    pub(super) operator: String,
}

impl Part {
    /// Where it stands, without blanks around it. Redirections behind it are part of it.
    pub(super) fn span(&self) -> Range<usize> {
        let start = self.words.first().map_or(0, |word| word.span.start);
        start..self.words.last().map_or(start, |word| word.span.end)
    }
}

/// A command line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    text: &'a str,
    parts: Vec<Part>,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        let mut words = Vec::new();
        let mut operator = String::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let Some(first) = rest.chars().next() else { break };
            if first == '\n' || ";|&()".contains(first) && !is_redirection(text, at) {
                let end = rest.find(|c| !";|&()\n".contains(c)).unwrap_or(rest.len());
                if !words.is_empty() {
                    parts.push(Part { words: std::mem::take(&mut words), operator: std::mem::take(&mut operator) });
                }
                operator = rest[..end].trim().to_owned();
                at += end;
            } else if rest.starts_with("\\\n") {
                at += 2;
            } else if is_blank(first) {
                at += first.len_utf8();
            } else if first == '#' && (at == 0 || text[..at].ends_with(|c| is_blank(c) || c == '\n')) {
                at += rest.find('\n').unwrap_or(rest.len());
            } else {
                let (word, end) = word(text, at);
                words.push(Word { text: word, span: at..end });
                at = end;
            }
        }
        if !words.is_empty() {
            parts.push(Part { words, operator });
        }
        Line { text, parts }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The line with other text in one place.
    pub(super) fn with(&self, span: Range<usize>, text: &str) -> String {
        format!("{}{text}{}", &self.text[..span.start], &self.text[span.end..])
    }
}

/// What separates words. A no-break space does not, which is how it breaks commands.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r')
}

/// Whether the `&` here belongs to `2>&1`, `&>` or `>&`.
fn is_redirection(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|before| bytes[before]);
    bytes[at] == b'&' && (matches!(before, Some(b'>' | b'<')) || bytes.get(at + 1) == Some(&b'>'))
}

/// Reads the word that begins here: its text without quotes, and where it ends.
fn word(text: &str, start: usize) -> (String, usize) {
    let mut word = String::new();
    let mut quote = None;
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some('"'), '\\') => match chars.next() {
                // A backslash before a line's end joins the lines.
                Some((_, '\n')) => {}
                Some((_, escaped)) => {
                    if quote.is_some() && !"\"\\$`".contains(escaped) {
                        word.push('\\');
                    }
                    word.push(escaped);
                }
                None => word.push('\\'),
            },
            (Some(_), c) => word.push(c),
            (None, c) => {
                let at = start + offset;
                if is_blank(c) || c == '\n' || ";|()".contains(c) || c == '&' && !is_redirection(text, at) {
                    return (word, at);
                }
                word.push(c);
            }
        }
    }
    (word, text.len())
}

/// A word as it must be typed so that the shell reads it as one: in quotes only if it has to be.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let line = Line::new(text);
        line.parts().iter().map(|part| part.words.iter().map(|word| word.text.clone()).collect()).collect()
    }

    #[test]
    fn quotes_and_operators_are_read() {
        assert_eq!(words("git commit -m 'a b' \"c d\" e\\ f"), [["git", "commit", "-m", "a b", "c d", "e f"]]);
        assert_eq!(
            words("cd a&&make -j2 2>&1|tail; ls &"),
            [vec!["cd", "a"], vec!["make", "-j2", "2>&1"], vec!["tail"], vec!["ls"]]
        );
        assert_eq!(words("a &>x # no\nb"), [vec!["a", "&>x"], vec!["b"]]);
        assert_eq!(words(r#"echo "a\"b" 'it'\''s' "\d""#), [["echo", "a\"b", "it's", r"\d"]]);
        assert_eq!(words("echo 'open"), [["echo", "open"]]);
        assert_eq!(words("ls \\\n -l"), [["ls", "-l"]]);
    }

    #[test]
    fn a_change_leaves_the_rest_alone() {
        let line = Line::new("FOO=1  gti   status | cat");
        let word = &line.parts()[0].words[1];
        assert_eq!(line.with(word.span.clone(), "git"), "FOO=1  git   status | cat");
        assert_eq!(line.parts()[1].operator, "|");
    }

    #[test]
    fn words_are_quoted_when_needed() {
        assert_eq!(quoted("src/main.rs"), "src/main.rs");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~é\n]{0,60}") {
            let line = Line::new(&text);
            for part in line.parts() {
                for word in &part.words {
                    prop_assert!(text.get(word.span.clone()).is_some_and(|raw| !raw.is_empty()));
                }
            }
        }

        #[test]
        fn a_quoted_word_is_one_word(word in "[ -~é]{1,20}") {
            let text = format!("echo {}", quoted(&word));
            let line = Line::new(&text);
            prop_assert_eq!(line.parts().len(), 1);
            prop_assert_eq!(&line.parts()[0].words[1].text, &word);
        }
    }
}
