//! The interfaces through which tools reach the live shell and the person.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// The ports of an answer's front. Tools that need a missing port are not offered to the model.
#[derive(Clone, Default)]
pub(crate) struct Ports {
    pub shell: Option<Arc<dyn ShellPort>>,
    pub asker: Option<Arc<dyn Asker>>,
    pub changes: Option<Arc<dyn ChangeKeeper>>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports")
            .field("shell", &self.shell.is_some())
            .field("asker", &self.asker.is_some())
            .finish_non_exhaustive()
    }
}

/// The person's live shell.
pub(crate) trait ShellPort: Send + Sync {
    /// Runs a command in the shell, visible on the screen and with lasting effects. The error says why it could not be run.
    fn run(&self, command: String) -> BoxFuture<'static, Result<ShellResult, String>>;

    /// Puts a command on the next prompt, where the person can edit and run it.
    fn suggest(&self, command: String) -> Result<(), String>;
}

/// The result of a command in the live shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellResult {
    pub status: i32,
    /// The output as the terminal displayed it.
    pub output: String,
}

/// Asks the person.
pub(crate) trait Asker: Send + Sync {
    fn ask(&self, question: UserQuestion) -> BoxFuture<'static, UserAnswer>;
}

/// A question to the person, who can always answer with free text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserQuestion {
    pub text: String,
    /// The offered answers. Empty for a question with free text.
    pub choices: Vec<String>,
}

/// The answer of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UserAnswer {
    /// One of the choices, or free text.
    Said(String),
    /// The person chose not to answer.
    Declined,
}

/// Keeps what calls change, so that the person can undo it.
pub(crate) trait ChangeKeeper: Send + Sync {
    /// Keeps the state of what a call may change, right before the call. Blocks on the disk.
    fn before(&self, scope: ChangeScope<'_>) -> NoteChanges;

    /// Whether the state of what a call may change can be kept at all.
    fn keeps(&self, scope: ChangeScope<'_>) -> bool;
}

/// What a call may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeScope<'a> {
    /// One file, by its real path.
    File(&'a Path),
    /// Any file of the project that contains this directory.
    Project { cwd: &'a Path, home: Option<&'a Path> },
}

/// Notes what a call has changed. Blocks on the disk. If it is dropped, because the call was stopped, a thread does it.
pub(crate) type NoteChanges = Box<dyn FnOnce() + Send>;
