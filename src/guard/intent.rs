//! What a call would do.

use std::path::PathBuf;

/// What a call would do to the machine. Paths are absolute, with links resolved as far as they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Looks at these files and directories, or at none that matter.
    Read { paths: Vec<PathBuf> },
    /// Changes or creates this file.
    Write { path: PathBuf },
    /// Runs a command in a process of ours.
    Run { command: String, cwd: PathBuf },
    /// Runs a command in the person's own shell.
    RunInShell { command: String, cwd: PathBuf },
    /// Asks the person something.
    Ask,
    /// Puts a command on the person's prompt without running it.
    Suggest { command: String },
}

impl Intent {
    /// Whether it changes nothing and needs nobody, so that several may run at the same time.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            Intent::Read { .. } => true,
            Intent::Write { .. } | Intent::Run { .. } | Intent::RunInShell { .. } => false,
            Intent::Ask | Intent::Suggest { .. } => false,
        }
    }
}
