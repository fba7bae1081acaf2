//! Finds marks in the shell's output without changing anything else.
//!
//! Outside a mark only two sequences matter: `ESC ]`, which begins one, and `ESC [ ?`, which switches a mode. Both are searched for over
//! the whole chunk, so other sequences cost no more than text, however many there are. A byte is held back only while everything since the last ESC could still be the
//! beginning of one of our own marks, which a terminal would not show either; the first byte that cannot belong releases them.

use memchr::arch::all::packedpair::HeuristicFrequencyRank;
use memchr::memmem::{Finder, FinderBuilder};

use super::mark::Mark;
use super::modes::Switch;
use super::{BEL, ESC};

/// The numbers of the prompt marks that terminals know: the usual, and those of Visual Studio Code.
const STANDARD: [&[u8]; 2] = [b"133", b"633"];

/// The longest mark we collect: two fields of 64 KiB with every byte encoded. What is longer is skipped, not shown.
pub(crate) const MARK_CAP: usize = 3 * 2 * 64 * 1024 + 64;

/// One thing found in the stream, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
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
pub(crate) struct Scanner {
    /// `ESC ] 7771 ; <nonce> ;`
    prefix: Vec<u8>,
    finders: Finders,
    state: ScanState,
    /// What has been collected of a mark of ours.
    payload: Vec<u8>,
    /// The numbers of the private-mode sequence being read.
    modes: Numbers,
}

#[derive(Debug, Clone, Copy)]
enum ScanState {
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

impl ScanState {
    /// After a byte that ends whatever was read before.
    fn after(byte: u8) -> ScanState {
        if byte == ESC { ScanState::Prefix { matched: 1, carried: 0 } } else { ScanState::Ground }
    }
}

/// How far a chunk has been read.
struct ScanPosition<'a> {
    chunk: &'a [u8],
    /// The first byte that was not passed on yet.
    run: usize,
    /// The next byte to look at.
    at: usize,
    osc: Upcoming,
    private: Upcoming,
}

impl<'a> ScanPosition<'a> {
    fn new(chunk: &'a [u8]) -> ScanPosition<'a> {
        ScanPosition { chunk, run: 0, at: 0, osc: Upcoming::default(), private: Upcoming::default() }
    }

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

    /// Goes on behind the next sequence that matters, or to the end of the chunk, which may cut one in two.
    fn next_escape(&mut self, finders: &Finders) -> ScanState {
        let (osc, private) = (
            self.osc.next(self.chunk, self.at, &finders.osc),
            self.private.next(self.chunk, self.at, &finders.private),
        );
        if private < osc {
            self.at = private + PRIVATE.len();
            return ScanState::PrivateMode { number: 0 };
        }
        if osc < self.chunk.len() {
            self.at = osc + 1;
            return ScanState::after(ESC);
        }
        let rest = &self.chunk[self.at..];
        self.at = self.chunk.len();
        match rest {
            [.., ESC] => ScanState::after(ESC),
            [.., ESC, b'['] => ScanState::Csi,
            _ => ScanState::Ground,
        }
    }
}

/// The beginnings of the sequences that matter.
const OSC: &[u8] = b"\x1b]";
const PRIVATE: &[u8] = b"\x1b[?";

/// Searches for them.
#[derive(Debug)]
struct Finders {
    osc: Finder<'static>,
    private: Finder<'static>,
}

/// The search looks for the two rarest bytes of a sequence. Where there are many sequences, `[` follows every ESC and tells nothing.
struct Rarity;

impl HeuristicFrequencyRank for Rarity {
    fn rank(&self, byte: u8) -> u8 {
        if byte == b'[' { u8::MAX } else { 0 }
    }
}

impl Finders {
    fn new() -> Finders {
        let build = |needle| FinderBuilder::new().build_forward_with_ranker(Rarity, needle);
        Finders { osc: build(OSC), private: build(PRIVATE) }
    }
}

/// Where one kind of sequence comes next in a chunk: each chunk is searched once for each kind.
#[derive(Debug, Default)]
struct Upcoming(Option<usize>);

impl Upcoming {
    /// The first at `from` or behind it; the chunk's length if there is none.
    fn next(&mut self, chunk: &[u8], from: usize, finder: &Finder<'_>) -> usize {
        match self.0 {
            Some(at) if at >= from => at,
            _ => *self.0.insert(finder.find(&chunk[from..]).map_or(chunk.len(), |offset| from + offset)),
        }
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
    pub(crate) fn new(nonce: &str) -> Self {
        Scanner {
            prefix: prefix(nonce),
            finders: Finders::new(),
            state: ScanState::Ground,
            payload: Vec::new(),
            modes: Numbers::default(),
        }
    }

    /// Passes the pieces of `chunk` to `sink`, in order.
    pub(crate) fn scan(&mut self, chunk: &[u8], mut sink: impl FnMut(Piece<'_>)) {
        let mut here = ScanPosition::new(chunk);
        while let Some(&byte) = chunk.get(here.at) {
            self.state = match self.state {
                ScanState::Ground => here.next_escape(&self.finders),
                ScanState::Prefix { matched, carried } => self.in_prefix(matched, carried, byte, &mut here, &mut sink),
                ScanState::Own { after_esc: true, overlong } => {
                    self.own_after_escape(overlong, byte, &mut here, &mut sink)
                }
                ScanState::Own { after_esc: false, overlong } => self.in_own(overlong, &mut here, &mut sink),
                ScanState::Csi => {
                    here.at += 1;
                    if byte == b'?' { ScanState::PrivateMode { number: 0 } } else { ScanState::after(byte) }
                }
                ScanState::PrivateMode { number } => self.in_private_mode(number, &mut here, &mut sink),
                ScanState::Osc { number, matched } => {
                    here.at += 1;
                    match byte {
                        b';' if matched == number.len() => {
                            here.emit(here.at, &mut sink);
                            sink(Piece::ForeignPrompt);
                            ScanState::Ground
                        }
                        _ if number.get(matched) == Some(&byte) => ScanState::Osc { number, matched: matched + 1 },
                        _ => ScanState::after(byte),
                    }
                }
            };
        }
        let mut held = 0;
        if let ScanState::Prefix { matched, carried } = &mut self.state {
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
        here: &mut ScanPosition<'_>,
        sink: &mut impl FnMut(Piece<'_>),
    ) -> ScanState {
        here.at += 1;
        if byte != self.prefix[matched] {
            emit(&self.prefix[..carried], sink);
            return match (matched, byte) {
                (1, b'[') => ScanState::Csi,
                (2, _) => match STANDARD.into_iter().find(|number| number[0] == byte) {
                    Some(number) => ScanState::Osc { number, matched: 1 },
                    None => ScanState::after(byte),
                },
                _ => ScanState::after(byte),
            };
        }
        if matched + 1 < self.prefix.len() {
            return ScanState::Prefix { matched: matched + 1, carried };
        }
        here.emit(here.at - (matched + 1 - carried), sink);
        here.run = here.at;
        self.payload.clear();
        ScanState::Own { after_esc: false, overlong: false }
    }

    fn in_own(&mut self, overlong: bool, here: &mut ScanPosition<'_>, sink: &mut impl FnMut(Piece<'_>)) -> ScanState {
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
                ScanState::Own { after_esc: true, overlong }
            }
            // Nothing else below a space is ever part of a mark: whatever wrote it died, the stream goes on here.
            Some(_) => ScanState::Ground,
            None => ScanState::Own { after_esc: false, overlong },
        }
    }

    fn own_after_escape(
        &mut self,
        overlong: bool,
        byte: u8,
        here: &mut ScanPosition<'_>,
        sink: &mut impl FnMut(Piece<'_>),
    ) -> ScanState {
        if byte == b'\\' {
            here.skip(1);
            return self.close(overlong, sink);
        }
        // The string was broken off by another escape sequence, whose ESC may lie in an earlier chunk.
        here.run = here.at.saturating_sub(1);
        ScanState::Prefix { matched: 1, carried: usize::from(here.at == 0) }
    }

    fn in_private_mode(
        &mut self,
        number: u16,
        here: &mut ScanPosition<'_>,
        sink: &mut impl FnMut(Piece<'_>),
    ) -> ScanState {
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
                    return ScanState::Ground;
                }
                _ => {
                    self.modes = Numbers::default();
                    return ScanState::after(byte);
                }
            }
        }
        ScanState::PrivateMode { number }
    }

    /// Releases what is held back; the stream is over.
    pub(crate) fn finish(&mut self, mut sink: impl FnMut(Piece<'_>)) {
        if let ScanState::Prefix { carried, .. } = self.state {
            emit(&self.prefix[..carried], &mut sink);
        }
        self.state = ScanState::Ground;
    }

    /// The mark is complete.
    fn close(&mut self, overlong: bool, sink: &mut impl FnMut(Piece<'_>)) -> ScanState {
        if !overlong && let Some(mark) = Mark::parse(&self.payload) {
            if let Mark::Renew { nonce } = &mark {
                self.prefix = prefix(nonce);
            }
            sink(Piece::Mark(mark));
        }
        self.payload = Vec::new();
        ScanState::Ground
    }
}

/// What every mark with this nonce begins with.
fn prefix(nonce: &str) -> Vec<u8> {
    format!("\x1b]7771;{nonce};").into_bytes()
}

fn emit(bytes: &[u8], sink: &mut impl FnMut(Piece<'_>)) {
    if !bytes.is_empty() {
        sink(Piece::Bytes(bytes));
    }
}

#[cfg(test)]
mod tests;
