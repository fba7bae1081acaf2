//! Why a command must be asked about although nothing is known against it.

use super::LONGEST_COMMAND;
use crate::text::shell::error::ParseError;

/// Why it is not known what a command does. The words are for the approval card and for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unclear {
    #[error("the command is longer than {LONGEST_COMMAND} characters")]
    TooLong,
    #[error("there is no command in the text")]
    Empty,
    #[error("the command contains control characters")]
    ControlCharacter,
    #[error("the command contains {0}, which shellmate does not read")]
    Construct(&'static str),
    #[error("the command could not be parsed: {0}")]
    Unparsed(ParseError),
    #[error("the command is nested too deeply or has too many parts")]
    TooComplex,
    #[error("which command {0} runs is known only at run time")]
    CommandName(String),
    #[error("the value of {0} is known only at run time")]
    Value(String),
    #[error("{0} is replaced by the output of a command")]
    Substitution(String),
    #[error("it sets the variable {0}")]
    Assignment(String),
    #[error("it defines the function {0}")]
    FunctionDefinition(String),
    #[error("{0} is a function that is defined in the same command")]
    Function(String),
    #[error("{0} runs text as a command")]
    RunsText(String),
    #[error("{0} changes the shell that runs the rest of the command")]
    ShellState(String),
    #[error("{0} adds arguments from its input")]
    InputArguments(String),
    #[error("the directory in which {0} runs is not known")]
    Directory(String),
    #[error("{0} resolves to {1}, in a place that can be written")]
    Program(String, String),
    #[error("a file name that matches {0} could be taken for an option")]
    PatternOption(String),
    #[error("{0} may run programs: {1}")]
    GitConfiguration(String, String),
    #[error("it opens a network connection")]
    Network,
    #[error("an expression may run commands")]
    Expression,
}

/// Constructs that are not read, because parsers disagree about them or because they hide commands.
const UNREAD: &[(&str, &str)] = &[
    ("\\\n", "a line continuation"),
    ("`", "backticks"),
    ("${ ", "`${ `"),
    ("${\t", "`${ `"),
    ("${\n", "`${ `"),
    ("${|", "`${|`"),
    ("$[", "`$[`"),
    ("@P}", "`@P}`"),
];

/// Rejects a text that is not parsed at all.
pub(super) fn check_text(text: &str) -> Result<(), Unclear> {
    if text.len() > LONGEST_COMMAND && text.chars().count() > LONGEST_COMMAND {
        return Err(Unclear::TooLong);
    }
    if text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n')) {
        return Err(Unclear::ControlCharacter);
    }
    match UNREAD.iter().find(|(sign, _)| text.contains(sign)) {
        Some((_, name)) => Err(Unclear::Construct(name)),
        None => Ok(()),
    }
}
