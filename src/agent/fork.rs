//! Several answers at a time, one conversation.
//!
//! Each answer is given on a twin of the agent, which begins with everything said so far. What a twin was asked and said comes
//! back as a whole when it is over, so that the conversation only ever grows at its end and no message stands between a call and
//! its result, however many are answered at the same time.

use std::sync::Arc;

use super::{Agent, Approver, Front};
use crate::chat::Usage;
use crate::tool::Registry;

/// Who hears a twin, who says yes to it, and what it can do.
pub struct Voices {
    pub front: Arc<dyn Front>,
    pub approver: Arc<dyn Approver>,
    pub registry: Registry,
}

impl Agent {
    /// A twin for one more answer, beside whatever else is being answered.
    pub fn fork(&self, voices: Voices) -> Agent {
        let Voices { front, approver, registry } = voices;
        Agent {
            provider: Arc::clone(&self.provider),
            request: self.request.clone(),
            registry,
            front,
            approver,
            spill: self.spill.clone(),
            history: self.history.clone(),
            private: self.private.clone(),
            limits: self.limits,
            policy: self.policy.clone(),
            grants: self.grants.clone(),
            // One twin's reading is not the other's knowledge.
            seen: self.seen.fork(),
            usage: Usage::default(),
            conversation: self.conversation,
            inherited: self.request.messages.len(),
        }
    }

    /// Takes a twin back: what it was asked and said goes to the end of the conversation, unless another has begun since.
    pub fn join(&mut self, twin: Agent) {
        self.usage += twin.usage;
        self.grants.join(twin.grants);
        if twin.conversation == self.conversation {
            self.request.messages.extend(twin.request.messages.into_iter().skip(twin.inherited));
            self.seen.join(&twin.seen);
        }
    }
}
