//! Settings of what the terminal shows beside the screen: notifications, title, progress.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parse;

/// What your terminal shows beside the screen while a query runs and when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct TerminalSettings {
    /// How you are told that an answer is ready, or that a question waits for you, while the terminal is not in focus or the query
    /// runs in the background: `auto` (a desktop notification if the terminal is known to show them, else the bell), `bell`, `osc`
    /// (always a notification) or `off`. The text never contains your question.
    #[schemars(extend("default" = "auto"))]
    pub notify: NotifyMode,
    /// How many seconds a query has to take before its end is notified.
    #[serde(deserialize_with = "parse::whole_number")]
    pub notify_after: u64,
    /// Whether the title of the window says that a query is running, on terminals that can restore the title afterwards.
    pub title: bool,
    /// Whether a running query is shown as progress in the tab or taskbar, on terminals that are known to show it.
    pub progress: bool,
}

/// How the person is told that an answer is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NotifyMode {
    #[default]
    Auto,
    Bell,
    Osc,
    Off,
}

impl Default for TerminalSettings {
    fn default() -> Self {
        Self { notify: NotifyMode::default(), notify_after: 10, title: true, progress: true }
    }
}

impl TerminalSettings {
    pub(crate) fn least_duration(&self) -> Duration {
        Duration::from_secs(self.notify_after)
    }
}
