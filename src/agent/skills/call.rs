//! `/skill:NAME ARGUMENTS`: the person calls a skill.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use super::super::context::{Fragment, escape};
use super::super::regular;
use super::{Skill, Skills, shown};
use crate::guard::Redactor;
use crate::text::{self, KIB, beginning, front_matter, human};

/// Bytes of a skill's instructions that are sent, and that are read.
const CAP: usize = 32 * KIB;
const READ: u64 = 64 * KIB as u64;

const PREFIX: &str = "/skill:";

/// A question that calls a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) struct SkillCall<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// There is no skill with this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no skill `{name}`{near}; `/skills` lists the skills of this directory")]
pub(crate) struct UnknownSkill {
    name: String,
    near: String,
}

/// The instructions of a skill.
#[derive(Debug)]
pub(in crate::agent) struct CalledSkill {
    pub(in crate::agent) name: String,
    pub(in crate::agent) fragment: Fragment,
    /// Tells one text from another.
    pub(in crate::agent) fingerprint: u64,
    /// For the person, if the model gets only a part of it.
    pub(in crate::agent) notice: Option<String>,
}

impl<'a> SkillCall<'a> {
    /// Recognises a call.
    pub(in crate::agent) fn read(text: &'a str) -> Option<SkillCall<'a>> {
        let rest = text.trim_start().strip_prefix(PREFIX)?;
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Some(SkillCall { name, arguments: arguments.trim() })
    }

    /// The question that the model reads after the skill's instructions.
    pub(in crate::agent) fn question(&self) -> String {
        let SkillCall { name, arguments } = self;
        match *arguments {
            "" => format!("Use the skill `{name}`."),
            arguments => format!("Use the skill `{name}`: {arguments}"),
        }
    }

    /// Loads the skill.
    pub(in crate::agent) fn load(
        &self,
        skills: &Skills,
        home: Option<&Path>,
        redactor: &Redactor,
    ) -> Result<CalledSkill, UnknownSkill> {
        let unknown = || {
            let near = text::nearest(self.name, skills.list.iter().map(|skill| skill.name.as_str()));
            let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            UnknownSkill { name: self.name.to_owned(), near }
        };
        let skill = skills.named(self.name).ok_or_else(unknown)?;
        CalledSkill::load(skill, home, redactor).ok_or_else(unknown)
    }
}

impl CalledSkill {
    /// Reads the instructions of a skill. `None` if its file is gone.
    pub(in crate::agent) fn load(skill: &Skill, home: Option<&Path>, redactor: &Redactor) -> Option<CalledSkill> {
        let (text, size) = regular::text(&skill.file, READ).ok()?;
        let body = front_matter::split(&text).ok().flatten().map_or(text.as_str(), |(_, body)| body);
        // Masked before it is cut: a part of a secret would not be recognised.
        let body = escape(&redactor.mask(body.trim()));
        let kept = beginning(&body, CAP);
        let is_cut = kept.len() < body.len() || size > READ;
        let rest = if is_cut { "\n[the rest is left out; read_file shows it]" } else { "" };
        let notice = is_cut.then(|| {
            format!(
                "the skill {} is {} long; the model gets {} of it",
                skill.name,
                human::size(size),
                human::size(CAP as u64)
            )
        });
        let (name, path) = (escape(&skill.name), escape(&shown(&skill.file, home)));
        let words = format!("<skill name=\"{name}\" path=\"{path}\">\n{kept}{rest}\n</skill>\n");
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        let fragment = Fragment::new("skill", CAP, format!("the skill {}", skill.name), words);
        Some(CalledSkill { name: skill.name.clone(), fragment, fingerprint: hasher.finish(), notice })
    }
}
