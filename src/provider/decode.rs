//! Reads an answer on every wire: bytes into events by the wire's [`Framing`], events into JSON, JSON into deltas by the
//! wire's [`AnswerReader`].
//!
//! An answer that ends before the stream says that it is complete is an error, never a shorter answer.

use serde_json::Value;

use super::catalog::Price;
use super::error::{ErrorKind, ProviderError};
use super::error_response::{self, AskedModel, ErrorResponse};
use super::framing::Framing;
use super::wire::Wire;
use super::{Delta, Stop};
use crate::chat::Usage;
use crate::text::MIB;

/// Maximum size of an answer in bytes. A server that sends more is broken.
const ANSWER_CAP: usize = 16 * MIB;

/// Receives the deltas of an answer.
pub(super) type Sink<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// The progress of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AnswerProgress {
    /// More is expected.
    Open,
    /// The whole answer has arrived. Its usage and the end of the stream may follow.
    Complete,
    /// The stream said that it is over.
    Over,
}

/// How an answer ended.
pub(super) struct AnswerEnd {
    pub(super) usage: Option<Usage>,
    pub(super) stop: Stop,
}

/// Turns a wire's events into deltas. A trait, because one [`AnswerDecoder`] reads the answers of every wire.
pub(super) trait AnswerReader {
    /// Takes an event, or a whole answer from a server that does not stream.
    fn take(&mut self, event: &Value, deltas: Sink<'_>) -> Result<AnswerProgress, ErrorResponse>;

    /// The answer is complete: passes on what is left, and returns how it ended.
    fn end(&mut self, deltas: Sink<'_>) -> Result<AnswerEnd, ErrorKind>;
}

/// Reads an answer from bytes that arrive in any pieces.
pub(super) struct AnswerDecoder<'a> {
    asked: AskedModel<'a>,
    framing: Box<dyn Framing + Send>,
    reader: Box<dyn AnswerReader + Send>,
    progress: AnswerProgress,
    /// Whether an event could be read. An error after that does not mean a wrong address.
    has_begun: bool,
    /// Bytes of the answer so far.
    size: usize,
    /// What the model costs, where that is known.
    price: Option<Price>,
}

impl<'a> AnswerDecoder<'a> {
    /// Reads an answer of this model over this wire.
    pub(super) fn new(wire: &dyn Wire, asked: AskedModel<'a>, price: Option<Price>) -> AnswerDecoder<'a> {
        let reader = wire.reader(asked.vendor, asked.model);
        AnswerDecoder { price, ..AnswerDecoder::with_reader(asked, wire, reader) }
    }

    /// Reads the events of this wire with this reader.
    pub(super) fn with_reader(
        asked: AskedModel<'a>,
        wire: &dyn Wire,
        reader: Box<dyn AnswerReader + Send>,
    ) -> AnswerDecoder<'a> {
        AnswerDecoder {
            asked,
            framing: wire.framing(),
            reader,
            progress: AnswerProgress::Open,
            has_begun: false,
            size: 0,
            price: None,
        }
    }

    pub(super) fn progress(&self) -> AnswerProgress {
        self.progress
    }

    pub(super) fn feed(&mut self, bytes: &[u8], deltas: Sink<'_>) -> Result<(), ProviderError> {
        let mut events = Vec::new();
        let fed = self.framing.feed(bytes, &mut events);
        let mut fed_size = 0;
        let mut count = |delta: Delta| {
            fed_size += size(&delta);
            deltas(delta);
        };
        for event in &events {
            self.take(&event.name, &event.data, self.unreadable(), &mut count)?;
        }
        self.size += fed_size;
        if self.size > ANSWER_CAP {
            return Err(self.error(ErrorKind::Malformed).saying("it does not end"));
        }
        fed.map_err(|e| self.error(self.unreadable()).caused_by(e))
    }

    /// The error for bytes that cannot be read.
    fn unreadable(&self) -> ErrorKind {
        if self.has_begun { ErrorKind::Damaged } else { ErrorKind::Malformed }
    }

    /// The connection has ended. An answer that is not complete is an error.
    pub(super) fn finish(mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        // An event that was cut off means that the answer was.
        let unfinished = if self.framing.is_document() { self.unreadable() } else { ErrorKind::BrokenOff };
        let last = self.framing.finish().map_err(|e| self.error(self.unreadable()).caused_by(e))?;
        if let Some(event) = last {
            self.take(&event.name, &event.data, unfinished.clone(), deltas)?;
        }
        match self.progress {
            AnswerProgress::Open => Err(self.error(unfinished)),
            AnswerProgress::Complete => self.end(deltas),
            AnswerProgress::Over => Ok(()),
        }
    }

    fn take(&mut self, name: &str, data: &str, unreadable: ErrorKind, deltas: Sink<'_>) -> Result<(), ProviderError> {
        if self.progress == AnswerProgress::Over {
            return Ok(());
        }
        // Chat completions end with this word, and so do some servers that translate other protocols.
        if data.trim() == "[DONE]" {
            return self.end(deltas);
        }
        let event: Value = serde_json::from_str(data).map_err(|e| {
            let page = error_response::page_words(data).unwrap_or_default();
            self.error(unreadable).saying(&page).caused_by(e)
        })?;
        if name == "error" || event["type"] == "error" || event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(ErrorResponse::of_object(&event).into_error(self.asked));
        }
        let progress = self.reader.take(&event, deltas).map_err(|response| response.into_error(self.asked))?;
        self.has_begun = true;
        self.progress = self.progress.max(progress);
        if self.progress == AnswerProgress::Over { self.end(deltas) } else { Ok(()) }
    }

    fn end(&mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        self.progress = AnswerProgress::Over;
        let AnswerEnd { usage, stop } = self.reader.end(deltas).map_err(|kind| self.error(kind))?;
        if let Some(usage) = usage {
            // A cost reported by the vendor has precedence over the list price.
            let cost = usage.cost.or_else(|| Some(self.price?.of(&usage)));
            deltas(Delta::Usage(Usage { cost, ..usage }));
        }
        deltas(Delta::Stopped(stop));
        Ok(())
    }

    fn error(&self, kind: ErrorKind) -> ProviderError {
        ProviderError::new(self.asked.shown_name, kind)
    }
}

/// The size of a delta in bytes.
fn size(delta: &Delta) -> usize {
    match delta {
        Delta::Thinking(text) | Delta::Signature(text) | Delta::RedactedThinking(text) | Delta::Text(text) => {
            text.len()
        }
        Delta::CallBegan { id, name, .. } => id.len() + name.len(),
        Delta::CallArguments { json, .. } => json.len(),
        Delta::Usage(_) | Delta::Notice(_) | Delta::Stopped(_) => 0,
    }
}

/// Passes on a text unless it is empty.
pub(super) fn say(delta: impl FnOnce(String) -> Delta, words: &str, deltas: Sink<'_>) {
    if !words.is_empty() {
        deltas(delta(words.to_owned()));
    }
}
