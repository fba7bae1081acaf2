//! The real machine, as the rules see it.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::world::{DirectoryEntry, FileKind, World};

/// The most entries that are read from a directory.
const MOST_ENTRIES: usize = 10_000;
const READ_CAP: u64 = 256 * 1024;

/// The longest file name that file systems allow.
const LONGEST_NAME: usize = 255;

/// The real machine, seen from one directory and one environment.
pub(crate) struct Machine {
    cwd: PathBuf,
    environment: Vec<(OsString, OsString)>,
    /// Commands of the shell that are not programs on PATH.
    names: Vec<String>,
    recent: Vec<String>,
    commands: OnceCell<Vec<String>>,
}

impl Machine {
    /// `names` are the shell's builtins, aliases and functions. `recent` are its latest commands, the newest first.
    pub(crate) fn new(
        cwd: PathBuf,
        environment: Vec<(OsString, OsString)>,
        names: Vec<String>,
        recent: Vec<String>,
    ) -> Self {
        Machine { cwd, environment, names, recent, commands: OnceCell::new() }
    }

    /// The same machine with another working directory. The cached list of programs is kept.
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

    fn entries(&self, directory: &Path) -> Vec<DirectoryEntry> {
        let Ok(entries) = fs::read_dir(self.cwd.join(directory)) else { return Vec::new() };
        let entries = entries.flatten().take(MOST_ENTRIES).filter_map(|entry| {
            let kind = self.kind(&entry.path())?;
            Some(DirectoryEntry { name: entry.file_name().into_string().ok()?, kind })
        });
        entries.collect()
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let found = fs::metadata(self.cwd.join(path)).ok()?;
        Some(if found.is_dir() {
            FileKind::Directory
        } else if found.permissions().mode() & 0o111 != 0 {
            FileKind::Program
        } else {
            FileKind::File
        })
    }

    fn read(&self, path: &Path) -> Option<String> {
        let path = self.cwd.join(path);
        // Reading a pipe or a device could block.
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

    /// Looks for one name in each directory of PATH, without listing all programs.
    fn has(&self, command: &str) -> bool {
        let is_name = (1..=LONGEST_NAME).contains(&command.len()) && !command.contains('/');
        let is_program = |directory: &PathBuf| fs::metadata(directory.join(command)).is_ok_and(|found| found.is_file());
        is_name && (self.names.iter().any(|name| name == command) || self.directories().iter().any(is_program))
    }

    fn is_root(&self) -> bool {
        nix::unistd::geteuid().is_root()
    }
}
