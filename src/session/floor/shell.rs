//! The shell has the floor, or is about to have it.

use std::time::Duration;

use nix::sys::signal::Signal;

use crate::track::{LineOnScreen, Mark, Zone};

use super::{Accepted, Effect, Floor, FloorEvent, View, cover};

/// Most prompts are drawn within a few hundred milliseconds.
const PROMPT_PATIENCE: Duration = Duration::from_secs(2);

/// The shell and its programs paint and have the keyboard.
pub(super) fn handle(event: FloorEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
    match event {
        FloorEvent::Keys(keys) => effects.push(Effect::Send(keys.to_vec())),
        FloorEvent::Hotkey(key) => return cover::cover(key, view, effects),
        FloorEvent::Mark(mark) => return on_mark(mark, Floor::Shell, view, effects),
        FloorEvent::Interrupt => effects.push(Effect::Signal(Signal::SIGINT)),
        FloorEvent::Turn(_) | FloorEvent::Line(_) | FloorEvent::Loop(_) | FloorEvent::Resized | FloorEvent::Abandon => {
        }
    }
    Floor::Shell
}

/// The shell is about to draw its prompt. Keys wait for it.
pub(super) fn handle_returning(event: FloorEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
    match event {
        FloorEvent::Keys(_) | FloorEvent::Hotkey(_) if is_at_prompt(view) || is_overdue(view) => {
            effects.push(Effect::SendHeld);
            return handle(event, view, effects);
        }
        FloorEvent::Keys(keys) | FloorEvent::Hotkey(keys) => effects.push(Effect::Hold(keys.to_vec())),
        FloorEvent::Mark(mark) => return on_mark(mark, Floor::Returning, view, effects),
        FloorEvent::Abandon => return Floor::Shell,
        FloorEvent::Turn(_)
        | FloorEvent::Line(_)
        | FloorEvent::Loop(_)
        | FloorEvent::Resized
        | FloorEvent::Interrupt => {}
    }
    Floor::Returning
}

/// Whether the line editor reads keys at a prompt although our hook has not reported the prompt, because another program has
/// removed the hook.
fn is_at_prompt(view: &View<'_>) -> bool {
    view.books.zone() == Zone::Prompt && view.wires.shell.edits_a_line()
}

/// Whether the prompt takes so long that its mark may never come. What is typed then goes to the shell, which keeps it for its prompt
/// as it does without us.
fn is_overdue(view: &View<'_>) -> bool {
    view.keyboard.returning_at.is_some_and(|then| view.now.saturating_duration_since(then) > PROMPT_PATIENCE)
}

/// Handles a mark on a floor that has nothing to clean up: `floor` stays unless the mark changes it.
pub(super) fn on_mark(mark: &Mark, floor: Floor, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
    match mark {
        Mark::Input | Mark::Start { .. } => Floor::Shell,
        // A program that has read the nonce could print this mark too. Only the shell itself can accept a query.
        Mark::Query { line, screen } if view.wires.shell.is_in_front() => {
            if *screen == LineOnScreen::Erased {
                effects.push(Effect::Repaint(line.clone()));
            }
            effects.push(Effect::MendWorkspace);
            Floor::Accepted(Accepted::new(line.clone(), view.now, view.books.interrupted_at))
        }
        // No query was accepted, so the hook must not wait.
        Mark::Wait { .. } => {
            effects.push(Effect::EndWait);
            floor
        }
        Mark::Hello { .. }
        | Mark::End { .. }
        | Mark::Prompt { .. }
        | Mark::Wiped { .. }
        | Mark::Query { .. }
        | Mark::Later { .. }
        | Mark::Renew { .. }
        | Mark::Listen { .. }
        | Mark::Read { .. }
        | Mark::Go
        | Mark::Ran { .. } => floor,
    }
}

/// Whether this mark ends the work of the agent or a conversation line, because the shell has continued on its own.
pub(super) fn leaves(mark: &Mark, view: &View<'_>) -> bool {
    match mark {
        Mark::Prompt { .. } | Mark::Input | Mark::Start { .. } => true,
        Mark::Query { .. } => view.wires.shell.is_in_front(),
        Mark::Hello { .. }
        | Mark::End { .. }
        | Mark::Wiped { .. }
        | Mark::Later { .. }
        | Mark::Renew { .. }
        | Mark::Listen { .. }
        | Mark::Read { .. }
        | Mark::Go
        | Mark::Ran { .. }
        | Mark::Wait { .. } => false,
    }
}
