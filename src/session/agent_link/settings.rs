//! The part of the configuration that the agent uses. A saved file applies from the next query.

use crate::agent::{CostLimits, SkillSettings};
use crate::config::{self, Config, Loaded, PermissionSettings, Problem};
use crate::guard::{Grants, Masking, Permissions};
use crate::provider::{Finder, Http, ModelPreference};
use crate::reflex::RulesRole;
use crate::store::ConversationLimits;

use super::AgentSetup;
use super::orders::AgentThread;

/// Settings of the agent.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Settings {
    /// The configured model.
    pub(in crate::session) preference: ModelPreference,
    /// What is masked in addition to known kinds of secrets.
    pub(super) masking: Masking,
    /// The agent's limits.
    pub(super) agent: config::Agent,
    /// How commands are confined.
    pub(super) sandbox: config::SandboxSettings,
    /// What the agent may do.
    pub(super) permissions: PermissionSettings,
    /// When the built-in rules answer.
    pub(super) reflex: RulesRole,
    /// What questions may cost.
    pub(super) costs: CostLimits,
    /// How much of the conversations is kept. `None` if they are not recorded.
    pub(super) conversations: Option<ConversationLimits>,
}

impl Settings {
    pub(in crate::session) fn skills(&self) -> SkillSettings {
        self.agent.skills()
    }

    /// Takes the settings from a configuration. The problems are patterns and rules that cannot be used.
    pub(in crate::session) fn of(config: &Config) -> (Settings, Vec<Problem>) {
        let (masking, mut problems) = config.masking();
        let (permissions, bad_rules) = config.permissions();
        problems.extend(bad_rules);
        problems.extend(config.model_problems());
        let Config { agent, reflex, sandbox, .. } = config;
        let (preference, agent, sandbox) = (config.preference(), agent.clone(), sandbox.clone());
        let (costs, conversations, reflex) = (config.limits.costs(), config.conversation_limits(), *reflex);
        (Settings { preference, masking, agent, sandbox, permissions, reflex, costs, conversations }, problems)
    }
}

impl Settings {
    /// The permissions of a session with these grants.
    pub(super) fn permissions(&self, grants: Grants) -> Permissions {
        let PermissionSettings { rules, modes } = self.permissions.clone();
        Permissions::new(rules, modes, grants)
    }
}

impl AgentSetup {
    /// Uses other settings from here on. The recorder of conversations is shared by the session and the agent's thread.
    pub(in crate::session) fn adopt(&mut self, settings: Settings) {
        self.conversations.adopt(settings.conversations);
        self.settings = settings;
    }
}

impl AgentThread {
    /// Reads the configuration again if it was saved since. Returns its problems, if there are any.
    pub(super) fn renew_settings(&mut self) -> Option<String> {
        if !self.setup.config.has_changed() {
            return None;
        }
        let Loaded { config, mut problems, origins } = self.setup.config.read();
        let (settings, bad_values) = Settings::of(&config);
        problems.extend(bad_values.into_iter().map(|problem| origins.locate(problem)));
        if settings.agent.patience() != self.setup.settings.agent.patience() {
            self.finder = Finder::new(Http::new(settings.agent.patience()));
        }
        self.redactor.set_masking(settings.masking.clone());
        let PermissionSettings { rules, modes } = settings.permissions.clone();
        (self.permissions.rules, self.permissions.modes) = (rules, modes);
        self.permissions.grants.set_days(config.grants.days);
        self.setup.adopt(settings);
        if let Some(paths) = &self.setup.paths {
            self.setup.keeper = config.keeper(paths);
        }
        let first = problems.first()?.to_string();
        let more = problems.len() - 1;
        Some(if more > 0 { format!("{first} (and {more} more; see `shellmate config`)") } else { first })
    }
}
