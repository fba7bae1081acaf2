//! What a request carries of earlier exchanges, and of the current one.

use serde::{Deserialize, Serialize};

use super::super::meter::Meter;
use super::super::record::ExchangeRecord;
use super::scale::Scale;
use super::summary::Summary;
use crate::agent::pictures;
use crate::agent::standing::StandingState;
use crate::chat::Message;
use crate::store::{KeptPicture, PictureFiles, QueryId};

/// Earlier exchanges in the form in which they are sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Stands for the exchanges that were summarised.
    pub(super) summary: Option<Summary>,
    pub(super) exchanges: Vec<PastExchange>,
    /// The number of the next exchange.
    next: u64,
    pub(in crate::agent) state: WindowState,
}

/// What is known about the requests so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WindowState {
    pub(in crate::agent) scale: Scale,
    /// What was sent of the context that is sent only once.
    #[serde(default)]
    pub(in crate::agent) standing: StandingState,
}

/// One earlier exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PastExchange {
    number: u64,
    #[serde(default)]
    query: QueryId,
    /// The person's own words.
    pub question: String,
    pub messages: Vec<Message>,
}

/// Exchanges that were taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rewound {
    /// The question of the first of them.
    pub question: String,
    pub queries: Vec<QueryId>,
}

impl Past {
    /// Adds an exchange that is over.
    pub(crate) fn push(&mut self, query: QueryId, question: String, messages: Vec<Message>) {
        self.exchanges.push(PastExchange { number: self.next, query, question, messages });
        self.next += 1;
    }

    /// Takes the last exchanges back. `None` if there are not as many, or a summary stands for some of them.
    pub(crate) fn rewind(&mut self, exchanges: usize) -> Option<Rewound> {
        let first = self.exchanges.len().checked_sub(exchanges)?;
        let taken = self.exchanges.split_off(first);
        self.next -= taken.len() as u64;
        let queries = taken.iter().map(|exchange| exchange.query).collect();
        taken.into_iter().next().map(|first| Rewound { question: first.question, queries })
    }

    /// Takes a compacted form of the exchanges that were there when it was made. Exchanges that came since stay as they are.
    /// A form of exchanges that were taken back meanwhile is ignored.
    pub(crate) fn replace(&mut self, compacted: Past) {
        if compacted.next > self.next {
            return;
        }
        let later = std::mem::take(&mut self.exchanges).into_iter().filter(|one| one.number >= compacted.next);
        let exchanges = compacted.exchanges.into_iter().chain(later).collect();
        *self = Past { exchanges, next: self.next, ..compacted };
    }

    /// The same with references in the place of pictures, and the pictures.
    pub(in crate::agent) fn without_pictures(&self) -> (Past, Vec<KeptPicture>) {
        let (mut past, mut all) = (self.clone(), Vec::new());
        for message in past.exchanges.iter_mut().flat_map(|one| &mut one.messages) {
            let (bare, pictures) = pictures::take_out(message);
            *message = bare;
            all.extend(pictures);
        }
        (past, all)
    }

    /// Replaces references by the pictures. Returns how many are missing.
    pub(in crate::agent) fn put_pictures_back(&mut self, files: &PictureFiles) -> usize {
        let messages = self.exchanges.iter_mut().flat_map(|one| &mut one.messages);
        messages.map(|message| pictures::put_back(message, files)).sum()
    }

    /// How many questions were asked.
    pub(crate) fn asked(&self) -> usize {
        usize::try_from(self.next).unwrap_or(usize::MAX)
    }

    /// Whether a summary stands for some exchanges.
    pub(in crate::agent) fn is_summarised(&self) -> bool {
        self.summary.is_some()
    }

    /// The messages that are sent.
    pub(crate) fn messages(&self) -> impl Iterator<Item = Message> {
        let summary = self.summary.iter().flat_map(Summary::messages);
        summary.chain(self.exchanges.iter().flat_map(|one| one.messages.iter().cloned()))
    }

    /// The exchanges that are not summarised.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = &PastExchange> {
        self.exchanges.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.summary.is_none() && self.exchanges.is_empty()
    }

    pub(crate) fn scale(&self) -> &Scale {
        &self.state.scale
    }
}

/// A conversation in the middle of a turn.
#[derive(Debug, Clone)]
pub(in crate::agent) struct Transcript {
    pub(in crate::agent) past: Past,
    /// The messages of the current exchange.
    pub(super) now: Vec<Message>,
    /// The person's own words in the current exchange.
    pub(in crate::agent) question: String,
    /// The tokens and times of the current exchange.
    pub(in crate::agent) meter: Meter,
    /// Where the messages of the current exchange are recorded.
    pub(in crate::agent) record: ExchangeRecord,
    /// Whether `past` is shorter than it was.
    pub(super) is_compacted: bool,
}

impl Transcript {
    pub(in crate::agent) fn new(past: Past) -> Transcript {
        let (now, question) = (Vec::new(), String::new());
        Transcript {
            past,
            now,
            question,
            meter: Meter::start(),
            record: ExchangeRecord::default(),
            is_compacted: false,
        }
    }

    /// Begins the exchange with its first message.
    pub(in crate::agent) fn ask(&mut self, question: String, message: Message, record: ExchangeRecord) {
        (self.question, self.record) = (question, record);
        self.now.push(message);
    }

    /// Adds a message to the exchange and records it.
    pub(in crate::agent) fn say(&mut self, message: Message) {
        self.record.say(&message);
        self.now.push(message);
    }

    /// The messages of a request.
    pub(in crate::agent) fn messages(&self) -> Vec<Message> {
        self.past.messages().chain(self.now.iter().cloned()).collect()
    }

    pub(in crate::agent) fn scale(&self) -> &Scale {
        &self.past.state.scale
    }

    pub(in crate::agent) fn scale_mut(&mut self) -> &mut Scale {
        &mut self.past.state.scale
    }

    /// The messages of the current exchange, what is known about requests, and the past if it was compacted.
    pub(in crate::agent) fn into_compacted(self) -> (Vec<Message>, WindowState, Option<Past>) {
        let state = self.past.state.clone();
        (self.now, state, self.is_compacted.then_some(self.past))
    }
}
