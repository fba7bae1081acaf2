//! What a project's `.shellmate` directory brings to an answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Kit, own_commands, shown_path};
use crate::guard::{
    PermissionMode, Permissions, ProjectFiles, ProjectFilesError, ProjectSettings, TrustError, TrustState, TrustStore,
};
use crate::hook::HookSet;
use crate::text;

/// The most lines about hooks and files in a question.
const MOST_LINES: usize = 20;
/// The most bytes of such a line.
const WIDEST: usize = 200;

const HOOKS: &str = "hooks.json";
const SETTINGS: &str = "config.toml";
/// The directory of commands.
const COMMANDS: &str = "commands/";

/// A project with a `.shellmate` directory.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    files: ProjectFiles,
    state: TrustState,
}

/// What a project adds to a kit.
#[derive(Debug, Default)]
pub(crate) struct ProjectParts {
    pub hooks: HookSet,
    /// What was left out, for the person.
    pub notices: Vec<String>,
}

impl Project {
    /// The project that a directory is in. `None` if it brings nothing.
    pub(crate) fn of(directory: &Path, store: &TrustStore) -> Option<Result<Project, ProjectFilesError>> {
        let files = ProjectFiles::of(directory)?;
        Some(files.map(|files| Project { state: store.state(&files), files }))
    }

    /// The configuration file of the project that a directory is in, whether it exists or not.
    pub(crate) fn settings_file(directory: &Path) -> PathBuf {
        ProjectFiles::place(directory).join(SETTINGS)
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.state == TrustState::Trusted
    }

    pub(crate) fn root(&self) -> &Path {
        self.files.root()
    }

    /// The files with commands, by their paths below the directory of commands.
    pub(super) fn command_files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let below = |name: &'_ str| name.strip_prefix(COMMANDS).is_some_and(|rest| rest.ends_with(".md"));
        let files = self.files.names().filter(move |name| below(name));
        files.filter_map(|name| Some((name.strip_prefix(COMMANDS)?, self.files.file(name)?)))
    }

    /// The path of such a file for people.
    pub(super) fn shown_command(&self, name: &str, home: Option<&Path>) -> String {
        shown_path(&self.files.directory().join(own_commands::DIRECTORY).join(name), home)
    }

    /// Whether another value is the same project with the same contents.
    pub(crate) fn is_same(&self, other: &Project) -> bool {
        self.files == other.files
    }

    /// Trusts the project as it is now.
    pub(crate) fn trust(&mut self, store: &TrustStore) -> Result<(), TrustError> {
        // The person has agreed, even if that cannot be kept.
        self.state = TrustState::Trusted;
        store.trust(&self.files)
    }

    /// What the directory brings, or what has changed since it was trusted, as lines for the person.
    pub(crate) fn description(&self, home: Option<&Path>) -> String {
        let directory = shown_path(&self.files.directory(), home);
        match &self.state {
            TrustState::Changed(lines) => {
                format!("{directory} has changed since you trusted it:\n{}", indented(lines.iter().cloned()))
            }
            TrustState::New | TrustState::Trusted => format!("{directory} brings:\n{}", indented(self.parts())),
        }
    }

    /// One line for each part.
    fn parts(&self) -> impl Iterator<Item = String> {
        let mut lines = Vec::new();
        if let Some(text) = self.files.file(HOOKS) {
            let (hooks, problems) = HookSet::parse(text, HOOKS);
            lines.push("programs that run on your machine (hooks.json):".to_owned());
            lines.extend(hooks.described().into_iter().map(|line| format!("  {line}")));
            lines.extend(problems.iter().map(|problem| format!("  {problem}")));
        }
        if let Some(text) = self.files.file(SETTINGS) {
            let settings = ProjectSettings::parse(text, SETTINGS);
            let mode = settings.mode.map(|mode| format!("mode {}", mode.name()));
            let rules = settings.rules.iter().map(|rule| rule.rule.to_string());
            lines.push("settings (config.toml):".to_owned());
            lines.extend(mode.into_iter().chain(rules).chain(settings.problems()).map(|line| format!("  {line}")));
        }
        let of_skill = |name: &str| Some(name.strip_prefix("skills/")?.split('/').next()?.to_owned());
        let skills: BTreeSet<String> = self.files.names().filter_map(of_skill).collect();
        if !skills.is_empty() {
            lines.push(format!("skills: {}", skills.into_iter().collect::<Vec<_>>().join(", ")));
        }
        let commands: Vec<String> = self
            .command_files()
            .map(|(name, _)| format!("/{}", name.trim_end_matches(".md").replace('/', ":")))
            .collect();
        if !commands.is_empty() {
            lines.push(format!("commands: {}", commands.join(", ")));
        }
        let is_known = |name: &str| name.starts_with("skills/") || name.starts_with(COMMANDS) && name.ends_with(".md");
        let is_other = |name: &&str| !is_known(name) && ![HOOKS, SETTINGS].contains(name);
        let others: Vec<&str> = self.files.names().filter(is_other).collect();
        if !others.is_empty() {
            lines.push(format!("other files: {}", others.join(", ")));
        }
        lines.into_iter()
    }

    /// Adds to a kit what the project may bring: everything once it is trusted, until then only what narrows. Returns the hooks.
    pub(crate) fn add_to(&self, kit: &mut Kit, home: Option<&Path>) -> ProjectParts {
        let mut parts = ProjectParts::default();
        let name = |file: &str| shown_path(&self.files.directory().join(file), home);
        if let Some(settings) = self.settings(&kit.permissions, home) {
            parts.notices.extend(settings.problems().map(|problem| bounded(&problem)));
            kit.permissions.project = Arc::new(settings.rules.into_iter().map(|rule| rule.rule).collect());
            let mode = settings.mode.map(|mode| (self.files.root().to_owned(), mode));
            Arc::make_mut(&mut kit.permissions.modes).directories.extend(mode);
        }
        if !self.is_trusted() {
            return parts;
        }
        if let Some(text) = self.files.file(HOOKS) {
            let (hooks, problems) = HookSet::parse(text, &name(HOOKS));
            parts.notices.extend(problems.iter().map(|problem| bounded(&problem.to_string())));
            parts.hooks = hooks;
        }
        if let Some(skills) = self.skills() {
            Arc::make_mut(&mut kit.skills).paths.insert(0, skills);
        }
        parts
    }

    /// The directory of the project's skills, if it brings any. They are used only once the project is trusted.
    pub(crate) fn skills(&self) -> Option<PathBuf> {
        self.files.has_skills().then(|| self.files.directory().join("skills"))
    }

    /// The settings that count: all once the project is trusted, until then only what narrows. `own` are those of the person. `None`
    /// if the project has no settings.
    pub(crate) fn settings(&self, own: &Permissions, home: Option<&Path>) -> Option<ProjectSettings> {
        let name = shown_path(&self.files.directory().join(SETTINGS), home);
        let settings = ProjectSettings::parse(self.files.file(SETTINGS)?, &name);
        let mut settings = if self.is_trusted() { settings } else { settings.narrowing() };
        let root = self.files.root();
        // A mode that the person has set for this directory is not loosened.
        let is_set = own.modes.directories.iter().any(|(directory, _)| within(root, directory, home));
        let is_stricter = |mode: PermissionMode| strictness(mode) > strictness(own.set_mode(root, home));
        if is_set && !settings.mode.is_some_and(is_stricter) {
            settings.overrule_mode();
        }
        Some(settings)
    }

    /// The text of the project's settings.
    pub(crate) fn settings_text(&self) -> Option<&str> {
        self.files.file(SETTINGS).and_then(|text| std::str::from_utf8(text).ok())
    }
}

/// Whether a directory is below one of the settings, which may begin with `~`.
fn within(root: &Path, directory: &Path, home: Option<&Path>) -> bool {
    match (directory.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => root.starts_with(home.join(below)),
        _ => root.starts_with(directory),
    }
}

fn strictness(mode: PermissionMode) -> u8 {
    match mode {
        PermissionMode::Auto => 0,
        PermissionMode::Ask => 1,
        PermissionMode::Plan => 2,
    }
}

/// The lines of a stranger below a heading: one row each, bounded, without control characters.
fn indented(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.map(|line| format!("  {}", bounded(&line))).collect();
    if lines.len() > 2 * MOST_LINES {
        let more = lines.len() - (2 * MOST_LINES - 1);
        lines.truncate(2 * MOST_LINES - 1);
        lines.push(format!("  … and {more} more lines"));
    }
    lines.join("\n")
}

fn bounded(line: &str) -> String {
    let line = text::sanitize(line).replace(['\n', '\t'], " ");
    match text::beginning(&line, WIDEST) {
        whole if whole.len() == line.len() => line,
        cut => format!("{cut}…"),
    }
}
