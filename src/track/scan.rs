//! Finds marks in the shell's output without changing anything else.
//!
//! Only bytes after an ESC are looked at. A byte is held back only while everything since the last ESC could still be the
//! beginning of one of our own marks, which a terminal would not show either; the first byte that cannot belong releases them.

use memchr::memchr;

use super::mark::Mark;
use super::modes::Switch;
use super::{BEL, ESC};

/// The numbers of the prompt marks that terminals know: the usual, and those of Visual Studio Code.
const STANDARD: [&[u8]; 2] = [b"133", b"633"];

/// The longest mark we collect: two fields of 64 KiB with every byte encoded. What is longer is skipped, not shown.
pub const MARK_CAP: usize = 3 * 2 * 64 * 1024 + 64;

/// One thing found in the stream, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes for the terminal.
    Bytes(&'a [u8]),
    /// A mark of ours, taken out of the stream.
    Mark(Mark),
    /// A private mode was switched; the sequence itself is among the bytes, and the last of those before if it changes the screen.
    Switch(Switch),
    /// The shell emits standard prompt marks of its own; the sequence itself is among the bytes.
    ForeignPrompt,
}

/// Splits a byte stream into pieces; any way of cutting the stream gives the same result.
#[derive(Debug)]
pub struct Scanner {
    /// `ESC ] 7771 ; <nonce> ;`
    prefix: Vec<u8>,
    state: State,
    /// What has been collected of a mark of ours.
    payload: Vec<u8>,
    /// The numbers of the private-mode sequence being read.
    modes: Numbers,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Ground,
    /// The last `matched` bytes are the beginning of `prefix`; `carried` of them came with earlier chunks and are held back.
    Prefix {
        matched: usize,
        carried: usize,
    },
    /// Inside a mark of ours.
    Own {
        after_esc: bool,
        overlong: bool,
    },
    /// After `ESC [`.
    Csi,
    /// After `ESC [ ?`: a private mode's number so far.
    PrivateMode {
        number: u16,
    },
    /// After `ESC ]`: how much of one of the numbers was seen.
    Osc {
        number: &'static [u8],
        matched: usize,
    },
}

impl State {
    /// After a byte that ends whatever was read before.
    fn after(byte: u8) -> State {
        if byte == ESC { State::Prefix { matched: 1, carried: 0 } } else { State::Ground }
    }
}

/// How far a chunk has been read.
struct Place<'a> {
    chunk: &'a [u8],
    /// The first byte that was not passed on yet.
    run: usize,
    /// The next byte to look at.
    at: usize,
}

impl Place<'_> {
    /// Passes on what lies before `end`.
    fn emit(&mut self, end: usize, sink: &mut impl FnMut(Piece<'_>)) {
        emit(&self.chunk[self.run..end], sink);
        self.run = end;
    }

    /// Goes on behind bytes that are passed on to nobody.
    fn skip(&mut self, count: usize) {
        self.at += count;
        self.run = self.at;
    }

    /// Goes on behind the next ESC, or behind what most often follows it: what a sequence is, two bytes tell.
    fn next_escape(&mut self) -> State {
        let Some(offset) = memchr(ESC, &self.chunk[self.at..]) else {
            self.at = self.chunk.len();
            return State::Ground;
        };
        let esc = self.at + offset;
        let (skipped, state) = match self.chunk.get(esc + 1..esc + 3) {
            Some([b'[', b'?']) => (3, State::PrivateMode { number: 0 }),
            Some([b'[', third]) if *third != ESC => (3, State::Ground),
            Some([second, _]) if !matches!(*second, b'[' | b']' | ESC) => (2, State::Ground),
            _ => (1, State::after(ESC)),
        };
        self.at = esc + skipped;
        state
    }
}

/// The first few numbers of one sequence; nobody switches more modes at once.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    list: [u16; 8],
    len: usize,
}

impl Numbers {
    fn push(&mut self, number: u16) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = number;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[u16] {
        &self.list[..self.len]
    }
}

impl Scanner {
    pub fn new(nonce: &str) -> Self {
        let prefix = format!("\x1b]7771;{nonce};").into_bytes();
        Scanner { prefix, state: State::Ground, payload: Vec::new(), modes: Numbers::default() }
    }

    /// Passes the pieces of `chunk` to `sink`, in order.
    pub fn scan(&mut self, chunk: &[u8], mut sink: impl FnMut(Piece<'_>)) {
        let mut here = Place { chunk, run: 0, at: 0 };
        while let Some(&byte) = chunk.get(here.at) {
            self.state = match self.state {
                State::Ground => here.next_escape(),
                State::Prefix { matched, carried } => self.in_prefix(matched, carried, byte, &mut here, &mut sink),
                State::Own { after_esc: true, overlong } => self.own_after_escape(overlong, byte, &mut here, &mut sink),
                State::Own { after_esc: false, overlong } => self.in_own(overlong, &mut here, &mut sink),
                State::Csi => {
                    here.at += 1;
                    if byte == b'?' { State::PrivateMode { number: 0 } } else { State::after(byte) }
                }
                State::PrivateMode { number } => self.in_private_mode(number, &mut here, &mut sink),
                State::Osc { number, matched } => {
                    here.at += 1;
                    match byte {
                        b';' if matched == number.len() => {
                            here.emit(here.at, &mut sink);
                            sink(Piece::ForeignPrompt);
                            State::Ground
                        }
                        _ if number.get(matched) == Some(&byte) => State::Osc { number, matched: matched + 1 },
                        _ => State::after(byte),
                    }
                }
            };
        }
        let mut held = 0;
        if let State::Prefix { matched, carried } = &mut self.state {
            held = *matched - *carried;
            *carried = *matched;
        }
        here.emit(chunk.len() - held, &mut sink);
    }

    fn in_prefix(
        &mut self,
        matched: usize,
        carried: usize,
        byte: u8,
        here: &mut Place<'_>,
        sink: &mut impl FnMut(Piece<'_>),
    ) -> State {
        here.at += 1;
        if byte != self.prefix[matched] {
            emit(&self.prefix[..carried], sink);
            return match (matched, byte) {
                (1, b'[') => State::Csi,
                (2, _) => match STANDARD.into_iter().find(|number| number[0] == byte) {
                    Some(number) => State::Osc { number, matched: 1 },
                    None => State::after(byte),
                },
                _ => State::after(byte),
            };
        }
        if matched + 1 < self.prefix.len() {
            return State::Prefix { matched: matched + 1, carried };
        }
        here.emit(here.at - (matched + 1 - carried), sink);
        here.run = here.at;
        self.payload.clear();
        State::Own { after_esc: false, overlong: false }
    }

    fn in_own(&mut self, overlong: bool, here: &mut Place<'_>, sink: &mut impl FnMut(Piece<'_>)) -> State {
        let rest = &here.chunk[here.at..];
        let length = rest.iter().position(|&byte| byte < 0x20 || byte == 0x7F).unwrap_or(rest.len());
        let overlong = overlong || length > MARK_CAP.saturating_sub(self.payload.len());
        if !overlong {
            self.payload.extend_from_slice(&rest[..length]);
        }
        here.skip(length);
        match rest.get(length) {
            Some(&BEL) => {
                here.skip(1);
                self.close(overlong, sink)
            }
            Some(&ESC) => {
                here.skip(1);
                State::Own { after_esc: true, overlong }
            }
            // Nothing else below a space is ever part of a mark: whatever wrote it died, the stream goes on here.
            Some(_) => State::Ground,
            None => State::Own { after_esc: false, overlong },
        }
    }

    fn own_after_escape(
        &mut self,
        overlong: bool,
        byte: u8,
        here: &mut Place<'_>,
        sink: &mut impl FnMut(Piece<'_>),
    ) -> State {
        if byte == b'\\' {
            here.skip(1);
            return self.close(overlong, sink);
        }
        // The string was broken off by another escape sequence, whose ESC may lie in an earlier chunk.
        here.run = here.at.saturating_sub(1);
        State::Prefix { matched: 1, carried: usize::from(here.at == 0) }
    }

    fn in_private_mode(&mut self, number: u16, here: &mut Place<'_>, sink: &mut impl FnMut(Piece<'_>)) -> State {
        let mut number = number;
        while let Some(&byte) = here.chunk.get(here.at) {
            here.at += 1;
            match byte {
                b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(u16::from(byte - b'0')),
                b';' => {
                    self.modes.push(number);
                    number = 0;
                }
                b'h' | b'l' => {
                    self.modes.push(number);
                    let switch = if byte == b'h' { Switch::On } else { Switch::Off };
                    for switch in std::mem::take(&mut self.modes).as_slice().iter().map(|&mode| switch(mode)) {
                        // Programs hide the cursor all the time: that is no reason to pass on what they draw in small pieces.
                        if switch.changes_screen() {
                            here.emit(here.at, sink);
                        }
                        sink(Piece::Switch(switch));
                    }
                    return State::Ground;
                }
                _ => {
                    self.modes = Numbers::default();
                    return State::after(byte);
                }
            }
        }
        State::PrivateMode { number }
    }

    /// Releases what is held back; the stream is over.
    pub fn finish(&mut self, mut sink: impl FnMut(Piece<'_>)) {
        if let State::Prefix { carried, .. } = self.state {
            emit(&self.prefix[..carried], &mut sink);
        }
        self.state = State::Ground;
    }

    /// The mark is complete.
    fn close(&mut self, overlong: bool, sink: &mut impl FnMut(Piece<'_>)) -> State {
        if !overlong && let Some(mark) = Mark::parse(&self.payload) {
            sink(Piece::Mark(mark));
        }
        self.payload = Vec::new();
        State::Ground
    }
}

fn emit(bytes: &[u8], sink: &mut impl FnMut(Piece<'_>)) {
    if !bytes.is_empty() {
        sink(Piece::Bytes(bytes));
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
