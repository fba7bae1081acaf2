//! What the helper is told to do. The orders reach it through a file in memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Network;
use super::plan::Bind;

/// A path that survives the journey even if it is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct WirePath(OsString);

impl WirePath {
    pub(super) fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl From<&Path> for WirePath {
    fn from(path: &Path) -> WirePath {
        WirePath(path.as_os_str().to_owned())
    }
}

impl From<PathBuf> for WirePath {
    fn from(path: PathBuf) -> WirePath {
        WirePath(path.into_os_string())
    }
}

/// Everything that the helper does for one command.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Orders {
    /// The namespaces to enter. `None` if bubblewrap has created them, or if there are none.
    pub(super) namespaces: Option<NamespaceOrders>,
    pub(super) processes: ProcessScope,
    pub(super) landlock: LandlockRules,
    pub(super) sockets: SocketRules,
    /// The program and its arguments.
    pub(super) command: Vec<OsString>,
    pub(super) cwd: WirePath,
    /// The descriptor that the report is written to.
    pub(super) report: i32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NamespaceOrders {
    pub(super) binds: Vec<Bind>,
    pub(super) network: Network,
}

/// How the processes of a command are found at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ProcessScope {
    /// The helper is process 1 of a process namespace. They end with it.
    Namespace,
    /// They are the helper's descendants.
    Descendants,
}

/// What Landlock allows. Everything else is denied.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LandlockRules {
    pub(super) read: Vec<WirePath>,
    pub(super) write: Vec<WirePath>,
    /// Whether TCP is denied.
    pub(super) deny_tcp: bool,
}

/// Which sockets seccomp allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum SocketRules {
    Any,
    /// All but those of Unix domains, whose servers Landlock cannot hide.
    NoUnix,
    /// None but pairs, which connect a program with itself.
    OnlyPairs,
    /// None of the internet.
    NoInternet,
}
