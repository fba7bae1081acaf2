//! The two interfaces of a turn: a front that displays it, and an approver that allows its calls.

use std::ffi::OsString;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use crate::{chat, guard, tool};

/// Displays a turn.
pub(crate) trait Front: Send + Sync {
    /// Receives an event. It must not block, because it delays the rest of the answer.
    fn hear(&self, event: chat::Event);

    /// The current state of the live shell, if a call may have changed it since the query.
    fn place(&self) -> Option<WorkingContext> {
        None
    }

    /// The messages that the person has sent since the query. The model reads them before its next step.
    fn steered(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The directory and the environment of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkingContext {
    pub cwd: PathBuf,
    /// The exported variables.
    pub environment: Vec<(OsString, OsString)>,
}

/// Decides about calls. Separate from [`Front`], because a front that only listens (a log, a test, another program) must not decide.
pub(crate) trait Approver: Send + Sync {
    /// Asks for approval. Dropping the future withdraws the question.
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision>;
}

/// A request for approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Approval {
    /// One line for the person.
    pub title: String,
    /// The tool's name. Empty for the question whether the turn may continue.
    pub tool: String,
    pub intent: guard::Intent,
    pub preview: Option<tool::Preview>,
    /// The grants that may be given instead of a single yes.
    pub offers: guard::GrantOffers,
    pub cwd: PathBuf,
    /// The names of the masked secrets that the call puts into a file. If there are any, only the person may say yes, each time.
    pub secrets: Vec<String>,
    /// What the sandbox of the command lacks on this machine, in a few words.
    pub weakness: Option<&'static str>,
    /// Whether the sandbox holds the call and `/undo` can take it back. If not, a yes is confirmed with Enter.
    pub is_contained: bool,
}

/// The decision of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Once,
    /// Yes, and to later calls that the grant covers.
    Granted {
        width: guard::GrantWidth,
        scope: guard::GrantScope,
    },
    /// Yes, and from now on the session is in auto mode.
    AutoMode,
    /// Yes, because the option `--yes` was given. Nobody was asked.
    ByOption,
    No {
        why: Option<String>,
    },
    /// Nobody could be asked. The reason is for the model.
    Unasked {
        why: String,
    },
}
