//! Other systems than Linux. Written for macOS from its manuals, and never compiled.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

use super::ChangesLost;
use crate::config::{ConfigReader, Paths};
use crate::session::errands::Reporter;

/// There is no cheap report, so each command checks for the file.
pub(in crate::session) struct NoFileChanges;

impl NoFileChanges {
    pub(in crate::session) fn of(_: &Path) -> Option<NoFileChanges> {
        None
    }

    pub(in crate::session) fn newest(&self) -> Result<Option<bool>, ChangesLost> {
        Err(ChangesLost)
    }
}

/// The process at the other end of a connection is unknown, so no text is taken for the prompt, and the finder prints it.
pub(in crate::session) fn peer(_: &UnixStream) -> io::Result<Option<Pid>> {
    Ok(None)
}

/// Saved settings count in new sessions and for questions.
pub(in crate::session) fn watch_configuration(_: ConfigReader, _: Option<PathBuf>, _: Paths, _: Reporter) {}

/// The system unmaps pages of code by itself when memory is short.
pub(in crate::session) fn unmap_code() {}
