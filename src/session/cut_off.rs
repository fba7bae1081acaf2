//! Offers to continue the conversation that was cut off when this terminal was used last.
//!
//! A thread looks for it once, when all is calm at the first prompt. The line stands above a prompt, and only before anything is asked.

use crate::store::ListedConversation;

use super::Session;
use super::errands::Done;

impl Session {
    /// Whether a conversation is to be looked for once all is calm.
    pub(super) fn wants_to_look_back(&self) -> bool {
        !self.agent.has_looked_back && self.books.has_prompted
    }

    /// Looks for a conversation that was cut off in this terminal and directory.
    pub(super) fn look_back(&mut self) {
        if !self.wants_to_look_back() {
            return;
        }
        self.agent.has_looked_back = true;
        let Some(cwd) = self.books.cwd().filter(|_| self.agent.link.is_none()).map(ToOwned::to_owned) else { return };
        let conversations = self.agent.setup.conversations.clone();
        self.errands.run("cut off", move || {
            let found = conversations.take_cut_off(&cwd);
            let id = found.as_ref().map(|found| found.as_ref().map(|one| one.id));
            tracing::debug!(?id, "looked for a conversation that was cut off");
            found.ok().flatten().map(|conversation| Done::CutOff(words(&conversation)))
        });
    }

    /// Says how to continue a conversation, unless the person has begun another meanwhile.
    pub(super) fn offer(&mut self, words: String) {
        if self.agent.link.is_none() {
            self.books.next_prompt.offer = Some(words);
            self.announce();
        }
    }

    /// The person asks or commands something, so an offer that was not shown yet comes too late.
    pub(super) fn withdraw_offer(&mut self) {
        if self.books.next_prompt.offer.take().is_some() {
            self.announce();
        }
    }
}

/// The title comes last, because a line that is too long loses its end.
fn words(conversation: &ListedConversation) -> String {
    let (id, title) = (conversation.id, conversation.title());
    format!("a conversation here was cut off; `> /resume {id}` continues it: {title}")
}
