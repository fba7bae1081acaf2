//! The machine we are on, as the rules see it.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::world::{Entry, Kind, World};

/// A directory is asked for names, not for a catalogue.
const MOST_ENTRIES: usize = 10_000;
const READ_CAP: u64 = 256 * 1024;

/// What file systems allow.
const LONGEST_NAME: usize = 255;

/// The real machine, seen from one directory and one environment.
pub(crate) struct Machine {
    cwd: PathBuf,
    environment: Vec<(OsString, OsString)>,
    /// Names the shell knows beside the programs on PATH.
    names: Vec<String>,
    recent: Vec<String>,
    commands: OnceCell<Vec<String>>,
}

impl Machine {
    /// `names` are the shell's builtins, aliases and functions; `recent` its latest commands, the newest first.
    pub(crate) fn new(
        cwd: PathBuf,
        environment: Vec<(OsString, OsString)>,
        names: Vec<String>,
        recent: Vec<String>,
    ) -> Self {
        Machine { cwd, environment, names, recent, commands: OnceCell::new() }
    }

    /// The same machine, seen from another directory; what was learnt of its programs stays known.
    #[must_use]
    pub(crate) fn seen_from(self, cwd: PathBuf) -> Self {
        Machine { cwd, ..self }
    }

    /// The directories of PATH.
    fn directories(&self) -> Vec<PathBuf> {
        let path = self.variable("PATH").unwrap_or_default();
        std::env::split_paths(&path).filter(|directory| directory.is_absolute()).collect()
    }

    fn on_path(&self) -> Vec<String> {
        let directories = self.directories().into_iter().filter_map(|directory| fs::read_dir(directory).ok());
        let programs = directories.flatten().flatten().take(MOST_ENTRIES * 4);
        let names = programs.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.chain(self.names.iter().cloned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl World for Machine {
    fn commands(&self) -> &[String] {
        self.commands.get_or_init(|| self.on_path())
    }

    fn entries(&self, directory: &Path) -> Vec<Entry> {
        let Ok(entries) = fs::read_dir(self.cwd.join(directory)) else { return Vec::new() };
        let entries = entries.flatten().take(MOST_ENTRIES).filter_map(|entry| {
            let kind = self.kind(&entry.path())?;
            Some(Entry { name: entry.file_name().into_string().ok()?, kind })
        });
        entries.collect()
    }

    fn kind(&self, path: &Path) -> Option<Kind> {
        let found = fs::metadata(self.cwd.join(path)).ok()?;
        Some(if found.is_dir() {
            Kind::Directory
        } else if found.permissions().mode() & 0o111 != 0 {
            Kind::Program
        } else {
            Kind::File
        })
    }

    fn read(&self, path: &Path) -> Option<String> {
        let path = self.cwd.join(path);
        // A pipe or a device could keep us waiting.
        if !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut text = Vec::new();
        fs::File::open(path).ok()?.take(READ_CAP).read_to_end(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        let found = self.environment.iter().find(|(known, _)| known == name)?;
        found.1.to_str().map(str::to_owned)
    }

    fn listener(&self, port: u16) -> Option<(u32, String)> {
        super::listener::of(port)
    }

    fn memory_kills(&self) -> u64 {
        let group = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let Some(path) = group.lines().find_map(|line| line.strip_prefix("0::/")) else { return 0 };
        let events =
            fs::read_to_string(Path::new("/sys/fs/cgroup").join(path).join("memory.events")).unwrap_or_default();
        events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok()).unwrap_or(0)
    }

    fn recent(&self) -> &[String] {
        &self.recent
    }

    /// One name is asked for where it would stand, without a list of all.
    fn has(&self, command: &str) -> bool {
        let is_name = (1..=LONGEST_NAME).contains(&command.len()) && !command.contains('/');
        let is_program = |directory: &PathBuf| fs::metadata(directory.join(command)).is_ok_and(|found| found.is_file());
        is_name && (self.names.iter().any(|name| name == command) || self.directories().iter().any(is_program))
    }

    fn is_root(&self) -> bool {
        nix::unistd::geteuid().is_root()
    }
}
