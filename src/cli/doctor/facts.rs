//! Facts about an installation.

use std::path::PathBuf;

use crate::host::HostError;
use crate::store::StoreError;

/// All facts that `examine` judges.
#[derive(Debug)]
pub(crate) struct Facts {
    pub version: String,
    pub binary: Option<PathBuf>,
    /// The shell that would be started, or why there is none.
    pub chosen: Result<ChosenShell, HostError>,
    /// The bash, zsh and fish on PATH, and the chosen shell.
    pub shells: Vec<InstalledShell>,
    pub config: ConfigFile,
    pub state: DirectoryFacts,
    /// The directories for sessions, in order of preference.
    pub runtime: Vec<DirectoryFacts>,
    pub database: DatabaseFacts,
    /// `SHELLMATE_SESSION`.
    pub session: Option<String>,
    pub terminal: TerminalFacts,
    pub is_login_shell: bool,
    /// Whether `/etc/shells` lists shellmate.
    pub listed: bool,
    /// The skills of the current directory.
    pub skills: SkillFacts,
}

/// The shell that would be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenShell {
    pub path: PathBuf,
    /// Why this shell, such as `from $SHELL`.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstalledShell {
    pub name: &'static str,
    pub path: PathBuf,
    pub version: Option<String>,
}

/// The oldest supported versions.
pub(super) const NEEDED: [(&str, (u32, u32)); 3] = [("bash", (4, 4)), ("zsh", (5, 1)), ("fish", (3, 4))];

/// The version that a shell should have at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{shell} {}.{} or newer", needed.0, needed.1)]
pub(crate) struct TooOld {
    shell: &'static str,
    needed: (u32, u32),
}

impl InstalledShell {
    /// Whether this version is supported. An unknown version counts as supported.
    pub(crate) fn support(&self) -> Result<(), TooOld> {
        let needed = NEEDED.iter().find(|(name, _)| *name == self.name).map(|(_, needed)| *needed);
        let (Some(needed), Some(found)) = (needed, self.version.as_deref().and_then(numbers)) else { return Ok(()) };
        if found >= needed { Ok(()) } else { Err(TooOld { shell: self.name, needed }) }
    }
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    pub path: Option<PathBuf>,
    pub exists: bool,
    /// One line for each problem.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct DirectoryFacts {
    pub path: Option<PathBuf>,
    pub condition: DirectoryCondition,
}

/// The state of a directory that shellmate uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectoryCondition {
    /// It does not exist, but can be created.
    Missing,
    Private {
        mode: u32,
    },
    Readable {
        mode: u32,
    },
    Writable {
        mode: u32,
    },
    Foreign {
        uid: u32,
    },
    NotADirectory,
    CannotWrite,
}

#[derive(Debug)]
pub(crate) struct DatabaseFacts {
    pub path: Option<PathBuf>,
    /// In bytes, if it exists.
    pub size: Option<u64>,
    pub opens: Result<(), StoreError>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct SkillFacts {
    /// Whether the configuration turns them on.
    pub is_on: bool,
    /// The name and the file of each.
    pub found: Vec<(String, String)>,
    /// What was skipped or is odd, one line each.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct TerminalFacts {
    pub term: Option<String>,
    pub colorterm: Option<String>,
    pub multiplexer: Option<&'static str>,
}
