//! Words, operators and redirections in the order of the text.

use std::ops::Range;

use super::error::{ParseError, Reason};
use super::here::PendingHereDocument;
use super::reader::{ReadMode, Reader};
use super::word::{Quoting, Word, is_name};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Word(Word),
    Redirection(Redirection),
    Operator(Operator, Range<usize>),
}

/// An operator between commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `|`
    Pipe,
    /// `|&`
    PipeBoth,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`
    Semicolon,
    /// `&`
    Background,
    Newline,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;;`, `;&` or `;;&`
    CaseEnd,
}

impl Operator {
    /// Whether the command after it reads the output of the command before it.
    pub(crate) fn is_pipe(self) -> bool {
        matches!(self, Operator::Pipe | Operator::PipeBoth)
    }
}

/// The longer ones come before those they begin with.
const OPERATORS: &[(&str, Operator)] = &[
    (";;&", Operator::CaseEnd),
    (";;", Operator::CaseEnd),
    (";&", Operator::CaseEnd),
    (";", Operator::Semicolon),
    ("&&", Operator::And),
    ("&", Operator::Background),
    ("||", Operator::Or),
    ("|&", Operator::PipeBoth),
    ("|", Operator::Pipe),
    ("\n", Operator::Newline),
    ("(", Operator::Open),
    (")", Operator::Close),
];

/// `2> file`, `<<< word`, `<<EOF`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirection {
    /// The descriptor named before the operator.
    pub descriptor: Option<Descriptor>,
    pub kind: RedirectionKind,
    /// The word after the operator: a file, a descriptor, the text of a here-string, the delimiter of a here-document.
    pub target: Word,
    /// From the descriptor to the end of the target.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Descriptor {
    /// `2` of `2> file`
    Number(u32),
    /// `name` of `{name}> file`
    Variable(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectionKind {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`, which also writes to a file if its target is not a descriptor
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<`
    HereDocument,
    /// `<<-`
    HereDocumentWithoutTabs,
    /// `<<<`
    HereString,
}

impl RedirectionKind {
    /// Whether output goes to the target, be it a file or a descriptor.
    pub(crate) fn writes(self) -> bool {
        match self {
            Self::Write | Self::Append | Self::Clobber | Self::ReadWrite => true,
            Self::DuplicateOutput | Self::WriteBoth | Self::AppendBoth => true,
            Self::Read | Self::DuplicateInput | Self::HereDocument => false,
            Self::HereDocumentWithoutTabs | Self::HereString => false,
        }
    }
}

/// The longer ones come before those they begin with.
const REDIRECTIONS: &[(&str, RedirectionKind)] = &[
    ("&>>", RedirectionKind::AppendBoth),
    ("&>", RedirectionKind::WriteBoth),
    ("<<<", RedirectionKind::HereString),
    ("<<-", RedirectionKind::HereDocumentWithoutTabs),
    ("<<", RedirectionKind::HereDocument),
    ("<&", RedirectionKind::DuplicateInput),
    ("<>", RedirectionKind::ReadWrite),
    ("<", RedirectionKind::Read),
    (">>", RedirectionKind::Append),
    (">&", RedirectionKind::DuplicateOutput),
    (">|", RedirectionKind::Clobber),
    (">", RedirectionKind::Write),
];

/// Reads any text. An open quote ends with the text, and an expansion that cannot be read is ordinary characters.
pub(crate) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { reader: Reader::new(text, ReadMode::Lenient) }
}

/// The tokens of a text. See [`tokens`].
pub(crate) struct Tokens<'a> {
    reader: Reader<'a>,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.reader.token().ok().flatten()
    }
}

impl Reader<'_> {
    /// The next token, or `None` at the end of the text.
    pub(super) fn token(&mut self) -> Result<Option<Token>, ParseError> {
        self.skip_blanks();
        let start = self.at;
        if self.redirection_kind().is_some() {
            return self.redirection(start, None).map(|found| Some(Token::Redirection(found)));
        }
        if let Some(&(name, operator)) = OPERATORS.iter().find(|(name, _)| self.rest().starts_with(name)) {
            self.at += name.len();
            if self.is_strict() && self.continues_operator() {
                return Err(Reason::Unsupported("a line continuation inside an operator").at(start));
            }
            if operator == Operator::Newline {
                self.read_here_documents()?;
            }
            return Ok(Some(Token::Operator(operator, start..start + name.len())));
        }
        let Some(word) = self.word()? else { return Ok(None) };
        if self.rest().starts_with(['<', '>'])
            && let Some(descriptor) = descriptor(&word)
        {
            return self.redirection(start, Some(descriptor)).map(|found| Some(Token::Redirection(found)));
        }
        Ok(Some(Token::Word(word)))
    }

    /// Whether a backslash at the end of the line joins the operator just read with one in the next line.
    fn continues_operator(&self) -> bool {
        let joined = self.rest().trim_start_matches("\\\n");
        joined.len() < self.rest().len() && joined.starts_with(['&', '|', ';', '<', '>', '(', ')'])
    }

    fn redirection_kind(&self) -> Option<(&'static str, RedirectionKind)> {
        let is_process = self.rest().starts_with("<(") || self.rest().starts_with(">(");
        REDIRECTIONS.iter().find(|(name, _)| !is_process && self.rest().starts_with(name)).copied()
    }

    fn redirection(&mut self, start: usize, descriptor: Option<Descriptor>) -> Result<Redirection, ParseError> {
        let Some((name, kind)) = self.redirection_kind() else { return Err(Reason::Unexpected.at(self.at)) };
        self.at += name.len();
        if self.is_strict() && self.continues_operator() {
            return Err(Reason::Unsupported("a line continuation inside an operator").at(start));
        }
        let end = self.at;
        self.skip_blanks();
        let target = match self.word()? {
            Some(target) => target,
            None if self.is_strict() => return Err(Reason::Incomplete.at(self.at)),
            None => {
                self.at = end;
                Word::plain("", end..end)
            }
        };
        // In `<1>file`, bash reads the 1 as the descriptor of the second redirection.
        if self.is_strict() && self.rest().starts_with(['<', '>']) && self::descriptor(&target).is_some() {
            return Err(Reason::Unexpected.at(target.span.start));
        }
        if matches!(kind, RedirectionKind::HereDocument | RedirectionKind::HereDocumentWithoutTabs) {
            let is_quoted = target.quoting != Quoting::Bare;
            if self.is_strict() && (target.text.contains('\n') || target.text.contains(['$', '`']) && !is_quoted) {
                return Err(Reason::Unsupported("this delimiter of a here-document").at(target.span.start));
            }
            let strips_tabs = kind == RedirectionKind::HereDocumentWithoutTabs;
            self.pending.push(PendingHereDocument {
                redirection: start,
                delimiter: target.text.clone(),
                is_quoted,
                strips_tabs,
            });
        }
        Ok(Redirection { descriptor, kind, span: start..target.span.end, target })
    }
}

/// Reads the word directly before a redirection's operator as a descriptor. A number that is too large is an ordinary word.
fn descriptor(word: &Word) -> Option<Descriptor> {
    if word.quoting != Quoting::Bare || !word.expansions.is_empty() {
        return None;
    }
    if word.text.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.text.parse::<i32>().ok().and_then(|number| u32::try_from(number).ok()).map(Descriptor::Number);
    }
    let name = word.text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    name.filter(|name| is_name(name)).map(|name| Descriptor::Variable(name.to_owned()))
}
