//! Agent Skills: instructions for certain tasks, each a directory with a `SKILL.md`.
//!
//! The model reads only the name, the description and the path of each skill. It reads the instructions themselves with `read_file`, or
//! the person sends them with `/skill:NAME`. Skills are somebody else's words: they are sent as data with their origin, in bounded size,
//! with secrets masked. Nothing in them is executed, and they grant nothing, whatever their `allowed-tools` says.

mod call;
mod catalogue;
mod find;
mod skill;

use std::path::{Path, PathBuf};

pub(crate) use call::UnknownSkill;
pub(super) use call::{CalledSkill, SkillCall};
pub(super) use catalogue::{CAP, Catalogue, SentSkills};
pub(crate) use skill::{Skill, SkillProblem};

/// The settings of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillSettings {
    /// Whether skills are looked for.
    pub is_on: bool,
    /// More directories with skills. `~` is the home directory.
    pub paths: Vec<PathBuf>,
}

impl Default for SkillSettings {
    fn default() -> SkillSettings {
        SkillSettings { is_on: true, paths: Vec::new() }
    }
}

/// The skills that can be used in a directory.
#[derive(Debug, Default)]
pub(crate) struct Skills {
    /// Those of the project first. Each name is there once.
    pub list: Vec<Skill>,
    /// What was skipped or is odd, for the person.
    pub problems: Vec<SkillProblem>,
}

impl Skills {
    /// Finds the skills of a directory. `own` is the person's configuration directory.
    pub(crate) fn find(cwd: &Path, own: Option<&Path>, home: Option<&Path>, settings: &SkillSettings) -> Skills {
        if settings.is_on { find::all(cwd, own, home, &settings.paths) } else { Skills::default() }
    }

    /// The skill with this name.
    fn named(&self, name: &str) -> Option<&Skill> {
        self.list.iter().find(|skill| skill.name == name)
    }
}

/// A path as a person or a model reads it, with `~` for the home directory.
pub(crate) fn shown(path: &Path, home: Option<&Path>) -> String {
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    let short = below.map_or_else(|| path.to_owned(), |below| Path::new("~").join(below));
    short.to_string_lossy().replace(char::is_control, "\u{FFFD}")
}

#[cfg(test)]
mod tests;
