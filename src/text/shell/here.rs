//! The bodies of here-documents.

use super::error::{ParseError, Reason};
use super::reader::Reader;
use super::script::HereDocument;

/// A here-document whose body has not been read yet.
pub(super) struct PendingHereDocument {
    /// Where its redirection begins.
    pub(super) redirection: usize,
    pub(super) delimiter: String,
    /// Whether the delimiter is quoted, so that nothing in the body is expanded.
    pub(super) is_quoted: bool,
    pub(super) strips_tabs: bool,
}

impl Reader<'_> {
    /// Reads the bodies that begin here, at the start of a line. Without its end, a body reaches to the end of the text.
    pub(super) fn read_here_documents(&mut self) -> Result<(), ParseError> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let Some((end, after)) = pending.end(self.text, start) else {
                if self.is_strict() {
                    return Err(Reason::OpenHereDocument.at(pending.redirection));
                }
                self.at = self.text.len();
                return Ok(());
            };
            let mut expansions = Vec::new();
            if self.is_strict() && !pending.is_quoted {
                self.nested(start)?.here_expansions(end, &mut expansions)?;
            }
            self.at = after;
            self.here_documents.push(HereDocument { redirection: pending.redirection, span: start..end, expansions });
        }
        Ok(())
    }
}

impl PendingHereDocument {
    /// Where the body ends that begins at `start`, and where the line after its delimiter begins.
    fn end(&self, text: &str, start: usize) -> Option<(usize, usize)> {
        let mut at = start;
        while at < text.len() {
            let (line, after) = self.line(text, at);
            let line = if self.strips_tabs { line.trim_start_matches('\t') } else { &line };
            if line == self.delimiter {
                return Some((at, after));
            }
            at = after;
        }
        None
    }

    /// The line at a place, without its end, and where the next one begins. Without quotes around the delimiter, a backslash at the end of
    /// a line joins it with the next.
    fn line(&self, text: &str, start: usize) -> (String, usize) {
        let mut line = String::new();
        let mut at = start;
        loop {
            let rest = &text[at..];
            let length = rest.find('\n').unwrap_or(rest.len());
            line.push_str(&rest[..length]);
            at += length + usize::from(length < rest.len());
            let backslashes = rest[..length].bytes().rev().take_while(|byte| *byte == b'\\').count();
            if self.is_quoted || backslashes % 2 == 0 || length == rest.len() {
                return (line, at);
            }
            line.pop();
        }
    }
}
