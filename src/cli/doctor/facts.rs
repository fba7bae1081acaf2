//! What there is to know about an installation.

use std::path::PathBuf;

/// Everything `examine` judges.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub version: String,
    pub binary: Option<PathBuf>,
    /// The shell that would be started, or why there is none.
    pub chosen: Result<Chosen, String>,
    /// The bash, zsh and fish on PATH, and the chosen shell.
    pub shells: Vec<InstalledShell>,
    pub config: ConfigFile,
    pub state: Directory,
    /// Where sessions may live, best first.
    pub runtime: Vec<Directory>,
    pub database: Database,
    /// `SHELLMATE_SESSION`.
    pub session: Option<String>,
    pub terminal: Terminal,
    pub is_login_shell: bool,
    /// Whether `/etc/shells` has us.
    pub listed: bool,
}

/// The shell that would be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub path: PathBuf,
    /// Where it was named, such as `from $SHELL`.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstalledShell {
    pub name: &'static str,
    pub path: PathBuf,
    pub version: Option<String>,
}

/// The oldest versions whose hooks do what is needed.
pub(super) const NEEDED: [(&str, (u32, u32)); 3] = [("bash", (4, 4)), ("zsh", (5, 1)), ("fish", (3, 4))];

impl InstalledShell {
    /// Whether it can be followed; if not, what would be needed. A version that can't be read gets the benefit of the doubt.
    pub(crate) fn support(&self) -> Result<(), String> {
        let needed = NEEDED.iter().find(|(name, _)| *name == self.name).map(|(_, needed)| *needed);
        let (Some(needed), Some(found)) = (needed, self.version.as_deref().and_then(numbers)) else { return Ok(()) };
        if found >= needed { Ok(()) } else { Err(format!("{} {}.{} or newer", self.name, needed.0, needed.1)) }
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
    /// One line each.
    pub problems: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Directory {
    pub path: Option<PathBuf>,
    pub condition: Condition,
}

/// What a directory of ours is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Not there, but it can be made.
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

#[derive(Debug, Clone)]
pub(crate) struct Database {
    pub path: Option<PathBuf>,
    /// In bytes; nothing if it does not exist.
    pub size: Option<u64>,
    pub opens: Result<(), String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Terminal {
    pub term: Option<String>,
    pub colorterm: Option<String>,
    pub multiplexer: Option<&'static str>,
}
