//! An output as the readers see it.

use super::place::SourceLocation;
use crate::reflex::case::Case;

/// The lines of an output without the prefixes that wrappers add to each line, and the command that printed them.
pub(super) struct OutputPage<'a> {
    pub(super) lines: Vec<&'a str>,
    case: &'a Case<'a>,
}

impl<'a> OutputPage<'a> {
    pub(super) fn new(case: &'a Case<'a>) -> Self {
        OutputPage { lines: case.output.lines().iter().map(|line| bare(line)).collect(), case }
    }

    pub(super) fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &'a str)> + Clone + '_ {
        self.lines.iter().copied().enumerate()
    }

    /// The lines that follow a line, at most `most`.
    pub(super) fn after(&self, at: usize, most: usize) -> &[&'a str] {
        let start = (at + 1).min(self.lines.len());
        &self.lines[start..(start + most).min(self.lines.len())]
    }

    /// The lines before a line, at most `most`, the nearest first.
    pub(super) fn before(&self, at: usize, most: usize) -> impl Iterator<Item = &'a str> + '_ {
        self.lines[..at.min(self.lines.len())].iter().rev().take(most).copied()
    }

    /// The first line after one that is not blank, trimmed.
    pub(super) fn next_words(&self, at: usize) -> Option<&'a str> {
        self.after(at, 4).iter().map(|line| line.trim()).find(|line| !line.is_empty())
    }

    /// The file that the command was given, for errors that name a line of the input but not the file.
    pub(super) fn input(&self, line: u32, column: Option<u32>) -> Option<SourceLocation> {
        let words = self.case.words().iter().skip(1).rev();
        let path = words
            .map(|word| word.text.trim_start_matches('<'))
            .find(|text| !text.starts_with('-') && has_extension(text))?;
        Some(SourceLocation { path: path.to_owned(), line, column })
    }
}

fn has_extension(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && (1..=6).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// A line without the prefix that docker build, compose, sbt and others add.
fn bare(line: &str) -> &str {
    if let Some(rest) = line.strip_prefix("[error] ") {
        return rest;
    }
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    // `#8 1.234 message` and `1.234 message` of BuildKit.
    let numbered = line.strip_prefix('#').map_or(line, |rest| rest[digits(rest)..].trim_start());
    let number = digits(numbered);
    if number > 3 && numbered[..number].contains('.') && numbered[number..].starts_with(' ') {
        return &numbered[number + 1..];
    }
    // `web-1  | message` of compose.
    if let Some((service, rest)) = line.split_once(" | ") {
        let name = service.trim_end();
        let is_service = name.ends_with(|c: char| c.is_ascii_digit())
            && name.contains(['-', '_'])
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if is_service {
            return rest;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_wrappers_are_removed() {
        assert_eq!(bare("#8 1.234 a.c:1: error: x"), "a.c:1: error: x");
        assert_eq!(bare("12.345   indented"), "  indented");
        assert_eq!(bare("web-1  | Traceback"), "Traceback");
        assert_eq!(bare("3 | let x"), "3 | let x");
        assert_eq!(bare("[error] A.scala:1: x"), "A.scala:1: x");
        assert_eq!(bare("1.2 x"), "1.2 x");
    }
}
