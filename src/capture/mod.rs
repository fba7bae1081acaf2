//! Output of commands, kept within limits.
//!
//! A capture keeps the first and last bytes a command printed in memory and, once they no longer fit, the whole of it in a
//! private spill file up to a cap. Which bytes belong to a command is decided by `track`; here it is only decided how many are
//! kept and where. Bytes become text lazily, as the terminal showed them. Touches: text, and files below the directory it is given.

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
    /// Bytes of the whole in the spill file.
    pub spill: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: 64 * KIB, tail: 192 * KIB, spill: 64 * MIB as u64 }
    }
}

/// Added to the kept bytes when a full-screen program ends, in case the program's own sequence came earlier and was not kept.
const LEAVE_ALTERNATE_SCREEN: &[u8] = b"\x1b[?1049l";

/// The output of a running command.
#[derive(Debug)]
pub(crate) struct Capture {
    limits: Limits,
    spiller: Spiller,
    seen: u64,
    /// Bytes that were to be kept: all but those of full-screen programs.
    offered: u64,
    head: Vec<u8>,
    tail: Trail,
    spill: Option<Spill>,
    on_alternate_screen: bool,
    was_full_screen: bool,
}

impl Capture {
    /// Starts empty; memory is taken as bytes come.
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

    /// Takes the next bytes. Copies only: files are written by the spiller's thread, and a slow disk costs the spill, never time.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        if !self.on_alternate_screen {
            self.keep(bytes);
        }
    }

    /// Notes that a program took the whole screen; from here bytes are counted but not kept.
    ///
    /// The switching sequence itself may be pushed before or after.
    pub(crate) fn enter_full_screen(&mut self) {
        self.on_alternate_screen = true;
        self.was_full_screen = true;
    }

    /// Notes that the screen was given back; bytes are kept again.
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

    /// Disowns the last bytes: the shell printed them, not the command. What has already gone to the spill file stays there.
    pub(crate) fn drop_end(&mut self, count: usize) {
        if self.tail.last(1).is_empty() {
            self.head.truncate(self.head.len().saturating_sub(count));
        } else {
            self.tail.disown(count);
        }
        self.seen = self.seen.saturating_sub(count as u64);
        self.offered = self.offered.saturating_sub(count as u64);
    }

    /// Ends the capture. The end of a spill may still be on its way to the disk; see [`Spiller::settle`].
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

    /// Not all of it fits into memory any more: what there was so far goes to a spill file, and so does what comes.
    fn begin_spill(&mut self) {
        self.spill = self.spiller.open(self.limits.spill);
        match &mut self.spill {
            Some(spill) => {
                spill.push(Arc::new(self.head.clone()));
                self.tail.full().for_each(|block| spill.push(block.clone()));
            }
            // Without a spill the question must not be asked again at every push.
            None => self.spiller = Spiller::none(),
        }
    }
}

#[cfg(test)]
mod tests;
