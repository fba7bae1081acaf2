//! Completions of the conversation line.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;

use ignore::WalkBuilder;

use crate::agent::{Skill, Skills};
use crate::input::{FoundPath, FoundReferences, Offers, RecentCommand, Verb};
use crate::provider::{self, Keys, WithKeys};
use crate::store::{History, HistoryEntry};
use crate::text::{human, sanitize};

use crate::session::Session;
use crate::session::agent_link::{self, Completes, SlashCommand, find_own_commands, own_usage};
use crate::session::errands::Done;
use crate::session::floor::{Effect, LineEvent};

/// The most entries of a directory that are looked at. If there are more, the person has to type more.
const ENTRIES: usize = 5000;
/// The most recorded commands that are offered.
const COMMANDS: usize = 5;
/// Extensions of image files.
const PICTURES: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

impl Session {
    pub(in crate::session) fn offers(&mut self) -> Offers {
        let models = self.model_names();
        let verb = |command: &SlashCommand| Verb {
            usage: command.usage(),
            help: command.help.to_owned(),
            arguments: arguments(command.completes, &models),
        };
        let verbs = agent_link::commands().map(verb).collect();
        Offers { verbs, late: self.skill_verbs(), recent: self.books.recent.listed() }
    }

    /// Searches for paths that start with the typed text, and for commands with these words. A thread does it, because a disk may
    /// be slow.
    pub(in crate::session) fn find_files(&mut self, typed: String) -> Vec<Effect> {
        let cwd = self.books.cwd().map(ToOwned::to_owned).unwrap_or_default();
        let (wanted, history) = (typed.clone(), self.agent.setup.places.history.clone());
        let find = move || {
            let paths = files(&cwd, std::env::home_dir().as_deref(), &wanted);
            let found = FoundReferences { paths, commands: commands(history.as_deref(), &wanted) };
            Some(Done::Files { typed: wanted, found })
        };
        match self.errands.run("files", find) {
            true => Vec::new(),
            false => self.tell_floor(LineEvent::Found { typed, found: FoundReferences::default() }),
        }
    }
}

/// The most characters of a skill's description in the list.
const DESCRIPTION: usize = 100;

impl Session {
    /// The person's own commands and the skills of the shell's directory as commands. A thread reads them from files; until it has finished there are none.
    fn skill_verbs(&mut self) -> Arc<OnceLock<Vec<Verb>>> {
        let exported = self.hook.workspace.environment();
        let (places, settings) = (Arc::clone(&self.agent.setup.places), self.agent.setup.settings.skills());
        let cwd = self.books.cwd().map(ToOwned::to_owned).unwrap_or_default();
        let trust = self.agent.setup.trust.clone();
        let verbs = Arc::new(OnceLock::new());
        let found = Arc::clone(&verbs);
        let verb = |skill: Skill| Verb {
            usage: format!("/skill:{} [ARGUMENTS]", sanitize(&skill.name)),
            help: sanitize(&skill.description).chars().take(DESCRIPTION).collect(),
            arguments: Arc::default(),
        };
        let find = move || {
            let environment = exported.wait();
            let home = environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
            let skills = Skills::find(&cwd, places.config.as_deref(), home.as_deref(), &settings);
            let commands = find_own_commands(&cwd, home.as_deref(), places.config.as_deref(), &trust);
            let own = commands.list.iter().map(|command| Verb {
                usage: own_usage(command),
                help: command.description.chars().take(DESCRIPTION).collect(),
                arguments: Arc::default(),
            });
            let _ = found.set(own.chain(skills.list.into_iter().map(verb)).collect());
        };
        if let Err(error) = thread::Builder::new().name("skills".into()).spawn(find) {
            tracing::debug!(%error, "skills cannot be completed");
        }
        verbs
    }

    /// The names of the models that can be used from the live shell, as far as they are known without a request. A thread reads
    /// the file of stored keys; until it has finished there are no names.
    fn model_names(&mut self) -> Arc<OnceLock<Vec<String>>> {
        let (exported, preference) = (self.hook.workspace.environment(), self.agent.setup.settings.preference.clone());
        let keys = self.agent.setup.keys.clone();
        let names = Arc::new(OnceLock::new());
        let found = Arc::clone(&names);
        let find = move || {
            let environment = exported.wait();
            let exported = |name: &str| {
                let (_, value) = environment.iter().find(|(known, _)| known == name)?;
                value.to_str().map(str::to_owned)
            };
            let keys = keys.as_deref().and_then(|path| Keys::load(path).ok()).unwrap_or_default();
            let _ = found.set(provider::known_names(&preference, &WithKeys { exported, keys: &keys }));
        };
        if let Err(error) = thread::Builder::new().name("models".into()).spawn(find) {
            tracing::debug!(%error, "model names cannot be completed");
        }
        names
    }
}

fn arguments(completes: Completes, models: &Arc<OnceLock<Vec<String>>>) -> Arc<OnceLock<Vec<String>>> {
    match completes {
        Completes::Nothing => Arc::default(),
        Completes::Words(words) => {
            Arc::new(OnceLock::from(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()))
        }
        Completes::Models => Arc::clone(models),
    }
}

/// The recorded commands with these words, best first.
fn commands(history: Option<&Path>, words: &str) -> Vec<RecentCommand> {
    let found = history.map(|path| History::open(path)?.meant(words, COMMANDS)).transpose();
    let found = found.inspect_err(|error| tracing::debug!(%error, "commands cannot be completed")).ok().flatten();
    let command = |entry: HistoryEntry| {
        let text = String::from_utf8_lossy(&entry.command).chars().take(DESCRIPTION).collect();
        RecentCommand { id: entry.id, text }
    };
    found.unwrap_or_default().into_iter().map(command).collect()
}

/// What is sent if a file is attached.
fn help(path: &Path) -> String {
    let is_picture = path.extension().and_then(|end| end.to_str()).is_some_and(|end| PICTURES.contains(&end));
    let size = path.metadata().map(|about| human::size(about.len())).unwrap_or_default();
    if is_picture { format!("picture, {size}") } else { size }
}

/// The paths that start with the typed text. Paths that git ignores are left out unless they are typed by name.
fn files(cwd: &Path, home: Option<&Path>, typed: &str) -> Vec<FoundPath> {
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
    let mut found: Vec<FoundPath> = entries
        .take(ENTRIES)
        .filter_map(|entry| {
            let entry_name = entry.file_name().to_str()?;
            if !entry_name.starts_with(name) {
                return None;
            }
            let is_directory = entry.path().is_dir();
            let (slash, help) = if is_directory { ("/", "directory".to_owned()) } else { ("", help(entry.path())) };
            let path = format!("{directory}{entry_name}{slash}");
            Some(FoundPath { path, help })
        })
        .collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_git_ignores_are_left_out() {
        let place = tempfile::tempdir().unwrap();
        for file in ["src/main.rs", "src/mod.rs", "a b.txt", ".hidden", "target/out", ".git/config"] {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(place.path().join(".gitignore"), "target\n").unwrap();
        let found = |typed| -> Vec<String> {
            files(place.path(), Some(place.path()), typed).into_iter().map(|found| found.path).collect()
        };
        assert_eq!(found(""), ["a b.txt", "src/"]);
        assert_eq!(found("src/m"), ["src/main.rs", "src/mod.rs"]);
        assert_eq!(help(&place.path().join("src/main.rs")), "0 B");
        assert_eq!(found("~/sr"), ["~/src/"]);
        assert_eq!(found(".h"), [".hidden"]);
        assert_eq!(found("missing/x"), Vec::<String>::new());
    }
}
