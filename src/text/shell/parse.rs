//! Lists, pipelines and simple commands.

use super::error::{ParseError, Reason};
use super::reader::{ReadMode, Reader};
use super::script::{Assignment, CommandNode, Listed, Script, Simple};
use super::token::{Operator, Redirection, Token};
use super::word::{Expansion, ExpansionKind, Word};
use super::{DEEPEST, LONGEST};

/// Reads the commands of a text as bash does. Bash accepts every text that this function accepts. An ambiguous text is an error.
pub(crate) fn parse(text: &str) -> Result<Script, ParseError> {
    if text.len() > LONGEST {
        return Err(Reason::TooLong.at(LONGEST));
    }
    if let Some((offset, _)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n')) {
        return Err(Reason::Control.at(offset));
    }
    let mut parser = Parser::new(Reader::new(text, ReadMode::Strict));
    let mut script = parser.list(Until::End)?;
    if let Some(pending) = parser.reader.pending.first() {
        return Err(Reason::OpenHereDocument.at(pending.redirection));
    }
    script.here_documents = parser.reader.here_documents;
    Ok(script)
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    End,
    /// `)`
    Parenthesis,
    /// One of these reserved words where a command may begin.
    Reserved(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseEnd,
}

/// Words that do not begin a simple command.
pub(super) const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for", "select", "case", "esac", "in", "{",
    "}", "!", "time", "[[", "]]", "function", "coproc",
];

pub(super) struct Parser<'a> {
    pub(super) reader: Reader<'a>,
    peeked: Option<Token>,
    /// Where the last token that was taken ends.
    pub(super) end: usize,
}

impl<'a> Parser<'a> {
    fn new(reader: Reader<'a>) -> Self {
        Parser { reader, peeked: None, end: 0 }
    }

    /// Where the `)` is that ends the commands of a substitution.
    pub(super) fn end_of_commands(reader: Reader<'a>) -> Result<usize, ParseError> {
        let mut parser = Parser::new(reader);
        parser.list(Until::Parenthesis)?;
        if let Some(pending) = parser.reader.pending.first() {
            return Err(Reason::OpenHereDocument.at(pending.redirection));
        }
        match parser.next()? {
            Some(Token::Operator(Operator::Close, span)) => Ok(span.start),
            _ => Err(Reason::OpenExpansion.at(parser.reader.at)),
        }
    }

    pub(super) fn peek(&mut self) -> Result<Option<&Token>, ParseError> {
        if self.peeked.is_none() {
            self.peeked = self.reader.token()?;
        }
        Ok(self.peeked.as_ref())
    }

    pub(super) fn next(&mut self) -> Result<Option<Token>, ParseError> {
        self.peek()?;
        Ok(self.take())
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.peeked.take();
        self.end = match &token {
            Some(Token::Word(word)) => word.span.end,
            Some(Token::Redirection(redirection)) => redirection.span.end,
            Some(Token::Operator(_, span)) => span.end,
            None => self.end,
        };
        token
    }

    /// The error for a token that cannot be where it is, or for the end of the text.
    pub(super) fn unexpected<T>(&mut self) -> Result<T, ParseError> {
        let error = match self.peek()? {
            Some(Token::Word(word)) => Reason::Unexpected.at(word.span.start),
            Some(Token::Redirection(redirection)) => Reason::Unexpected.at(redirection.span.start),
            Some(Token::Operator(_, span)) => Reason::Unexpected.at(span.start),
            None => Reason::Incomplete.at(self.reader.at),
        };
        Err(error)
    }

    /// The operator that comes next.
    pub(super) fn operator(&mut self) -> Result<Option<Operator>, ParseError> {
        let token = self.peek()?;
        Ok(if let Some(Token::Operator(operator, _)) = token { Some(*operator) } else { None })
    }

    /// Takes the operator that comes next if it is this one.
    pub(super) fn take_operator(&mut self, wanted: Operator) -> Result<bool, ParseError> {
        let is_there = self.operator()? == Some(wanted);
        if is_there {
            self.take();
        }
        Ok(is_there)
    }

    pub(super) fn skip_newlines(&mut self) -> Result<(), ParseError> {
        while self.take_operator(Operator::Newline)? {}
        Ok(())
    }

    /// Whether one of these reserved words comes next.
    pub(super) fn is_reserved(&mut self, names: &[&str]) -> Result<bool, ParseError> {
        let token = self.peek()?;
        Ok(matches!(token, Some(Token::Word(word)) if names.iter().any(|name| word.is_reserved(name))))
    }

    /// Takes the word that comes next if it is this reserved word.
    pub(super) fn take_reserved(&mut self, name: &str) -> Result<bool, ParseError> {
        let is_there = self.is_reserved(&[name])?;
        if is_there {
            self.take();
        }
        Ok(is_there)
    }

    pub(super) fn expect_reserved(&mut self, name: &str) -> Result<(), ParseError> {
        if self.take_reserved(name)? { Ok(()) } else { self.unexpected() }
    }

    pub(super) fn take_word(&mut self) -> Result<Word, ParseError> {
        match self.next()? {
            Some(Token::Word(word)) => Ok(word),
            token => {
                self.peeked = token;
                self.unexpected()
            }
        }
    }

    pub(super) fn redirections(&mut self) -> Result<Vec<Redirection>, ParseError> {
        let mut found = Vec::new();
        while let Some(Token::Redirection(_)) = self.peek()? {
            if let Some(Token::Redirection(redirection)) = self.take() {
                found.push(redirection);
            }
        }
        Ok(found)
    }

    fn ends(&mut self, until: Until) -> Result<bool, ParseError> {
        Ok(match until {
            Until::End => self.peek()?.is_none(),
            Until::Parenthesis => self.operator()? == Some(Operator::Close),
            Until::Reserved(names) => self.is_reserved(names)?,
            Until::CaseEnd => self.operator()? == Some(Operator::CaseEnd) || self.is_reserved(&["esac"])?,
        })
    }

    /// Commands up to, and without, what ends them.
    pub(super) fn list(&mut self, until: Until) -> Result<Script, ParseError> {
        self.reader.depth += 1;
        if self.reader.depth > DEEPEST {
            return Err(Reason::TooDeep.at(self.reader.at));
        }
        let mut script = Script { commands: Vec::new(), end: None, here_documents: Vec::new() };
        let mut operator = None;
        self.skip_newlines()?;
        while !self.ends(until)? {
            self.pipeline(operator, &mut script.commands)?;
            operator = self.operator()?;
            match operator {
                Some(Operator::And | Operator::Or) => {
                    self.take();
                    self.skip_newlines()?;
                    if self.ends(until)? {
                        return self.unexpected();
                    }
                }
                Some(Operator::Semicolon | Operator::Background) => {
                    self.take();
                    self.skip_newlines()?;
                    script.end = if self.ends(until)? { operator } else { None };
                }
                Some(Operator::Newline) => self.skip_newlines()?,
                _ if self.ends(until)? && !matches!(until, Until::Reserved(_)) => {}
                _ => return self.unexpected(),
            }
        }
        self.reader.depth -= 1;
        Ok(script)
    }

    fn pipeline(&mut self, operator: Option<Operator>, commands: &mut Vec<Listed>) -> Result<(), ParseError> {
        let is_timed = self.take_reserved("time")?;
        // Bash does not know this keyword at the start of a substitution, where only a plain word may follow.
        let is_plain = matches!(self.peek()?, Some(Token::Word(word)) if !word.text.starts_with('-') && word.assigned_name().is_none());
        if is_timed && (!is_plain || self.is_reserved(RESERVED)?) {
            return Err(Reason::Unsupported("this use of time").at(self.end));
        }
        let is_negated = self.take_reserved("!")?;
        let command = self.command()?;
        commands.push(Listed { operator, is_negated, is_timed, command });
        while let Some(operator) = self.operator()?.filter(|operator| operator.is_pipe()) {
            self.take();
            self.skip_newlines()?;
            let command = self.command()?;
            commands.push(Listed { operator: Some(operator), is_negated: false, is_timed: false, command });
        }
        Ok(())
    }

    fn command(&mut self) -> Result<CommandNode, ParseError> {
        if let Some(compound) = self.compound()? {
            return Ok(CommandNode::Compound(compound));
        }
        if self.is_reserved(RESERVED)? {
            return self.unexpected();
        }
        self.simple()
    }

    fn simple(&mut self) -> Result<CommandNode, ParseError> {
        let mut simple = Simple { assignments: Vec::new(), words: Vec::new(), redirections: Vec::new(), span: 0..0 };
        loop {
            match self.peek()? {
                Some(Token::Word(_)) => {
                    if simple.words.is_empty() && !simple.redirections.is_empty() && self.is_reserved(RESERVED)? {
                        return self.unexpected();
                    }
                    let word = self.take_word()?;
                    simple.extend_span(&word.span);
                    let name = word.assigned_name().filter(|_| simple.words.is_empty()).map(str::to_owned);
                    match name {
                        Some(name) => {
                            // After a redirection, bash does not read an array.
                            let word = if simple.redirections.is_empty() { self.array(word)? } else { word };
                            simple.extend_span(&word.span);
                            simple.assignments.push(Assignment { name, word });
                        }
                        None => simple.words.push(word),
                    }
                }
                Some(Token::Redirection(_)) => {
                    for redirection in self.redirections()? {
                        simple.extend_span(&redirection.span);
                        simple.redirections.push(redirection);
                    }
                }
                Some(Token::Operator(Operator::Open, _)) => {
                    let is_name_only = simple.assignments.is_empty() && simple.redirections.is_empty();
                    return match &simple.words[..] {
                        [name] if is_name_only => self.function(name.clone()).map(CommandNode::Compound),
                        _ => self.unexpected(),
                    };
                }
                Some(Token::Operator(..)) | None if simple.span.is_empty() => return self.unexpected(),
                Some(Token::Operator(..)) | None => return Ok(CommandNode::Simple(simple)),
            }
        }
    }

    /// An assignment with the array that directly follows it, if one does.
    fn array(&mut self, mut word: Word) -> Result<Word, ParseError> {
        let is_empty = self.reader.at == word.span.end && word.text.find('=') == Some(word.text.len() - 1);
        if !is_empty || !self.reader.rest().starts_with('(') {
            return Ok(word);
        }
        let start = self.reader.at;
        let mut elements = Vec::new();
        self.take_operator(Operator::Open)?;
        loop {
            self.skip_newlines()?;
            if self.take_operator(Operator::Close)? {
                break;
            }
            let mut element = self.take_word()?;
            if element.text.starts_with('[') {
                return Err(Reason::Unsupported("a subscript").at(element.span.start));
            }
            elements.append(&mut element.expansions);
        }
        // Bash reads what directly follows as a part of the same word.
        if !self.reader.rest().starts_with([' ', '\t', '\n', ';', '&', '|', ')']) && !self.reader.rest().is_empty() {
            return Err(Reason::Unsupported("text directly after an array").at(self.reader.at));
        }
        word.span.end = self.reader.at;
        word.text.push_str(&self.reader.text[start..self.reader.at]);
        word.expansions.push(Expansion { kind: ExpansionKind::Array, span: start..self.reader.at });
        word.expansions.append(&mut elements);
        Ok(word)
    }
}

impl Simple {
    fn extend_span(&mut self, span: &std::ops::Range<usize>) {
        self.span = if self.span.is_empty() { span.clone() } else { self.span.start..span.end };
    }
}
