//! Conversations with the agent, in the same database as the commands.
//!
//! A [`ConversationRecorder`] takes entries as they happen and writes them on a thread of its own. [`Conversations`] reads them. The
//! text of an entry is JSON that only the agent understands; this module knows the few fields that its tables are derived from.

mod changes;
mod cut_off;
mod insert;
mod kind;
mod live;
mod log;
mod pictures;
mod queries;
mod read;
mod remove;
mod resume;
mod search;
mod tables;
#[cfg(test)]
mod tests;
mod thread;
mod unwritten;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub(super) use changes::CHANGES;
pub(crate) use changes::{QueryId, RecordedChange};
pub(crate) use kind::EntryKind;
pub(crate) use log::{ConversationLog, ConversationRecorder, ConversationSetup, EntryText, ExchangeLog};
pub(crate) use pictures::{KeptPicture, PictureFiles};
pub(crate) use read::{Conversations, ListScope, ListedConversation, StoredEntry};
pub(crate) use remove::{ConversationLimits, ForgetConversations};
pub(crate) use search::{FoundExchange, StoredExchange};
pub(super) use tables::{PICTURE_SIZES, TABLES};

/// The figures of one exchange that has ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct QueryFigures {
    pub provider: String,
    pub model: String,
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub cache_written: u64,
    /// In US dollars, if the price is known.
    pub cost: Option<f64>,
    pub first_token: Option<Duration>,
    pub duration: Duration,
    /// One word: `answered`, `interrupted`, `step_limit` or `failed`.
    pub ending: String,
}

/// The words of a message by which its exchange is found, beside those of the question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Words {
    /// What the model said.
    pub answer: String,
    /// Calls and their results.
    pub work: String,
}
