//! The floor: who may paint, and who gets the keys.
//!
//! There is one floor at a time, and each holds the state that exists only then. A floor gets an event, with a view of the rest
//! of the session, and returns the next floor and a list of effects. It changes nothing else: the session carries the effects
//! out, in order (`session/effects.rs`). So every floor can be tested as a function, and no handler runs inside another.
//!
//! | floor | keys go to | who paints | ends with |
//! |---|---|---|---|
//! | `Shell` | the shell | the shell | an accepted query, or the hotkey |
//! | `Accepted` | held for the next floor; Ctrl-C withdraws the query | nobody: the redraw is hidden | the hook's `wait`, or a prompt without it |
//! | `TurnFloor` | its own few keys, a question, a steering line; else held | the agent | the answer's end, Ctrl-Z, or a command for the shell |
//! | `Lent` | the shell | the shell, for the agent | the hook's `ran` |
//! | `Talk` | the conversation line | the line | Enter (a turn), or an empty Enter, Esc, Ctrl-D |
//! | `Returning` | held for the prompt, for two seconds at most | the shell | the prompt |

mod accepted;
mod cover;
mod effect;
mod event;
mod lent;
mod shell;
mod talk;
mod turn;
mod view;
mod waiting;

#[cfg(test)]
mod lost_marks_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod talk_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod turn_tests;
#[cfg(test)]
mod typing_tests;

use crate::tool::ShellResult;

pub(super) use accepted::Accepted;
pub(super) use effect::Effect;
pub(super) use event::{FloorEvent, LineEvent, LoopEvent, TurnEvent};
pub(super) use lent::{Lent, Loan};
pub(super) use talk::Talk;
pub(super) use turn::{Recalled, TurnFloor};
pub(super) use view::View;
pub(super) use waiting::{Back, JobOutput, Under, Waiting};

/// Who may paint, and who gets the keys.
#[derive(Default)]
pub(super) enum Floor {
    /// The shell and its programs.
    #[default]
    Shell,
    /// A query was accepted, and the hook has not yet reported that it waits for the answer.
    Accepted(Accepted),
    /// The agent works, or carries out a slash command.
    Turn(Box<TurnFloor>),
    /// The shell runs a command for the agent.
    Lent(Box<Lent>),
    /// A conversation line is open.
    Talk(Box<Talk>),
    /// The hook was told to continue, and the shell has not drawn its prompt yet.
    Returning,
}

impl Floor {
    /// Handles an event. Returns the next floor, and appends to `effects` what the session should do.
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

    /// Whether the shell has the floor.
    pub(super) fn is_shell(&self) -> bool {
        matches!(self, Floor::Shell)
    }

    /// Whether the hotkey has a meaning now.
    pub(super) fn takes_hotkey(&self) -> bool {
        match self {
            Floor::Shell | Floor::Accepted(_) | Floor::Returning => true,
            Floor::Talk(talk) => talk.takes_hotkey(),
            Floor::Turn(turn) => turn.has_question(),
            Floor::Lent(_) => false,
        }
    }

    /// Whether this floor needs ticks.
    pub(super) fn ticks(&self) -> bool {
        matches!(self, Floor::Turn(_))
    }

    /// Whether the last key may be the beginning of a longer one.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(self, Floor::Talk(talk) if talk.is_undecided())
    }

    /// Whether the shell's drawing is kept off the screen.
    pub(super) fn hides(&self) -> bool {
        matches!(self, Floor::Accepted(_))
    }

    /// Whether a conversation covers the shell's screen; programs wait below it.
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

    /// The buffer for the output of background jobs while the agent or a line has the floor.
    fn jobs(&mut self) -> Option<&mut JobOutput> {
        match self {
            Floor::Turn(turn) => turn.back.jobs(),
            Floor::Talk(talk) => talk.under.jobs(),
            Floor::Shell | Floor::Accepted(_) | Floor::Lent(_) | Floor::Returning => None,
        }
    }

    /// The number of the request in the foreground.
    pub(super) fn request(&self) -> Option<u64> {
        match self {
            Floor::Turn(turn) => Some(turn.request),
            Floor::Lent(lent) => Some(lent.turn.request),
            Floor::Shell | Floor::Accepted(_) | Floor::Talk(_) | Floor::Returning => None,
        }
    }

    /// Takes bytes of the shell or its programs. Returns whether to show them now.
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

/// The result of a command in the live shell, with the channel to the agent.
pub(super) struct RunResult {
    pub(super) reply: tokio::sync::oneshot::Sender<super::agent_link::Ran>,
    pub(super) result: ShellResult,
}
