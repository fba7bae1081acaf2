//! How much the agent may do without a question.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much the agent may do without a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PermissionMode {
    /// Looking is silent, changing asks.
    #[default]
    Ask,
    /// Edits in the project and commands that run confined and offline are silent too, because they can be undone.
    Auto,
    /// Only looking is possible.
    Plan,
}

impl PermissionMode {
    pub(crate) const ALL: [PermissionMode; 3] = [PermissionMode::Ask, PermissionMode::Auto, PermissionMode::Plan];
    pub(crate) const NAMES: [&'static str; 3] = ["ask", "auto", "plan"];

    /// The name, as it is typed and shown.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PermissionMode::Ask => "ask",
            PermissionMode::Auto => "auto",
            PermissionMode::Plan => "plan",
        }
    }

    /// What the mode means, for the person.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            PermissionMode::Ask => "looking is silent, changing asks",
            PermissionMode::Auto => {
                "edits in the project and confined, offline commands are silent, everything else asks"
            }
            PermissionMode::Plan => "only looking is possible",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<PermissionMode> {
        PermissionMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The mode that the person has chosen for a session. Clones share it. Without a choice the settings decide.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModeChoice(Arc<AtomicU8>);

impl ModeChoice {
    /// Chooses a mode, or leaves it to the settings again.
    pub(crate) fn set(&self, mode: Option<PermissionMode>) {
        let number =
            mode.map_or(0, |mode| 1 + PermissionMode::ALL.iter().position(|known| *known == mode).unwrap_or(0));
        self.0.store(u8::try_from(number).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<PermissionMode> {
        usize::from(self.0.load(Ordering::Relaxed))
            .checked_sub(1)
            .and_then(|index| PermissionMode::ALL.get(index))
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_shared_and_can_be_taken_back() {
        let (choice, other) = {
            let choice = ModeChoice::default();
            (choice.clone(), choice)
        };
        assert_eq!(other.get(), None);
        for mode in PermissionMode::ALL {
            choice.set(Some(mode));
            assert_eq!(other.get(), Some(mode));
            assert_eq!(PermissionMode::from_name(mode.name()), Some(mode));
        }
        choice.set(None);
        assert_eq!(other.get(), None);
    }
}
