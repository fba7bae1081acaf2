//! Confines the commands of the agent.
//!
//! [`Confinement`] says how far a command may reach. [`SandboxProfile`] resolves it for one command: which paths can be written, which are
//! read-only, which are hidden. The command then runs under a helper, which is this binary started again with a single thread:
//! building mounts and rules allocates memory, which a child of a process with threads may not do. bubblewrap or the helper itself
//! creates the namespaces; the helper adds Landlock and seccomp, starts the command, and reports what was applied and how the
//! command ended.

mod abilities;
mod bubblewrap;
mod caches;
mod delicate;
mod exception;
mod git;
#[cfg(target_os = "linux")]
mod helper;
mod hidden;
mod launch;
mod orders;
mod plan;
mod profile;
mod report;
#[cfg(test)]
mod seatbelt;
mod system;
mod temporary;
#[cfg(test)]
#[allow(clippy::print_stderr, reason = "tests say what they skip and what they measure")]
mod tests;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use abilities::{Abilities, best as best_backend};
pub(crate) use delicate::DelicateWatch;
pub(crate) use exception::{SandboxChange, SandboxException};
pub(crate) use launch::{CommandRequest, ConfinedCommand, HELPER as SANDBOX_HELPER, inherit};
pub(crate) use profile::SandboxProfile;
pub(crate) use report::{HelperReport, ReportedEnd};
pub(crate) use system::{protect_memory, run_helper};
pub(crate) use temporary::PrivateTemp;

/// How far a command may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SandboxLevel {
    /// There is no sandbox.
    Off,
    /// Only a private temporary directory can be written.
    ReadOnly,
    /// The project and the caches of package managers can be written too.
    #[default]
    Workspace,
}

/// Whether a command can use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Network {
    Off,
    #[default]
    On,
}

/// What confines a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Bubblewrap,
    /// Namespaces that the helper creates itself.
    Namespaces,
    /// Landlock and seccomp, without namespaces.
    Landlock,
    None,
}

impl Backend {
    /// What is missing of a full sandbox, in a few words. `None` if nothing is.
    pub(crate) fn weakness(self) -> Option<&'static str> {
        match self {
            Backend::Bubblewrap | Backend::Namespaces => None,
            Backend::Landlock => Some("weaker sandbox: this kernel refuses namespaces"),
            Backend::None => Some("no sandbox: this machine cannot confine commands"),
        }
    }
}

/// How a command was confined, for the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Applied {
    pub backend: Backend,
    /// The version of Landlock's interface, if its rules are in force.
    pub landlock: Option<u32>,
    pub has_seccomp: bool,
}

impl Applied {
    /// A command without any sandbox.
    pub(crate) const NONE: Applied = Applied { backend: Backend::None, landlock: None, has_seccomp: false };

    /// What is missing of the sandbox that was wanted, in a few words. `None` if nothing is.
    pub(crate) fn weakness(self, level: SandboxLevel) -> Option<&'static str> {
        self.backend.weakness().filter(|_| level != SandboxLevel::Off)
    }

    /// One line for a person: how far the command could reach, and what confined it.
    pub(crate) fn words(self, level: SandboxLevel, network: Network) -> String {
        let backend = match self.backend {
            Backend::Bubblewrap => "bubblewrap",
            Backend::Namespaces => "namespaces",
            Backend::Landlock => "weaker: no namespaces",
            Backend::None => return "none".to_owned(),
        };
        let level = match level {
            SandboxLevel::Off => "off",
            SandboxLevel::ReadOnly => "read-only",
            SandboxLevel::Workspace => "workspace",
        };
        let network = match network {
            Network::Off => "no network",
            Network::On => "network",
        };
        let landlock = self.landlock.map(|version| format!(", Landlock {version}")).unwrap_or_default();
        let seccomp = if self.has_seccomp { ", seccomp" } else { "" };
        format!("{level}, {network} ({backend}{landlock}{seccomp})")
    }
}

/// How the commands of a call are confined.
#[derive(Debug, Clone, Default)]
pub(crate) struct Confinement {
    pub level: SandboxLevel,
    pub network: Network,
    /// Paths that can be written beyond those of the level.
    pub writable: Vec<PathBuf>,
    /// Paths that are hidden beyond the known private ones.
    pub hidden: Vec<PathBuf>,
    /// shellmate's own directories, which are hidden.
    pub own: Vec<PathBuf>,
    /// The directory that stands in for `/tmp`. All commands of a session share it.
    pub temp: PrivateTemp,
    /// The backend to use. Without it, the best one that works here.
    pub backend: Option<Backend>,
}

impl Confinement {
    /// The confinement of a command that only looks: nothing of the project can be written.
    pub(crate) fn for_looking(self) -> Confinement {
        let level = match self.level {
            SandboxLevel::Off => SandboxLevel::Off,
            SandboxLevel::ReadOnly | SandboxLevel::Workspace => SandboxLevel::ReadOnly,
        };
        Confinement { level, writable: Vec::new(), ..self }
    }

    /// The confinement of a command with this exception.
    pub(crate) fn with(mut self, exception: Option<&SandboxException>) -> Confinement {
        match exception.map(|exception| &exception.change) {
            Some(SandboxChange::Write(path)) => self.writable.push(path.clone()),
            Some(SandboxChange::Network) => self.network = Network::On,
            Some(SandboxChange::Unconfined) => self.level = SandboxLevel::Off,
            None => {}
        }
        self
    }
}

/// Why a command cannot run confined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SandboxError {
    #[error("{path} is private, so commands in it cannot be confined", path = path.display())]
    HiddenDirectory { path: PathBuf },
    #[error("{path} stays hidden in the sandbox", path = path.display())]
    HiddenWrite { path: PathBuf },
    #[error("{path} does not exist, nor does its directory", path = path.display())]
    NoSuchPlace { path: PathBuf },
    #[error("cannot create a private temporary directory")]
    Temporary(#[source] std::io::Error),
    #[error("cannot prepare the sandbox")]
    Prepare(#[source] std::io::Error),
}
