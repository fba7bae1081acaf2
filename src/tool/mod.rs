//! The tools of the agent.
//!
//! A tool parses its arguments and *describes* a call: a title for the person, the intent to be judged, a preview, and a closure that
//! carries it out. `guard` judges the call, and the agent runs it. A failed call is an [`Outcome`] for the model, with a message that it
//! can act on, and never an error of the program. Every result for a model is capped; the rest is in a file that it can read. Uses: chat,
//! guard, capture, store, text. Does not use: agent, session, the person's terminal.

mod arguments;
mod ask;
mod bash;
mod diagnose;
mod edit;
mod file;
mod found_lines;
mod glob;
mod grep;
mod held;
mod list;
mod output;
mod paths;
mod ports;
mod read;
mod recall;
mod restore;
mod result;
#[cfg(test)]
mod secrets_tests;
mod seen;
mod shell;
#[cfg(test)]
mod tests;
mod toolbox;
mod walk;
mod write;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Applied, Confinement, Intent, Redactor};

pub(crate) use bash::{Timeouts, child_environment};
pub(crate) use held::{Held, HeldError, Opener};
pub(crate) use ports::{
    Asker, ChangeKeeper, ChangeScope, NoteChanges, Ports, ShellPort, ShellResult, UserAnswer, UserQuestion,
};
pub(crate) use read::media_type;
pub(crate) use result::file_of_whole;
pub(crate) use seen::Seen;
pub(crate) use toolbox::Toolbox;
pub(crate) use walk::walk_like_git;

/// A tool of the agent.
pub(crate) trait Tool: Send + Sync {
    fn spec(&self) -> ToolSpec;

    /// The kind that its calls are displayed as.
    fn kind(&self) -> ToolKind;

    /// Whether the tool works with these ports. Otherwise it is not offered to the model.
    fn is_offered(&self, _: &Ports) -> bool {
        true
    }

    /// The texts among the arguments that go into a file as they are.
    fn file_texts<'a>(&self, _: &'a mut Value) -> Vec<&'a mut String> {
        Vec::new()
    }

    /// Describes the call with these arguments. The error tells the model which argument is wrong and what was expected.
    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String>;
}

/// A described call that has not run yet.
pub(crate) struct Prepared {
    /// One line for a person: a path, a command, a pattern.
    pub title: String,
    pub intent: Intent,
    /// The change that is shown to the person for approval.
    pub preview: Option<Preview>,
    pub run: Run,
}

/// Carries out a call. Dropping the future stops the call and its processes.
pub(crate) type Run = Box<dyn FnOnce(RunContext) -> BoxFuture<'static, Outcome> + Send>;

/// The full effect of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Preview {
    /// A file before and after an edit. `before` is empty for a new file.
    Edit {
        path: PathBuf,
        before: String,
        after: String,
    },
    Command {
        command: String,
        cwd: PathBuf,
    },
}

/// The environment of calls. It is created for each step, because the live shell may change directories. Clones share `seen`.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The live shell's working directory, an absolute path.
    pub cwd: PathBuf,
    /// The live shell's exported variables.
    pub environment: Vec<(OsString, OsString)>,
    /// A private directory for results that are too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// The files this conversation has read.
    pub seen: Seen,
    /// Masks secrets. Text is masked before it is cut, because a part of a secret would not be recognised.
    pub redactor: Redactor,
    /// The ports of this answer's front.
    pub ports: Ports,
}

impl Context {
    /// The person's home directory.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.variable("HOME").map(Path::new).filter(|home| home.is_absolute())
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }
}

/// How the caller follows and stops a running call.
pub(crate) struct RunContext {
    /// Receives the output of the call while it runs.
    pub output: Box<dyn FnMut(&str) + Send>,
    /// How its commands are confined.
    pub confinement: Confinement,
    /// Whether the call is known to change nothing.
    pub only_looks: bool,
    /// Receives how a command was confined.
    pub applied: Arc<OnceLock<Applied>>,
    /// Stops the call. A process gets time to exit, and the outcome contains its output so far.
    pub cancel: CancellationToken,
}
