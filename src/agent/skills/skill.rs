//! Reads the front matter of one skill.

use std::path::{Path, PathBuf};

use super::super::regular::{self, TextError};
use crate::text::KIB;
use crate::text::front_matter::{self, FrontMatter, FrontMatterError};

/// Bytes of a file in which its front matter must end.
const HEAD: u64 = 16 * KIB as u64;
/// The most characters of a name and of a description, by the format.
const NAME: usize = 64;
const DESCRIPTION: usize = 1_024;

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skill {
    /// One word.
    pub name: String,
    /// One line.
    pub description: String,
    /// Its `SKILL.md`.
    pub file: PathBuf,
    /// Whether the model is told about it. Otherwise only the person can call it.
    pub is_offered: bool,
}

/// Why a file is not a skill.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotASkill {
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    FrontMatter(#[from] FrontMatterError),
    #[error("it does not begin with front matter")]
    NoFrontMatter,
    #[error("it has no description")]
    NoDescription,
    #[error("it may hold credentials")]
    Credentials,
    #[error("the file must be called SKILL.md")]
    Misnamed,
}

/// What a person should know about a skill or a directory of skills.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SkillProblem {
    #[error("{file} is skipped: {why}")]
    Skipped { file: String, why: NotASkill },
    #[error("{file} is loaded, but {what}")]
    Odd { file: String, what: String },
    #[error("{file} is not used: {by} has the same name")]
    Shadowed { file: String, by: String },
    #[error("{directory} is not searched further: it has too many directories or skills")]
    TooMany { directory: String },
    #[error("{directory} in `skill_paths` does not exist")]
    Missing { directory: String },
}

/// Reads a skill. Returns it with the departures from the format, which are no reason to skip it.
pub(super) fn read(file: &Path) -> Result<(Skill, Vec<String>), NotASkill> {
    let (text, size) = regular::text(file, HEAD)?;
    let (matter, _) = front_matter::split(&text)?.ok_or(match size {
        0 => NotASkill::NoDescription,
        _ => NotASkill::NoFrontMatter,
    })?;
    let matter = FrontMatter::read(matter)?;
    let description = one_line(matter.text("description").ok_or(NotASkill::NoDescription)?);
    let directory = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let mut odd = Vec::new();
    let said = matter.text("name");
    let name = word(said.unwrap_or(&directory));
    match said {
        None => odd.push("it has no name, so the name of its directory is used".to_owned()),
        Some(said) if !is_proper(said) => {
            odd.push(format!("its name should have at most {NAME} lowercase letters, digits and single hyphens"));
        }
        Some(said) if said != directory => odd.push(format!("its name `{name}` is not that of its directory")),
        Some(_) => {}
    }
    let length = description.chars().count();
    if length > DESCRIPTION {
        odd.push(format!("its description has {length} characters; the first {DESCRIPTION} are used"));
    }
    let description = description.chars().take(DESCRIPTION).collect();
    let is_offered = !matter.is_set("disable-model-invocation");
    Ok((Skill { name, description, file: file.to_owned(), is_offered }, odd))
}

/// Whether a name is as the format wants it.
fn is_proper(name: &str) -> bool {
    let is_allowed = |c: char| c == '-' || c.is_alphanumeric() && !c.is_uppercase();
    (1..=NAME).contains(&name.chars().count())
        && name.chars().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// A name that can be typed as one word.
fn word(name: &str) -> String {
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    name.trim().chars().take(NAME).map(|c| if is_odd(c) { '-' } else { c }).collect()
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
