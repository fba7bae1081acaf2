//! The shell runs a command for the agent: it paints and has the keyboard until the command has ended.

use nix::sys::signal::Signal;
use tokio::sync::oneshot;

use crate::capture::{Capture, Size};
use crate::session::agent_link::{News, Ran};
use crate::session::books::switch_screen;
use crate::session::requests::Wish;
use crate::tool::ShellResult;
use crate::track::Mark;

use super::turn::refuse;
use super::{Effect, Floor, FloorEvent, RunResult, TurnEvent, TurnFloor, View, shell};

/// The status of a command that was ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// The channel for the result of a command in the live shell.
pub(in crate::session) type Loan = oneshot::Sender<Ran>;

/// A command in the live shell.
pub(in crate::session) struct Lent {
    pub(in crate::session) turn: Box<TurnFloor>,
    loan: Loan,
    /// The output of the command.
    capture: Capture,
}

impl Lent {
    pub(super) fn new(turn: Box<TurnFloor>, loan: Loan, capture: Capture) -> Lent {
        Lent { turn, loan, capture }
    }

    /// The command has printed these bytes, which are already on the screen.
    pub(in crate::session) fn printed(&mut self, bytes: &[u8]) {
        self.capture.push(bytes);
    }

    /// The command has entered or left the alternate screen.
    pub(in crate::session) fn switch_screen(&mut self, is_full_screen: bool) {
        switch_screen(&mut self.capture, is_full_screen);
    }

    pub(super) fn handle(
        mut self: Box<Self>,
        event: FloorEvent<'_>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        match event {
            FloorEvent::Keys(keys) => effects.push(Effect::Send(keys.to_vec())),
            FloorEvent::Mark(Mark::Ran { status }) => {
                let turn = self.end(*status, view, effects);
                return turn.go_on(view, effects);
            }
            // The shell has continued to its prompt from within the command: fish does that after an interrupt. The answer
            // continues in the background.
            FloorEvent::Mark(
                mark @ (Mark::End { .. } | Mark::Prompt { .. } | Mark::Start { .. } | Mark::Query { .. }),
            ) => {
                self.end(INTERRUPTED, view, effects);
                return shell::on_mark(mark, Floor::Shell, view, effects);
            }
            FloorEvent::Mark(Mark::Input) | FloorEvent::Abandon => return self.turn.abandon(view, effects),
            FloorEvent::Mark(mark) => return shell::on_mark(mark, Floor::Lent(self), view, effects),
            FloorEvent::Turn(event) => return self.on_turn_event(event, view, effects),
            FloorEvent::Resized => self.turn.resize(view, effects),
            FloorEvent::Interrupt => effects.push(Effect::Signal(Signal::SIGINT)),
            FloorEvent::Hotkey(_) | FloorEvent::Line(_) | FloorEvent::Loop(_) => {}
        }
        Floor::Lent(self)
    }

    fn on_turn_event(self: Box<Self>, event: TurnEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match event {
            TurnEvent::NotHanded(error) => {
                refuse(self.loan, format!("cannot pass the command to the shell: {error}"));
                return self.turn.go_on(view, effects);
            }
            TurnEvent::News(news) => return self.hear(news, view, effects),
            TurnEvent::Wish(wish) => effects.push(self.turn.want(wish)),
            TurnEvent::Numbered(_)
            | TurnEvent::Runs(_)
            | TurnEvent::GoBehind
            | TurnEvent::Unheard(_)
            | TurnEvent::Words(_)
            | TurnEvent::Notice(_)
            | TurnEvent::Recalled(_) => {}
        }
        Floor::Lent(self)
    }

    fn hear(mut self: Box<Self>, news: News, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match news {
            News::Over { .. } => self.turn.hear(news, view, effects),
            // The shell has the keyboard: a question waits until the command has ended.
            News::Approve(..) | News::Ask(..) | News::Confirm(..) | News::Pick(..) | News::Run(..) => {
                effects.extend(Wish::of(news).map(|wish| self.turn.want(wish)));
                Floor::Lent(self)
            }
            News::Event(_) | News::Words(_) | News::Diff(_) | News::Suggest(_) | News::AskAgain(_) | News::Copy(_) => {
                match self.turn.hear(news, view, effects) {
                    Floor::Turn(turn) => {
                        self.turn = turn;
                        Floor::Lent(self)
                    }
                    other => other,
                }
            }
        }
    }

    /// The command has ended: its result goes to the agent.
    fn end(self, status: i32, view: &View<'_>, effects: &mut Vec<Effect>) -> Box<TurnFloor> {
        let size = view.size();
        let output = self.capture.finish().text(Size::new(size.rows, size.cols));
        effects.push(Effect::Ran(RunResult { reply: self.loan, result: ShellResult { status, output } }));
        self.turn
    }
}
