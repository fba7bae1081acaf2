//! The hooks of a session, and what projects add to its answers.

use std::sync::{Arc, Mutex};

use crate::agent::{Front, Kit, Project, ShellView};
use crate::chat::Event;
use crate::guard::TrustStore;
use crate::hook::{HookFile, HookRun, HookSet};

use super::trust::{DistrustedProjects, ProjectGate};
use super::{AgentSetup, RequestLink};

/// The hooks that ran for the last question. They run at the end of the session too.
type LastHooks = Arc<Mutex<Option<(Arc<HookSet>, Arc<HookRun>)>>>;

/// The hooks of a session.
pub(super) struct SessionHooks {
    file: HookFile,
    trust: TrustStore,
    distrusted: DistrustedProjects,
    /// Identifies the session.
    session: String,
    /// Why the next question begins a conversation. `None` if it goes on.
    begins: Option<&'static str>,
    last: LastHooks,
}

impl SessionHooks {
    pub(super) fn new(setup: &AgentSetup) -> SessionHooks {
        let session = setup.places.spill.file_name().unwrap_or_default().to_string_lossy().into_owned();
        SessionHooks {
            file: HookFile::new(setup.hooks.clone()),
            trust: setup.trust.clone(),
            distrusted: DistrustedProjects::default(),
            session,
            begins: Some("startup"),
            last: LastHooks::default(),
        }
    }

    /// The next question begins a conversation, for this reason.
    pub(super) fn begin(&mut self, source: &'static str) {
        self.begins = Some(source);
    }

    /// Starts the hooks at the end of a session, which nobody waits for.
    pub(super) fn end(&mut self, reason: &str) {
        let Some((hooks, place)) = self.last.lock().ok().and_then(|mut last| last.take()) else { return };
        if let Err(error) = hooks.run_detached(reason, &place) {
            tracing::warn!(%error, "cannot start the hooks for the end of the session");
        }
    }

    /// What an answer to a question needs of hooks and of the project.
    pub(super) fn for_question(&mut self, view: &ShellView, link: &RequestLink) -> AnswerHooks {
        let begins = self.begins.take();
        AnswerHooks { begins, ..self.for_command(view, link) }
    }

    /// The same for a slash command, which begins no conversation.
    pub(super) fn for_command(&mut self, view: &ShellView, link: &RequestLink) -> AnswerHooks {
        let (own, problems) = self.file.current();
        problems.iter().for_each(|problem| link.hear(Event::Notice(problem.to_string())));
        let gate = ProjectGate::before(&view.cwd, &self.trust, &self.distrusted, link);
        AnswerHooks { own, gate, session: self.session.clone(), begins: None, last: Arc::clone(&self.last) }
    }
}

/// The hooks of one answer, before the person has decided about the project's.
pub(super) struct AnswerHooks {
    own: Arc<HookSet>,
    gate: Option<ProjectGate>,
    session: String,
    begins: Option<&'static str>,
    last: LastHooks,
}

impl AnswerHooks {
    /// Equips a kit. The person is asked about a project that is new or has changed.
    pub(super) async fn equip(mut self, kit: &mut Kit, view: &ShellView, link: &RequestLink) {
        let project = match self.gate.take() {
            Some(gate) => Some(gate.decide(view.home(), link).await),
            None => None,
        };
        let notices = self.add(project, kit, view);
        notices.into_iter().for_each(|notice| link.hear(Event::Notice(notice)));
    }

    /// Equips a kit without a question. A project that is not trusted can only narrow.
    pub(super) fn equip_silently(mut self, kit: &mut Kit, view: &ShellView) {
        let project = self.gate.take().map(ProjectGate::undecided);
        self.add(project, kit, view);
    }

    fn add(self, project: Option<Project>, kit: &mut Kit, view: &ShellView) -> Vec<String> {
        let parts = project.map(|project| project.add_to(kit, view.home())).unwrap_or_default();
        let hooks = if parts.hooks.is_empty() { self.own } else { Arc::new(self.own.and(&parts.hooks)) };
        kit.use_hooks(hooks, &self.session, self.begins, view);
        if let Ok(mut last) = self.last.lock() {
            *last = kit.session_hooks();
        }
        parts.notices
    }
}
