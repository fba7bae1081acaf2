//! One line of `shellmate history --json`.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryEntry {
    pub(crate) id: Value,
    pub(crate) session: Value,
    pub(crate) host: String,
    pub(crate) cwd: String,
    pub(crate) command: String,
    pub(crate) status: Option<i32>,
    pub(crate) started_at: Value,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) output_bytes: u64,
    pub(crate) truncated: bool,
    pub(crate) full_screen: bool,
    pub(crate) spill: Option<String>,
    /// Only from `show`.
    #[serde(default)]
    pub(crate) output: Option<String>,
}

impl HistoryEntry {
    pub(super) fn parse_all(text: &str) -> Vec<HistoryEntry> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        text.lines().map(parse).collect()
    }

    /// The id as it is given to `show` and `forget`.
    pub(crate) fn id(&self) -> String {
        match &self.id {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// The texts and statuses, which is what most tests are about.
pub(crate) fn in_short(records: &[HistoryEntry]) -> Vec<(&str, i32)> {
    records.iter().map(|record| (record.command.as_str(), record.status.unwrap_or(-1))).collect()
}
