//! Hosts a shell in a pseudo-terminal.
//!
//! Finds the user's shell, adds the shell integration without changing the user's files, starts the shell, moves its bytes and
//! watches its process. The pty is closed when the shell has ended. This room neither uses the user's terminal nor interprets bytes.

mod child;
mod find;
mod finder_key;
mod kind;
mod launch;
mod own_command;
mod pty;
#[cfg(test)]
mod scripted;
mod shell;
mod spawn;
mod start;

use std::io;
use std::path::PathBuf;

pub(crate) use child::{Child, ShellChange, ShellEnding, process_name};
pub(crate) use find::{FoundShell, ShellSearch, ShellSource, find};
pub(crate) use finder_key::finder_binding;
pub(crate) use kind::ShellKind;
pub(crate) use launch::{Integration, Launch, StartOptions, exact, exec, plain, restore, without_start_files};
pub(crate) use own_command::is_on_path;
use pty::Pty;
pub(crate) use pty::PtySize;
#[cfg(test)]
pub(crate) use scripted::{ScriptHandle, ScriptedShell};
pub(crate) use shell::Shell;
pub(crate) use spawn::spawn;

/// Why a shell could not be hosted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HostError {
    #[error("no shell named {} was found", name.display())]
    NotFound { name: PathBuf },
    #[error("{} is shellmate itself, not a shell to host", path.display())]
    Itself { path: PathBuf },
    #[error("no shell was found")]
    NoShell,
    #[error("{} cannot be executed", path.display())]
    NotExecutable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot open a pseudo-terminal: {0}")]
    OpenPty(String),
    #[error("cannot prepare the shell's integration")]
    Integration(#[source] io::Error),
    #[error("cannot use the pseudo-terminal")]
    Pty(#[source] io::Error),
}
