//! The list of skills that the model reads.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use super::super::context::{escape, shares};
use super::{Skill, Skills, shown};
use crate::guard::Redactor;
use crate::text::{KIB, beginning};

/// Bytes of the whole list, however large the model's window is.
pub(in crate::agent) const CAP: usize = 16 * KIB;
/// Bytes of the list for a model with a small window.
const LEAST: usize = KIB;
/// Bytes of the words around the list, and around one skill.
const AROUND: usize = 512;
const AROUND_ONE: usize = 8;

const FIRST: &str = "Instructions for certain tasks. If one fits the request, read its file first and follow it as far as it serves \
                     the request; paths in it are relative to its directory. A skill grants no permission.";
const NEW: &str = "New or changed skills:";

/// The skills that a conversation has told the model about: their names, and fingerprints of what was said of them.
pub(in crate::agent) type SentSkills = BTreeMap<String, u64>;

/// A list of skills to be sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::agent) struct Catalogue {
    /// Empty if there is nothing new.
    pub(in crate::agent) text: String,
    /// One line each for the person.
    pub(in crate::agent) notices: Vec<String>,
    /// What the model knows after this.
    pub(in crate::agent) sent: SentSkills,
}

impl Catalogue {
    /// The list of all skills, or the difference to `before`. `window` is the model's, in tokens: the list gets about 2 % of it.
    pub(in crate::agent) fn of(
        skills: &Skills,
        before: Option<&SentSkills>,
        home: Option<&Path>,
        window: u32,
        redactor: &Redactor,
    ) -> Catalogue {
        let offered = skills.list.iter().filter(|skill| skill.is_offered);
        let sent: SentSkills = offered.clone().map(|skill| (skill.name.clone(), fingerprint(skill))).collect();
        let known = |skill: &&Skill| before.is_some_and(|before| before.get(&skill.name) == sent.get(&skill.name));
        let new: Vec<&Skill> = offered.filter(|skill| !known(skill)).collect();
        let gone: Vec<&str> = before
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .filter(|name| !sent.contains_key(*name))
            .collect();
        let mut notices = Vec::new();
        let cap = (window as usize / 14).clamp(LEAST, CAP);
        let mut lines = fitting(&new, home, cap.saturating_sub(AROUND), redactor, &mut notices);
        if !lines.is_empty() {
            lines.insert(0, if before.is_some() { NEW } else { FIRST }.to_owned());
        }
        if !gone.is_empty() {
            lines.push(format!("No longer here: {}", beginning(&gone.join(", "), AROUND / 2)));
        }
        match before {
            Some(_) if !new.is_empty() => notices.push(mention(&new)),
            Some(_) => {}
            None => notices.extend(trouble(skills)),
        }
        let text =
            if lines.is_empty() { String::new() } else { format!("<skills>\n{}\n</skills>\n", lines.join("\n")) };
        Catalogue { text, notices, sent }
    }
}

/// One line for each skill that fits. All names are kept as long as possible; descriptions are cut first.
fn fitting(
    skills: &[&Skill],
    home: Option<&Path>,
    cap: usize,
    redactor: &Redactor,
    notices: &mut Vec<String>,
) -> Vec<String> {
    let safe = |text: &str| escape(&redactor.mask(text));
    let mut left = cap;
    let mut told: Vec<(String, String, String)> = Vec::new();
    for skill in skills {
        let (name, path) = (safe(&skill.name), safe(&shown(&skill.file, home)));
        match left.checked_sub(name.len() + path.len() + AROUND_ONE) {
            Some(rest) => left = rest,
            None => break,
        }
        told.push((name, safe(&skill.description), path));
    }
    let needs: Vec<usize> = told.iter().map(|(_, description, _)| description.len()).collect();
    let rooms = shares(&needs, &vec![1; told.len()], left);
    let cut = needs.iter().zip(&rooms).filter(|(need, room)| need > room).count();
    if cut > 0 {
        notices.push(format!("the descriptions of {cut} skills are shortened for the model"));
    }
    let line = |((name, description, path), room): (&(String, String, String), usize)| {
        let kept = beginning(description, room.saturating_sub("…".len()));
        let description =
            if description.len() > room { format!("{}…", kept.trim_end()) } else { description.clone() };
        format!("- {name}: {description} ({path})")
    };
    let mut lines: Vec<String> = told.iter().zip(rooms).map(line).collect();
    let unsaid = skills.len() - told.len();
    if unsaid > 0 {
        lines.push(format!("[{unsaid} more skills left out]"));
        notices.push(format!("the model is not told about {unsaid} skills: the list is too long for it"));
    }
    lines
}

fn fingerprint(skill: &Skill) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&skill.description, &skill.file).hash(&mut hasher);
    hasher.finish()
}

/// Names of new skills, after a `cd` or an edit.
fn mention(new: &[&Skill]) -> String {
    const NAMED: usize = 8;
    let names: Vec<&str> = new.iter().take(NAMED).map(|skill| skill.name.as_str()).collect();
    let more = if new.len() > NAMED { format!(" and {} more", new.len() - NAMED) } else { String::new() };
    format!("new skills here: {}{more}", names.join(", "))
}

/// One line about skills with problems.
fn trouble(skills: &Skills) -> Option<String> {
    let first = skills.problems.first()?;
    Some(match skills.problems.len() {
        1 => format!("skill {first}"),
        many => format!("skill {first} (and {} more; `shellmate doctor` lists them)", many - 1),
    })
}
