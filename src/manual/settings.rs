//! The settings, as docs/CONFIG.md describes them.

use super::document;

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentedSetting {
    /// In one line.
    pub(super) description: String,
    /// As it is written in the configuration. `None` for a setting that has no value unless it is set.
    pub(super) default: Option<&'static str>,
}

impl DocumentedSetting {
    /// Finds a setting by its name, such as `history.enabled`.
    pub(super) fn named(name: &str) -> Option<DocumentedSetting> {
        let (table, key) = name.rsplit_once('.').unwrap_or(("", name));
        let heading = if table.is_empty() { "## Top level".to_owned() } else { format!("## `[{table}]`") };
        let mut lines = document("CONFIG.md").lines().skip_while(|line| *line != heading).skip(1);
        let wanted = format!("### `{key}`");
        let mut section = lines.by_ref().take_while(|line| !line.starts_with("## ")).skip_while(|line| *line != wanted);
        section.next()?;
        let section: Vec<&str> = section.take_while(|line| !line.starts_with("### ")).collect();
        let default = section.iter().find_map(|line| line.strip_prefix("Default: `")?.strip_suffix('`'));
        let words = section.iter().take_while(|line| !line.starts_with("Default: "));
        let description = words.map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        Some(DocumentedSetting { description, default })
    }
}
