//! Events of a turn, painted.

use std::time::Instant;

use crate::chat::Event;

use super::Options;
use super::line::Line;
use super::region::{Final, Region};

pub struct Painter {
    region: Region,
}

impl Painter {
    pub fn new(options: Options) -> Painter {
        Painter { region: Region::new(options) }
    }

    /// Appends the bytes that show what happened.
    pub fn event(&mut self, event: &Event, _now: Instant, out: &mut Vec<u8>) {
        if let Event::Text(text) | Event::Notice(text) = event {
            let lines = text.lines().map(|line| Final::Line(Line::of(Default::default(), line)));
            self.region.paint(lines.collect(), Vec::new(), out);
        }
    }

    /// Moves the spinner and the elapsed time; to be called now and then while a turn runs.
    pub fn tick(&mut self, _now: Instant, _out: &mut Vec<u8>) {}

    /// The terminal has another width now.
    pub fn resize(&mut self, columns: u16, out: &mut Vec<u8>) {
        self.region.resize(columns, out);
    }

    /// Removes the live region so that others may print; the cursor is left at the start of a fresh line.
    pub fn suspend(&mut self, out: &mut Vec<u8>) {
        self.region.lift(out);
    }

    /// Paints the live region again, below what others printed; the cursor must be at the start of a fresh line.
    pub fn resume(&mut self, _now: Instant, _out: &mut Vec<u8>) {}

    /// Unfolds or folds the output of the running call, or of the last one.
    pub fn toggle_output(&mut self, _out: &mut Vec<u8>) {}

    /// Unfolds or folds what the model thinks.
    pub fn toggle_thinking(&mut self, _out: &mut Vec<u8>) {}

    /// Ends the turn: no live region, the cursor at the start of a fresh line. Harmless when it has ended already.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.region.lift(out);
    }
}
