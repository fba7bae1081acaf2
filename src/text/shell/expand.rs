//! Finding where expansions end, and the commands inside them.

use super::error::{ParseError, Reason};
use super::parse::Parser;
use super::reader::Reader;
use super::word::{Expansion, ExpansionKind};

/// What is around an expansion. The meaning of quotes inside `${…}` depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteContext {
    Nothing,
    DoubleQuotes,
    HereDocument,
}

impl Reader<'_> {
    /// `$…`, backticks, `<(…)` or `>(…)` outside quotes. A `$` that begins nothing is one character.
    pub(super) fn unquoted_expansion(&mut self, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        match self.rest().as_bytes() {
            [b'$', ..] => self.dollar(QuoteContext::Nothing, found),
            [b'`', ..] => self.backticks(QuoteContext::Nothing, found),
            _ => {
                let (start, kind) = (self.at, |source| ExpansionKind::Process { source });
                self.commands(start, kind, found)
            }
        }
    }

    /// The piece in double quotes that begins here.
    pub(super) fn double(&mut self, text: &mut String, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        let open = self.at;
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => match self.rest()[1..].chars().next() {
                    Some('\n') => self.at += 2,
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => {
                        text.push(escaped);
                        self.at += 2;
                    }
                    Some(_) | None => {
                        text.push('\\');
                        self.at += 1;
                    }
                },
                '$' | '`' => {
                    self.inside(QuoteContext::DoubleQuotes, found)?;
                    text.push_str(&self.text[start..self.at]);
                }
                _ => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        Err(Reason::OpenQuote.at(open))
    }

    /// The expansions of a here-document's body, which ends at `end`.
    pub(super) fn here_expansions(&mut self, end: usize, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        while self.at < end {
            match self.rest().chars().next() {
                Some('\\') => {
                    let escaped = self.rest()[1..].chars().next();
                    self.at += 1 + escaped.map_or(0, char::len_utf8);
                }
                Some('$' | '`') => {
                    self.inside(QuoteContext::HereDocument, found)?;
                    if self.at > end {
                        return Err(Reason::OpenExpansion.at(end));
                    }
                }
                Some(c) => self.at += c.len_utf8(),
                None => break,
            }
        }
        Ok(())
    }

    fn inside(&mut self, around: QuoteContext, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        if self.rest().starts_with('$') { self.dollar(around, found) } else { self.backticks(around, found) }
    }

    fn dollar(&mut self, around: QuoteContext, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        let start = self.at;
        let rest = &self.rest()[1..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match rest.chars().next() {
            Some('(') if rest.starts_with("((") => {
                self.at += 3;
                found.push(Expansion { kind: ExpansionKind::Arithmetic, span: start..start });
                let index = found.len() - 1;
                self.arithmetic(found)?;
                found[index].span.end = self.at;
            }
            Some('(') => return self.commands(start, |source| ExpansionKind::Command { source }, found),
            Some('{') => return self.braces(around, found),
            Some('[') => return Err(Reason::Unsupported("$[").at(start)),
            Some('\\') if rest.starts_with("\\\n") => {
                return Err(Reason::Unsupported("a line continuation after $").at(start));
            }
            Some(c) if is_name(c) || "*@#?-$!".contains(c) => {
                let is_long = is_name(c) && !c.is_ascii_digit();
                let length = if is_long { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { 1 };
                self.at += 1 + length;
                if is_long && self.rest().starts_with("\\\n") {
                    return Err(Reason::Unsupported("a line continuation inside a name").at(start));
                }
                found.push(Expansion { kind: ExpansionKind::Parameter, span: start..self.at });
            }
            Some(_) | None => self.at += 1,
        }
        Ok(())
    }

    /// `$(…)`, `<(…)` or `>(…)`: the commands are parsed, since only that tells where they end.
    fn commands(
        &mut self,
        start: usize,
        kind: impl FnOnce(String) -> ExpansionKind,
        found: &mut Vec<Expansion>,
    ) -> Result<(), ParseError> {
        let inner = start + 2;
        let end = Parser::end_of_commands(self.nested(inner)?)?;
        if !self.pending.is_empty() && self.text[inner..end].contains('\n') {
            return Err(Reason::Unsupported("lines inside a substitution before a here-document").at(start));
        }
        self.at = end + 1;
        found.push(Expansion { kind: kind(self.text[inner..end].to_owned()), span: start..self.at });
        Ok(())
    }

    fn backticks(&mut self, around: QuoteContext, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        let start = self.at;
        let mut source = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            match c {
                '`' => {
                    self.at += offset + 1;
                    found.push(Expansion { kind: ExpansionKind::Command { source }, span: start..self.at });
                    return Ok(());
                }
                '\\' => {
                    let escaped = chars.next().map(|(_, escaped)| escaped);
                    let is_dropped = match escaped {
                        Some('`' | '$' | '\\') => true,
                        Some('"') => around == QuoteContext::DoubleQuotes,
                        Some(_) | None => false,
                    };
                    if !is_dropped {
                        source.push('\\');
                    }
                    source.extend(escaped);
                }
                _ => source.push(c),
            }
        }
        Err(Reason::OpenExpansion.at(start))
    }

    /// `${…}`.
    fn braces(&mut self, around: QuoteContext, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        let start = self.at;
        let mut reader = self.nested(start + 2)?;
        if reader.rest().starts_with([' ', '\t', '\n', '|', '(', '}']) {
            return Err(Reason::Unsupported("this form of ${ }").at(start));
        }
        found.push(Expansion { kind: ExpansionKind::Parameter, span: start..start });
        let index = found.len() - 1;
        while let Some(c) = reader.rest().chars().next() {
            let at = reader.at;
            match c {
                '}' => {
                    reader.at += 1;
                    self.at = reader.at;
                    found[index].span.end = self.at;
                    let is_prompt = self.text[start..self.at].ends_with("@P}");
                    return if is_prompt { Err(Reason::Unsupported("${ @P}").at(start)) } else { Ok(()) };
                }
                '\\' => {
                    let escaped = reader.rest()[1..].chars().next();
                    reader.at += 1 + escaped.map_or(0, char::len_utf8);
                }
                '\'' if around == QuoteContext::Nothing => {
                    let length = reader.rest()[1..].find('\'').ok_or(Reason::OpenQuote.at(at))?;
                    reader.at += length + 2;
                }
                '"' if around != QuoteContext::HereDocument => reader.double(&mut String::new(), found)?,
                '$' if reader.rest()[1..].starts_with(['\'', '"']) => {
                    return Err(Reason::Unsupported("a quote with $ inside ${ }").at(at));
                }
                '$' | '`' => reader.inside(around, found)?,
                '\'' | '"' | '{' => return Err(Reason::Unsupported("this quote or brace inside ${ }").at(at)),
                '<' | '>' if reader.rest()[1..].starts_with('(') => {
                    return Err(Reason::Unsupported("a process substitution inside ${ }").at(at));
                }
                _ => reader.at += c.len_utf8(),
            }
        }
        Err(Reason::OpenExpansion.at(start))
    }

    /// The rest of `$((…))` or `((…))`, after its two parentheses.
    pub(super) fn arithmetic(&mut self, found: &mut Vec<Expansion>) -> Result<(), ParseError> {
        let start = self.at;
        let mut reader = self.nested(start)?;
        let mut open = 0usize;
        while let Some(c) = reader.rest().chars().next() {
            match c {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if reader.rest().starts_with("))") => {
                    self.at = reader.at + 2;
                    return Ok(());
                }
                ')' => return Err(Reason::Unsupported("two parentheses that are not arithmetic").at(start)),
                '$' => {
                    reader.dollar(QuoteContext::DoubleQuotes, found)?;
                    continue;
                }
                '\'' | '"' | '\\' | '`' | '\n' | '#' | '{' | '}' => {
                    return Err(Reason::Unsupported("this character in arithmetic").at(reader.at));
                }
                _ => {}
            }
            reader.at += c.len_utf8();
        }
        Err(Reason::OpenExpansion.at(start))
    }
}
