//! Undoes what the agent changed.
//!
//! Before a call changes a file, its content, mode and kind go to a private [`ContentStore`]. For a command, the project is scanned
//! before and after it. The changes of a conversation are in its [`Ledger`] and in the record, so that they outlive the process. An
//! [`UndoPlan`] says what an undo would do and then does it. It never overwrites what the person has changed since, and it never uses git.
//! Uses: store, text, and the file access of tool. Does not use: agent, session.

mod contents;
mod difference;
mod keeper;
mod ledger;
mod pack;
mod plan;
mod restore;
mod scan;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use contents::{ContentStore, UndoLimits, retain};
pub(crate) use difference::{PathDifference, conversation_changes};
pub(crate) use keeper::UndoKeeper;
pub(crate) use ledger::Ledger;
pub(crate) use plan::{LeftBecause, UndoPlan, UndoScope};
