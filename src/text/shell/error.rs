//! Why a text could not be read.

/// Where and why [`parse`](super::parse) stopped reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub(crate) struct ParseError {
    /// Byte offset into the text.
    pub offset: usize,
    pub reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("the text is too long")]
    TooLong,
    #[error("too many levels of nesting")]
    TooDeep,
    #[error("control character")]
    Control,
    #[error("unclosed quote")]
    OpenQuote,
    #[error("unclosed expansion")]
    OpenExpansion,
    #[error("here-document without its delimiter line")]
    OpenHereDocument,
    #[error("unexpected word or operator")]
    Unexpected,
    #[error("incomplete command")]
    Incomplete,
    /// A construct that is valid in some shell but not read here.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
}

impl Reason {
    pub(super) fn at(self, offset: usize) -> ParseError {
        ParseError { offset, reason: self }
    }
}
