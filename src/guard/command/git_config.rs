//! Whether the configuration that git would read makes it run programs.
//!
//! Commands that only look run what `core.fsmonitor`, `filter.*`, `diff.*.textconv` and a few others name. The files are read here without
//! running git, and anything that is not understood counts as a program. The person's own configuration may name programs for a kind of
//! file (`git lfs install` does): these count only if an attribute of the repository asks for them.

use std::fs;
use std::path::{Path, PathBuf};

/// Larger files are not read.
const LARGEST: u64 = 256 * 1024;

/// How many configurations of submodules are read.
const MOST_MODULES: usize = 50;

/// Whose configuration a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Person,
    Repository,
}

/// A setting: section, subsection, name, value.
struct GitSetting {
    section: String,
    subsection: String,
    name: String,
    value: String,
}

/// Succeeds if git in this directory runs no program of the configuration; else says which setting names one.
pub(super) fn runs_nothing(cwd: &Path, home: Option<&Path>) -> Result<(), String> {
    let mut drivers = Vec::new();
    for file in person_files(home) {
        check_file(&file, Owner::Person, &mut drivers)?;
    }
    let Some((worktree, git_dir)) = repository(cwd)? else { return Ok(()) };
    let common = common_dir(&git_dir)?;
    for file in [common.join("config"), git_dir.join("config.worktree"), common.join("config.worktree")] {
        check_file(&file, Owner::Repository, &mut drivers)?;
    }
    for directory in [&git_dir, &common] {
        if directory.join("hooks/post-index-change").exists() {
            return Err("the hook post-index-change".into());
        }
    }
    let attributes = [worktree.join(".gitattributes"), common.join("info/attributes"), cwd.join(".gitattributes")];
    if !drivers.is_empty() {
        for file in attributes {
            check_attributes(&file, &drivers)?;
        }
    }
    check_submodules(&worktree, &common, &mut drivers)
}

fn person_files(home: Option<&Path>) -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/gitconfig")];
    if let Some(home) = home {
        files.push(home.join(".gitconfig"));
        files.push(home.join(".config/git/config"));
    }
    files
}

/// The working tree and the git directory that git finds from here.
fn repository(cwd: &Path) -> Result<Option<(PathBuf, PathBuf)>, String> {
    let cwd = cwd.canonicalize().map_err(|_| "the directory does not exist".to_owned())?;
    for directory in cwd.ancestors() {
        let git = directory.join(".git");
        if git.is_dir() {
            return Ok(Some((directory.to_owned(), git)));
        }
        if git.is_file() {
            let target = linked_dir(&git)?;
            return Ok(Some((directory.to_owned(), target)));
        }
        // A repository without a working tree, which may lie anywhere in the files of another one.
        if directory.join("HEAD").is_file() && directory.join("objects").is_dir() && directory.join("refs").is_dir() {
            return Err(format!("{} is a repository without a working tree", directory.display()));
        }
    }
    Ok(None)
}

/// The directory that a `.git` file names.
fn linked_dir(file: &Path) -> Result<PathBuf, String> {
    let text = contents(file)?;
    let target = text.strip_prefix("gitdir:").map(str::trim).filter(|target| !target.is_empty());
    let base = file.parent().unwrap_or(Path::new("/"));
    target.map(|target| base.join(target)).ok_or_else(|| format!("{} was not understood", file.display()))
}

/// The directory that the working trees of a repository share.
fn common_dir(git_dir: &Path) -> Result<PathBuf, String> {
    let file = git_dir.join("commondir");
    if !file.exists() {
        return Ok(git_dir.to_owned());
    }
    Ok(git_dir.join(contents(&file)?.trim()))
}

fn contents(file: &Path) -> Result<String, String> {
    let size = fs::metadata(file).map(|metadata| metadata.len()).unwrap_or(u64::MAX);
    if size > LARGEST {
        return Err(format!("{} is too large or cannot be read", file.display()));
    }
    fs::read_to_string(file).map_err(|_| format!("{} cannot be read", file.display()))
}

/// Checks a configuration file. Programs of the person's own for a kind of file are added to `drivers`.
fn check_file(file: &Path, owner: Owner, drivers: &mut Vec<String>) -> Result<(), String> {
    if !file.exists() {
        return Ok(());
    }
    let text = contents(file)?;
    let settings = settings(&text).ok_or_else(|| format!("{} was not understood", file.display()))?;
    for setting in settings {
        if setting.names_driver() && owner == Owner::Person {
            drivers.push(setting.subsection.clone());
        } else if setting.runs_program(owner) {
            return Err(format!("{} in {}", setting.display(), file.display()));
        }
    }
    Ok(())
}

impl GitSetting {
    fn display(&self) -> String {
        let subsection = if self.subsection.is_empty() { String::new() } else { format!("{}.", self.subsection) };
        format!("{}.{subsection}{}", self.section, self.name)
    }

    /// A program for files with an attribute.
    fn names_driver(&self) -> bool {
        match self.section.as_str() {
            "filter" => matches!(self.name.as_str(), "clean" | "smudge" | "process"),
            "diff" => matches!(self.name.as_str(), "textconv" | "command") && !self.subsection.is_empty(),
            "merge" => self.name == "driver",
            _ => false,
        }
    }

    fn runs_program(&self, owner: Owner) -> bool {
        let is_off = matches!(self.value.as_str(), "" | "false" | "no" | "off" | "0");
        match (self.section.as_str(), self.name.as_str()) {
            ("core", "fsmonitor") => !is_off,
            ("diff", "external") => !self.value.is_empty(),
            ("log", "showsignature") => !is_off,
            _ if owner == Owner::Person => false,
            ("include" | "includeif", _) => true,
            (
                "core",
                "pager" | "hookspath" | "sshcommand" | "gitproxy" | "editor" | "askpass" | "alternaterefscommand",
            ) => true,
            ("pager" | "alias" | "credential" | "uploadpack", _) => {
                self.value.contains(['!', '/', ' ']) || self.section == "uploadpack"
            }
            ("gpg", "program") => true,
            ("remote", "promisor" | "partialclonefilter" | "vcs" | "uploadpack") => !is_off,
            ("extensions", "partialclone") => true,
            ("trailer", "command" | "cmd") => true,
            _ => self.names_driver(),
        }
    }
}

/// Reads a configuration file. `None` if a line is not understood, or goes on in the next.
fn settings(text: &str) -> Option<Vec<GitSetting>> {
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut found = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let mut rest = line.trim();
        if rest.ends_with('\\') {
            return None;
        }
        if let Some(inner) = rest.strip_prefix('[') {
            let (header, after) = inner.split_once(']')?;
            (section, subsection) = match header.split_once('"') {
                Some((section, quoted)) => (section.trim().to_ascii_lowercase(), quoted.strip_suffix('"')?.to_owned()),
                None => match header.split_once('.') {
                    Some((section, subsection)) => (section.trim().to_ascii_lowercase(), subsection.to_owned()),
                    None => (header.trim().to_ascii_lowercase(), String::new()),
                },
            };
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = rest.split_once('=').unwrap_or((rest, "true"));
        let name = name.split(['#', ';']).next().unwrap_or_default().trim().to_ascii_lowercase();
        if section.is_empty() || name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return None;
        }
        let value = value.trim().trim_matches('"').to_owned();
        found.push(GitSetting { section: section.clone(), subsection: subsection.clone(), name, value });
    }
    Some(found)
}

/// Finds an attribute that asks for one of these programs.
fn check_attributes(file: &Path, drivers: &[String]) -> Result<(), String> {
    if !file.exists() {
        return Ok(());
    }
    let text = contents(file)?;
    let driver = text.split_whitespace().find_map(|word| {
        let (attribute, driver) = word.split_once('=')?;
        let is_driver = matches!(attribute, "filter" | "diff" | "merge") && drivers.iter().any(|known| known == driver);
        is_driver.then_some(word)
    });
    driver.map_or(Ok(()), |word| Err(format!("{word} in {}", file.display())))
}

/// Git looks into submodules with their own configuration.
fn check_submodules(worktree: &Path, common: &Path, drivers: &mut Vec<String>) -> Result<(), String> {
    let modules = common.join("modules");
    let mut pending = if modules.is_dir() { vec![modules] } else { Vec::new() };
    let mut seen = 0;
    while let Some(directory) = pending.pop() {
        seen += 1;
        if seen > MOST_MODULES {
            return Err("there are too many submodules".into());
        }
        if directory.join("HEAD").is_file() {
            check_file(&directory.join("config"), Owner::Repository, drivers)?;
            pending.extend(Some(directory.join("modules")).filter(|nested| nested.is_dir()));
            continue;
        }
        let entries = fs::read_dir(&directory).map_err(|_| format!("{} cannot be read", directory.display()))?;
        pending.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    let file = worktree.join(".gitmodules");
    if !file.exists() {
        return Ok(());
    }
    let listed = settings(&contents(&file)?).ok_or_else(|| format!("{} was not understood", file.display()))?;
    for path in listed.iter().filter(|setting| setting.name == "path") {
        let git = worktree.join(&path.value).join(".git");
        let is_inside = !git.exists()
            || git.is_file()
                && linked_dir(&git)?.canonicalize().is_ok_and(|target| {
                    common.canonicalize().is_ok_and(|common| target.starts_with(common.join("modules")))
                });
        if !is_inside {
            return Err(format!("the submodule {} has a repository of its own", path.value));
        }
    }
    Ok(())
}
