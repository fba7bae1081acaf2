//! Continues a conversation.

use super::live::LiveLock;
use super::log::{ConversationLog, ConversationRecorder, LogState};
use super::{Conversations, PictureFiles, StoredEntry};
use crate::store::StoreError;

/// A conversation to continue.
#[derive(Debug)]
pub(crate) struct ResumedConversation {
    /// Where it is recorded from here on.
    pub log: ConversationLog,
    pub entries: Vec<StoredEntry>,
    pub pictures: PictureFiles,
    /// Whether it is a fork, because another process uses the conversation.
    pub is_fork: bool,
}

impl ConversationRecorder {
    /// The recorded conversations. `None` if nothing is recorded.
    pub(crate) fn conversations(&self) -> Option<Result<Conversations, StoreError>> {
        self.setup().map(|setup| Conversations::open(&setup.database))
    }

    /// Continues a conversation. One that another process uses is forked. `None` if there is none with this id.
    pub(crate) fn resume(&self, id: i64) -> Result<Option<ResumedConversation>, StoreError> {
        let Some(conversations) = self.conversations().transpose()? else { return Ok(None) };
        if conversations.get(id)?.is_none() {
            return Ok(None);
        }
        let live = LiveLock::take(&conversations.path, id)
            .map_err(|source| StoreError::Create { path: conversations.path.clone(), source })?;
        // Read only now: nobody else adds to a conversation whose lock we hold.
        let tip = conversations.tip(id)?;
        let entries = conversations.branch(id)?;
        let is_fork = live.is_none();
        let state = match is_fork {
            true => LogState { forked_from: tip, ..LogState::default() },
            false => LogState { id: Some(id), tip, forked_from: None, live },
        };
        let log = self.log_of(state);
        if !is_fork {
            // The terminal that it was cut off in need not offer it any more.
            log.leave();
        }
        let pictures = conversations.pictures();
        Ok(Some(ResumedConversation { log, entries, pictures, is_fork }))
    }

    /// A conversation that continues another from where that is now. Everything of that one must be written already. `None` if
    /// nothing of it was.
    pub(crate) fn fork(&self, log: &ConversationLog) -> Option<ConversationLog> {
        let forked_from = log.tip()?;
        Some(self.log_of(LogState { forked_from: Some(forked_from), ..LogState::default() }))
    }
}
