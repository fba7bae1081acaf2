//! The settings of `[sandbox]`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::guard::{Confinement, Network, PrivateTemp, SandboxLevel};

/// How the agent's `bash` commands are confined. `shellmate doctor` says what this machine can enforce; docs/SECURITY.md describes the
/// sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub(crate) struct SandboxSettings {
    /// What commands can write: `workspace` (the project, the caches of package managers and a private temporary directory),
    /// `read-only` (only the temporary directory), or `off` (no sandbox at all).
    #[schemars(extend("default" = "workspace"))]
    pub level: SandboxLevel,
    /// Whether commands that you have approved can use the network: `on` or `off`.
    #[schemars(extend("default" = "on"))]
    pub network: Network,
    /// More paths that commands can write, such as `"~/.cache/my-tool"`.
    pub write: Vec<PathBuf>,
    /// More paths that commands cannot see, such as `"~/private"`. Credentials and shellmate's own files are always hidden.
    pub hide: Vec<PathBuf>,
}

impl SandboxSettings {
    /// The confinement of commands. Paths that do not exist are left out.
    pub(crate) fn confinement(&self, temp: PrivateTemp) -> Confinement {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let real = |path: &PathBuf| match (path.strip_prefix("~"), &home) {
            (Ok(below), Some(home)) => home.join(below).canonicalize().ok(),
            (Ok(_), None) | (Err(_), _) => path.canonicalize().ok().filter(|_| Path::is_absolute(path)),
        };
        let real = |paths: &[PathBuf]| paths.iter().filter_map(real).collect();
        Confinement {
            level: self.level,
            network: self.network,
            writable: real(&self.write),
            hidden: real(&self.hide),
            temp,
            ..Confinement::default()
        }
    }
}
