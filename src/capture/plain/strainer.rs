//! Splits output into text and escape sequences.
//!
//! Strings (OSC, DCS and kin) leave nothing, however long, and neither does what is drawn on the alternate screen, under any of
//! its names. Switching back finds the cursor where it was: what was not drawn did not move it.

use memchr::memchr;
use std::ops::ControlFlow::{self, Continue};

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Longer parameters than any program's; a sequence that exceeds them is ignored.
const PARAMETERS: usize = 64;

pub(super) enum Piece<'a> {
    /// Characters, and controls other than ESC.
    Text(&'a [u8]),
    /// `ESC` and one byte.
    Escape(u8),
    /// `ESC [`, the parameters and the last byte.
    Control(&'a [u8], u8),
}

/// Where in a stream of bytes we are.
#[derive(Default)]
pub(super) struct Strainer {
    state: State,
    parameters: Vec<u8>,
    on_alternate_screen: bool,
}

#[derive(Clone, Copy, Default)]
enum State {
    #[default]
    Ground,
    Escape,
    /// `ESC` and an intermediate: a character set or the like.
    Intermediate,
    /// `ESC [`.
    Control,
    /// Inside OSC, DCS, APC, PM or SOS.
    String,
}

impl Strainer {
    /// Hands out the pieces of the next bytes in order until `draw` breaks off.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        draw: &mut impl FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some(&byte) = bytes.first() {
            let taken = match self.state {
                State::Ground if byte == ESC => {
                    self.state = State::Escape;
                    1
                }
                State::Ground => {
                    let length = memchr(ESC, bytes).unwrap_or(bytes.len());
                    self.draw(Piece::Text(&bytes[..length]), draw)?;
                    length
                }
                State::String => self.string(bytes),
                State::Escape | State::Intermediate | State::Control => {
                    self.sequence(byte, draw)?;
                    1
                }
            };
            bytes = &bytes[taken..];
        }
        Continue(())
    }

    /// Strings end at BEL, CAN, SUB and ESC; never at 0x9C, which is also the middle of a character.
    fn string(&mut self, bytes: &[u8]) -> usize {
        let Some(end) = bytes.iter().position(|byte| matches!(*byte, BEL | CAN | SUB | ESC)) else {
            return bytes.len();
        };
        // The `\` of `ESC \` then passes as an escape sequence without effect.
        self.state = if bytes[end] == ESC { State::Escape } else { State::Ground };
        end + 1
    }

    fn sequence(&mut self, byte: u8, draw: &mut impl FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        match (self.state, byte) {
            (_, ESC) => self.state = State::Escape,
            (_, CAN | SUB) => self.state = State::Ground,
            // Other controls act at once, even inside a sequence.
            (_, 0..=0x1f) => return self.draw(Piece::Text(&[byte]), draw),
            (State::Escape, b'[') => {
                self.parameters.clear();
                self.state = State::Control;
            }
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => self.state = State::String,
            (State::Escape | State::Intermediate, b' '..=b'/') => self.state = State::Intermediate,
            (State::Escape, _) => {
                self.state = State::Ground;
                self.on_alternate_screen &= byte != b'c';
                return self.draw(Piece::Escape(byte), draw);
            }
            (State::Control, b' '..=b'?') => {
                if self.parameters.len() <= PARAMETERS {
                    self.parameters.push(byte);
                }
            }
            (State::Control, b'@'..=b'~') => {
                self.state = State::Ground;
                return self.control(byte, draw);
            }
            (State::Control, _) => {}
            (State::Intermediate | State::Ground | State::String, _) => self.state = State::Ground,
        }
        Continue(())
    }

    fn control(&mut self, last: u8, draw: &mut impl FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        match (self.parameters.as_slice(), last) {
            (parameters, _) if parameters.len() > PARAMETERS => Continue(()),
            ([b'?', modes @ ..], b'h' | b'l') if switches_screen(modes) => {
                self.on_alternate_screen = last == b'h';
                Continue(())
            }
            _ if self.on_alternate_screen => Continue(()),
            (parameters, _) => draw(Piece::Control(parameters, last)),
        }
    }

    fn draw(&self, piece: Piece<'_>, draw: &mut impl FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.on_alternate_screen { Continue(()) } else { draw(piece) }
    }
}

fn switches_screen(modes: &[u8]) -> bool {
    modes.split(|byte| *byte == b';').any(|mode| matches!(mode, b"47" | b"1047" | b"1049"))
}
