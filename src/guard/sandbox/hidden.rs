//! Paths that a confined command does not see: credentials, histories, and the sockets of agents. `places` lists them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::guard::places::{hidden_in_home, hidden_of_system};

/// What commands need from `/run`: name resolution, and programs on NixOS.
pub(super) const SHOWN_IN_RUN: &[&str] = &[
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/NetworkManager/resolv.conf",
    "/run/connman/resolv.conf",
    "/run/current-system",
    "/run/wrappers",
    "/run/opengl-driver",
    "/run/media",
];

/// Variables that name the socket or the key file of an agent.
const NAMED_BY: &[&str] =
    &["SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "GPG_AGENT_INFO", "XAUTHORITY", "KUBECONFIG"];

/// The hidden paths that exist, with links resolved.
pub(super) fn existing<'a>(home: Option<&Path>, variable: impl Fn(&str) -> Option<&'a OsStr>) -> Vec<PathBuf> {
    let in_home = home.into_iter().flat_map(|home| hidden_in_home().map(|below| home.join(below)));
    let in_system = hidden_of_system().map(PathBuf::from);
    let named = NAMED_BY.iter().filter_map(|name| variable(name)).filter_map(|value| {
        let value = value.to_str()?;
        let path = value.strip_prefix("unix://").unwrap_or(value);
        Some(PathBuf::from(path.split(':').next()?)).filter(|path| path.is_absolute())
    });
    // Most do not exist, which one system call finds out.
    let existing = in_home.chain(in_system).chain(named).filter(|path| path.symlink_metadata().is_ok());
    existing.filter_map(|path| path.canonicalize().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_paths_are_hidden_and_sockets_are_found_by_their_variable() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        std::fs::create_dir(home.join(".ssh")).unwrap();
        std::fs::write(home.join("agent.sock"), "").unwrap();
        let host = format!("unix://{}", home.join("agent.sock").display());
        let hidden = existing(Some(&home), |name| (name == "DOCKER_HOST").then_some(OsStr::new(&host)));
        assert!(hidden.contains(&home.join(".ssh")) && hidden.contains(&home.join("agent.sock")), "{hidden:?}");
        assert!(!hidden.contains(&home.join(".aws")));
    }
}
