//! One thing the user ran.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// A finished command, as the shell told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// As typed: aliases and variables unexpanded, several lines joined by newlines, not always UTF-8.
    pub text: Vec<u8>,
    /// Where it was started.
    pub cwd: PathBuf,
    pub status: i32,
    pub started_at: SystemTime,
    pub duration: Duration,
}
