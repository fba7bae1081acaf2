//! Which model is asked: looked up at every query, from the live shell's environment.

use std::ffi::{OsStr, OsString};

use crate::agent::{Front, ShellView, unresolved};
use crate::chat::{Event, Failure, FailureKind};
use crate::provider::{Keys, ModelList, ModelPreference, Resolved, WithKeys};

use super::RequestLink;
use super::orders::AgentThread;

/// Names a model in the environment.
const MODEL_VARIABLE: &str = "SHELLMATE_MODEL";

/// A variable that the shell exports.
fn exported(environment: &[(OsString, OsString)], name: &str) -> Option<String> {
    let (_, value) = environment.iter().find(|(known, _)| known == OsStr::new(name))?;
    value.to_str().map(str::to_owned)
}

impl AgentThread {
    /// Takes note of what has changed since the last order: the configuration, and the model that the shell names.
    pub(super) fn catch_up(&mut self, view: &ShellView, link: &RequestLink) {
        if let Some(problem) = self.renew_settings() {
            link.hear(Event::Notice(problem));
        }
        let named = exported(&view.environment, MODEL_VARIABLE);
        // Whichever was said last counts: `/model` or the variable.
        if self.named.replace(named.clone()).is_some_and(|before| before != named) {
            self.preference = ModelPreference::default();
        }
    }

    /// Finds the model for a preference, seen from this shell.
    pub(super) async fn resolve(
        &mut self,
        preference: &ModelPreference,
        view: &ShellView,
    ) -> Result<Option<Resolved>, Failure> {
        let keys = self.keys()?;
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        let preference = preference.clone().or(&self.setup.settings.preference, &env);
        self.finder.find(&preference, &env).await.map_err(|error| unresolved(&error))
    }

    /// The models of everyone who can be asked from this shell.
    pub(super) async fn list(&self, view: &ShellView) -> Result<Vec<ModelList>, Failure> {
        let keys = self.keys()?;
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        Ok(self.finder.list(&self.setup.settings.preference, &env).await)
    }

    /// Tells the person which model answers, where that is news to them.
    pub(super) fn introduce(&mut self, resolved: &Resolved, link: &RequestLink) {
        let (name, host) = (resolved.name(), resolved.host.clone());
        if self.introduced.replace(name.clone()).as_ref() != Some(&name) {
            link.hear(Event::Model(name.clone()));
        }
        match self.host.replace(host.clone()) {
            Some(before) if before != host => link.hear(Event::Notice(format!("now asking {host} ({name})"))),
            Some(_) | None => {}
        }
    }

    /// Read each time: a person may log in while we run.
    fn keys(&self) -> Result<Keys, Failure> {
        let loaded = self.setup.keys.as_deref().map_or_else(|| Ok(Keys::default()), Keys::load);
        loaded.map_err(|error| Failure::new(FailureKind::Setup, error.to_string()))
    }
}
