//! A query was accepted. Until the hook waits for the answer, the line editor's redraw is hidden and keys are held.
//!
//! Ctrl-C in this time withdraws the query: typed now, or typed so soon after Enter that the shell got it.

use std::time::{Duration, Instant};

use crate::session::keyboard::CTRL_C;
use crate::track::Mark;

use super::{Back, Effect, Floor, FloorEvent, Talk, TurnFloor, Under, View, Waiting, shell};

/// A redraw of one line takes a few hundred bytes. If more than this follows a query, it is something else and is shown.
const HIDDEN_CAP: usize = 64 * 1024;

/// A hook starts to wait within a few milliseconds after the query.
const HOOK_PATIENCE: Duration = Duration::from_secs(2);

/// The query, until the hook has reported that it waits for the answer.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct Accepted {
    pub(in crate::session) line: Vec<u8>,
    at: Instant,
    /// Whether the person has pressed Ctrl-C since.
    is_withdrawn: bool,
    /// How many bytes of the redraw were hidden so far.
    hidden: usize,
}

impl Accepted {
    pub(super) fn new(line: Vec<u8>, at: Instant, interrupted_at: Option<Instant>) -> Accepted {
        // An older Ctrl-C was for the line before: a key that we do not know may have accepted this one.
        let is_withdrawn = interrupted_at.is_some_and(|then| at.saturating_duration_since(then) < HOOK_PATIENCE);
        Accepted { line, at, is_withdrawn, hidden: 0 }
    }

    /// Counts bytes of the redraw. Returns whether they may still be part of it.
    pub(super) fn hide(&mut self, count: usize) -> bool {
        self.hidden += count;
        self.hidden <= HIDDEN_CAP
    }

    pub(super) fn handle(mut self, event: FloorEvent<'_>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match event {
            FloorEvent::Keys(_) | FloorEvent::Hotkey(_) if self.misses_hook(view.now) => {
                effects.push(Effect::SendHeld);
                return shell::handle(event, view, effects);
            }
            FloorEvent::Keys(keys) | FloorEvent::Hotkey(keys) => {
                // As in a terminal, Ctrl-C discards what was typed before it.
                let keys = match keys.iter().rposition(|key| *key == CTRL_C) {
                    Some(at) => {
                        self.is_withdrawn = true;
                        effects.push(Effect::DropHeld);
                        &keys[at + 1..]
                    }
                    None => keys,
                };
                if !keys.is_empty() {
                    effects.push(Effect::Hold(keys.to_vec()));
                }
            }
            FloorEvent::Mark(Mark::Wait { .. } | Mark::Listen { .. } | Mark::Prompt { .. }) if self.is_withdrawn => {
                effects.extend([Effect::Show(b"^C\r\n".to_vec()), Effect::EndWait, Effect::SendHeld]);
                // The same Ctrl-C may have ended the hook, which then reports no prompt.
                return Floor::Shell;
            }
            // The first of the two may have been lost.
            FloorEvent::Mark(Mark::Wait { .. } | Mark::Listen { .. }) => return self.begin(view, effects),
            FloorEvent::Mark(Mark::Prompt { .. }) => return self.miss_hook(view, effects),
            FloorEvent::Mark(mark) => return shell::on_mark(mark, Floor::Accepted(self), view, effects),
            FloorEvent::Abandon => return Floor::Shell,
            FloorEvent::Turn(_)
            | FloorEvent::Line(_)
            | FloorEvent::Loop(_)
            | FloorEvent::Resized
            | FloorEvent::Interrupt => {}
        }
        Floor::Accepted(self)
    }

    /// Whether the hook is late, because the mark was forged or the hook is gone: the shell gets the keyboard back.
    fn misses_hook(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.at) > HOOK_PATIENCE
    }

    /// The hook waits: carries out the line.
    fn begin(self, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        effects.push(Effect::Show(b"\r\n".to_vec()));
        effects.push(Effect::AnswerBegins);
        let line = String::from_utf8_lossy(&self.line);
        let text = line.strip_prefix('>').unwrap_or(&line).trim().to_owned();
        if text.is_empty() {
            effects.push(Effect::TakeBack);
            return Talk::begin(Under::Hook(Waiting::default()), view, effects);
        }
        TurnFloor::begin(text, Back::Hook(Waiting::default()), view, effects)
    }

    /// The shell continues to its prompt although its hook has not waited. The query is put on the prompt, so that it can be
    /// asked again.
    fn miss_hook(self, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let words = "the shell's hook did not wait, so nothing was asked; press Enter to ask again";
        effects.push(Effect::Show([&b"\r\n"[..], &*view.books.words(words)].concat()));
        effects.push(Effect::PutOnPrompt(self.line));
        Floor::Returning
    }
}
