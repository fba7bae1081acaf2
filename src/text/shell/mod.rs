//! The grammar of a shell's command line: words, commands, redirections, quoting.
//!
//! There are two ways to read a line, over the same reader of words:
//!
//! - [`tokens`] reads any text and never fails. It is for lines as people type them, broken ones included.
//! - [`parse`] reads what bash would read, or says where and why it stopped. It accepts less than bash does: whatever could be read in
//!   two ways is a [`ParseError`], so a caller that judges a command can rely on the result.
//!
//! Neither expands anything. A word lists its expansions instead, and the commands inside them can be parsed in turn.

mod ansi;
mod compound;
mod condition;
pub(crate) mod error;
mod expand;
mod here;
pub(crate) mod parse;
pub(crate) mod quote;
mod reader;
pub(crate) mod script;
mod token;
mod word;

#[cfg(test)]
mod bash_tests;
#[cfg(test)]
mod tests;

pub(crate) use token::{Descriptor, Operator, Redirection, RedirectionKind, Token, tokens};
pub(crate) use word::{Expansion, ExpansionKind, Quoting, Word};

/// The longest text that [`parse`] reads, in bytes.
pub(crate) const LONGEST: usize = 64 * super::KIB;

/// How many substitutions and compound commands may be inside each other.
pub(crate) const DEEPEST: usize = 40;
