//! What a single command may do beyond its sandbox.

use std::path::PathBuf;

/// A model's request to run one command with more freedom. The person is always asked, and no grant covers the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SandboxException {
    pub change: SandboxChange,
    /// The model's reason. It is shown to the person.
    pub justification: String,
}

/// The difference to an ordinary command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SandboxChange {
    /// This file or directory can be written too.
    Write(PathBuf),
    /// The network can be used.
    Network,
    /// There is no sandbox.
    Unconfined,
}

impl SandboxException {
    /// What is different, in a few words for the person.
    pub(crate) fn words(&self) -> String {
        match &self.change {
            SandboxChange::Write(path) => format!("may also write {}", path.display()),
            SandboxChange::Network => "may use the network".to_owned(),
            SandboxChange::Unconfined => "outside the sandbox".to_owned(),
        }
    }
}
