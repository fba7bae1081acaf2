//! Collects the facts about the machine.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{AccessFlags, User, access, geteuid};

use crate::agent::{Skills, shown_path};
use crate::config::{Config, Loaded, Paths};
use crate::host::HostError;
use crate::store::StoreError;

use super::facts::{
    ChosenShell, ConfigFile, DatabaseFacts, DirectoryCondition, DirectoryFacts, Facts, InstalledShell, NEEDED,
    SkillFacts, TerminalFacts,
};

/// How long a shell may take to print its version.
const VERSION_WAIT: Duration = Duration::from_secs(2);

/// Collects the facts. The caller knows which shell would be started and how to open the history.
pub(crate) fn gather(
    paths: &Paths,
    get: impl Fn(&str) -> Option<OsString>,
    chosen: Result<ChosenShell, HostError>,
    open_history: impl FnOnce(&Path) -> Result<(), StoreError>,
) -> Facts {
    let binary = std::env::current_exe().ok();
    let loaded = Config::load(paths.config_file().as_deref());
    let var = |name: &str| get(name).map(|value| value.to_string_lossy().into_owned());
    let shells = shells(get("PATH").as_ref(), chosen.as_ref().ok());
    let history = paths.history_db();
    let size = history.as_ref().and_then(|path| fs::metadata(path).ok()).map(|found| found.len());
    let login_shell = User::from_uid(geteuid()).ok().flatten().map(|user| user.shell);
    let listed = fs::read_to_string("/etc/shells").unwrap_or_default();
    let is_ours = |shell: &Path| same_file(Some(shell), binary.as_deref());
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        chosen,
        shells,
        config: config(paths, &loaded),
        skills: skills(paths, get("HOME").map(PathBuf::from), &loaded.config),
        state: DirectoryFacts {
            path: paths.state_dir().map(Path::to_owned),
            condition: paths.state_dir().map_or(DirectoryCondition::CannotWrite, condition),
        },
        runtime: paths
            .runtime_roots()
            .map(|root| DirectoryFacts { path: Some(root.to_owned()), condition: condition(root) })
            .collect(),
        database: DatabaseFacts {
            opens: match (&history, size) {
                (Some(path), Some(_)) => open_history(path),
                (Some(_), None) | (None, _) => Ok(()),
            },
            path: history,
            size,
        },
        session: var("SHELLMATE_SESSION").filter(|id| !id.is_empty()),
        terminal: TerminalFacts {
            term: var("TERM"),
            colorterm: var("COLORTERM").filter(|value| !value.is_empty()),
            multiplexer: [("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")]
                .into_iter()
                .find_map(|(name, multiplexer)| get(name).map(|_| multiplexer)),
        },
        is_login_shell: login_shell.is_some_and(|shell| is_ours(&shell)),
        listed: listed.lines().map(str::trim).filter(|line| line.starts_with('/')).any(|line| is_ours(Path::new(line))),
        binary,
    }
}

fn skills(paths: &Paths, home: Option<PathBuf>, config: &Config) -> SkillFacts {
    let (settings, home) = (config.agent.skills(), home.as_deref());
    let cwd = std::env::current_dir().unwrap_or_default();
    let skills = Skills::find(&cwd, paths.config_dir().as_deref(), home, &settings);
    SkillFacts {
        is_on: settings.is_on,
        found: skills.list.iter().map(|skill| (skill.name.clone(), shown_path(&skill.file, home))).collect(),
        problems: skills.problems.iter().map(ToString::to_string).collect(),
    }
}

fn config(paths: &Paths, loaded: &Loaded) -> ConfigFile {
    let path = paths.config_file();
    let problems = loaded.problems.iter().map(ToString::to_string);
    let patterns = loaded.config.pattern_problems();
    let theme = loaded.config.theme(paths).1.map(|problem| problem.to_string());
    ConfigFile {
        exists: path.as_ref().is_some_and(|path| path.exists()),
        problems: problems.chain(patterns.iter().map(ToString::to_string)).chain(theme).collect(),
        path,
    }
}

/// The first bash, zsh and fish on PATH, and the chosen shell if that is another one.
fn shells(path: Option<&OsString>, chosen: Option<&ChosenShell>) -> Vec<InstalledShell> {
    let on_path = NEEDED.iter().filter_map(|(name, _)| {
        let dirs = path.map(std::env::split_paths).into_iter().flatten();
        let found =
            dirs.map(|dir| dir.join(name)).find(|file| file.is_file() && access(file, AccessFlags::X_OK).is_ok());
        found.map(|file| (*name, file))
    });
    let mut found: Vec<(&'static str, PathBuf)> = on_path.collect();
    if let Some(chosen) = chosen
        && !found.iter().any(|(_, path)| *path == chosen.path)
        && let Some((name, _)) =
            NEEDED.iter().find(|(name, _)| chosen.path.file_name().is_some_and(|file| file == *name))
    {
        found.push((name, chosen.path.clone()));
    }
    found.into_iter().map(|(name, path)| InstalledShell { name, version: version(&path), path }).collect()
}

/// The version number that `--version` prints.
fn version(shell: &Path) -> Option<String> {
    let mut child = Command::new(shell)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let deadline = Instant::now() + VERSION_WAIT;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = [0; 256];
    let read = child.stdout.take()?.read(&mut text).ok()?;
    version_in(&String::from_utf8_lossy(&text[..read])).map(str::to_owned)
}

/// The first version number in a text: digits and dots.
pub(super) fn version_in(text: &str) -> Option<&str> {
    let words = text.split([' ', '\n', '\t', ',']).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let numbers = |word: &str| word.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(word.len());
    words.map(|word| &word[..numbers(word)]).find(|version| version.contains('.'))
}

pub(super) fn condition(path: &Path) -> DirectoryCondition {
    let Ok(found) = fs::symlink_metadata(path) else {
        // It can be created if the nearest existing directory is writable.
        let nearest = path.ancestors().find(|ancestor| ancestor.exists());
        let can_make = nearest.is_some_and(|dir| dir.is_dir() && access(dir, AccessFlags::W_OK).is_ok());
        return if can_make { DirectoryCondition::Missing } else { DirectoryCondition::CannotWrite };
    };
    let mode = found.mode() & 0o7777;
    if !found.is_dir() {
        DirectoryCondition::NotADirectory
    } else if found.uid() != geteuid().as_raw() {
        DirectoryCondition::Foreign { uid: found.uid() }
    } else if mode & 0o022 != 0 {
        DirectoryCondition::Writable { mode }
    } else if access(path, AccessFlags::W_OK).is_err() {
        DirectoryCondition::CannotWrite
    } else if mode & 0o077 != 0 {
        DirectoryCondition::Readable { mode }
    } else {
        DirectoryCondition::Private { mode }
    }
}

fn same_file(one: Option<&Path>, other: Option<&Path>) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let (one, other) = (one.and_then(identity), other.and_then(identity));
    one.is_some() && one == other
}
