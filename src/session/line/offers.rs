//! What can be completed in the line.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::input::{Offers, Verb};
use crate::provider::VENDORS;

use crate::session::Session;
use crate::session::companion::{self, Completes, SlashCommand};

/// Entries of a directory that are looked at; with more of them one types on.
const ENTRIES: usize = 5000;

impl Session {
    pub(super) fn offers(&self) -> Offers {
        let verb = |command: &SlashCommand| Verb {
            usage: command.usage(),
            help: command.help.to_owned(),
            arguments: arguments(command.completes),
        };
        let cwd = self.stage.cwd().unwrap_or_default();
        let home = std::env::home_dir();
        Offers {
            verbs: companion::commands().map(verb).collect(),
            recent: self.recent.listed(),
            files: Some(Box::new(move |typed| files(&cwd, home.as_deref(), typed))),
        }
    }
}

fn arguments(completes: Completes) -> Vec<String> {
    match completes {
        Completes::Nothing => Vec::new(),
        Completes::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Completes::Models => {
            let is_ready = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let ready = VENDORS
                .iter()
                .filter(|vendor| vendor.is_local() || vendor.key_variables.iter().any(|key| is_ready(key)));
            ready.flat_map(|vendor| vendor.known_models().map(|model| format!("{}/{model}", vendor.name))).collect()
        }
    }
}

/// The paths that begin with what is typed, as git would see them: an ignored one only if it is asked for by its name.
fn files(cwd: &Path, home: Option<&Path>, typed: &str) -> Vec<String> {
    let (directory, name) = typed.rfind('/').map_or(("", typed), |slash| typed.split_at(slash + 1));
    let place: PathBuf = match (directory.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => cwd.join(directory),
    };
    let walk = WalkBuilder::new(&place)
        .max_depth(Some(1))
        .hidden(!name.starts_with('.'))
        .require_git(false)
        .parents(true)
        .build();
    let entries = walk.flatten().filter(|entry| entry.depth() == 1 && entry.file_name() != ".git");
    let mut found: Vec<String> = entries
        .take(ENTRIES)
        .filter_map(|entry| {
            let entry_name = entry.file_name().to_str()?;
            let is_directory = entry.path().is_dir();
            entry_name
                .starts_with(name)
                .then(|| format!("{directory}{entry_name}{}", if is_directory { "/" } else { "" }))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_as_git_sees_them() {
        let place = tempfile::tempdir().unwrap();
        for file in ["src/main.rs", "src/mod.rs", "a b.txt", ".hidden", "target/out", ".git/config"] {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(place.path().join(".gitignore"), "target\n").unwrap();
        let found = |typed| files(place.path(), Some(place.path()), typed);
        assert_eq!(found(""), ["a b.txt", "src/"]);
        assert_eq!(found("src/m"), ["src/main.rs", "src/mod.rs"]);
        assert_eq!(found("~/sr"), ["~/src/"]);
        assert_eq!(found(".h"), [".hidden"]);
        assert_eq!(found("missing/x"), Vec::<String>::new());
    }
}
