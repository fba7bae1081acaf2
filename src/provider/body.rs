//! An answer's body: a stream of events, or one JSON object from a server that does not stream.

use super::sse::{Event, Parser, TooLong};
use crate::text::MIB;

/// An answer in one piece is no longer than this.
const WHOLE_CAP: usize = 16 * MIB;

/// Reads a body cut anywhere. What it is shows in its first byte: no event stream begins with a bracket.
#[derive(Debug)]
pub(super) enum Body {
    Unknown,
    Events(Parser),
    Whole(Vec<u8>),
}

impl Body {
    pub(super) fn new() -> Body {
        Body::Unknown
    }

    /// Takes more bytes and appends the events they complete.
    pub(super) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        if matches!(self, Body::Unknown) {
            bytes = bytes.trim_ascii_start();
            *self = match bytes.first() {
                None => return Ok(()),
                Some(b'{' | b'[' | b'<') => Body::Whole(Vec::new()),
                Some(_) => Body::Events(Parser::new()),
            };
        }
        match self {
            Body::Unknown => Ok(()),
            Body::Events(parser) => parser.feed(bytes, events),
            Body::Whole(whole) if whole.len() + bytes.len() > WHOLE_CAP => Err(TooLong),
            Body::Whole(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Ends the body; gives what was still open.
    pub(super) fn finish(&mut self) -> Result<Option<Event>, TooLong> {
        match self {
            Body::Unknown => Ok(None),
            Body::Events(parser) => parser.finish(),
            Body::Whole(whole) => {
                let data = String::from_utf8_lossy(&std::mem::take(whole)).into_owned();
                Ok(Some(Event { name: String::new(), data }))
            }
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Body::Whole(_))
    }
}
