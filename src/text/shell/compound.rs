//! Compound commands and functions.

use super::error::{ParseError, Reason};
use super::parse::{Parser, RESERVED, Until};
use super::script::{Compound, CompoundKind, Script};
use super::token::{Operator, Token};
use super::word::{Quoting, Word, is_name};

/// The words and the lists of commands of a compound command.
type Content = (Vec<Word>, Vec<Script>);

impl Parser<'_> {
    /// The compound command that begins here, with its redirections.
    pub(super) fn compound(&mut self) -> Result<Option<Compound>, ParseError> {
        let (start, kind) = match self.peek()? {
            Some(Token::Operator(Operator::Open, span)) => (span.start, None),
            Some(Token::Word(word)) => match compound_kind(word) {
                Some(kind) => (word.span.start, Some(kind)),
                None => return Ok(None),
            },
            Some(_) | None => return Ok(None),
        };
        self.next()?;
        let (kind, (words, bodies)) = match kind {
            Some(CompoundKind::Function) => {
                let name = self.take_word()?;
                let has_parentheses = self.operator()? == Some(Operator::Open);
                let function = if has_parentheses { self.function(name)? } else { self.function_body(name)? };
                return Ok(Some(Compound { span: start..function.span.end, ..function }));
            }
            Some(kind) => (kind, self.content(kind)?),
            None if self.reader.rest().starts_with('(') => (CompoundKind::Arithmetic, self.arithmetic_command()?),
            None => (CompoundKind::Subshell, self.subshell()?),
        };
        let redirections = self.redirections()?;
        Ok(Some(Compound { kind, words, bodies, redirections, span: start..self.end }))
    }

    fn content(&mut self, kind: CompoundKind) -> Result<Content, ParseError> {
        match kind {
            CompoundKind::Group => Ok((Vec::new(), vec![self.body(&["}"])?])),
            CompoundKind::If => self.conditional_lists(),
            CompoundKind::While | CompoundKind::Until => {
                Ok((Vec::new(), vec![self.body(&["do"])?, self.body(&["done"])?]))
            }
            CompoundKind::For | CompoundKind::Select => self.for_loop(kind),
            CompoundKind::Case => self.case(),
            CompoundKind::Conditional => Ok((self.condition()?, Vec::new())),
            CompoundKind::Subshell | CompoundKind::Arithmetic | CompoundKind::Function => self.unexpected(),
        }
    }

    /// Commands up to one of these words, which is taken.
    fn body(&mut self, ends: &'static [&'static str]) -> Result<Script, ParseError> {
        let body = self.list(Until::Reserved(ends))?;
        if body.commands.is_empty() {
            return self.unexpected();
        }
        self.take_word()?;
        Ok(body)
    }

    fn subshell(&mut self) -> Result<Content, ParseError> {
        let body = self.list(Until::Parenthesis)?;
        if body.commands.is_empty() || !self.take_operator(Operator::Close)? {
            return self.unexpected();
        }
        Ok((Vec::new(), vec![body]))
    }

    /// The rest of `((…))`, from its second parenthesis on.
    fn arithmetic_command(&mut self) -> Result<Content, ParseError> {
        let start = self.reader.at + 1;
        let mut expansions = Vec::new();
        self.reader.at = start;
        self.reader.arithmetic(&mut expansions)?;
        self.end = self.reader.at;
        let span = start..self.reader.at - 2;
        let expression = Word { expansions, ..Word::plain(&self.reader.text[span.clone()], span) };
        Ok((vec![expression], Vec::new()))
    }

    fn conditional_lists(&mut self) -> Result<Content, ParseError> {
        let mut bodies = vec![self.body(&["then"])?];
        loop {
            let body = self.list(Until::Reserved(&["elif", "else", "fi"]))?;
            if body.commands.is_empty() {
                return self.unexpected();
            }
            bodies.push(body);
            match self.take_word()?.text.as_str() {
                "elif" => bodies.push(self.body(&["then"])?),
                "else" => {
                    bodies.push(self.body(&["fi"])?);
                    return Ok((Vec::new(), bodies));
                }
                _ => return Ok((Vec::new(), bodies)),
            }
        }
    }

    fn for_loop(&mut self, kind: CompoundKind) -> Result<Content, ParseError> {
        let mut words = Vec::new();
        if kind == CompoundKind::For && self.take_operator(Operator::Open)? {
            if !self.reader.rest().starts_with('(') {
                return self.unexpected();
            }
            words = self.arithmetic_command()?.0;
            if words[0].text.matches(';').count() != 2 {
                return Err(Reason::Unexpected.at(words[0].span.start));
            }
            self.take_operator(Operator::Semicolon)?;
        } else {
            let name = self.take_word()?;
            if name.quoting != Quoting::Bare || !is_name(&name.text) {
                return Err(Reason::Unexpected.at(name.span.start));
            }
            words.push(name);
            if !self.take_operator(Operator::Semicolon)? {
                self.skip_newlines()?;
                if self.take_reserved("in")? {
                    while let Some(Token::Word(_)) = self.peek()? {
                        words.push(self.take_word()?);
                    }
                    if !self.take_operator(Operator::Semicolon)? && !self.take_operator(Operator::Newline)? {
                        return self.unexpected();
                    }
                }
            }
        }
        self.skip_newlines()?;
        self.expect_reserved("do")?;
        Ok((words, vec![self.body(&["done"])?]))
    }

    fn case(&mut self) -> Result<Content, ParseError> {
        let mut words = vec![self.take_word()?];
        let mut bodies = Vec::new();
        self.skip_newlines()?;
        self.expect_reserved("in")?;
        loop {
            self.skip_newlines()?;
            if self.take_reserved("esac")? {
                return Ok((words, bodies));
            }
            self.take_operator(Operator::Open)?;
            loop {
                if self.is_reserved(RESERVED)? {
                    return self.unexpected();
                }
                words.push(self.take_word()?);
                if !self.take_operator(Operator::Pipe)? {
                    break;
                }
            }
            if !self.take_operator(Operator::Close)? {
                return self.unexpected();
            }
            bodies.push(self.list(Until::CaseEnd)?);
            if !self.take_operator(Operator::CaseEnd)? {
                self.expect_reserved("esac")?;
                return Ok((words, bodies));
            }
        }
    }

    /// The rest of `name () …`, from the parenthesis on.
    pub(super) fn function(&mut self, name: Word) -> Result<Compound, ParseError> {
        self.take_operator(Operator::Open)?;
        if !self.take_operator(Operator::Close)? {
            return self.unexpected();
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: Word) -> Result<Compound, ParseError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:+@/".contains(c);
        if name.quoting != Quoting::Bare || !name.text.chars().all(is_plain) {
            return Err(Reason::Unsupported("this name of a function").at(name.span.start));
        }
        self.skip_newlines()?;
        let start = name.span.start;
        let Some(body) = self.compound()?.filter(|body| body.kind != CompoundKind::Function) else {
            return self.unexpected();
        };
        let words = std::iter::once(name).chain(body.words).collect();
        Ok(Compound { kind: CompoundKind::Function, words, span: start..body.span.end, ..body })
    }
}

/// The construct that a reserved word begins.
fn compound_kind(word: &Word) -> Option<CompoundKind> {
    const KINDS: &[(&str, CompoundKind)] = &[
        ("{", CompoundKind::Group),
        ("if", CompoundKind::If),
        ("while", CompoundKind::While),
        ("until", CompoundKind::Until),
        ("for", CompoundKind::For),
        ("select", CompoundKind::Select),
        ("case", CompoundKind::Case),
        ("[[", CompoundKind::Conditional),
        ("function", CompoundKind::Function),
    ];
    KINDS.iter().find(|(name, _)| word.is_reserved(name)).map(|(_, kind)| *kind)
}
