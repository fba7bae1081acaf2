//! Finds the directories with skills.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::skill::{self, NotASkill, Skill, SkillProblem};
use super::{Skills, shown};
use crate::guard;
use crate::repository;

const FILE: &str = "SKILL.md";
/// Directories with skills below each directory of a project, and below the home directory.
const PLACES: [&str; 2] = [".agents/skills", ".claude/skills"];
/// How deep below such a directory a skill may be.
const DEPTH: usize = 6;
/// How many directories are looked at, and how many skills are read: once for the project, once for the person's own.
const DIRECTORIES: usize = 2_000;
const SKILLS: usize = 300;
/// How many entries of one directory are looked at.
const ENTRIES: usize = 2_000;

/// All skills that can be used in a directory. Of two with the same name the first counts: the project's before the person's own, and
/// the nearer directory's before the outer one's.
pub(super) fn all(cwd: &Path, own: Option<&Path>, home: Option<&Path>, configured: &[PathBuf]) -> Skills {
    let mut search =
        SkillSearch { project: repository::root_or(cwd), home, found: Skills::default(), seen: HashSet::new() };
    let below = |directory: &Path| PLACES.map(|place| directory.join(place));
    search.walk(repository::directories(cwd).into_iter().flat_map(below));
    let configured: Vec<PathBuf> = configured.iter().map(|path| expanded(path, home)).collect();
    let missing = configured.iter().filter(|path| !path.is_dir());
    let missing = missing.map(|path| SkillProblem::Missing { directory: shown(path, home) });
    search.found.problems.extend(missing);
    let own = own.map(|own| own.join("skills")).into_iter();
    search.walk(own.chain(home.into_iter().flat_map(below)).chain(configured));
    search.found
}

/// A path with `~` for the home directory.
fn expanded(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

/// A search in progress.
struct SkillSearch<'a> {
    project: &'a Path,
    home: Option<&'a Path>,
    found: Skills,
    /// The directories so far by their real paths, so that a link back is not followed for ever.
    seen: HashSet<PathBuf>,
}

/// What a directory has that matters here.
struct SkillListing {
    /// Its file with a skill, whatever the letters' case.
    file: Option<OsString>,
    /// Directories and links, in the order of their names.
    inner: Vec<OsString>,
}

impl SkillSearch<'_> {
    /// Looks for skills below these directories, the outermost first. A skill's own directory is not searched further.
    fn walk(&mut self, roots: impl Iterator<Item = PathBuf>) {
        let (mut directories, most) = (0, self.found.list.len() + SKILLS);
        for root in roots {
            let mut open = VecDeque::from([(root.clone(), 0)]);
            while let Some((directory, depth)) = open.pop_front() {
                let Ok(real) = directory.canonicalize() else { continue };
                if !real.is_dir() || !self.seen.insert(real) {
                    continue;
                }
                directories += 1;
                if directories > DIRECTORIES || self.found.list.len() >= most {
                    let directory = shown(&root, self.home);
                    self.found.problems.push(SkillProblem::TooMany { directory });
                    return;
                }
                let listing = list(&directory);
                match listing.file {
                    Some(name) => self.add(&directory.join(name)),
                    None if depth < DEPTH => {
                        open.extend(listing.inner.iter().map(|name| (directory.join(name), depth + 1)));
                    }
                    None => {}
                }
            }
        }
    }

    fn add(&mut self, file: &Path) {
        let name = shown(file, self.home);
        match self.read(file) {
            Err(why) => self.found.problems.push(SkillProblem::Skipped { file: name, why }),
            Ok((skill, odd)) => match self.found.named(&skill.name) {
                Some(first) => {
                    let by = shown(&first.file, self.home);
                    self.found.problems.push(SkillProblem::Shadowed { file: name, by });
                }
                None => {
                    let odd = odd.into_iter().map(|what| SkillProblem::Odd { file: name.clone(), what });
                    self.found.problems.extend(odd);
                    self.found.list.push(skill);
                }
            },
        }
    }

    fn read(&self, file: &Path) -> Result<(Skill, Vec<String>), NotASkill> {
        if file.file_name().is_none_or(|name| name != FILE) {
            return Err(NotASkill::Misnamed);
        }
        // The file may be a link to something that is no skill.
        let real = file.canonicalize().map_err(|error| NotASkill::Text(error.into()))?;
        if guard::holds_credentials(&real, self.project, self.home) {
            return Err(NotASkill::Credentials);
        }
        skill::read(file)
    }
}

/// Lists a directory. Hidden directories and the packages of a package manager are left out.
fn list(directory: &Path) -> SkillListing {
    let mut listing = SkillListing { file: None, inner: Vec::new() };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten().take(ENTRIES) {
        let (name, kind) = (entry.file_name(), entry.file_type());
        let is_hidden = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
        if name.eq_ignore_ascii_case(FILE) && (name == FILE || listing.file.is_none()) {
            listing.file = Some(name);
        } else if !is_hidden && kind.is_ok_and(|kind| kind.is_dir() || kind.is_symlink()) {
            listing.inner.push(name);
        }
    }
    listing.inner.sort();
    listing
}
