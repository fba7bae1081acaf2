//! Front matter: a few YAML fields between two lines of dashes at the beginning of a Markdown file.
//!
//! This reads the part of YAML that such files use: text (plain, quoted, or as a block), lists of text, and nested tables, which are
//! skipped. It is lenient where people commonly make mistakes: a colon in an unquoted text is part of the text. Anchors and aliases
//! have no meaning here, so a small file cannot expand to a large one. Time and memory are linear in the text.

use std::iter::Peekable;

/// Why front matter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrontMatterError {
    #[error("its front matter has no closing `---`")]
    NoEnd,
    #[error("line {line} of its front matter is not `key: value`")]
    NotAField { line: usize },
    #[error("the quote in line {line} of its front matter is not closed")]
    OpenQuote { line: usize },
    #[error("the list in line {line} of its front matter is not closed")]
    OpenList { line: usize },
}

/// The fields of a file's front matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter(Vec<(String, FieldValue)>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum FieldValue {
    Text(String),
    List(Vec<String>),
    /// A table, which no caller needs.
    Nested,
}

/// Splits a file into its front matter and its body. `None` if the file has no front matter.
pub(crate) fn split(text: &str) -> Result<Option<(&str, &str)>, FrontMatterError> {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|first| first.trim_end() != "---") {
        return Ok(None);
    }
    let start = text.find('\n').map_or(text.len(), |newline| newline + 1);
    let mut at = start;
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Some((&text[start..at], &text[at + line.len()..])));
        }
        at += line.len();
    }
    Err(FrontMatterError::NoEnd)
}

impl FrontMatter {
    /// Reads the text between the two lines of dashes. If a field is there twice, the first counts.
    pub(crate) fn read(matter: &str) -> Result<FrontMatter, FrontMatterError> {
        let mut fields = Vec::new();
        let mut lines = Lines { lines: matter.lines().enumerate().peekable() };
        while let Some((number, line)) = lines.next_line() {
            if is_blank(line) {
                continue;
            }
            let (key, rest) = field(line).ok_or(FrontMatterError::NotAField { line: number })?;
            fields.push((key.to_owned(), lines.value(number, rest)?));
        }
        Ok(FrontMatter(fields))
    }

    /// The text of a field, without blanks at its ends. `None` if there is none, or if it is empty.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(name, _)| name == key)?;
        match value {
            FieldValue::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            FieldValue::List(_) | FieldValue::Nested => None,
        }
    }

    /// The text of a field. A list is written as in one line of YAML, `[a, b]`, so brackets that mean something else are kept.
    pub(crate) fn text_or_list(&self, key: &str) -> Option<String> {
        match &self.0.iter().find(|(name, _)| name == key)?.1 {
            FieldValue::List(items) => Some(format!("[{}]", items.join(", "))),
            FieldValue::Text(_) | FieldValue::Nested => self.text(key).map(str::to_owned),
        }
    }

    /// Whether a field is set to true.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.text(key).is_some_and(|value| ["true", "yes", "on"].iter().any(|yes| value.eq_ignore_ascii_case(yes)))
    }
}

/// The lines of front matter that were not read yet, with their numbers from 1.
struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: Peekable<I>,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    fn next_line(&mut self) -> Option<(usize, &'a str)> {
        self.lines.next().map(|(number, line)| (number + 1, line))
    }

    /// The next line if it belongs to the field above it: it is indented, blank, or an item of a list.
    fn next_below(&mut self) -> Option<&'a str> {
        let is_below = |line: &str| line.starts_with([' ', '\t']) || line.trim().is_empty() || item(line).is_some();
        self.lines.next_if(|(_, line)| is_below(line)).map(|(_, line)| line)
    }

    /// Reads the value of the field in line `number`. `rest` follows its colon.
    fn value(&mut self, number: usize, rest: &str) -> Result<FieldValue, FrontMatterError> {
        let rest = without_comment(rest).trim();
        match rest.chars().next() {
            None => Ok(self.below()),
            Some('|') if is_block_header(rest) => Ok(FieldValue::Text(literal(&self.all_below()))),
            Some('>') if is_block_header(rest) => Ok(FieldValue::Text(folded(&literal(&self.all_below())))),
            Some('[') => self.flow_list(number, rest),
            Some('{') if rest.ends_with('}') => Ok(FieldValue::Nested),
            Some(quote @ ('"' | '\'')) => self.quoted(number, rest, quote),
            Some(_) => {
                let more = self.all_below();
                let words = std::iter::once(rest).chain(more.iter().map(|line| without_comment(line).trim()));
                Ok(FieldValue::Text(words.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ")))
            }
        }
    }

    fn all_below(&mut self) -> Vec<&'a str> {
        std::iter::from_fn(|| self.next_below()).collect()
    }

    /// The value of a field with nothing behind its colon: a list, a text, a table, or nothing.
    fn below(&mut self) -> FieldValue {
        let lines = self.all_below();
        let told: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !is_blank(line)).collect();
        match told.first() {
            None => FieldValue::Text(String::new()),
            Some(first) if item(first).is_some() => {
                FieldValue::List(told.iter().filter_map(|line| item(line)).map(unquoted).collect())
            }
            Some(first) if field(first).is_some() => FieldValue::Nested,
            Some(_) => FieldValue::Text(told.iter().map(|line| unquoted(line)).collect::<Vec<_>>().join(" ")),
        }
    }

    /// `[a, "b, c"]`, perhaps over several lines. `[FILE] [WORDS]` is text: it goes on behind the first bracket that closes.
    fn flow_list(&mut self, number: usize, first: &str) -> Result<FieldValue, FrontMatterError> {
        if closing_bracket(first).is_some_and(|at| at + 1 < first.len()) {
            return Ok(FieldValue::Text(first.to_owned()));
        }
        let mut text = first.to_owned();
        while !text.ends_with(']') {
            let more = self.next_below().ok_or(FrontMatterError::OpenList { line: number })?;
            text.push_str(without_comment(more).trim());
        }
        let (mut items, mut item, mut quote) = (Vec::new(), String::new(), None);
        for c in text[1..text.len() - 1].chars() {
            match (c, quote) {
                (',', None) => items.push(std::mem::take(&mut item)),
                ('"' | '\'', None) => quote = Some(c),
                (_, Some(open)) if c == open => quote = None,
                _ => item.push(c),
            }
        }
        items.push(item);
        let items = items.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty());
        Ok(FieldValue::List(items.collect()))
    }

    /// A quoted text, perhaps over several lines. A text that goes on behind its quotes was not meant to be quoted.
    fn quoted(&mut self, number: usize, first: &str, quote: char) -> Result<FieldValue, FrontMatterError> {
        let more = self.all_below();
        let lines = std::iter::once(first).chain(more.iter().map(|line| line.trim()));
        let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        match unquote(&text, quote) {
            Some((inner, "")) => Ok(FieldValue::Text(inner)),
            Some(_) => Ok(FieldValue::Text(text)),
            None => Err(FrontMatterError::OpenQuote { line: number }),
        }
    }
}

/// Where the first `]` outside of quotes is.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (c, quote) {
            (']', None) => return Some(at),
            ('"' | '\'', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            _ => {}
        }
        None
    })
}

/// Splits `key: value`. A key is one word, perhaps quoted.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end().trim_matches(['"', '\'']);
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    (is_word && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some((key, rest))
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("- ").or_else(|| (line == "-").then_some(""))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// A line without the comment at its end. A `#` in a quoted text is no comment.
fn without_comment(line: &str) -> &str {
    let body = line.trim_start();
    if let Some(quote @ ('"' | '\'')) = body.chars().next() {
        return match unquote(body, quote) {
            Some((_, rest)) if rest.trim_start().starts_with('#') => &body[..body.len() - rest.len()],
            Some(_) | None => line,
        };
    }
    if body.starts_with('#') {
        return "";
    }
    line.find(" #").map_or(line, |at| &line[..at])
}

/// `|`, `>-`, `|2+` and the like.
fn is_block_header(rest: &str) -> bool {
    rest[1..].chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
}

/// The lines of a block without their common indentation.
fn literal(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let told = lines.iter().copied().filter(|line| !line.trim().is_empty());
    let least = told.map(|line| indent(&line)).min().unwrap_or(0);
    let cut: Vec<&str> = lines.iter().map(|line| line.get(least..).unwrap_or_default()).collect();
    cut.join("\n").trim_end().to_owned()
}

/// A folded block: single line breaks are blanks, empty lines are line breaks.
fn folded(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.split('\n').collect::<Vec<_>>().join(" "));
    paragraphs.collect::<Vec<_>>().join("\n")
}

/// A text without the quotes around it, if it has any.
fn unquoted(text: &str) -> String {
    let text = without_comment(text).trim();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote.and_then(|quote| unquote(text, quote)) {
        Some((inner, "")) => inner,
        Some(_) | None => text.to_owned(),
    }
}

/// The text in the quotes that `text` begins with, and the rest behind them. `None` if the quote has no end.
fn unquote(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => {
                let (_, escaped) = chars.next()?;
                match escaped {
                    'n' => inner.push('\n'),
                    't' => inner.push('\t'),
                    'u' | 'x' | 'U' => {
                        let digits = match escaped {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        let code: String = chars.by_ref().take(digits).map(|(_, digit)| digit).collect();
                        inner.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}'));
                    }
                    other => inner.push(other),
                }
            }
            '\'' if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
                inner.push('\'');
            }
            c if c == quote => return Some((inner, text[at + c.len_utf8()..].trim_end())),
            c => inner.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(matter: &str) -> FrontMatter {
        FrontMatter::read(matter).unwrap()
    }

    fn description(matter: &str) -> String {
        read(matter).text("description").unwrap_or_default().to_owned()
    }

    #[test]
    fn a_file_is_split_at_the_two_lines_of_dashes() {
        assert_eq!(split("---\na: b\n---\nbody\n---\n"), Ok(Some(("a: b\n", "body\n---\n"))));
        assert_eq!(split("\u{FEFF}---\r\na: b\r\n---\r\nbody"), Ok(Some(("a: b\r\n", "body"))));
        assert_eq!(split("---\n---\nbody"), Ok(Some(("", "body"))));
        assert_eq!(split("---\na: b\n---"), Ok(Some(("a: b\n", ""))));
        assert_eq!(split("# Title\n---\n"), Ok(None));
        assert_eq!(split("----\na: b\n---\n"), Ok(None));
        assert_eq!(split("---\na: b\n----\n"), Err(FrontMatterError::NoEnd));
        assert_eq!(split(""), Ok(None));
    }

    #[test]
    fn texts_are_read_in_every_form() {
        for matter in [
            "description: Reads a file",
            "description: \"Reads a file\"",
            "description: 'Reads a file' # a comment",
            "description: Reads a file # a comment",
            "# a comment\n\"description\": Reads\n  a file",
            "description:\n  Reads a file",
            "description:\n  \"Reads a file\"",
            "description: \"Reads\n  a file\"",
            "description: >-\n  Reads\n  a file\nname: x",
            "description: |\n  Reads a file\n\nname: x",
            "name: x\r\ndescription: Reads a file\r\n",
        ] {
            assert_eq!(description(matter), "Reads a file", "{matter}");
        }
        assert_eq!(description("description: |2\n    one\n    - two\n"), "one\n- two");
        assert_eq!(description("description: >\n  one\n  two\n\n  three"), "one two\nthree");
        assert_eq!(description(r#"description: "a \"b\" \u00e4 \\""#), "a \"b\" ä \\");
        assert_eq!(description("description: 'it''s'"), "it's");
    }

    #[test]
    fn common_mistakes_are_understood() {
        assert_eq!(description("description: Use when: the user asks"), "Use when: the user asks");
        assert_eq!(description("description: Use when\n  note: the user asks"), "Use when note: the user asks");
        assert_eq!(description("description: \"PDF\" files, and more"), "\"PDF\" files, and more");
        assert_eq!(description("description: *.rs files"), "*.rs files");
        assert_eq!(description("description: it's fine"), "it's fine");
        assert_eq!(description("description: [FILE] [WORDS]"), "[FILE] [WORDS]");
        assert_eq!(description("description: [FILE] and more"), "[FILE] and more");
        assert_eq!(read("hint: [FILE, \"[x]\"]").text_or_list("hint").as_deref(), Some("[FILE, [x]]"));
    }

    #[test]
    fn lists_and_tables_are_no_texts_and_hide_nothing() {
        let matter = "metadata:\n  author: me\n  deep:\n    description: wrong\nallowed-tools: [Read, \"Bash(git *)\"]\n\
                      globs:\n- '*.rs'\n- \"*.md\"\ndescription: right\ndisable-model-invocation: True";
        let read = read(matter);
        assert_eq!(read.text("description"), Some("right"));
        assert_eq!((read.text("metadata"), read.text("globs"), read.text("author")), (None, None, None));
        assert!(read.is_set("disable-model-invocation") && !read.is_set("description"));
        let list = |items: &[&str]| FieldValue::List(items.iter().map(|item| (*item).to_owned()).collect());
        assert_eq!(read.0[1].1, list(&["Read", "Bash(git *)"]));
        assert_eq!(read.0[2].1, list(&["*.rs", "*.md"]));
    }

    #[test]
    fn broken_front_matter_is_an_error_with_its_line() {
        use FrontMatterError::{NotAField, OpenList, OpenQuote};
        for (matter, error) in [
            ("name: x\nnot a field", NotAField { line: 2 }),
            ("name: x\n\n{{template}}: y", NotAField { line: 3 }),
            ("description: \"no end\nname: x", OpenQuote { line: 1 }),
            ("globs: [a, b\nname: x", OpenList { line: 1 }),
            ("  - stray", NotAField { line: 1 }),
        ] {
            assert_eq!(FrontMatter::read(matter), Err(error), "{matter}");
        }
    }

    #[test]
    fn aliases_expand_to_nothing() {
        let bomb: String = (1..30).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
        let size: usize = format!("{:?}", read(&bomb)).len();
        assert!(size < 100 * 30, "{size}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(---\n)?[a-z:'\"#|>\\[\\]{}\\- \t\n\\\\*&ä]{0,80}(\n---\n)?.{0,10}") {
            if let Ok(Some((matter, _))) = split(&text) {
                let _ = FrontMatter::read(matter);
            }
            let _ = FrontMatter::read(&text);
        }

        #[test]
        fn a_quoted_text_comes_back_as_it_was(text in "[ -~ä]{1,40}") {
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            prop_assert_eq!(description(&format!("description: \"{quoted}\"\n")), text.trim());
            prop_assert_eq!(description(&format!("description: '{}'\n", text.replace('\'', "''"))), text.trim());
        }
    }
}
