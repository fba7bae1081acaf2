//! The parts of an answer that do not change while it runs.

use std::path::PathBuf;
use std::sync::Arc;

use super::context::{self, Fragment, Query};
use super::window::{Budget, Scale, Transcript};
use super::{Conversation, Limits};
use crate::chat::{Message, ToolSpec};
use crate::guard::{Grants, Redactor};
use crate::provider::{Policy, Request, Resolved};
use crate::tool::{Ports, Toolbox};

/// A model with its tools, permissions and limits. Cheap to clone. A new kit is built when the model or a setting changes.
#[derive(Clone)]
pub(crate) struct Kit {
    pub model: Resolved,
    pub toolbox: Toolbox,
    /// The approvals for the session, shared by all of its kits.
    pub grants: Grants,
    /// Masks everything that a model reads. All kits of a session share the secrets it has learned.
    pub redactor: Redactor,
    pub limits: Limits,
    pub places: Arc<Places>,
    /// When a failed request is sent again.
    pub policy: Policy,
}

/// The directories and files that the agent uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// A private directory for results that are too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// shellmate's own directories, which no call may change.
    pub private: Vec<PathBuf>,
}

/// The parts of the request that a query would send.
pub(crate) struct Preview {
    pub model: String,
    pub system: &'static str,
    pub tools: Vec<ToolSpec>,
    /// The conversation so far.
    pub conversation: Vec<Message>,
    /// The fragments that the query would add.
    pub fragments: Vec<Fragment>,
    /// Estimates tokens as the model counts them.
    pub scale: Scale,
    /// The model's context window, in tokens.
    pub window: u32,
}

impl Preview {
    /// The text that the query would add.
    pub(crate) fn words(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }
}

impl Kit {
    /// A request with these messages.
    pub(super) fn request(&self, messages: Vec<Message>, ports: &Ports) -> Request {
        Request {
            system: context::SYSTEM.to_owned(),
            messages,
            tools: self.toolbox.specs(ports),
            max_output: self.limits.output(self.model.context_window),
            model: self.model.model.clone(),
            effort: self.model.effort,
        }
    }

    /// The most tokens of a request, by what is known of the model.
    pub(super) fn budget(&self, transcript: &Transcript) -> Budget {
        Budget::new(transcript.scale().window(self.model.context_window), self.limits.compact_at)
    }

    /// The request that a query would send, for `/context`.
    pub(crate) fn preview(&self, conversation: &Conversation, ports: &Ports, query: &Query) -> Preview {
        let Kit { redactor, places, limits, .. } = self;
        let scale = conversation.past().scale().of(&self.model.name());
        let budget = Budget::new(scale.window(self.model.context_window), limits.compact_at);
        let conversation = conversation.window();
        let is_first = conversation.is_empty();
        let assembled = context::assemble(query, is_first, limits.events, places.history.as_deref(), redactor);
        let masked = |fragment: Fragment| fragment.masked(redactor);
        Preview {
            model: self.model.model.clone(),
            system: context::SYSTEM,
            tools: self.toolbox.specs(ports),
            conversation,
            fragments: assembled.fragments.into_iter().map(masked).collect(),
            scale,
            window: budget.window,
        }
    }
}
