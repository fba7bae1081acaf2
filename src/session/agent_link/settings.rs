//! The part of the configuration that the agent obeys. A file that was saved counts from the next query.

use crate::agent::SkillSettings;
use crate::config::{self, Config, Loaded, Problem, Stamp};
use crate::guard::Masking;
use crate::provider::{Finder, Http, ModelPreference};
use crate::reflex::RulesRole;

use super::orders::AgentThread;

/// What the configuration says to the agent.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Settings {
    /// The model it asks for.
    pub(in crate::session) preference: ModelPreference,
    /// What is masked beyond the secrets we know.
    pub(super) masking: Masking,
    /// How far the agent may go.
    pub(super) agent: config::Agent,
    /// When the built-in rules speak.
    pub(super) reflex: RulesRole,
}

impl Settings {
    pub(in crate::session) fn skills(&self) -> SkillSettings {
        self.agent.skills()
    }

    /// Takes them from a configuration; the problems are patterns that cannot be used.
    pub(in crate::session) fn of(config: &Config) -> (Settings, Vec<Problem>) {
        let (masking, problems) = config.masking();
        let Config { model, agent, reflex, .. } = config;
        (Settings { preference: model.preference(), masking, agent: agent.clone(), reflex: *reflex }, problems)
    }
}

impl AgentThread {
    /// Reads the configuration again if it was saved since. What is wrong with it, if anything.
    pub(super) fn renew_settings(&mut self) -> Option<String> {
        let stamp = Stamp::of(self.setup.config.as_deref());
        if stamp == self.setup.stamp {
            return None;
        }
        let Loaded { config, mut problems, stamp } = Config::load(self.setup.config.as_deref());
        let (settings, bad_masks) = Settings::of(&config);
        problems.extend(bad_masks);
        if settings.agent.patience() != self.setup.settings.agent.patience() {
            self.finder = Finder::new(Http::new(settings.agent.patience()));
        }
        self.redactor.set_masking(settings.masking.clone());
        (self.setup.settings, self.setup.stamp) = (settings, stamp);
        let first = problems.first()?.to_string();
        let more = problems.len() - 1;
        Some(if more > 0 { format!("{first} (and {more} more; see `shellmate config`)") } else { first })
    }
}
