//! The floor: who may paint, and whose keys they are.
//!
//! There is one floor at a time, and each holds what is true only then. A floor is given an event, with a view of the rest of the
//! session, and returns the next floor and a list of effects. It changes nothing else: the session carries the effects out, in
//! order (`session/effects.rs`). So every floor can be tested as a function, and no handler runs inside another.
//!
//! | floor | keys go to | who paints | ends with |
//! |---|---|---|---|
//! | `Shell` | the shell | the shell | an accepted query, or the hotkey |
//! | `Accepted` | held for the next floor | nobody: the redraw is hidden | the hook's `wait`, or a prompt without it |
//! | `TurnFloor` | its own few keys, a question, a steering line; else held | the agent | the answer's end, Ctrl-Z, or a command for the shell |
//! | `Lent` | the shell | the shell, for the agent | the hook's `ran` |
//! | `Talk` | the conversation line | the line | Enter (a turn), or an empty Enter, Esc, Ctrl-D |
//! | `Returning` | held for the prompt | the shell | the prompt |

mod accepted;
mod cover;
mod effect;
mod lent;
mod shell;
mod talk;
mod turn;
mod view;
mod waiting;

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod talk_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod turn_tests;

use std::io;

use crate::input::{FoundReferences, Offers};
use crate::tool::ShellResult;
use crate::track::Mark;

use super::agent_link::News;
use super::requests::Wish;

pub(super) use accepted::Accepted;
pub(super) use effect::Effect;
pub(super) use lent::{Lent, Loan};
pub(super) use talk::Talk;
pub(super) use turn::{Recalled, TurnFloor};
pub(super) use view::View;
pub(super) use waiting::{Back, JobOutput, Under, Waiting};

/// Who may paint, and whose keys they are.
#[derive(Default)]
pub(super) enum Floor {
    /// The shell and its programs.
    #[default]
    Shell,
    /// A query was accepted, and the hook that will wait for its answer has not said so yet.
    Accepted(Accepted),
    /// The agent works, or obeys a slash command.
    Turn(Box<TurnFloor>),
    /// The shell runs a command for the agent.
    Lent(Box<Lent>),
    /// A conversation line is open.
    Talk(Box<Talk>),
    /// The hook was told to go on, and the shell has not drawn its prompt yet.
    Returning,
}

/// What can happen to a floor.
pub(super) enum FloorEvent<'a> {
    /// Keys that were read at once, or what another floor left of them.
    Keys(&'a [u8]),
    /// The hotkey, read whole and alone.
    Hotkey(&'a [u8]),
    /// The shell's hooks have said this.
    Mark(&'a Mark),
    /// News of the request in front.
    News(News),
    /// The request in front got this number.
    Numbered(u64),
    /// A request wants this of the person or their shell, and it is its turn.
    Wish(Wish),
    /// A command for the live shell is being handed over.
    Runs(Loan),
    /// It could not be handed over.
    NotHanded(io::Error),
    /// The request in front goes on in the background.
    GoBehind,
    /// Words of our own, in place of an answer.
    Words(String),
    /// One line of ours, in place of an answer.
    Notice(String),
    /// An earlier request is shown again.
    Recalled(Recalled<'a>),
    /// The conversation line may open, with these completions.
    Opened(Offers),
    /// The queries of earlier conversations were read.
    Queries(Vec<String>),
    /// What can be referred to with what was typed was found.
    Found { typed: String, found: FoundReferences },
    /// The person's own editor was closed.
    Edited(io::Result<String>),
    /// The shell's output was read to its end for now.
    OutputEnded,
    /// The terminal has another size.
    Resized,
    /// Somebody has sent us SIGINT.
    Interrupt,
    /// Time has passed.
    Tick,
    /// All keys that waited were read: a question may begin to listen.
    KeysRead,
    /// An ESC was not the beginning of a longer key.
    Settle,
    /// Whatever goes on, the shell gets the floor back at once.
    Abandon,
}

impl Floor {
    /// Takes an event. Returns the next floor; what is to be done about the event is appended to `effects`.
    pub(super) fn handle(self, event: FloorEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match self {
            Floor::Shell => shell::handle(event, view, effects),
            Floor::Accepted(accepted) => accepted.handle(event, view, effects),
            Floor::Turn(turn) => turn.handle(event, view, effects),
            Floor::Lent(lent) => lent.handle(event, view, effects),
            Floor::Talk(talk) => talk.handle(event, view, effects),
            Floor::Returning => shell::handle_returning(event, view, effects),
        }
    }

    /// Whether keys go to the shell.
    pub(super) fn shell_has_keyboard(&self) -> bool {
        matches!(self, Floor::Shell | Floor::Lent(_))
    }

    /// Whether the shell has the floor for itself.
    pub(super) fn is_shell(&self) -> bool {
        matches!(self, Floor::Shell)
    }

    /// Whether the hotkey means something now.
    pub(super) fn takes_hotkey(&self) -> bool {
        match self {
            Floor::Shell | Floor::Accepted(_) | Floor::Returning => true,
            Floor::Talk(talk) => talk.takes_hotkey(),
            Floor::Turn(_) | Floor::Lent(_) => false,
        }
    }

    /// Whether this floor wants to hear that time passes.
    pub(super) fn ticks(&self) -> bool {
        matches!(self, Floor::Turn(_))
    }

    /// Whether the last key may be the beginning of a longer one.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(self, Floor::Talk(talk) if talk.is_undecided())
    }

    /// Whether what the shell draws now is kept from the screen.
    pub(super) fn hides(&self) -> bool {
        matches!(self, Floor::Accepted(_))
    }

    /// Whether a conversation lies over what the shell shows; programs wait below it.
    pub(super) fn is_covered(&self) -> bool {
        match self {
            Floor::Turn(turn) => turn.back.is_covered(),
            Floor::Talk(talk) => talk.under.is_screen(),
            Floor::Shell | Floor::Accepted(_) | Floor::Lent(_) | Floor::Returning => false,
        }
    }

    /// Whether more of the shell's output can be taken.
    pub(super) fn has_room(&mut self) -> bool {
        !self.is_covered() && self.jobs().is_none_or(|jobs| jobs.has_room())
    }

    /// Whether background jobs have printed something that was not shown yet.
    pub(super) fn has_jobs(&mut self) -> bool {
        self.jobs().is_some_and(|jobs| !jobs.is_empty())
    }

    /// Where the output of background jobs goes, while the agent or a line has the floor.
    fn jobs(&mut self) -> Option<&mut JobOutput> {
        match self {
            Floor::Turn(turn) => turn.back.jobs(),
            Floor::Talk(talk) => talk.under.jobs(),
            Floor::Shell | Floor::Accepted(_) | Floor::Lent(_) | Floor::Returning => None,
        }
    }

    /// The number of the request in front.
    pub(super) fn request(&self) -> Option<u64> {
        match self {
            Floor::Turn(turn) => Some(turn.request),
            Floor::Lent(lent) => Some(lent.turn.request),
            Floor::Shell | Floor::Accepted(_) | Floor::Talk(_) | Floor::Returning => None,
        }
    }

    /// Takes bytes that the shell or its programs have printed. Returns whether they are to be shown now.
    pub(super) fn takes(&mut self, bytes: &[u8]) -> bool {
        match self {
            Floor::Accepted(accepted) => {
                let is_redraw = accepted.hide(bytes.len());
                if !is_redraw {
                    *self = Floor::Shell;
                }
                !is_redraw
            }
            Floor::Shell | Floor::Returning | Floor::Turn(_) | Floor::Lent(_) | Floor::Talk(_) => {
                let jobs = self.jobs();
                let is_shown = jobs.is_none();
                jobs.into_iter().for_each(|jobs| jobs.push(bytes));
                is_shown
            }
        }
    }
}

/// The result of a command in the live shell, for whoever waits for it.
pub(super) struct RunResult {
    pub(super) reply: tokio::sync::oneshot::Sender<super::agent_link::Ran>,
    pub(super) result: ShellResult,
}
