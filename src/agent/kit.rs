//! The parts of an answer that do not change while it runs.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::context::{self, Assembled, Fragment, Query, Sources};
use super::hooks::HookKit;
use super::skills::{CalledSkill, SkillSettings};
use super::standing::{Standing, StandingState};
use super::window::{Budget, Past, Scale};
use super::{Conversation, Language, TurnLimits};
use crate::chat::{Message, ToolKind, ToolSpec};
use crate::guard::{
    self, Backend, Confinement, Consent, Intent, Network, OwnPlaces, Permissions, Redactor, SandboxLevel,
};
use crate::provider::{ModelRequest, Policy, Resolved, WindowSource};
use crate::text::{Clock, human};
use crate::tool::{Ports, Toolbox};

/// A model with its tools, permissions and limits. Cheap to clone. A new kit is built when the model or a setting changes.
#[derive(Clone)]
pub(crate) struct Kit {
    pub model: Resolved,
    /// The model for requests beside the conversation, if it is another one.
    pub fast: Option<Resolved>,
    pub toolbox: Toolbox,
    /// Judges calls. The grants and the chosen mode are shared by all kits of a session.
    pub permissions: Permissions,
    /// Masks everything that a model reads. All kits of a session share the secrets it has learned.
    pub redactor: Redactor,
    /// The hooks of the answer.
    pub hooks: HookKit,
    pub limits: TurnLimits,
    /// The language of answers.
    pub language: Language,
    pub skills: Arc<SkillSettings>,
    pub places: Arc<Places>,
    /// How commands are confined. All kits of a session share the temporary directory.
    pub sandbox: Confinement,
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
    /// The person's configuration directory, which may hold an `AGENTS.md` of their own.
    pub config: Option<PathBuf>,
    /// The directory of the person's notes.
    pub memory: Option<PathBuf>,
    /// shellmate's own directories, which no call may change.
    pub own: OwnPlaces,
}

/// The parts of the request that a query would send.
pub(crate) struct ContextPreview {
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
    /// Where the window comes from.
    pub window_source: WindowSource,
}

impl ContextPreview {
    /// The text that the query would add.
    pub(crate) fn words(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }
}

impl Kit {
    /// How the commands of a call are confined. shellmate's own directories are always hidden.
    pub(super) fn confinement(&self, consent: Consent) -> Confinement {
        let own = self.places.own.private.iter().chain(&self.places.config).cloned().collect();
        let network = match consent {
            Consent::Given => self.sandbox.network,
            Consent::Silent => Network::Off,
        };
        Confinement { own, network, ..self.sandbox.clone() }
    }

    /// Whether commands run in a sandbox that this kernel enforces.
    pub(super) fn confines(&self) -> bool {
        self.sandbox.level != SandboxLevel::Off && guard::best_backend(Network::Off) != Backend::None
    }

    /// What the sandbox of a command lacks on this machine.
    pub(super) fn weakness(&self, intent: &Intent) -> Option<&'static str> {
        let Confinement { level, network, backend, .. } = self.sandbox.clone().with(intent.exception());
        let is_confined = matches!(intent, Intent::Run { .. }) && level != SandboxLevel::Off;
        is_confined.then(|| backend.unwrap_or_else(|| guard::best_backend(network)).weakness()).flatten()
    }

    /// A request with these messages.
    pub(super) fn request(&self, messages: Vec<Message>, ports: &Ports) -> ModelRequest {
        ModelRequest {
            system: context::SYSTEM.to_owned(),
            messages,
            tools: self.tools(ports),
            max_output: self.limits.output(self.model.context_window, self.model.traits.output),
            model: self.model.model.clone(),
            effort: self.model.effort,
            cache: self.model.cache,
            window: self.model.context_window,
        }
    }

    /// The tools that are offered. A model with a small window gets the few that it needs most.
    fn tools(&self, ports: &Ports) -> Vec<ToolSpec> {
        let mut tools = self.toolbox.specs(ports);
        if Budget::new(self.model.context_window, self.limits.compact_at).is_small() {
            let is_needed = |kind| matches!(kind, ToolKind::Read | ToolKind::Run | ToolKind::Suggest);
            tools.retain(|tool| is_needed(self.toolbox.kind(&tool.name)));
        }
        tools
    }

    /// The most tokens of a request, by what is known of the model.
    pub(super) fn budget(&self, past: &Past) -> Budget {
        let scale = past.scale().of(&self.model.name());
        Budget::new(scale.window(self.model.context_window), self.limits.compact_at)
    }

    /// Where the size of the window comes from.
    fn window_source(&self, past: &Past) -> WindowSource {
        let said = self.model.context_window;
        let learned = past.scale().of(&self.model.name()).window(said);
        match (learned, said) {
            (learned, said) if learned != said => WindowSource::Overflow,
            (Some(_), _) => self.model.window_source,
            (None, _) => WindowSource::Assumed,
        }
    }

    /// Assembles what goes with a query that calls this skill, or none. Returns it with what the model has been sent after it.
    pub(super) fn assemble(
        &self,
        query: &Query,
        past: &Past,
        called: Option<CalledSkill>,
    ) -> (Assembled, StandingState) {
        let Kit { redactor, places, limits, .. } = self;
        let budget = self.budget(past);
        let standing = Standing::gather(self, query, &past.state.standing, budget.window, called);
        let state = standing.state.clone();
        let events = limits.events.within(budget.window as usize);
        let (is_first, history) = (past.is_empty(), places.history.as_deref());
        let clock = Clock::new(query.view.at, TimeZone::system());
        let sources = Sources { is_first, events, history, clock, standing, redactor };
        let mut assembled = context::assemble(query, sources);
        if is_first && budget.is_small() {
            assembled.notices.push(format!(
                "the model's window is small ({} tokens): it gets fewer tools and less of your commands' output",
                human::count(budget.window.into())
            ));
        }
        (assembled, state)
    }

    /// The request that a query would send, for `/context`.
    pub(crate) fn preview(&self, conversation: &Conversation, ports: &Ports, query: &Query) -> ContextPreview {
        let (redactor, past) = (&self.redactor, conversation.past());
        let (assembled, _) = self.assemble(query, past, None);
        let masked = |fragment: Fragment| fragment.masked(redactor);
        ContextPreview {
            model: self.model.model.clone(),
            system: context::SYSTEM,
            tools: self.tools(ports),
            conversation: conversation.window(),
            fragments: assembled.fragments.into_iter().map(masked).collect(),
            scale: past.scale().of(&self.model.name()),
            window: self.budget(past).window,
            window_source: self.window_source(past),
        }
    }
}
