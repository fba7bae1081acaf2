//! The settings of the project that the current directory is in, above those of the person.

use std::path::{Path, PathBuf};

use crate::agent::Project;
use crate::config::{Config, Loaded, Origin, Paths, ProjectLines};
use crate::guard::{Grants, Permissions, ProjectSettings, RefusedSetting};

/// The settings of a project, and where they are in its file.
pub(super) struct ProjectLayer {
    settings: ProjectSettings,
    lines: ProjectLines,
}

impl ProjectLayer {
    /// The settings for a directory; `None` if its project brings none.
    pub(super) fn of(directory: &Path, config: &Config, paths: &Paths) -> Option<ProjectLayer> {
        let project = Project::of(directory, &paths.trust_store())?.ok()?;
        let (own, _) = config.permissions();
        let own = Permissions::new(own.rules, own.modes, Grants::default());
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let settings = project.settings(&own, home.as_deref())?;
        let text = project.settings_text().unwrap_or_default();
        Some(ProjectLayer { settings, lines: ProjectLines::of(&Project::settings_file(directory), text) })
    }

    /// Puts what counts above the other files.
    pub(super) fn put_above(&self, loaded: &mut Loaded) {
        if let Some(mode) = self.settings.mode {
            loaded.config.mode = mode;
            loaded.origins.add_project("mode", &self.lines, &[]);
        }
        let entries: Vec<usize> = self.settings.rules.iter().map(|rule| rule.entry).collect();
        if !entries.is_empty() {
            loaded.config.rules.extend(self.settings.rules.iter().map(|rule| rule.rule.text().clone()));
            loaded.origins.add_project("rules", &self.lines, &entries);
        }
    }

    /// The settings that do not count, with their places.
    pub(super) fn refused(&self) -> impl Iterator<Item = (&RefusedSetting, Origin)> {
        let place = |refused: &RefusedSetting| self.lines.origin(refused.key.as_deref(), refused.entry);
        self.settings.refused.iter().map(move |refused| (refused, place(refused)))
    }
}
