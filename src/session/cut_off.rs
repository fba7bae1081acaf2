//! Offers to continue the conversation that was cut off when this terminal was used last. If there is none, the first starts say how
//! to ask.
//!
//! A thread looks for it once, in a quiet moment at the first prompt. The offer is a line above a prompt. It is not made once the
//! person has asked something.

use crate::store::ListedConversation;

use super::Session;
use super::errands::Done;

impl Session {
    /// Whether there is something to look for in a quiet moment.
    pub(super) fn wants_to_look_back(&self) -> bool {
        !self.agent.has_looked_back && self.books.has_prompted
    }

    /// Looks for a conversation that was cut off in this terminal and directory, or else for the first starts.
    pub(super) fn look_back(&mut self) {
        if !self.wants_to_look_back() {
            return;
        }
        self.agent.has_looked_back = true;
        let Some(cwd) = self.books.cwd().filter(|_| self.agent.link.is_none()).map(ToOwned::to_owned) else { return };
        let (conversations, welcome) = (self.agent.setup.conversations.clone(), self.agent.welcome.clone());
        self.errands.run("cut off", move || {
            let found = conversations.take_cut_off(&cwd);
            let id = found.as_ref().map(|found| found.as_ref().map(|one| one.id));
            tracing::debug!(?id, "looked for a conversation that was cut off");
            let line = found.ok().flatten().map(|conversation| line(&conversation)).or_else(|| welcome.line());
            line.map(Done::Offer)
        });
    }

    /// Shows an offer, unless the person has asked something meanwhile.
    pub(super) fn offer(&mut self, line: String) {
        if self.agent.link.is_none() {
            self.books.next_prompt.offer = Some(line);
            self.announce();
        }
    }

    /// Takes back an offer that was not shown yet, because the person has asked something meanwhile.
    pub(super) fn withdraw_offer(&mut self) {
        if self.books.next_prompt.offer.take().is_some() {
            self.announce();
        }
    }
}

/// The title comes last, because a line that is too long is cut at its end.
fn line(conversation: &ListedConversation) -> String {
    let (id, title) = (conversation.id, conversation.title());
    format!("shellmate: a conversation here was cut off; `> /resume {id}` continues it: {title}")
}
