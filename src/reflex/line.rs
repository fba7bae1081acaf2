//! A command line split into parts and words with their positions, so that one word can be replaced and every other byte is kept.

use std::ops::Range;

use crate::text::shell::quote::{self, Dialect};
use crate::text::shell::{Expansion, ExpansionKind, Operator, Redirection, Token, Word, tokens};

/// One simple command of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandPart {
    /// The words as typed, redirections included: `2>&1` is one word, `> file` is two.
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
    /// The operator before the command; the first one has none.
    pub(super) operator: Option<Operator>,
}

impl CommandPart {
    /// The range of the command with its redirections, without blanks around it.
    pub(super) fn span(&self) -> Range<usize> {
        let start = self.words.first().map_or(0, |word| word.span.start);
        start..self.words.last().map_or(start, |word| word.span.end)
    }

    /// Whether the command reads the output of the one before it.
    pub(super) fn is_piped(&self) -> bool {
        self.operator.is_some_and(Operator::is_pipe)
    }

    /// Whether a word belongs to a redirection.
    pub(super) fn is_redirection(&self, word: &Word) -> bool {
        self.redirections.iter().any(|found| found.span.start <= word.span.start && word.span.end <= found.span.end)
    }
}

/// A command line.
#[derive(Debug)]
pub(super) struct CommandLine<'a> {
    text: &'a str,
    parts: Vec<CommandPart>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut line = CommandLine { text, parts: Vec::new() };
        line.read(0..text.len(), None);
        line
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// The commands in order of appearance. Commands inside a substitution follow the command that contains it.
    pub(super) fn parts(&self) -> &[CommandPart] {
        &self.parts
    }

    /// The line with this range replaced.
    pub(super) fn with(&self, span: Range<usize>, text: &str) -> String {
        format!("{}{text}{}", &self.text[..span.start], &self.text[span.end..])
    }

    /// Reads the commands in a range of the line.
    fn read(&mut self, place: Range<usize>, operator: Option<Operator>) {
        let mut part = CommandPart { words: Vec::new(), redirections: Vec::new(), operator };
        for token in tokens(&self.text[place.clone()]) {
            match token {
                Token::Word(word) => part.words.push(shifted(word, place.start)),
                Token::Redirection(mut redirection) => {
                    redirection.span = shift(&redirection.span, place.start);
                    redirection.target = shifted(redirection.target, place.start);
                    part.words.extend(self.words_of(&redirection));
                    part.redirections.push(redirection);
                }
                Token::Operator(operator, _) => {
                    let next = CommandPart { words: Vec::new(), redirections: Vec::new(), operator: Some(operator) };
                    self.push(std::mem::replace(&mut part, next));
                }
            }
        }
        self.push(part);
    }

    /// Adds a command, then the commands inside its substitutions.
    fn push(&mut self, part: CommandPart) {
        if part.words.is_empty() {
            return;
        }
        let targets = part.redirections.iter().map(|redirection| &redirection.target);
        let inner: Vec<_> = part
            .words
            .iter()
            .chain(targets)
            .flat_map(|word| &word.expansions)
            .filter_map(|found| self.inner(found))
            .collect();
        self.parts.push(part);
        for place in inner {
            self.read(place, Some(Operator::Open));
        }
    }

    /// The range of the commands in a substitution. `None` for backticks with backslashes, because the shell runs another text than the typed one.
    fn inner(&self, found: &Expansion) -> Option<Range<usize>> {
        let (ExpansionKind::Command { source } | ExpansionKind::Process { source }) = &found.kind else { return None };
        let end = found.span.end - 1;
        let inner = end.checked_sub(source.len())?..end;
        (inner.start > found.span.start && self.text.get(inner.clone()) == Some(source)).then_some(inner)
    }

    /// A redirection as words. The operator is a word of its own if a blank follows it.
    fn words_of(&self, redirection: &Redirection) -> Vec<Word> {
        let operator = self.text[redirection.span.start..redirection.target.span.start].trim_end();
        let end = redirection.span.start + operator.len();
        if end == redirection.target.span.start {
            return vec![Word::plain(&format!("{operator}{}", redirection.target.text), redirection.span.clone())];
        }
        vec![Word::plain(operator, redirection.span.start..end), redirection.target.clone()]
    }
}

fn shift(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// A word with its positions moved by an offset.
fn shifted(mut word: Word, by: usize) -> Word {
    word.span = shift(&word.span, by);
    for found in &mut word.expansions {
        found.span = shift(&found.span, by);
    }
    word
}

/// A word quoted for the shell, if needed. A leading `~/` stays outside the quotes.
pub(super) fn quoted(word: &str) -> String {
    match word.strip_prefix("~/") {
        Some("") => word.to_owned(),
        Some(rest) => format!("~/{}", quote::word(rest, Dialect::Posix)),
        None if word == "~" => word.to_owned(),
        None => quote::word(word, Dialect::Posix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let line = CommandLine::new(text);
        line.parts().iter().map(|part| part.words.iter().map(|word| word.text.clone()).collect()).collect()
    }

    #[test]
    fn redirections_are_words_as_typed() {
        assert_eq!(
            words("cd a&&make -j2 2>&1|tail > 'x y'; ls &"),
            [vec!["cd", "a"], vec!["make", "-j2", "2>&1"], vec!["tail", ">", "x y"], vec!["ls"]]
        );
        assert_eq!(words("a &>x # no\nb >"), [vec!["a", "&>x"], vec!["b", ">"]]);
    }

    #[test]
    fn commands_in_substitutions_are_parts() {
        let line = CommandLine::new("echo \"$(gti status)\" `foo` x | cat <(bar é)");
        let texts: Vec<&str> = line.parts().iter().map(|part| &line.text()[part.span()]).collect();
        assert_eq!(texts, ["echo \"$(gti status)\" `foo` x", "gti status", "foo", "cat <(bar é)", "bar é"]);
        let word = &line.parts()[1].words[0];
        assert_eq!(line.with(word.span.clone(), "git"), "echo \"$(git status)\" `foo` x | cat <(bar é)");
    }

    #[test]
    fn a_replacement_keeps_the_rest() {
        let line = CommandLine::new("FOO=1  gti   status | cat");
        let word = &line.parts()[0].words[1];
        assert_eq!(line.with(word.span.clone(), "git"), "FOO=1  git   status | cat");
        assert!(line.parts()[1].is_piped());
    }

    #[test]
    fn a_home_directory_stays_outside_the_quotes() {
        assert_eq!(quoted("~/a b"), "~/'a b'");
        assert_eq!(quoted("~/a"), "~/a");
        assert_eq!(quoted("~a"), "'~a'");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([ -~é\n]|\\$\\(|`){0,60}") {
            let line = CommandLine::new(&text);
            for part in line.parts() {
                for word in &part.words {
                    prop_assert!(text.get(word.span.clone()).is_some());
                }
            }
        }
    }
}
