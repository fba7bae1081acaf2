//! Answers with one JSON object on each line.

use super::super::framing::Framing;
use super::super::sse::{EVENT_CAP, SseEvent, TooLong};

/// Cuts an answer into its lines.
#[derive(Debug, Default)]
pub(super) struct JsonLines {
    line: Vec<u8>,
    /// What the first byte says. `None` before it.
    is_page: Option<bool>,
}

impl JsonLines {
    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > EVENT_CAP {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn take(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let data = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        (!data.is_empty()).then(|| SseEvent { name: String::new(), data })
    }
}

impl Framing for JsonLines {
    fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        if self.is_page.is_none() {
            bytes = bytes.trim_ascii_start();
            // A web page is one event, so that its title can be found.
            self.is_page = bytes.first().map(|first| *first == b'<');
        }
        if self.is_page == Some(true) {
            return self.keep(bytes);
        }
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.keep(&bytes[..end])?;
            events.extend(self.take());
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes)
    }

    fn finish(&mut self) -> Result<Option<SseEvent>, TooLong> {
        Ok(self.take())
    }

    fn is_document(&self) -> bool {
        self.is_page == Some(true)
    }
}
