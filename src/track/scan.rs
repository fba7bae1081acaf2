//! Finds marks in the shell's output without changing anything else.
//!
//! Only bytes after an ESC are looked at. A byte is held back only while everything since the last ESC could still be the
//! beginning of one of our own marks, which a terminal would not show either; the first byte that cannot belong releases them.

use memchr::memchr;

use super::mark::Mark;
use super::modes::Switch;

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;

/// The longest mark we collect: two fields of 64 KiB with every byte encoded. What is longer is skipped, not shown.
pub const MARK_CAP: usize = 3 * 2 * 64 * 1024 + 64;

/// One thing found in the stream, in order.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Bytes for the terminal.
    Bytes(&'a [u8]),
    /// A mark of ours, taken out of the stream.
    Mark(Mark),
    /// A private mode was switched; the sequence itself is part of the bytes before.
    Switch(Switch),
    /// The shell emits standard prompt marks (OSC 133) of its own; the sequence itself is among the bytes.
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
    /// After `ESC ]`: how much of `133;` was seen.
    Osc {
        matched: usize,
    },
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
        let mut run = 0; // the first byte of `chunk` that was not passed on yet
        let mut at = 0;
        while at < chunk.len() {
            let byte = chunk[at];
            match self.state {
                State::Ground => match memchr(ESC, &chunk[at..]) {
                    Some(offset) => {
                        let esc = at + offset;
                        match chunk.get(esc + 1..esc + 3) {
                            // Most sequences are neither marks nor modes, which these two bytes tell.
                            Some([b'[', third]) if !matches!(*third, b'?' | ESC) => at = esc + 3,
                            Some([second, _]) if !matches!(*second, b'[' | b']' | ESC) => at = esc + 2,
                            _ => {
                                at = esc + 1;
                                self.state = State::Prefix { matched: 1, carried: 0 };
                            }
                        }
                    }
                    None => at = chunk.len(),
                },
                State::Prefix { matched, carried } if byte == self.prefix[matched] => {
                    at += 1;
                    if matched + 1 < self.prefix.len() {
                        self.state = State::Prefix { matched: matched + 1, carried };
                    } else {
                        emit(&chunk[run..at - (matched + 1 - carried)], &mut sink);
                        self.state = State::Own { after_esc: false, overlong: false };
                        self.payload.clear();
                        run = at;
                    }
                }
                State::Prefix { matched, carried } => {
                    emit(&self.prefix[..carried], &mut sink);
                    self.state = match (matched, byte) {
                        (_, ESC) => State::Prefix { matched: 1, carried: 0 },
                        (1, b'[') => State::Csi,
                        (2, b'1') => State::Osc { matched: 1 },
                        _ => State::Ground,
                    };
                    at += 1;
                }
                State::Own { after_esc: true, overlong } => {
                    if byte == b'\\' {
                        at += 1;
                        run = at;
                        self.close(overlong, &mut sink);
                    } else {
                        // The string was broken off by another escape sequence, whose ESC may lie in an earlier chunk.
                        self.state = State::Prefix { matched: 1, carried: usize::from(at == 0) };
                        run = at.saturating_sub(1);
                    }
                }
                State::Own { after_esc: false, overlong } => {
                    let end = chunk[at..].iter().position(|&b| b < 0x20 || b == 0x7F).map_or(chunk.len(), |n| at + n);
                    let room = MARK_CAP.saturating_sub(self.payload.len());
                    let overlong = overlong || end - at > room;
                    if !overlong {
                        self.payload.extend_from_slice(&chunk[at..end]);
                    }
                    at = end;
                    run = end;
                    self.state = State::Own { after_esc: false, overlong };
                    match chunk.get(at) {
                        Some(&BEL) => {
                            at += 1;
                            run = at;
                            self.close(overlong, &mut sink);
                        }
                        Some(&ESC) => {
                            at += 1;
                            run = at;
                            self.state = State::Own { after_esc: true, overlong };
                        }
                        // Nothing else below a space is ever part of a mark: whatever wrote it died, the stream goes on here.
                        Some(_) => self.state = State::Ground,
                        None => {}
                    }
                }
                State::Csi => {
                    at += 1;
                    self.state = match byte {
                        b'?' => {
                            self.modes = Numbers::default();
                            State::PrivateMode { number: 0 }
                        }
                        ESC => State::Prefix { matched: 1, carried: 0 },
                        _ => State::Ground,
                    };
                }
                State::PrivateMode { number } => {
                    at += 1;
                    self.state = match byte {
                        b'0'..=b'9' => {
                            let digit = u16::from(byte - b'0');
                            State::PrivateMode { number: number.saturating_mul(10).saturating_add(digit) }
                        }
                        b';' => {
                            self.modes.push(number);
                            State::PrivateMode { number: 0 }
                        }
                        b'h' | b'l' => {
                            self.modes.push(number);
                            emit(&chunk[run..at], &mut sink);
                            run = at;
                            for &mode in self.modes.as_slice() {
                                sink(Piece::Switch(if byte == b'h' { Switch::On(mode) } else { Switch::Off(mode) }));
                            }
                            State::Ground
                        }
                        ESC => State::Prefix { matched: 1, carried: 0 },
                        _ => State::Ground,
                    };
                }
                State::Osc { matched } => {
                    at += 1;
                    self.state = match byte {
                        b';' if matched == 3 => {
                            emit(&chunk[run..at], &mut sink);
                            run = at;
                            sink(Piece::ForeignPrompt);
                            State::Ground
                        }
                        ESC => State::Prefix { matched: 1, carried: 0 },
                        _ if b"133".get(matched) == Some(&byte) => State::Osc { matched: matched + 1 },
                        _ => State::Ground,
                    };
                }
            }
        }
        let held = match &mut self.state {
            State::Prefix { matched, carried } => {
                let here = *matched - *carried;
                *carried = *matched;
                here
            }
            _ => 0,
        };
        emit(&chunk[run..chunk.len() - held], &mut sink);
    }

    /// Releases what is held back; the stream is over.
    pub fn finish(&mut self, mut sink: impl FnMut(Piece<'_>)) {
        if let State::Prefix { carried, .. } = self.state {
            emit(&self.prefix[..carried], &mut sink);
        }
        self.state = State::Ground;
    }

    fn close(&mut self, overlong: bool, sink: &mut impl FnMut(Piece<'_>)) {
        self.state = State::Ground;
        if !overlong && let Some(mark) = Mark::parse(&self.payload) {
            sink(Piece::Mark(mark));
        }
        self.payload = Vec::new();
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
