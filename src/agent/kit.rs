//! What an answer needs and never changes.

use std::path::PathBuf;
use std::sync::Arc;

use super::context::{self, Query};
use super::{Conversation, Limits};
use crate::chat::{Message, ToolSpec};
use crate::guard::{Grants, Redactor};
use crate::provider::{Policy, Request, Resolved};
use crate::tool::{Ports, Toolbox};

/// A model with its tools, permissions and limits. Cheap to clone, and made anew when the model or a setting changes.
#[derive(Clone)]
pub struct Kit {
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
pub struct Places {
    /// A private directory for results too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// Directories with our own memory, which no call may change.
    pub private: Vec<PathBuf>,
}

/// What a query would send, part by part.
pub struct Preview {
    pub model: String,
    pub system: &'static str,
    pub tools: Vec<ToolSpec>,
    /// What was said so far.
    pub conversation: Vec<Message>,
    /// What the query itself would add to that.
    pub words: String,
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
    pub fn preview(&self, conversation: &Conversation, ports: &Ports, query: &Query) -> Preview {
        self.redactor.learn(&query.view.environment);
        let conversation = conversation.window();
        let attached = context::attach(query, self.places.history.as_deref(), &self.redactor);
        let words = context::words(query, &attached, conversation.is_empty(), self.limits.events, &self.redactor);
        Preview {
            model: self.model.model.clone(),
            system: context::SYSTEM,
            tools: self.toolbox.specs(ports),
            conversation,
            words: self.redactor.mask(&words),
        }
    }
}
