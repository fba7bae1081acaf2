//! What the agent can do.
//!
//! A tool reads its arguments and *describes* a call: one line for a person, the intent to be judged, a preview, and the deed
//! itself as something that has not happened yet. `guard` judges, the agent acts. A call that goes wrong is an [`Outcome`] for
//! the model, in words it can act on, never an error of ours; whatever a model gets to read is capped, and the whole is in a
//! file it can go on reading. Touches: chat, guard, capture, store, text. Never: agent, session, the person's terminal.

mod arguments;
mod ask;
mod bash;
mod diagnose;
mod edit;
mod file;
mod glob;
mod grep;
mod held;
mod list;
mod output;
mod paths;
mod ports;
mod read;
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

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, Redactor};

pub(crate) use bash::Timeouts;
pub(crate) use ports::{Answer, Asker, Ports, Question, ShellPort, ShellResult};
pub(crate) use read::media_type;
pub(crate) use seen::Seen;
pub(crate) use toolbox::Toolbox;

/// Something the agent can do.
pub(crate) trait Tool: Send + Sync {
    fn spec(&self) -> ToolSpec;

    /// What a call of it is shown as.
    fn kind(&self) -> ToolKind;

    /// Whether it can work with these ports. Other tools are not offered.
    fn is_offered(&self, _: &Ports) -> bool {
        true
    }

    /// Describes the call these arguments ask for. The error is for the model: which argument, and what was expected.
    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String>;
}

/// A call that may happen.
pub(crate) struct Prepared {
    /// One line for a person: a path, a command, a pattern.
    pub title: String,
    pub intent: Intent,
    /// What the person is shown before they say yes.
    pub preview: Option<Preview>,
    pub run: Run,
}

/// The deed. Dropping its future ends it, processes included.
pub(crate) type Run = Box<dyn FnOnce(RunContext) -> BoxFuture<'static, Outcome> + Send>;

/// What a call would do, in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Preview {
    /// A file before and after; a new file was empty before.
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

/// Where calls happen. Made anew for each step, as the live shell moves on; clones of `seen` share one memory.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The live shell's directory, absolute.
    pub cwd: PathBuf,
    /// The live shell's exported variables.
    pub environment: Vec<(OsString, OsString)>,
    /// A private directory for results too long for a model.
    pub spill: PathBuf,
    /// The database with the recorded commands.
    pub history: Option<PathBuf>,
    /// The files this conversation has read.
    pub seen: Seen,
    /// What may be cut is masked before it is: half a secret would not be known for one.
    pub redactor: Redactor,
    /// What the front of this answer can reach.
    pub ports: Ports,
}

impl Context {
    /// The person's home directory.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.variable("HOME").map(Path::new).filter(|home| home.is_absolute())
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        self.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }
}

/// Who follows a running call.
pub(crate) struct RunContext {
    /// Hears what the call prints, as it comes.
    pub output: Box<dyn FnMut(&str) + Send>,
    /// Stops it: a process gets time to end by itself, and the outcome says what it had printed.
    pub cancel: CancellationToken,
}
