//! Builds the kit and the recorder of an answer, for the session, `shellmate ask` and every other front.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Agent, Config, ConversationSettings, Paths};
use crate::agent::{HookKit, Kit, Places};
use crate::guard::{Confinement, OwnPlaces, Permissions, Redactor};
use crate::provider::{Policy, Resolved};
use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup};
use crate::tool::Toolbox;
use crate::undo::{ContentStore, UndoKeeper};

impl Agent {
    /// Builds a kit with these settings. Permissions, redactor and the sandbox's temporary directory belong to the session and outlive its
    /// kits.
    pub(crate) fn kit(
        &self,
        model: Resolved,
        places: Arc<Places>,
        sandbox: Confinement,
        permissions: Permissions,
        redactor: Redactor,
    ) -> Kit {
        Kit {
            model,
            fast: None,
            toolbox: Toolbox::standard(self.timeouts()),
            permissions,
            redactor,
            hooks: HookKit::default(),
            limits: self.limits(),
            language: self.language(),
            skills: Arc::new(self.skills()),
            places,
            sandbox,
            policy: Policy::default(),
        }
    }
}

impl ConversationSettings {
    fn limits(&self) -> ConversationLimits {
        let age = Duration::from_secs(self.days.saturating_mul(24 * 60 * 60));
        ConversationLimits { age, bytes: self.size.bytes() }
    }
}

impl Config {
    /// How much of the conversations is kept. `None` if they are not recorded.
    pub(crate) fn conversation_limits(&self) -> Option<ConversationLimits> {
        (self.history.enabled && self.conversations.enabled).then(|| self.conversations.limits())
    }

    /// Records conversations, while the configuration wants it. `terminal` identifies the window or pane; it may be empty.
    pub(crate) fn conversation_recorder(
        &self,
        paths: &Paths,
        session: &str,
        host: &str,
        terminal: String,
    ) -> ConversationRecorder {
        let Some(database) = paths.history_db() else { return ConversationRecorder::off() };
        let (session, host, limits) = (session.to_owned(), host.to_owned(), self.conversations.limits());
        let recorder = ConversationRecorder::new(ConversationSetup { database, session, host, terminal, limits });
        recorder.adopt(self.conversation_limits());
        recorder
    }
}

impl Config {
    /// Keeps what the agent changes, unless that is turned off or there is no place for it.
    pub(crate) fn keeper(&self, paths: &Paths) -> Option<UndoKeeper> {
        let directory = paths.undo_dir().filter(|_| self.undo.enabled)?;
        Some(UndoKeeper::new(ContentStore::new(directory, self.undo.limits()), paths.private_dirs()))
    }
}

impl Paths {
    /// shellmate's own directories, by their real paths.
    fn private_dirs(&self) -> Vec<PathBuf> {
        let private = self.state_dir().into_iter().chain(self.runtime_roots());
        private.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned())).collect()
    }

    /// The directories and files of the agent. Long results are kept in `spill`.
    pub(crate) fn agent_places(&self, spill: PathBuf) -> Places {
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let own = OwnPlaces {
            config: self.config_dir().map(real),
            private: self.private_dirs(),
            readable: [spill.clone()].into_iter().chain(self.memory_dir()).map(real).collect(),
        };
        Places { spill, history: self.history_db(), config: self.config_dir(), memory: self.memory_dir(), own }
    }
}
