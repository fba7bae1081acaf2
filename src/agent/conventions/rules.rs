//! The rules that other editors keep in a project.
//!
//! Rules that always apply are sent in full. Others are named with their description, so that the model reads them when they fit.

use std::fs;
use std::path::{Path, PathBuf};

use super::Convention;
use super::find::{FoundConventions, shown};
use crate::text::front_matter::{self, FrontMatter, FrontMatterError};

/// Directories with one rule in each file, and the ending of their names.
const DIRECTORIES: [(&str, &str); 3] = [(".cursor/rules", "mdc"), (".windsurf/rules", "md"), (".clinerules", "md")];
/// Single files, which always apply.
const FILES: [&str; 3] = [".github/copilot-instructions.md", ".clinerules", ".cursorrules"];
/// How many files of one directory are read.
const MOST: usize = 64;

/// A rule with its front matter.
#[derive(Debug, PartialEq, Eq)]
enum ConventionRule {
    /// It always applies.
    Always(String),
    /// It applies where the description fits.
    Described(String),
    /// It applies to certain files only, or is for the person to call.
    Other,
}

/// Adds the rules of a project's root.
pub(super) fn add(root: &Path, found: &mut FoundConventions) {
    for name in FILES {
        let path = root.join(name);
        if path.is_file()
            && let Some(text) = found.read(&path)
        {
            found.files.push(Convention { name: name.to_owned(), text });
        }
    }
    let mut described = Vec::new();
    for path in DIRECTORIES.iter().flat_map(|(directory, ending)| files_in(&root.join(directory), ending)) {
        let name = shown(&path, root);
        let Some(text) = found.read(&path) else { continue };
        match read(&text) {
            Ok(ConventionRule::Always(text)) => found.files.push(Convention { name, text }),
            Ok(ConventionRule::Described(what)) => described.push(format!("- {name}: {what}")),
            Ok(ConventionRule::Other) => {}
            Err(why) => found.problems.push(format!("{name} is not sent: {why}")),
        }
    }
    if !described.is_empty() {
        let text = format!("Read these files when they fit the task:\n{}", described.join("\n"));
        found.files.push(Convention { name: "rules of other editors".to_owned(), text });
    }
}

fn files_in(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|one| one == ending)).take(MOST).collect();
    paths.sort();
    paths
}

/// Reads a rule. A rule without front matter always applies.
fn read(text: &str) -> Result<ConventionRule, FrontMatterError> {
    let Some((matter, body)) = front_matter::split(text)? else {
        return Ok(ConventionRule::Always(text.trim_start_matches('\u{FEFF}').to_owned()));
    };
    let matter = FrontMatter::read(matter)?;
    let always = matter.is_set("alwaysApply") || matter.text("trigger") == Some("always_on");
    Ok(match matter.text("description") {
        _ if always => ConventionRule::Always(body.trim().to_owned()),
        Some(what) => ConventionRule::Described(what.to_owned()),
        None => ConventionRule::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_decides_how_a_rule_is_sent() {
        let always = "---\ndescription: x\nalwaysApply: true\n---\nUse tabs.\n";
        let read = |text| read(text).ok();
        assert_eq!(read(always), Some(ConventionRule::Always("Use tabs.".into())));
        assert_eq!(read("---\ntrigger: always_on\n---\nUse tabs."), Some(ConventionRule::Always("Use tabs.".into())));
        assert_eq!(
            read("---\ndescription: \"How to test\"\n---\nRun it."),
            Some(ConventionRule::Described("How to test".into()))
        );
        assert_eq!(read("---\nglobs: *.rs\n---\nRun it."), Some(ConventionRule::Other));
        assert_eq!(read("Use tabs."), Some(ConventionRule::Always("Use tabs.".into())));
        assert_eq!(read("---\ndescription: x\nUse tabs."), None, "the front matter has no end");
    }
}
