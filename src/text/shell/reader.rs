//! Reading words from a text.

use super::error::{ParseError, Reason};
use super::here::PendingHereDocument;
use super::script::HereDocument;
use super::word::{Expansion, ExpansionKind, Quoting, Word};
use super::{DEEPEST, ansi};

/// How text that cannot be read is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadMode {
    /// It is an error.
    Strict,
    /// It is read as ordinary characters.
    Lenient,
    /// Like `Lenient`, after the first failure: expansions are not tried again, so that the time stays linear.
    GivenUp,
}

/// A place in a text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Here-documents whose bodies begin after the current line.
    pub(super) pending: Vec<PendingHereDocument>,
    pub(super) here_documents: Vec<HereDocument>,
    mode: ReadMode,
}

/// A word in the making.
#[derive(Default)]
struct WordDraft {
    text: String,
    expansions: Vec<Expansion>,
    /// The characters without quotes, with their places.
    unquoted: Vec<(usize, char)>,
    /// How many bytes at the start of `text` are without quotes, once something quoted was read.
    bare: Option<usize>,
    /// The quoting of the first piece, if it begins the word, and where that piece ends.
    first: Option<(Quoting, usize)>,
    /// Whether a quote has no end.
    is_open: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, mode: ReadMode) -> Self {
        Reader { text, at: 0, depth: 0, pending: Vec::new(), here_documents: Vec::new(), mode }
    }

    /// A strict reader of the same text from here on, one level deeper.
    pub(super) fn nested(&self, at: usize) -> Result<Self, ParseError> {
        if self.depth >= DEEPEST {
            return Err(Reason::TooDeep.at(at));
        }
        Ok(Reader { at, depth: self.depth + 1, ..Reader::new(self.text, ReadMode::Strict) })
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_strict(&self) -> bool {
        self.mode == ReadMode::Strict
    }

    /// Skips blanks, line continuations and a comment. The end of the line stays.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with([' ', '\t']) {
                self.at += 1;
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else {
                break;
            }
        }
        if self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The word that begins here, or `None` where no word can begin.
    pub(super) fn word(&mut self) -> Result<Option<Word>, ParseError> {
        let start = self.at;
        let mut draft = WordDraft::default();
        while let Some(c) = self.rest().chars().next() {
            let is_process = self.rest().starts_with("<(") || self.rest().starts_with(">(");
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' if !is_process => break,
                '\\' => self.backslash(&mut draft)?,
                '\'' | '"' => self.quote(&mut draft, start)?,
                '$' | '`' | '<' | '>' => self.expansion(&mut draft, start)?,
                _ => {
                    draft.unquoted.push((self.at, c));
                    draft.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        if self.at == start {
            return Ok(None);
        }
        let word = draft.finish(start, self.at);
        if self.is_strict() && word.has_open_subscript() {
            return Err(Reason::Unsupported("a subscript").at(start));
        }
        Ok(Some(word))
    }

    fn backslash(&mut self, draft: &mut WordDraft) -> Result<(), ParseError> {
        let escaped = self.rest()[1..].chars().next();
        match escaped {
            Some('\n') => {}
            Some(escaped) => {
                draft.end_bare();
                draft.text.push(escaped);
            }
            None if self.is_strict() => return Err(Reason::Incomplete.at(self.at)),
            None => draft.text.push('\\'),
        }
        self.at += 1 + escaped.map_or(0, char::len_utf8);
        Ok(())
    }

    fn quote(&mut self, draft: &mut WordDraft, start: usize) -> Result<(), ParseError> {
        let open = self.at;
        let is_single = self.rest().starts_with('\'');
        let quoting = if is_single { Quoting::Single } else { Quoting::Double };
        draft.end_bare();
        let known = (draft.text.len(), draft.expansions.len());
        let read = if is_single { self.single(draft) } else { self.double(&mut draft.text, &mut draft.expansions) };
        if let Err(error) = read {
            self.give_up(error)?;
            draft.forget(known);
            self.at = open;
            if !self.unread_quote(draft) {
                draft.is_open = true;
                return Ok(());
            }
        }
        draft.note_piece(quoting, open == start, self.at);
        Ok(())
    }

    fn single(&mut self, draft: &mut WordDraft) -> Result<(), ParseError> {
        let inner = &self.rest()[1..];
        let length = inner.find('\'').ok_or(Reason::OpenQuote.at(self.at))?;
        draft.text.push_str(&inner[..length]);
        self.at += length + 2;
        Ok(())
    }

    /// A quoted piece without its expansions, up to the closing quote or the end of the text. Returns whether there is a closing quote.
    fn unread_quote(&mut self, draft: &mut WordDraft) -> bool {
        let quote = self.rest().chars().next();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            if Some(c) == quote {
                self.at += offset + 1;
                return true;
            }
            draft.text.push(c);
            if c == '\\' && quote == Some('"') {
                draft.text.extend(chars.next().map(|(_, escaped)| escaped));
            }
        }
        self.at = self.text.len();
        false
    }

    /// `$…`, backticks, `<(…)`.
    fn expansion(&mut self, draft: &mut WordDraft, start: usize) -> Result<(), ParseError> {
        let open = self.at;
        let known = (draft.text.len(), draft.expansions.len());
        let read = match self.mode {
            ReadMode::GivenUp => Err(Reason::OpenExpansion.at(open)),
            ReadMode::Strict | ReadMode::Lenient => self.try_expansion(draft, start),
        };
        if let Err(error) = read {
            self.give_up(error)?;
            draft.forget(known);
            self.at = open + 1;
            draft.text.push_str(&self.text[open..self.at]);
        }
        Ok(())
    }

    fn try_expansion(&mut self, draft: &mut WordDraft, start: usize) -> Result<(), ParseError> {
        let open = self.at;
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix("$'") {
            draft.end_bare();
            let length = end_of_ansi(inner).ok_or(Reason::OpenQuote.at(open))?;
            let decoded = ansi::decode(&inner[..length]);
            self.at += length + 3;
            draft.text.push_str(&decoded.text);
            if !decoded.is_certain {
                draft.expansions.push(Expansion { kind: ExpansionKind::Bytes, span: open..self.at });
            }
            draft.note_piece(Quoting::AnsiC, open == start, self.at);
        } else if rest.starts_with("$\"") {
            draft.end_bare();
            self.at += 1;
            let at = draft.expansions.len();
            self.double(&mut draft.text, &mut draft.expansions)?;
            draft.expansions.insert(at, Expansion { kind: ExpansionKind::Translation, span: open..self.at });
            draft.note_piece(Quoting::Locale, open == start, self.at);
        } else {
            self.unquoted_expansion(&mut draft.expansions)?;
            if self.at == open + 1 {
                draft.unquoted.push((open, '$'));
            }
            draft.text.push_str(&self.text[open..self.at]);
        }
        Ok(())
    }

    /// Goes on after text that cannot be read, unless the mode is strict.
    fn give_up(&mut self, error: ParseError) -> Result<(), ParseError> {
        if self.is_strict() {
            return Err(error);
        }
        self.mode = ReadMode::GivenUp;
        Ok(())
    }
}

/// The length of the text before the quote that ends `$'…'`.
fn end_of_ansi(inner: &str) -> Option<usize> {
    let mut chars = inner.char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '\'' => return Some(offset),
            '\\' => drop(chars.next()),
            _ => {}
        }
    }
    None
}

impl WordDraft {
    fn end_bare(&mut self) {
        self.bare.get_or_insert(self.text.len());
    }

    /// Drops the text and the expansions read after a point.
    fn forget(&mut self, (text, expansions): (usize, usize)) {
        self.text.truncate(text);
        self.expansions.truncate(expansions);
    }

    fn note_piece(&mut self, quoting: Quoting, is_first: bool, end: usize) {
        if is_first {
            self.first = Some((quoting, end));
        }
    }

    fn finish(mut self, start: usize, end: usize) -> Word {
        let quoting = match self.first {
            _ if self.is_open => Quoting::Open,
            Some((quoting, piece)) if piece == end => quoting,
            None if self.bare.is_none() => Quoting::Bare,
            Some(_) | None => Quoting::Mixed,
        };
        let bare = self.bare.unwrap_or(self.text.len());
        self.note_patterns(start..end);
        Word { text: self.text, span: start..end, quoting, expansions: self.expansions, bare }
    }

    /// Notes globs, braces and tildes. Where it depends on details whether the shell expands one, it is noted.
    fn note_patterns(&mut self, span: std::ops::Range<usize>) {
        let place = |wanted: &[char], from: usize| {
            self.unquoted.iter().skip(from).position(|(_, c)| wanted.contains(c)).map(|found| from + found)
        };
        let is_glob = place(&['*', '?'], 0).is_some() || place(&['['], 0).is_some_and(|at| place(&[']'], at).is_some());
        let is_brace = place(&['{'], 0)
            .and_then(|open| place(&[',', '.'], open))
            .is_some_and(|separator| place(&['}'], separator).is_some());
        let is_tilde = self.unquoted.iter().enumerate().any(|(index, (at, c))| {
            let follows = index.checked_sub(1).is_some_and(|before| matches!(self.unquoted[before].1, '=' | ':'));
            *c == '~' && (*at == span.start || follows)
        });
        let found =
            [(is_glob, ExpansionKind::Glob), (is_brace, ExpansionKind::Brace), (is_tilde, ExpansionKind::Tilde)];
        let noted = found.into_iter().filter(|(is_there, _)| *is_there);
        self.expansions.extend(noted.map(|(_, kind)| Expansion { kind, span: span.clone() }));
    }
}
