//! Chooses the model: for every query, from the live shell's environment.

use std::ffi::{OsStr, OsString};

use crate::agent::{Front, ShellView, unpriced, unresolved};
use crate::chat::{Event, Failure, FailureKind, Usage};
use crate::guard::PermissionMode;
use crate::provider::{Keys, ModelList, ModelOverview, ModelPreference, Resolved, WithKeys};

use super::RequestLink;
use super::orders::AgentThread;

/// The environment variable that names a model.
pub(super) const MODEL_VARIABLE: &str = "SHELLMATE_MODEL";

/// A variable that the shell exports.
fn exported(environment: &[(OsString, OsString)], name: &str) -> Option<String> {
    let (_, value) = environment.iter().find(|(known, _)| known == OsStr::new(name))?;
    value.to_str().map(str::to_owned)
}

impl AgentThread {
    /// Notices what has changed since the last order: the configuration, and the model that the shell names.
    pub(super) fn catch_up(&mut self, view: &ShellView, link: &RequestLink) {
        if let Some(problem) = self.renew_settings() {
            link.hear(Event::Notice(problem));
        }
        let named = exported(&view.environment, MODEL_VARIABLE);
        // The latest choice counts, whether it was made by `/model` or by the variable.
        if self.named.replace(named.clone()).is_some_and(|before| before != named) {
            self.preference = ModelPreference::default();
        }
    }

    /// Finds the model for a preference, with this shell's environment.
    pub(super) async fn resolve(
        &mut self,
        preference: &ModelPreference,
        view: &ShellView,
    ) -> Result<Option<Resolved>, Failure> {
        let keys = self.keys()?;
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        let settings = self.settings_here(view);
        let preference = self.for_mode(preference, &settings, view).or(&settings, &env);
        self.finder.find(&preference, &env).await.map_err(|error| unresolved(&error))
    }

    /// The configured model and what may be asked, in the directory of the shell.
    pub(super) fn settings_here(&self, view: &ShellView) -> ModelPreference {
        self.setup.settings.preference.within(&view.cwd, view.home())
    }

    /// The preference with the model for plan mode, if the shell is in that mode and the person has not chosen a model.
    fn for_mode(&self, preference: &ModelPreference, settings: &ModelPreference, view: &ShellView) -> ModelPreference {
        let plan = settings.roles.plan.clone().filter(|_| self.is_planning(view));
        ModelPreference { model: preference.model.clone().or(plan), ..preference.clone() }
    }

    /// Whether the shell is in plan mode.
    pub(super) fn is_planning(&self, view: &ShellView) -> bool {
        self.permissions.mode(&view.cwd, view.home()) == PermissionMode::Plan
    }

    /// The models to pick from.
    pub(super) async fn overview(&mut self, view: &ShellView) -> ModelOverview {
        let keys = self.keys().unwrap_or_default();
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        let settings = self.settings_here(view);
        self.finder.overview(&settings, &env, self.setup.models.clone()).await
    }

    /// The model for requests beside the conversation, if the configuration names one that can be asked here.
    pub(super) async fn fast_model(&mut self, view: &ShellView, link: &RequestLink) -> Option<Resolved> {
        let settings = self.settings_here(view);
        let model = Some(settings.roles.fast.clone()?);
        let keys = self.keys().ok()?;
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        let preference = ModelPreference { model: model.clone(), ..ModelPreference::default() }.or(&settings, &env);
        let trouble = match self.finder.find_beside(&preference, &env).await {
            Ok(found) => return found.filter(|found| self.may_ask(found)),
            Err(error) => format!("the model in `model.fast` is not used: {error}"),
        };
        if self.told.fast.replace(trouble.clone()).as_ref() != Some(&trouble) {
            link.hear(Event::Notice(trouble));
        }
        None
    }

    /// Says once for each model that its price is unknown, if costs are limited.
    pub(super) fn mention_price(&mut self, model: &str, usage: Usage, link: &RequestLink) {
        let is_unknown = usage.cost.is_none() && usage.input + usage.output > 0;
        if is_unknown && self.setup.settings.costs.is_set() && self.told.unpriced.insert(model.to_owned()) {
            link.hear(Event::Notice(unpriced(model)));
        }
    }

    /// The models of all providers that can be used from this shell.
    pub(super) async fn list(&mut self, view: &ShellView) -> Result<Vec<ModelList>, Failure> {
        let keys = self.keys()?;
        let env = WithKeys { exported: |name: &str| exported(&view.environment, name), keys: &keys };
        let settings = self.settings_here(view);
        Ok(self.finder.list(&settings, &env).await)
    }

    /// Shows which model answers, unless the person has seen it before.
    pub(super) fn introduce(&mut self, resolved: &Resolved, link: &RequestLink) {
        let (name, host) = (resolved.name(), resolved.host.clone());
        if self.told.model.replace(name.clone()).as_ref() != Some(&name) {
            link.hear(Event::Model(name.clone()));
        }
        match self.told.host.replace(host.clone()) {
            Some(before) if before != host => link.hear(Event::Notice(format!("now asking {host} ({name})"))),
            Some(_) | None => {}
        }
    }

    /// The keys are read each time, because the person may log in at any time.
    fn keys(&self) -> Result<Keys, Failure> {
        let loaded = self.setup.keys.as_deref().map_or_else(|| Ok(Keys::default()), Keys::load);
        loaded.map_err(|error| Failure::new(FailureKind::Setup, error.to_string()))
    }
}
