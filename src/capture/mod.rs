//! Output of commands, kept within limits.
//!
//! A capture keeps the first and the last bytes of a command's output in memory. Once the output no longer fits, all of it also
//! goes to a private spill file, up to a cap. `track` decides which bytes belong to a command; this room decides only how many
//! are kept and where. Bytes become text when somebody asks for it, as the terminal showed them. Touches: text, and files below
//! the directory it is given.

mod output;
mod plain;
mod spill;
mod sweep;
mod total;
mod trail;
mod whole;

pub(crate) use output::Output;
pub(crate) use plain::{Size, render};
pub(crate) use spill::Spiller;
pub(crate) use sweep::{Retention, SessionLock, SpillUse, lock_session, new_name, sweep_if_due};
pub(crate) use whole::Whole;

use crate::text::{KIB, MIB};
use spill::Spill;
use std::sync::Arc;
use trail::Trail;

/// How much of one command's output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of the beginning held in memory.
    pub head: usize,
    /// Bytes of the end held in memory.
    pub tail: usize,
    /// Bytes of the whole output in the spill file.
    pub spill: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 64 * KIB, tail: 192 * KIB, spill: 64 * MIB as u64 }
    }
}

/// Appended to the kept bytes when a full-screen program ends, because the program's own sequence may have come while nothing was
/// kept.
const LEAVE_ALTERNATE_SCREEN: &[u8] = b"\x1b[?1049l";

/// The output of a running command.
#[derive(Debug)]
pub(crate) struct Capture {
    limits: Limits,
    spiller: Spiller,
    seen: u64,
    /// Bytes that could be kept: all except those of full-screen programs.
    offered: u64,
    head: Vec<u8>,
    tail: Trail,
    spill: Option<Spill>,
    on_alternate_screen: bool,
    was_full_screen: bool,
}

impl Capture {
    /// Starts empty and without memory of its own.
    pub(crate) fn new(limits: Limits, spiller: Spiller) -> Self {
        Self {
            limits,
            spiller,
            seen: 0,
            offered: 0,
            head: Vec::new(),
            tail: Trail::new(limits.tail),
            spill: None,
            on_alternate_screen: false,
            was_full_screen: false,
        }
    }

    /// Takes the next bytes. They are only copied here. The spiller's thread writes the files; if the disk is too slow, the spill
    /// is cut short and the shell does not wait.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        if !self.on_alternate_screen {
            self.keep(bytes);
        }
    }

    /// A program has switched to the alternate screen: from here on bytes are counted but not kept.
    ///
    /// The switching sequence itself may be pushed before or after this call.
    pub(crate) fn enter_full_screen(&mut self) {
        self.on_alternate_screen = true;
        self.was_full_screen = true;
    }

    /// The program has switched back to the main screen: bytes are kept again.
    pub(crate) fn leave_full_screen(&mut self) {
        if std::mem::take(&mut self.on_alternate_screen) {
            self.keep(LEAVE_ALTERNATE_SCREEN);
        }
    }

    /// The last bytes in memory, at most this many.
    pub(crate) fn last(&self, count: usize) -> Vec<u8> {
        let tail = self.tail.last(count);
        if tail.is_empty() { self.head[self.head.len().saturating_sub(count)..].to_vec() } else { tail }
    }

    /// Removes the last bytes, which the shell printed and not the command. Bytes that are already in the spill file stay there.
    pub(crate) fn drop_end(&mut self, count: usize) {
        if self.tail.last(1).is_empty() {
            self.head.truncate(self.head.len().saturating_sub(count));
        } else {
            self.tail.disown(count);
        }
        self.seen = self.seen.saturating_sub(count as u64);
        self.offered = self.offered.saturating_sub(count as u64);
    }

    /// Ends the capture. The spiller's thread may still be writing the end of a spill; see [`Spiller::settle`].
    pub(crate) fn finish(self) -> Output {
        let (tail, rest) = self.tail.into_parts();
        Output {
            seen: self.seen,
            head: self.head,
            tail,
            spill: self.spill.as_ref().map(|spill| spill.path().to_owned()),
            full_screen: self.was_full_screen,
            offered: self.offered,
            spilled: self.spill.map(|spill| spill.finish(rest)),
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.offered += bytes.len() as u64;
        let room = self.limits.head - self.head.len();
        let (first, mut rest) = bytes.split_at(room.min(bytes.len()));
        trail::extend(&mut self.head, first, self.limits.head);
        while !rest.is_empty() {
            rest = self.tail.fill(rest);
            if self.spill.is_none() && self.tail.is_over() {
                self.begin_spill();
            }
            if !rest.is_empty() {
                let block = self.tail.turn();
                if let Some(spill) = &mut self.spill {
                    spill.push(block);
                }
            }
        }
    }

    /// Starts a spill file, because the output no longer fits into memory. It gets the bytes so far and all that follow.
    fn begin_spill(&mut self) {
        self.spill = self.spiller.open(self.limits.spill);
        match &mut self.spill {
            Some(spill) => {
                spill.push(Arc::new(self.head.clone()));
                self.tail.full().for_each(|block| spill.push(block.clone()));
            }
            // If no spill can be opened, later pushes must not try again.
            None => self.spiller = Spiller::none(),
        }
    }
}

#[cfg(test)]
mod tests;
