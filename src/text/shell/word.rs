//! A word of a command line.

use std::ops::Range;

/// A word of a command line: what lies between two blanks, quotes taken into account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word without its quotes and backslashes. Expansions are left as they were typed.
    pub text: String,
    /// Where the word is in the line, quotes included.
    pub span: Range<usize>,
    pub quoting: Quoting,
    /// Everything the shell would replace, in order of appearance. An expansion inside another one follows it.
    pub expansions: Vec<Expansion>,
    /// How many bytes at the start of `text` were typed without quotes.
    pub(super) bare: usize,
}

/// How a word was quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// No quotes and no backslashes.
    Bare,
    /// All of it in one pair of single quotes.
    Single,
    /// All of it in one pair of double quotes.
    Double,
    /// All of it in `$'…'`.
    AnsiC,
    /// All of it in `$"…"`.
    Locale,
    /// Quoted in part, in several pieces, or with backslashes.
    Mixed,
    /// A quote in it has no end: the word reaches to the end of the text.
    Open,
}

/// A part of a word that the shell replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expansion {
    pub kind: ExpansionKind,
    /// Where it is in the line.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpansionKind {
    /// `$name`, `$1`, `${…}`.
    Parameter,
    /// `$((…))`.
    Arithmetic,
    /// `$(…)` or backticks: the commands inside, without the backslashes that backticks need.
    Command { source: String },
    /// `<(…)` or `>(…)`: the commands inside.
    Process { source: String },
    /// `*`, `?` or `[…]`.
    Glob,
    /// `{a,b}` or `{1..3}`.
    Brace,
    /// `~` where it stands for a directory.
    Tilde,
    /// The elements of `name=(…)`.
    Array,
    /// `$"…"`, which the shell looks up in a catalogue of translations.
    Translation,
    /// `$'…'` whose text depends on the locale or is not UTF-8.
    Bytes,
}

impl Word {
    /// A word that is taken as it is, without quotes or expansions.
    pub(crate) fn plain(text: &str, span: Range<usize>) -> Self {
        let (quoting, expansions) = (Quoting::Bare, Vec::new());
        Word { text: text.to_owned(), span, quoting, expansions, bare: text.len() }
    }

    /// The text that the shell gives to the command, if it is known without running anything.
    pub(crate) fn literal(&self) -> Option<&str> {
        self.expansions.is_empty().then_some(self.text.as_str())
    }

    /// The name of `name=value` and `name+=value`.
    pub(crate) fn assigned_name(&self) -> Option<&str> {
        let (name, _) = self.text[..self.bare].split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        is_name(name).then_some(name)
    }

    /// Where the word's content is: its span without the quotes around it.
    pub(crate) fn content(&self) -> Range<usize> {
        let (open, close) = match self.quoting {
            Quoting::Bare | Quoting::Mixed | Quoting::Open => (0, 0),
            Quoting::Single | Quoting::Double => (1, 1),
            Quoting::AnsiC | Quoting::Locale => (2, 1),
        };
        self.span.start + open..self.span.end - close
    }

    /// Whether the word is this reserved word: a quoted one is an ordinary word.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        self.quoting == Quoting::Bare && self.expansions.is_empty() && self.text == name
    }

    /// Whether the word begins with `name[` and it is not plain that the bracket is closed in the same word. Bash reads on to the closing
    /// bracket, past blanks, where an assignment may be.
    pub(super) fn has_open_subscript(&self) -> bool {
        let bare = &self.text[..self.bare];
        let Some((name, _)) = bare.split_once('[') else { return false };
        let count = |bracket: char| self.text.matches(bracket).count();
        is_name(name)
            && (self.quoting != Quoting::Bare || self.text.contains(['$', '`', '(']) || count('[') != count(']'))
    }
}

/// Whether a text is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}
