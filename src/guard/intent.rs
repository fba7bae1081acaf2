//! What a call would do.

use std::path::PathBuf;

use super::SandboxException;
use super::places::EditReach;

/// What a call would do to the machine. Paths are absolute, with links resolved as far as they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Looks at these files and directories, or at none that matter.
    Read { paths: Vec<PathBuf> },
    /// Changes or creates this file.
    Write { path: PathBuf, reach: EditReach },
    /// Runs a command in a process of ours, confined by the sandbox except for `exception`.
    Run { command: String, cwd: PathBuf, exception: Option<SandboxException> },
    /// Runs a command in the person's own shell.
    RunInShell { command: String, cwd: PathBuf },
    /// Reads what other terminals have printed.
    OtherTerminals,
    /// Asks the person something.
    Ask,
    /// Puts a command on the person's prompt without running it.
    Suggest { command: String },
}

impl Intent {
    /// The freedom beyond the sandbox that a command asks for.
    pub(crate) fn exception(&self) -> Option<&SandboxException> {
        match self {
            Intent::Run { exception, .. } => exception.as_ref(),
            Intent::Read { .. } | Intent::Write { .. } | Intent::RunInShell { .. } | Intent::OtherTerminals => None,
            Intent::Ask | Intent::Suggest { .. } => None,
        }
    }

    /// What the call would do, in one line.
    pub(crate) fn in_short(&self) -> String {
        match self {
            Intent::Read { paths } => match &paths[..] {
                [] => "reading".to_owned(),
                [path] => format!("reading {}", path.display()),
                [path, ..] => format!("reading {} and {} more", path.display(), paths.len() - 1),
            },
            Intent::Write { path, .. } => format!("changing {}", path.display()),
            Intent::Run { command, .. } => format!("`{command}`"),
            Intent::RunInShell { command, .. } => format!("`{command}` in your shell"),
            Intent::OtherTerminals => "reading the output of other terminals".to_owned(),
            Intent::Ask => "a question to you".to_owned(),
            Intent::Suggest { command } => format!("suggesting `{command}`"),
        }
    }

    /// Whether it changes nothing and needs nobody, so that several may run at the same time.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            Intent::Read { .. } | Intent::OtherTerminals => true,
            Intent::Write { .. } | Intent::Run { .. } | Intent::RunInShell { .. } => false,
            Intent::Ask | Intent::Suggest { .. } => false,
        }
    }
}
