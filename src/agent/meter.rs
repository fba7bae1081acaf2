//! Measures one answer: its tokens, its cost and its times.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::stream::AnswerDraft;
use crate::chat::{Timing, Usage};

/// A running measurement.
#[derive(Debug, Clone)]
pub(super) struct Meter {
    started: SystemTime,
    began: Instant,
    first_token: Option<Duration>,
    usage: Usage,
}

impl Meter {
    /// Starts to measure.
    pub(super) fn start() -> Meter {
        Meter { started: SystemTime::now(), began: Instant::now(), first_token: None, usage: Usage::default() }
    }

    /// Something of the model's answer has arrived.
    pub(super) fn token(&mut self) {
        self.first_token.get_or_insert_with(|| self.began.elapsed());
    }

    /// Adds the tokens of a request, whatever became of its answer.
    pub(super) fn add(&mut self, draft: &AnswerDraft) {
        self.usage += draft.usage();
    }

    /// The tokens of all requests so far.
    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// The times, if the answer ends now.
    pub(super) fn timing(&self) -> Timing {
        Timing { started: self.started, first_token: self.first_token, took: self.began.elapsed() }
    }
}
