//! How an answer is read, on every wire: bytes into events, events into JSON, JSON into deltas by the wire's own [`Reader`].
//!
//! An answer that has not said that it is complete is an error, never a shorter answer.

use serde_json::Value;

use super::body::Body;
use super::catalog;
use super::error::{ErrorKind, ProviderError};
use super::failure::{self, Asked, Failure};
use super::{Delta, Stop};
use crate::chat::Usage;
use crate::text::MIB;

/// No model says more at once; a server that goes on has lost its way.
const ANSWER_CAP: usize = 16 * MIB;

/// Where deltas go.
pub(super) type Sink<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Progress {
    /// More must come.
    Open,
    /// All of the answer is there; only its usage and the end of the stream may still come.
    Complete,
    /// The stream said that it is over.
    Over,
}

/// How an answer ended.
pub(super) struct Ended {
    pub(super) usage: Option<Usage>,
    pub(super) stop: Stop,
}

/// What one wire makes of an answer's events. A trait, for three wires are read by one [`Decoder`].
pub(super) trait Reader {
    /// Takes an event, or a whole answer from a server that does not stream.
    fn take(&mut self, event: &Value, deltas: Sink<'_>) -> Result<Progress, Failure>;

    /// The answer is complete: says what is left of it, and how it ended.
    fn end(&mut self, deltas: Sink<'_>) -> Result<Ended, ErrorKind>;
}

/// Reads an answer cut anywhere.
#[derive(Debug)]
pub(super) struct Decoder<'a, R> {
    asked: Asked<'a>,
    body: Body,
    reader: R,
    progress: Progress,
    /// Whether an event could be read: whatever goes wrong after it is not the wrong address.
    has_begun: bool,
    /// Bytes of the answer so far.
    said: usize,
}

impl<'a, R: Reader> Decoder<'a, R> {
    pub(super) fn new(asked: Asked<'a>, reader: R) -> Decoder<'a, R> {
        Decoder { asked, body: Body::new(), reader, progress: Progress::Open, has_begun: false, said: 0 }
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    pub(super) fn feed(&mut self, bytes: &[u8], deltas: Sink<'_>) -> Result<(), ProviderError> {
        let mut events = Vec::new();
        let fed = self.body.feed(bytes, &mut events);
        let mut said = 0;
        let mut count = |delta: Delta| {
            said += size(&delta);
            deltas(delta);
        };
        for event in &events {
            self.take(&event.name, &event.data, self.unreadable(), &mut count)?;
        }
        self.said += said;
        if self.said > ANSWER_CAP {
            return Err(self.error(ErrorKind::Malformed).saying("it does not end"));
        }
        fed.map_err(|e| self.error(self.unreadable()).caused_by(e))
    }

    /// What it means that something cannot be read.
    fn unreadable(&self) -> ErrorKind {
        if self.has_begun { ErrorKind::Damaged } else { ErrorKind::Malformed }
    }

    /// The connection has ended. An answer that has not is an error.
    pub(super) fn finish(mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        // An event that was cut off is no error of its own.
        let unfinished = if self.body.is_whole() { self.unreadable() } else { ErrorKind::BrokenOff };
        let last = self.body.finish().map_err(|e| self.error(self.unreadable()).caused_by(e))?;
        if let Some(event) = last {
            self.take(&event.name, &event.data, unfinished.clone(), deltas)?;
        }
        match self.progress {
            Progress::Open => Err(self.error(unfinished)),
            Progress::Complete => self.end(deltas),
            Progress::Over => Ok(()),
        }
    }

    fn take(&mut self, name: &str, data: &str, unreadable: ErrorKind, deltas: Sink<'_>) -> Result<(), ProviderError> {
        if self.progress == Progress::Over {
            return Ok(());
        }
        // Chat completions end with this word, and so do some who translate the others.
        if data.trim() == "[DONE]" {
            return self.end(deltas);
        }
        let event: Value = serde_json::from_str(data).map_err(|e| {
            let page = failure::page_words(data).unwrap_or_default();
            self.error(unreadable).saying(&page).caused_by(e)
        })?;
        if name == "error" || event["type"] == "error" || event.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::of_object(&event).into_error(self.asked));
        }
        let progress = self.reader.take(&event, deltas).map_err(|failure| failure.into_error(self.asked))?;
        self.has_begun = true;
        self.progress = self.progress.max(progress);
        if self.progress == Progress::Over { self.end(deltas) } else { Ok(()) }
    }

    fn end(&mut self, deltas: Sink<'_>) -> Result<(), ProviderError> {
        self.progress = Progress::Over;
        let Ended { usage, stop } = self.reader.end(deltas).map_err(|kind| self.error(kind))?;
        if let Some(usage) = usage {
            deltas(Delta::Usage(catalog::with_cost(self.asked.vendor, self.asked.model, usage)));
        }
        deltas(Delta::Stopped(stop));
        Ok(())
    }

    fn error(&self, kind: ErrorKind) -> ProviderError {
        ProviderError::new(self.asked.vendor, kind)
    }
}

/// Bytes of the answer in a piece of it.
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

/// Says words, if there are any.
pub(super) fn say(delta: impl FnOnce(String) -> Delta, words: &str, deltas: Sink<'_>) {
    if !words.is_empty() {
        deltas(delta(words.to_owned()));
    }
}
