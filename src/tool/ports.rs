//! The interfaces through which tools reach the live shell and the person.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// What the front of an answer can reach. Without a port its tools are not offered.
#[derive(Clone, Default)]
pub(crate) struct Ports {
    pub shell: Option<Arc<dyn ShellPort>>,
    pub asker: Option<Arc<dyn Asker>>,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports").field("shell", &self.shell.is_some()).field("asker", &self.asker.is_some()).finish()
    }
}

/// The person's live shell.
pub(crate) trait ShellPort: Send + Sync {
    /// Runs a command in it, seen on the screen, with lasting effects. The error says why it could not be run.
    fn run(&self, command: String) -> BoxFuture<'static, Result<ShellResult, String>>;

    /// Puts a command on the prompt that comes next, to be edited and run by the person.
    fn suggest(&self, command: String) -> Result<(), String>;
}

/// What came of a command in the live shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellResult {
    pub status: i32,
    /// As the terminal showed it.
    pub output: String,
}

/// The person.
pub(crate) trait Asker: Send + Sync {
    fn ask(&self, question: Question) -> BoxFuture<'static, Answer>;
}

/// A question to the person. They may always answer in words of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub text: String,
    /// Answers to pick from; none asks for free text.
    pub choices: Vec<String>,
}

/// What the person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// One of the choices, or their own words.
    Said(String),
    /// The person chose not to answer.
    Declined,
}
