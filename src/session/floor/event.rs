//! What can happen to a floor.

use std::io;

use crate::input::{FoundReferences, Offers};
use crate::session::agent_link::News;
use crate::session::requests::Wish;
use crate::track::Mark;

use super::{Loan, Recalled};

/// One thing that has happened. Events that matter to one or two floors are grouped, so that the others can ignore a group.
pub(in crate::session) enum FloorEvent<'a> {
    /// Keys that were read at once, or the keys that another floor has left over.
    Keys(&'a [u8]),
    /// The hotkey, read whole and alone.
    Hotkey(&'a [u8]),
    /// A mark from the shell's hooks.
    Mark(&'a Mark),
    /// An event of the request in the foreground.
    Turn(TurnEvent<'a>),
    /// An event of the conversation line.
    Line(LineEvent),
    /// The session's loop has reached a point that a floor may wait for.
    Loop(LoopEvent),
    /// The terminal has another size.
    Resized,
    /// The process has received SIGINT.
    Interrupt,
    /// The shell gets the floor at once, whatever the floor was doing.
    Abandon,
}

/// An event of the request in the foreground.
pub(in crate::session) enum TurnEvent<'a> {
    /// News from the agent.
    News(News),
    /// The request got this number.
    Numbered(u64),
    /// A request needs the person or the shell, and no other request is before it.
    Wish(Wish),
    /// A command is being given to the live shell.
    Runs(Loan),
    /// The command could not be given to the live shell.
    NotHanded(io::Error),
    /// The request continues in the background.
    GoBehind,
    /// Words of the person came too late for the request.
    Unheard(String),
    /// Text of shellmate itself, in place of an answer.
    Words(String),
    /// One line of shellmate itself, in place of an answer.
    Notice(String),
    /// An earlier request is shown again.
    Recalled(Recalled<'a>),
}

/// An event of the conversation line.
pub(in crate::session) enum LineEvent {
    /// The line may open, with these completions.
    Opened(Offers),
    /// The queries of earlier conversations have been read.
    Queries(Vec<String>),
    /// The search for completions of `typed` has ended.
    Found { typed: String, found: FoundReferences },
    /// The person has closed their own editor.
    Edited(io::Result<String>),
}

/// A point in the session's loop that a floor may wait for.
pub(in crate::session) enum LoopEvent {
    /// All output of the shell that was ready has been read.
    OutputEnded,
    /// All keys that were waiting have been read: a question may start to accept keys.
    KeysRead,
    /// The ESC that was read is not the beginning of a longer key.
    Settle,
    /// Time has passed.
    Tick,
}

impl<'a> From<TurnEvent<'a>> for FloorEvent<'a> {
    fn from(event: TurnEvent<'a>) -> Self {
        FloorEvent::Turn(event)
    }
}

impl From<LineEvent> for FloorEvent<'_> {
    fn from(event: LineEvent) -> Self {
        FloorEvent::Line(event)
    }
}

impl From<LoopEvent> for FloorEvent<'_> {
    fn from(event: LoopEvent) -> Self {
        FloorEvent::Loop(event)
    }
}
