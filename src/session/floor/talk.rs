//! A conversation: a line that stays open for follow-ups.
//!
//! The line takes one key at a time. When a key submits or closes the line, the keys after it go to the next floor.

use std::ops::ControlFlow;
use std::sync::Arc;

use nix::sys::signal::Signal;

use crate::input::{Decoder, EditOutcome, FoundReferences, Input, LineEditor, Offers, QueryHistory};
use crate::render::TerminalMode;
use crate::session::agent_link::{self, AgentCommand, Slash};

use super::{Back, Effect, Floor, FloorEvent, LineEvent, LoopEvent, TurnFloor, Under, View, shell};

/// Esc and Ctrl-C cancel the search for paths, however slow the disk is.
const GIVE_UP: [u8; 2] = [0x1B, 0x03];

/// An open conversation.
pub(in crate::session) struct Talk {
    pub(in crate::session) under: Under,
    line: LineEditor,
    decoder: Decoder,
    history: QueryHistory,
    offers: Offers,
    /// The text that the line opens with.
    draft: String,
    /// Whether a search for paths is running. Keys wait until it ends.
    is_looking: bool,
}

impl Talk {
    /// Starts a conversation. Its line opens as soon as the session has the completions.
    pub(super) fn begin(under: Under, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        effects.extend([Effect::LoadQueries, Effect::OpenLine, Effect::RouteHeld]);
        Floor::Talk(Box::new(Talk {
            under,
            line: LineEditor::new(view.profile.editing, Arc::clone(&view.profile.keys)),
            decoder: Decoder::default(),
            history: QueryHistory::default(),
            offers: Offers::default(),
            draft: String::new(),
            is_looking: false,
        }))
    }

    /// The last key may be the beginning of a longer one.
    pub(super) fn is_undecided(&self) -> bool {
        self.decoder.is_undecided()
    }

    /// On an empty line, a second press of the hotkey goes to the program below.
    pub(super) fn takes_hotkey(&self) -> bool {
        self.under.is_screen() && self.line.is_empty() && !self.decoder.is_undecided()
    }

    /// The text on the screen below, until a question has sent it.
    pub(super) fn screen(&mut self) -> Option<&mut Option<String>> {
        match &mut self.under {
            Under::Screen(cover) => Some(&mut cover.text),
            Under::Hook(_) => None,
        }
    }

    /// Puts text on the line when it opens again.
    pub(super) fn add_draft(&mut self, words: &str) {
        if !self.draft.is_empty() {
            self.draft.push(' ');
        }
        self.draft.push_str(words);
    }

    pub(super) fn handle(
        mut self: Box<Self>,
        event: FloorEvent<'_>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        match event {
            FloorEvent::Keys(keys) => return self.keys(keys, view, effects),
            FloorEvent::Hotkey(_) => {
                let key = self.hotkey();
                let floor = self.close(view, effects);
                effects.extend(key.map(Effect::Send));
                return floor;
            }
            FloorEvent::Loop(LoopEvent::Settle) => return self.settle(view, effects),
            FloorEvent::Mark(mark) if shell::leaves(mark, view) => {
                self.abandon(view, effects);
                return shell::on_mark(mark, Floor::Returning, view, effects);
            }
            FloorEvent::Mark(mark) => return shell::on_mark(mark, Floor::Talk(self), view, effects),
            FloorEvent::Line(event) => return self.on_line_event(event, view, effects),
            FloorEvent::Loop(LoopEvent::OutputEnded) => self.show_jobs(view, effects),
            FloorEvent::Resized => return self.resized(view, effects),
            FloorEvent::Interrupt if self.under.is_screen() => effects.push(Effect::Signal(Signal::SIGINT)),
            FloorEvent::Abandon => {
                self.abandon(view, effects);
                return Floor::Shell;
            }
            FloorEvent::Turn(_) | FloorEvent::Loop(LoopEvent::Tick | LoopEvent::KeysRead) | FloorEvent::Interrupt => {}
        }
        Floor::Talk(self)
    }

    fn on_line_event(mut self: Box<Self>, event: LineEvent, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        match event {
            LineEvent::Opened(offers) => self.open(offers, view, effects),
            LineEvent::Queries(queries) => {
                self.history.load(queries);
                self.painted(view, effects)
            }
            LineEvent::Found { typed, found } => self.found(&typed, found, view, effects),
            LineEvent::Edited(edited) => self.edited(edited, view, effects),
        }
    }

    /// Takes an ESC as the Esc key, because nothing has followed it.
    fn settle(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let Some(input) = self.decoder.settle() else { return Floor::Talk(self) };
        match self.input(input, view, effects) {
            ControlFlow::Continue(talk) => talk.painted(view, effects),
            ControlFlow::Break(floor) => floor,
        }
    }

    fn resized(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut out = Vec::new();
        self.line.resized(&view.line_screen(), &mut out);
        self.under.draw(out, effects);
        self.painted(view, effects)
    }

    /// Opens the line.
    fn open(mut self: Box<Self>, offers: Offers, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        self.offers = offers;
        self.is_looking = false;
        self.line = LineEditor::new(view.profile.editing, Arc::clone(&view.profile.keys));
        match std::mem::take(&mut self.draft) {
            draft if draft.is_empty() => self.line.welcome(&self.history, &self.offers),
            draft => self.line.replace(&draft),
        }
        self.under.draw(switches(true, view), effects);
        self.painted(view, effects)
    }

    fn keys(mut self: Box<Self>, keys: &[u8], view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        if self.is_looking {
            effects.push(Effect::Hold(keys.to_vec()));
            if keys.iter().any(|key| GIVE_UP.contains(key)) {
                self.is_looking = false;
                effects.push(Effect::RouteHeld);
            }
            return Floor::Talk(self);
        }
        for (at, &key) in keys.iter().enumerate() {
            let Some(input) = self.decoder.byte(key) else { continue };
            match self.input(input, view, effects) {
                ControlFlow::Continue(talk) => self = talk,
                ControlFlow::Break(floor) => {
                    // The next floor decides who gets the other keys.
                    if at + 1 < keys.len() {
                        effects.push(Effect::Route(keys[at + 1..].to_vec()));
                    }
                    return floor;
                }
            }
        }
        self.painted(view, effects)
    }

    /// Gives the line a key. Breaks with the next floor if the line takes no more keys for now.
    fn input(
        mut self: Box<Self>,
        input: Input,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> ControlFlow<Floor, Box<Talk>> {
        ControlFlow::Break(match self.line.input(input, &self.history, &self.offers) {
            EditOutcome::Open => return ControlFlow::Continue(self),
            EditOutcome::Submitted(text) => {
                let mut out = Vec::new();
                self.line.leave(&view.line_screen(), &mut out);
                out.extend(switches(false, view));
                self.under.draw(out, effects);
                let text = text.trim().to_owned();
                if self.history.add(&text) {
                    effects.push(Effect::KeepQuery(text.clone()));
                }
                match agent_link::parse(&text) {
                    Some(Ok(Slash::Agent(AgentCommand::Quit))) => self.under.give_back(effects),
                    _ => TurnFloor::begin(text, Back::Line(self), view, effects),
                }
            }
            EditOutcome::Closed => self.close(view, effects),
            EditOutcome::Find(typed) => {
                self.is_looking = true;
                effects.push(Effect::Find(typed));
                self.painted(view, effects)
            }
            EditOutcome::Edit(text) => {
                self.lift(view, effects);
                effects.push(Effect::Edit(text));
                Floor::Talk(self)
            }
        })
    }

    /// The search for paths has ended. Keys that were typed meanwhile follow.
    fn found(
        mut self: Box<Self>,
        typed: &str,
        found: FoundReferences,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        if !self.is_looking {
            return Floor::Talk(self);
        }
        self.is_looking = false;
        self.line.found(typed, &found, &self.offers);
        let floor = self.painted(view, effects);
        effects.push(Effect::RouteHeld);
        floor
    }

    /// The text was edited in the person's own editor.
    fn edited(
        mut self: Box<Self>,
        edited: std::io::Result<String>,
        view: &View<'_>,
        effects: &mut Vec<Effect>,
    ) -> Floor {
        self.under.draw(switches(true, view), effects);
        match edited {
            Ok(text) => self.line.replace(&text),
            Err(error) => {
                let words = view.books.words(&format!("cannot use the editor: {error}; set VISUAL or EDITOR"));
                self.under.draw(words, effects);
            }
        }
        self.painted(view, effects)
    }

    /// Removes the line and gives the floor back.
    fn close(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        self.lift(view, effects);
        self.under.give_back(effects)
    }

    /// The shell has continued on its own, so the floor is not given back.
    fn abandon(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        self.lift(view, effects);
        let rest = self.under.jobs().map(|jobs| jobs.take_all()).unwrap_or_default();
        self.under.draw(rest, effects);
    }

    /// Removes the line from the screen.
    fn lift(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let mut out = Vec::new();
        self.line.lift(&mut out);
        out.extend(switches(false, view));
        self.under.draw(out, effects);
    }

    fn painted(mut self: Box<Self>, view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
        let mut out = Vec::new();
        self.line.paint(&view.line_screen(), &self.history, &mut out);
        self.under.draw(out, effects);
        Floor::Talk(self)
    }

    /// Shows the output of background jobs above the line.
    fn show_jobs(&mut self, view: &View<'_>, effects: &mut Vec<Effect>) {
        let Some(lines) = self.under.jobs().and_then(|jobs| jobs.take_lines()) else { return };
        let mut out = Vec::new();
        self.line.lift(&mut out);
        out.extend(lines);
        self.line.paint(&view.line_screen(), &self.history, &mut out);
        self.under.draw(out, effects);
    }

    /// The hotkey as the program below would have received it.
    fn hotkey(&self) -> Option<Vec<u8>> {
        match &self.under {
            Under::Screen(cover) => Some(cover.key.clone()),
            Under::Hook(_) => None,
        }
    }
}

/// Switches the terminal modes that a line needs (bracketed paste, distinguishable keys), or the program's modes again.
fn switches(on: bool, view: &View<'_>) -> Vec<u8> {
    // The Linux console takes the kitty sequence for another one.
    let speaks_kitty = std::env::var_os("TERM").is_some_and(|term| term != "linux");
    let kitty: &[u8] = match (speaks_kitty, on) {
        (false, _) => b"",
        (true, true) => b"\x1b[>1u",
        (true, false) => b"\x1b[<u",
    };
    match (view.options().mode == TerminalMode::Terminal, on) {
        (false, _) => Vec::new(),
        (true, true) => [view.paste_brackets(true), kitty].concat(),
        (true, false) => [kitty, view.paste_brackets(false)].concat(),
    }
}
