//! Builds the kit of an answer, for the session, `shellmate ask` and every other front.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Agent, Paths};
use crate::agent::{Kit, Places};
use crate::guard::{Grants, Redactor};
use crate::provider::{Policy, Resolved};
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

impl Paths {
    /// The directories and files of the agent. Long results are kept in `spill`.
    pub(crate) fn agent_places(&self, spill: PathBuf) -> Places {
        let private = self.state_dir().into_iter().chain([self.runtime_root()]);
        let private = private.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned())).collect();
        Places { spill, history: self.history_db(), config: self.config_dir(), private }
    }
}
