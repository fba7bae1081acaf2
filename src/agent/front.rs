//! The two interfaces of a turn: a front that shows it, an approver that allows its calls.

use std::ffi::OsString;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use crate::{chat, guard, tool};

/// Shows a turn.
pub(crate) trait Front: Send + Sync {
    /// Takes one event. It must not wait: the next byte of the answer is behind it.
    fn hear(&self, event: chat::Event);

    /// Where the live shell is, if a call may have moved it since the query.
    fn place(&self) -> Option<Place> {
        None
    }

    /// What the person has said since the query, to be told to the model before its next step.
    fn steered(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Where a shell is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub cwd: PathBuf,
    /// The exported variables.
    pub environment: Vec<(OsString, OsString)>,
}

/// Allows calls. Separate from [`Front`] because a front that only listens (a log, a test, another program) must not decide.
pub(crate) trait Approver: Send + Sync {
    /// Asks. Dropping the future takes the question back.
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision>;
}

/// A question for approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Approval {
    /// One line for a person.
    pub title: String,
    /// The tool's name; empty where it is no call, but whether to go on.
    pub tool: String,
    pub intent: guard::Intent,
    pub preview: Option<tool::Preview>,
    /// What a yes for the session would mean; none where a yes can only be for once.
    pub lasting: Option<guard::Grant>,
    pub cwd: PathBuf,
}

/// What the person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Once,
    ForSession,
    No {
        why: Option<String>,
    },
    /// Nobody could be asked; the words are for the model.
    Unasked {
        why: String,
    },
}
