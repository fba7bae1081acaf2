//! What an answer needs and never changes.

use std::path::PathBuf;
use std::sync::Arc;

use super::context::{self, Fragment, Query};
use super::{Conversation, Limits};
use crate::chat::{Message, ToolSpec};
use crate::guard::{Grants, Redactor};
use crate::provider::{Policy, Request, Resolved};
use crate::tool::{Ports, Toolbox};

/// A model with its tools, permissions and limits. Cheap to clone, and made anew when the model or a setting changes.
#[derive(Clone)]
pub(crate) struct Kit {
    pub model: Resolved,
    pub toolbox: Toolbox,
    /// The standing approvals of the session; all kits of a session share them.
    pub grants: Grants,
    /// Everything a model reads has passed this. All kits of a session share what it learns.
    pub redactor: Redactor,
    pub limits: Limits,
    pub places: Arc<Places>,
    /// When a request that failed is sent again.
    pub policy: Policy,
}

/// The directories and files of an agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// A private directory for results too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// Directories with our own memory, which no call may change.
    pub private: Vec<PathBuf>,
}

/// What a query would send, part by part.
pub(crate) struct Preview {
    pub model: String,
    pub system: &'static str,
    pub tools: Vec<ToolSpec>,
    /// What was said so far.
    pub conversation: Vec<Message>,
    /// What the query itself would add to that.
    pub fragments: Vec<Fragment>,
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

    /// Exactly what a query would send.
    pub(crate) fn preview(&self, conversation: &Conversation, ports: &Ports, query: &Query) -> Preview {
        let Kit { redactor, places, limits, .. } = self;
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
        }
    }
}
