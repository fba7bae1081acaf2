//! Splits the bytes of an answer into events.

use super::sse::{SseEvent, SseParser, TooLong};
use crate::text::MIB;

/// Maximum size of an answer that is not streamed.
const WHOLE_CAP: usize = 16 * MIB;

/// Cuts bytes that arrive in any pieces into events. A trait, because not every vendor streams server-sent events.
pub(super) trait Framing {
    /// Takes more bytes and appends the events they complete.
    fn feed(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong>;

    /// The connection has ended: gives the event that was still open.
    fn finish(&mut self) -> Result<Option<SseEvent>, TooLong>;

    /// Whether the answer is one document instead of a stream. A document that cannot be parsed is not an answer, rather than one that was cut off.
    fn is_document(&self) -> bool;
}

/// Server-sent events, or one JSON document from a server that does not stream. The first byte shows which: no event stream begins
/// with a bracket.
#[derive(Debug, Default)]
pub(super) enum EventsOrJson {
    #[default]
    Unknown,
    Events(SseParser),
    Document(Vec<u8>),
}

impl Framing for EventsOrJson {
    fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        if matches!(self, EventsOrJson::Unknown) {
            bytes = bytes.trim_ascii_start();
            *self = match bytes.first() {
                None => return Ok(()),
                Some(b'{' | b'[' | b'<') => EventsOrJson::Document(Vec::new()),
                Some(_) => EventsOrJson::Events(SseParser::new()),
            };
        }
        match self {
            EventsOrJson::Unknown => Ok(()),
            EventsOrJson::Events(parser) => parser.feed(bytes, events),
            EventsOrJson::Document(whole) if whole.len() + bytes.len() > WHOLE_CAP => Err(TooLong),
            EventsOrJson::Document(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn finish(&mut self) -> Result<Option<SseEvent>, TooLong> {
        match self {
            EventsOrJson::Unknown => Ok(None),
            EventsOrJson::Events(parser) => parser.finish(),
            EventsOrJson::Document(whole) => {
                let data = String::from_utf8_lossy(&std::mem::take(whole)).into_owned();
                Ok(Some(SseEvent { name: String::new(), data }))
            }
        }
    }

    fn is_document(&self) -> bool {
        matches!(self, EventsOrJson::Document(_))
    }
}
