//! Server-sent events: bytes in, events out.
//!
//! Follows the WHATWG grammar (LF, CR and CRLF, comments, several data lines, a byte order mark), with one addition: an event
//! whose final blank line is missing is given at the end. Lines and events are capped.

use crate::text::MIB;

/// Maximum size of an event. Events of models are much smaller.
pub(crate) const EVENT_CAP: usize = 4 * MIB;

/// The bytes of UTF-8's byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Empty for an event without a name.
    pub name: String,
    pub data: String,
}

/// An event or a line that is longer than [`EVENT_CAP`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {EVENT_CAP} bytes")]
pub(crate) struct TooLong;

/// Reads events from bytes that arrive in any pieces.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    /// Whether the event has data, which may be empty.
    has_data: bool,
    /// Whether the last byte was a CR. An LF that follows belongs to the same line end.
    after_cr: bool,
    /// Whether a line was read. A byte order mark can only be at the start of the first one.
    begun: bool,
}

impl SseParser {
    pub(crate) fn new() -> SseParser {
        SseParser::default()
    }

    /// Takes more bytes and appends the events they complete.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                return self.keep(bytes);
            };
            self.keep(&bytes[..end])?;
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(events)?;
        }
        Ok(())
    }

    /// Ends the stream; gives the event that was still open, if it had data.
    pub(crate) fn finish(&mut self) -> Result<Option<SseEvent>, TooLong> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut events)?;
        }
        self.end_line(&mut events)?;
        Ok(events.pop())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > EVENT_CAP {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let line = std::mem::take(&mut self.line);
        let mut rest = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            rest = rest.strip_prefix(BOM).unwrap_or(rest);
        }
        if rest.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                events.push(event);
            }
        } else {
            self.field(rest)?;
        }
        // The buffer is used again for the next line.
        self.line = line;
        self.line.clear();
        Ok(())
    }

    fn field(&mut self, line: &[u8]) -> Result<(), TooLong> {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => {
                if self.event.data.len() + value.len() > EVENT_CAP {
                    return Err(TooLong);
                }
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
                self.has_data = true;
            }
            b"event" => self.event.name = value.into_owned(),
            // Comments, which have an empty name, ids and reconnection times are not used.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut parser = SseParser::new();
        let mut events = Vec::new();
        for chunk in chunks {
            parser.feed(chunk, &mut events).unwrap();
        }
        events.extend(parser.finish().unwrap());
        events
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn every_line_ending_ends_a_line() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = ["event: a", "data: 1", "", "data:2", "", ""].join(end);
            assert_eq!(parse(&[stream.as_bytes()]), [event("a", "1"), event("", "2")], "{end:?}");
        }
    }

    #[test]
    fn comments_ids_and_a_byte_order_mark_are_not_data() {
        let stream = b"\xEF\xBB\xBF: hello\nid: 7\nretry: 10\ndata: x\n\n:\n\nevent: lonely\n\n";
        assert_eq!(parse(&[stream]), [event("", "x")]);
    }

    #[test]
    fn data_lines_are_joined() {
        assert_eq!(parse(&[b"data: a\ndata:  b\ndata\n\n"]), [event("", "a\n b\n")]);
    }

    #[test]
    fn a_missing_last_blank_line_loses_nothing() {
        assert_eq!(parse(&[b"data: a\n\ndata: b"]), [event("", "a"), event("", "b")]);
        assert_eq!(parse(&[b"data: a\n\ndata: b\n"]), [event("", "a"), event("", "b")]);
    }

    #[test]
    fn an_endless_line_and_an_endless_event_are_refused() {
        let mut parser = SseParser::new();
        let block = vec![b'x'; EVENT_CAP];
        assert_eq!(parser.feed(&block, &mut Vec::new()), Ok(()));
        assert_eq!(parser.feed(b"x", &mut Vec::new()), Err(TooLong));

        let mut parser = SseParser::new();
        let line = [b"data:".as_slice(), &vec![b'x'; EVENT_CAP / 2], b"\n"].concat();
        assert_eq!(parser.feed(&line, &mut Vec::new()), Ok(()));
        assert_eq!(parser.feed(&line, &mut Vec::new()), Ok(()));
        assert_eq!(parser.feed(&line, &mut Vec::new()), Err(TooLong));
    }

    proptest! {
        #[test]
        fn events_do_not_depend_on_read_boundaries(
            stream in proptest::collection::vec(prop_oneof![
                Just("data: ".to_owned()), Just("event: ".to_owned()), Just(":".to_owned()), Just("\n".to_owned()),
                Just("\r".to_owned()), Just("\r\n".to_owned()), Just("\u{feff}".to_owned()), "[a-zé✳ ]{0,6}",
            ], 0..40),
            cuts in proptest::collection::vec(0usize..200, 0..12),
        ) {
            let stream = stream.concat().into_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
            prop_assert_eq!(parse(&chunks), parse(&[&stream]));
        }
    }
}
