//! What questions may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dollars::Dollars;
use super::{Config, Problem};
use crate::agent::CostLimits;

/// What questions may cost, in US dollars. 0 is no limit. A model whose price is unknown does not count, and a line says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct LimitSettings {
    /// The most that one question may cost. An answer that reaches it makes no further call.
    pub query: Dollars,
    /// The most that the questions of a day may cost. Once it is reached, no model is asked until midnight.
    pub day: Dollars,
    /// The most that the questions of a calendar month may cost.
    pub month: Dollars,
}

impl Config {
    /// Limits that cannot be kept, because nothing is recorded that could be added up.
    pub(super) fn limit_problems(&self) -> Option<Problem> {
        let is_recording = self.history.enabled && self.conversations.enabled;
        let limits = [("limits.day", self.limits.day), ("limits.month", self.limits.month)];
        let (key, _) = limits.into_iter().find(|(_, limit)| !is_recording && limit.micros() > 0)?;
        let message = "it needs recorded questions; set history.enabled and conversations.enabled to true";
        Some(Problem::new(message).key(key))
    }
}

impl LimitSettings {
    pub(crate) fn costs(&self) -> CostLimits {
        CostLimits { query: self.query.micros(), day: self.day.micros(), month: self.month.micros() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_days_needs_the_history() {
        let problem = |text: &str| Config::parse(text).config.limit_problems().map(|problem| problem.to_string());
        assert_eq!(problem("[limits]\nday = 5"), None);
        assert_eq!(problem("[limits]\nquery = 5\n[history]\nenabled = false"), None);
        let said = problem("[limits]\nmonth = 5\n[conversations]\nenabled = false").unwrap();
        assert!(said.starts_with("limits.month: it needs recorded questions"), "{said}");
    }
}
