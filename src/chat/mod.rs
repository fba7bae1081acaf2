//! The types of a conversation: messages, calls, usage, and the events of a turn.
//!
//! Leaf room: plain data with serde, no I/O, no async, no names of vendors. The agent uses these types towards providers, tools and
//! fronts.

mod call;
mod decision;
mod event;
mod message;
mod shown;
mod usage;

pub(crate) use call::{Call, Outcome, ToolKind, ToolSpec};
pub(crate) use decision::{CallDecision, Decider};
pub(crate) use event::{Ending, Event, Failure, FailureKind};
pub(crate) use message::{Image, Message, Part, Role, Thinking};
pub(crate) use shown::Shown;
pub(crate) use usage::{Timing, Usage};
