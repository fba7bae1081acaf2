//! Splits output into text and escape sequences.
//!
//! Strings (OSC, DCS and similar) are dropped, however long they are. So is everything drawn on the alternate screen, whichever
//! mode number switches to it. As that is not drawn, the cursor is still in its old place when the program switches back.

use memchr::memchr;
use std::ops::ControlFlow::{self, Continue};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Limit for parameters, which no real program reaches. A longer sequence is ignored.
const PARAMETERS: usize = 64;

pub(super) enum StreamPiece<'a> {
    /// Characters, and controls other than ESC.
    Text(&'a [u8]),
    /// `ESC` and one byte.
    Escape(u8),
    /// `ESC [`, the parameters and the last byte.
    Control(&'a [u8], u8),
}

/// The state within a stream of bytes.
#[derive(Default)]
pub(super) struct Strainer {
    state: StrainerState,
    parameters: Vec<u8>,
    on_alternate_screen: bool,
}

#[derive(Clone, Copy, Default)]
enum StrainerState {
    #[default]
    Ground,
    Escape,
    /// `ESC` and an intermediate byte, which selects a character set, for example.
    Intermediate,
    /// `ESC [`.
    Control,
    /// Inside OSC, DCS, APC, PM or SOS.
    String,
}

impl Strainer {
    /// Hands out the pieces of the next bytes in order until `draw` stops.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        draw: &mut impl FnMut(StreamPiece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some(&byte) = bytes.first() {
            let taken = match self.state {
                StrainerState::Ground if byte == ESC => {
                    self.state = StrainerState::Escape;
                    1
                }
                StrainerState::Ground => {
                    let length = memchr(ESC, bytes).unwrap_or(bytes.len());
                    self.draw(StreamPiece::Text(&bytes[..length]), draw)?;
                    length
                }
                StrainerState::String => self.string(bytes),
                StrainerState::Escape | StrainerState::Intermediate | StrainerState::Control => {
                    self.sequence(byte, draw)?;
                    1
                }
            };
            bytes = &bytes[taken..];
        }
        Continue(())
    }

    /// Strings end at BEL, CAN, SUB and ESC. They do not end at 0x9C, which also occurs within UTF-8 characters.
    fn string(&mut self, bytes: &[u8]) -> usize {
        let Some(end) = bytes.iter().position(|byte| matches!(*byte, BEL | CAN | SUB | ESC)) else {
            return bytes.len();
        };
        // The `\` of `ESC \` is then an escape sequence without effect.
        self.state = if bytes[end] == ESC { StrainerState::Escape } else { StrainerState::Ground };
        end + 1
    }

    fn sequence(&mut self, byte: u8, draw: &mut impl FnMut(StreamPiece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        match (self.state, byte) {
            (_, ESC) => self.state = StrainerState::Escape,
            (_, CAN | SUB) => self.state = StrainerState::Ground,
            // Other control characters act at once, even within a sequence.
            (_, 0..=0x1f) => return self.draw(StreamPiece::Text(&[byte]), draw),
            (StrainerState::Escape, b'[') => {
                self.parameters.clear();
                self.state = StrainerState::Control;
            }
            (StrainerState::Escape, b']' | b'P' | b'X' | b'^' | b'_') => self.state = StrainerState::String,
            (StrainerState::Escape | StrainerState::Intermediate, b' '..=b'/') => {
                self.state = StrainerState::Intermediate
            }
            (StrainerState::Escape, _) => {
                self.state = StrainerState::Ground;
                self.on_alternate_screen &= byte != b'c';
                return self.draw(StreamPiece::Escape(byte), draw);
            }
            (StrainerState::Control, b' '..=b'?') => {
                if self.parameters.len() <= PARAMETERS {
                    self.parameters.push(byte);
                }
            }
            (StrainerState::Control, b'@'..=b'~') => {
                self.state = StrainerState::Ground;
                return self.control(byte, draw);
            }
            (StrainerState::Control, _) => {}
            (StrainerState::Intermediate | StrainerState::Ground | StrainerState::String, _) => {
                self.state = StrainerState::Ground
            }
        }
        Continue(())
    }

    fn control(&mut self, last: u8, draw: &mut impl FnMut(StreamPiece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        match (self.parameters.as_slice(), last) {
            (parameters, _) if parameters.len() > PARAMETERS => Continue(()),
            ([b'?', modes @ ..], b'h' | b'l') if switches_screen(modes) => {
                self.on_alternate_screen = last == b'h';
                Continue(())
            }
            _ if self.on_alternate_screen => Continue(()),
            (parameters, _) => draw(StreamPiece::Control(parameters, last)),
        }
    }

    fn draw(
        &self,
        piece: StreamPiece<'_>,
        draw: &mut impl FnMut(StreamPiece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.on_alternate_screen { Continue(()) } else { draw(piece) }
    }
}

fn switches_screen(modes: &[u8]) -> bool {
    modes.split(|byte| *byte == b';').any(|mode| matches!(mode, b"47" | b"1047" | b"1049"))
}
