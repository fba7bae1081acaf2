//! Hooks: programs of the person that shellmate runs at certain moments of an answer.
//!
//! `hooks.json` names them. A hook reads a JSON object from its standard input, and its exit status and output say what it decides. The
//! format is the one that other agents use, so that existing hooks work unchanged; docs/HOOKS.md describes it. This room reads the file,
//! chooses the hooks of an event, runs them and reads their answers. The `agent` room decides what an answer changes. Uses: text.

mod answer;
mod commands;
mod detached;
mod event;
mod file;
mod matcher;
mod names;
#[cfg(test)]
mod tests;

pub(crate) use answer::{HookAnswer, HookDecision};
pub(crate) use commands::{HookRun, HookSet};
pub(crate) use detached::{HELPER as HOOK_HELPER, run_helper as run_hook_helper};
pub(crate) use event::HookEvent;
pub(crate) use file::HookFile;
pub(crate) use names::{CallFacts, ForeignCall};
