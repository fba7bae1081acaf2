//! The commands of a text, as [`parse`](super::parse) returns them.

use std::ops::Range;

use super::token::{Operator, Redirection};
use super::word::{Expansion, Word};

/// A list of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    pub commands: Vec<Listed>,
    /// The operator after the last command: `;` or `&`.
    pub end: Option<Operator>,
    /// The bodies of all here-documents of the text. Only the outermost script has them.
    pub here_documents: Vec<HereDocument>,
}

/// A command of a list or a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The operator before the command; the first of a list has none.
    pub operator: Option<Operator>,
    /// Whether `!` is before the pipeline that begins here.
    pub is_negated: bool,
    /// Whether the keyword `time` is before the pipeline that begins here.
    pub is_timed: bool,
    pub command: CommandNode,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandNode {
    Simple(Simple),
    Compound(Compound),
}

/// A command's name with its arguments, or assignments and redirections alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The assignments before the command's name.
    pub assignments: Vec<Assignment>,
    /// The command's name and its arguments.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub name: String,
    /// The whole of `name=value`.
    pub word: Word,
}

/// A command made of other commands, or of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compound {
    pub kind: CompoundKind,
    /// The words of the construct itself: the variable and the values of `for`, the subject and the patterns of `case`, the operands of
    /// `[[ ]]`, the expression of `(( ))`, the name of a function.
    pub words: Vec<Word>,
    /// The lists of commands inside, in order of appearance.
    pub bodies: Vec<Script>,
    pub redirections: Vec<Redirection>,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompoundKind {
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Group,
    If,
    While,
    Until,
    For,
    Select,
    Case,
    /// `[[ … ]]`
    Conditional,
    /// `(( … ))`
    Arithmetic,
    Function,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HereDocument {
    /// Where the redirection begins that reads it.
    pub redirection: usize,
    /// Where the body is, without the line that ends it.
    pub span: Range<usize>,
    /// Empty where the delimiter is quoted.
    pub expansions: Vec<Expansion>,
}

impl Script {
    /// Every simple command, those of compound commands included. The commands inside substitutions are not: see [`Script::expansions`].
    pub(crate) fn simple_commands(&self) -> Vec<&Simple> {
        let mut found = Vec::new();
        self.visit(&mut |command| {
            if let CommandNode::Simple(simple) = command {
                found.push(simple);
            }
        });
        found
    }

    /// Every expansion of every word, redirection and here-document.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn expansions(&self) -> Vec<&Expansion> {
        let mut found: Vec<&Expansion> = self.here_documents.iter().flat_map(|here| &here.expansions).collect();
        self.visit(&mut |command| {
            let (words, redirections) = match command {
                CommandNode::Simple(simple) => (&simple.words, &simple.redirections),
                CommandNode::Compound(compound) => (&compound.words, &compound.redirections),
            };
            if let CommandNode::Simple(simple) = command {
                found.extend(simple.assignments.iter().flat_map(|assignment| &assignment.word.expansions));
            }
            let targets = redirections.iter().map(|redirection| &redirection.target);
            found.extend(words.iter().chain(targets).flat_map(|word| &word.expansions));
        });
        found
    }

    /// Calls `see` with every command, a compound one before those inside it.
    pub(crate) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a CommandNode)) {
        for listed in &self.commands {
            see(&listed.command);
            if let CommandNode::Compound(compound) = &listed.command {
                compound.bodies.iter().for_each(|body| body.visit(see));
            }
        }
    }
}
