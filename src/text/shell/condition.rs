//! The expressions of `[[ … ]]`.

use super::error::{ParseError, Reason};
use super::parse::Parser;
use super::reader::Reader;
use super::word::Word;

const BINARY: &[&str] =
    &["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "<", ">"];
const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";

impl Parser<'_> {
    /// The operands of `[[ … ]]`, from after its first bracket; the last bracket is taken.
    pub(super) fn condition(&mut self) -> Result<Vec<Word>, ParseError> {
        let mut words = Vec::new();
        self.reader.alternatives(&mut words)?;
        let last = self.reader.operand()?;
        self.end = last.span.end;
        if last.is_reserved("]]") { Ok(words) } else { Err(Reason::Unexpected.at(last.span.start)) }
    }
}

impl Reader<'_> {
    fn alternatives(&mut self, words: &mut Vec<Word>) -> Result<(), ParseError> {
        loop {
            self.test(words)?;
            self.skip_blanks();
            if !self.rest().starts_with("&&") && !self.rest().starts_with("||") {
                return Ok(());
            }
            self.at += 2;
        }
    }

    fn test(&mut self, words: &mut Vec<Word>) -> Result<(), ParseError> {
        self.skip_blanks();
        if self.rest().starts_with('(') {
            let start = self.at;
            let mut inner = self.nested(start + 1)?;
            inner.alternatives(words)?;
            self.at = inner.at;
            if !self.rest().starts_with(')') {
                return Err(Reason::Unexpected.at(self.at));
            }
            self.at += 1;
            return Ok(());
        }
        let first = self.operand()?;
        if first.is_reserved("]]") {
            return Err(Reason::Unexpected.at(first.span.start));
        }
        if first.is_reserved("!") {
            return self.nested_test(words);
        }
        let is_unary = matches!(first.text.strip_prefix('-'), Some(name) if name.len() == 1 && UNARY.contains(name));
        if is_unary && first.literal().is_some() {
            words.push(self.value()?);
            return Ok(());
        }
        words.push(first);
        if let Some(operator) = self.binary()? {
            let value = self.value()?;
            let is_pattern = ["=", "==", "!=", "=~"].contains(&operator.as_str());
            if is_pattern && !self.rest().starts_with([' ', '\t']) {
                return Err(Reason::Unsupported("this pattern in [[ ]]").at(value.span.start));
            }
            words.push(value);
        }
        Ok(())
    }

    fn nested_test(&mut self, words: &mut Vec<Word>) -> Result<(), ParseError> {
        let mut inner = self.nested(self.at)?;
        inner.test(words)?;
        self.at = inner.at;
        Ok(())
    }

    /// The operator between two operands, if one comes next.
    fn binary(&mut self) -> Result<Option<String>, ParseError> {
        self.skip_blanks();
        let start = self.at;
        if self.rest().starts_with(['<', '>']) {
            self.at += 1;
            let is_alone = self.rest().starts_with([' ', '\t']);
            let operator = self.text[start..self.at].to_owned();
            return if is_alone { Ok(Some(operator)) } else { Err(Reason::Unexpected.at(start)) };
        }
        if self.rest().starts_with(['&', '|', ')']) {
            return Ok(None);
        }
        let word = self.operand()?;
        if BINARY.iter().any(|name| word.is_reserved(name)) {
            return Ok(Some(word.text));
        }
        // The bracket that ends the expression is read again.
        self.at = start;
        if word.is_reserved("]]") { Ok(None) } else { Err(Reason::Unexpected.at(start)) }
    }

    /// A word that an operator applies to.
    fn value(&mut self) -> Result<Word, ParseError> {
        let word = self.operand()?;
        if word.is_reserved("]]") { Err(Reason::Unexpected.at(word.span.start)) } else { Ok(word) }
    }

    /// A word inside `[[ ]]`. What directly follows it must not be a sign that only `[[ ]]` reads as part of the word.
    fn operand(&mut self) -> Result<Word, ParseError> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word()?.ok_or(Reason::Unexpected.at(start))?;
        let is_bracket = word.is_reserved("]]");
        if is_bracket || self.rest().starts_with([' ', '\t', ')']) {
            Ok(word)
        } else {
            Err(Reason::Unexpected.at(self.at))
        }
    }
}
