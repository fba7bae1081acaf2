//! Builds the kit and the recorder of an answer, for the session, `shellmate ask` and every other front.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Agent, Config, ConversationSettings, Paths};
use crate::agent::{Kit, Places};
use crate::guard::{Grants, Redactor};
use crate::provider::{Policy, Resolved};
use crate::store::{ConversationLimits, ConversationRecorder, ConversationSetup};
use crate::tool::Toolbox;

impl Agent {
    /// Builds a kit with these settings. Grants and redactor belong to the session and outlive its kits.
    pub(crate) fn kit(&self, model: Resolved, places: Arc<Places>, grants: Grants, redactor: Redactor) -> Kit {
        Kit {
            model,
            toolbox: Toolbox::standard(self.timeouts()),
            grants,
            redactor,
            limits: self.limits(),
            skills: Arc::new(self.skills()),
            places,
            policy: Policy::default(),
        }
    }
}

impl Config {
    /// Records conversations, unless the history is turned off. `terminal` identifies the window or pane; it may be empty.
    pub(crate) fn conversation_recorder(
        &self,
        paths: &Paths,
        session: &str,
        host: &str,
        terminal: String,
    ) -> ConversationRecorder {
        let Some(database) = paths.history_db().filter(|_| self.history.enabled && self.conversations.enabled) else {
            return ConversationRecorder::off();
        };
        let ConversationSettings { days, size, .. } = &self.conversations;
        let age = Duration::from_secs(days.saturating_mul(24 * 60 * 60));
        let limits = ConversationLimits { age, bytes: size.bytes() };
        let (session, host) = (session.to_owned(), host.to_owned());
        ConversationRecorder::new(ConversationSetup { database, session, host, terminal, limits })
    }
}

impl Paths {
    /// The directories and files of the agent. Long results are kept in `spill`.
    pub(crate) fn agent_places(&self, spill: PathBuf) -> Places {
        let private = self.state_dir().into_iter().chain([self.runtime_root()]);
        let private = private.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned())).collect();
        Places { spill, history: self.history_db(), config: self.config_dir(), memory: self.memory_dir(), private }
    }
}
