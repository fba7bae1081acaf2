//! A turn: from a query to its answer.
//!
//! The agent is given what the shell looks like (a frozen [`ShellView`]), asks a model, does what it asks for as far as `guard` and
//! the person allow, and goes on until there is an answer. It tells a [`Front`] what happens and asks an [`Approver`] what it may.
//! History only ever grows at its end and is valid after every turn, however that ended: no call is left without a result.
//! Touches: chat, provider, tool, guard, track, capture, text. Never: a terminal, a file descriptor, the configuration.

mod aid;
mod calls;
mod change;
mod context;
mod failure;
mod fork;
mod front;
mod limits;
mod mask;
mod picture;
mod refusal;
mod step;
mod stop;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod turn;

use std::path::PathBuf;
use std::sync::Arc;

use crate::chat::{Message, Role, ToolSpec, Usage};
use crate::guard::{Grants, Masking, Redactor};
use crate::provider::{Policy, Provider, Request, Resolved};
use crate::tool::{Registry, Seen};

pub use aid::{Aid, RULES_WAIT, diagnose, first_aid};
pub use context::{Events, Happened, Query, STDIN_CAP, ShellView};
pub use failure::unresolved;
pub use fork::Voices;
pub use front::{Approval, Approver, Decision, Front, Place};
pub use limits::Limits;
pub use picture::{PictureError, picture};

/// What a person is told who has no model yet. A key typed into a command would stay in the shell's history.
pub const NO_MODEL: &str = "\
No model is connected yet.

Without one, the built-in rules explain a failed command (`> why did that fail`), put a correction on your prompt (`> fix`) and \
answer questions about what you ran (`> when did I last run make`).

To connect a model:
  1. with a key: run `shellmate auth login` and ask again. It lists the providers and keeps the key in a private file.
  2. on this machine: start Ollama, LM Studio, llama.cpp or vLLM and ask again.
  3. any other server: `export OPENAI_BASE_URL=http://HOST:PORT/v1` and ask again; SHELLMATE_MODEL names one of its models.
";

/// What an agent is made from.
pub struct Setup {
    pub resolved: Resolved,
    pub registry: Registry,
    pub front: Arc<dyn Front>,
    pub approver: Arc<dyn Approver>,
    /// A private directory for results too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// Directories with our own memory, which no call may change.
    pub private: Vec<PathBuf>,
    /// What is masked beyond the secrets we know.
    pub masking: Masking,
    pub limits: Limits,
}

/// What a query would send, part by part.
pub struct Preview<'a> {
    pub model: &'a str,
    pub system: &'a str,
    pub tools: &'a [ToolSpec],
    /// What was said so far.
    pub conversation: &'a [Message],
    /// What the query itself would add to that.
    pub words: String,
}

/// A conversation with a model that has hands.
pub struct Agent {
    provider: Arc<dyn Provider>,
    /// What is sent: each turn adds to its messages.
    request: Request,
    registry: Registry,
    front: Arc<dyn Front>,
    approver: Arc<dyn Approver>,
    spill: PathBuf,
    history: Option<PathBuf>,
    private: Vec<PathBuf>,
    limits: Limits,
    /// When a request that failed is sent again.
    policy: Policy,
    /// What the person has said yes to; it outlives a conversation.
    grants: Grants,
    /// Everything a model reads has passed this; it outlives a conversation too, for numbers must not be given twice.
    redactor: Redactor,
    seen: Seen,
    usage: Usage,
    /// Counts the conversations, so that an answer finds its own.
    conversation: u64,
    /// How many messages were there before this twin was.
    inherited: usize,
}

impl Agent {
    pub fn new(setup: Setup) -> Agent {
        let Setup { resolved, registry, front, approver, spill, history, private, masking, limits } = setup;
        let request = Request {
            system: context::SYSTEM.to_owned(),
            messages: Vec::new(),
            tools: registry.specs(),
            max_output: limits.output(resolved.context_window),
            model: resolved.model,
            effort: resolved.effort,
        };
        Agent {
            provider: resolved.provider,
            request,
            registry,
            front,
            approver,
            spill,
            history,
            private,
            limits,
            policy: Policy::default(),
            grants: Grants::default(),
            redactor: Redactor::new(masking),
            seen: Seen::default(),
            usage: Usage::default(),
            conversation: 0,
            inherited: 0,
        }
    }

    /// Goes on with another model, or the same one thinking harder.
    pub fn switch(&mut self, resolved: Resolved) {
        self.request.max_output = self.limits.output(resolved.context_window);
        self.request.model = resolved.model;
        self.request.effort = resolved.effort;
        self.provider = resolved.provider;
    }

    /// Goes on with other settings.
    pub fn adjust(&mut self, limits: Limits, masking: Masking) {
        self.limits = limits;
        self.redactor.set_masking(masking);
    }

    /// Forgets what was said and read. What was granted and spent stays.
    pub fn new_conversation(&mut self) {
        self.request.messages.clear();
        self.conversation += 1;
        self.seen = Seen::default();
    }

    /// The redactor of this agent. Clones share what they learn, so a secret told to one is masked by all.
    pub fn redactor(&self) -> Redactor {
        self.redactor.clone()
    }

    /// What all turns took so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Exactly what a query would send.
    pub fn preview(&self, query: &Query) -> Preview<'_> {
        self.redactor.learn(&query.view.environment);
        let attached = context::attach(query, self.history.as_deref(), &self.redactor);
        let words = context::words(query, &attached, self.is_new(), self.limits.events, &self.redactor);
        Preview {
            model: &self.request.model,
            system: &self.request.system,
            tools: &self.request.tools,
            conversation: &self.request.messages,
            words: self.redactor.mask(&words),
        }
    }

    /// The latest answer of this conversation.
    pub fn last_answer(&self) -> Option<String> {
        let answers = self.request.messages.iter().rev().filter(|message| message.role == Role::Assistant);
        answers.map(|message| message.text()).find(|text| !text.trim().is_empty())
    }

    /// Whether nothing was said yet.
    fn is_new(&self) -> bool {
        self.request.messages.is_empty()
    }
}
