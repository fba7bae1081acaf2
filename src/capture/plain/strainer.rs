//! What vt100 is given to draw.
//!
//! Three things are kept from it: strings (OSC, DCS and kin), which its parser would collect without limit; what is drawn on the
//! alternate screen, under any of its names; and colours, which are no text. A few sequences it does not know are said in words
//! it does.

use super::{Lines, REPLACEMENT};
use memchr::memchr;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Longer parameters than any program's; a sequence that exceeds them is ignored.
const PARAMETERS: usize = 64;

pub(super) struct Strainer {
    parser: vt100::Parser<Lines>,
    state: State,
    parameters: Vec<u8>,
    on_alternate_screen: bool,
}

#[derive(Clone, Copy)]
enum State {
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
    pub(super) fn new(parser: vt100::Parser<Lines>) -> Self {
        Self { parser, state: State::Ground, parameters: Vec::new(), on_alternate_screen: false }
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            let taken = match self.state {
                State::Ground => self.ground(bytes),
                State::String => self.string(bytes),
                State::Escape | State::Intermediate | State::Control => {
                    self.sequence(byte);
                    1
                }
            };
            bytes = &bytes[taken..];
        }
    }

    /// Pushes what is still on the screen out at the top, so that every row takes the same way.
    pub(super) fn finish(mut self) -> Lines {
        self.parser.process(b"\x1b[r\x1b[65535S");
        std::mem::replace(self.parser.callbacks_mut(), Lines::new(std::num::NonZeroU16::MIN))
    }

    fn ground(&mut self, bytes: &[u8]) -> usize {
        let length = memchr(ESC, bytes).unwrap_or(bytes.len());
        if length == 0 {
            self.state = State::Escape;
            return 1;
        }
        let run = String::from_utf8_lossy(&bytes[..length]);
        if run.contains('\u{FFFD}') {
            let mut buffer = [0; 4];
            self.draw(run.replace('\u{FFFD}', REPLACEMENT.encode_utf8(&mut buffer)).as_bytes());
        } else {
            self.draw(run.as_bytes());
        }
        length
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

    fn sequence(&mut self, byte: u8) {
        match (self.state, byte) {
            (_, ESC) => self.state = State::Escape,
            (_, CAN | SUB) => self.state = State::Ground,
            // Other controls act at once, even inside a sequence.
            (_, 0..=0x1f) => self.draw(&[byte]),
            (State::Escape, b'[') => {
                self.parameters.clear();
                self.state = State::Control;
            }
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => self.state = State::String,
            (State::Escape | State::Intermediate, b' '..=b'/') => self.state = State::Intermediate,
            (State::Escape, _) => {
                self.state = State::Ground;
                self.escape(byte);
            }
            (State::Control, b' '..=b'?') => {
                if self.parameters.len() <= PARAMETERS {
                    self.parameters.push(byte);
                }
            }
            (State::Control, b'@'..=b'~') => {
                self.state = State::Ground;
                if self.parameters.len() <= PARAMETERS {
                    self.control(byte);
                }
            }
            (State::Control, _) => {}
            (State::Intermediate | State::Ground | State::String, _) => self.state = State::Ground,
        }
    }

    fn escape(&mut self, last: u8) {
        match last {
            b'7' | b'8' | b'M' => self.draw(&[ESC, last]),
            b'D' => self.draw(b"\n"),
            b'E' => self.draw(b"\r\n"),
            b'c' => {
                self.on_alternate_screen = false;
                self.draw(b"\x1bc");
            }
            _ => {}
        }
    }

    fn control(&mut self, last: u8) {
        let parameters = std::mem::take(&mut self.parameters);
        match (parameters.as_slice(), last) {
            ([b'?', modes @ ..], b'h' | b'l') if switches_screen(modes) => self.on_alternate_screen = last == b'h',
            ([b'?', ..], b'h' | b'l') => self.draw_control(&parameters, last),
            (b"3" | b"?3", b'J') if !self.on_alternate_screen => self.parser.callbacks_mut().forget(),
            (b"", b's') => self.draw(b"\x1b7"),
            (b"", b'u') => self.draw(b"\x1b8"),
            (count, b'a') => self.draw_control(count, b'C'),
            (count, b'e') => self.draw_control(count, b'B'),
            (count, b'b') => {
                // Repeating a character past its line is no drawing but a way to print a gigabyte.
                let most = self.parser.screen().size().1.get();
                let count = number(count).unwrap_or(1).min(most);
                self.draw_control(count.to_string().as_bytes(), b'b');
            }
            ([] | [b'0'..=b'9' | b';' | b'?', ..], b'@' | b'A'..=b'H' | b'J'..=b'M' | b'P' | b'S' | b'T' | b'X')
            | ([] | [b'0'..=b'9' | b';', ..], b'`' | b'd' | b'f' | b'r') => self.draw_control(&parameters, last),
            _ => {}
        }
        self.parameters = parameters;
    }

    fn draw_control(&mut self, parameters: &[u8], last: u8) {
        self.draw(&[b"\x1b[", parameters, &[last]].concat());
    }

    fn draw(&mut self, bytes: &[u8]) {
        if !self.on_alternate_screen {
            self.parser.process(bytes);
        }
    }
}

/// Where the alternate screen goes by three names, the cursor comes back to where it was under all of them: what was not drawn
/// did not move it.
fn switches_screen(modes: &[u8]) -> bool {
    modes.split(|byte| *byte == b';').any(|mode| matches!(mode, b"47" | b"1047" | b"1049"))
}

fn number(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() {
        return None;
    }
    // What is no number at all repeats nothing.
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    Some(digits.parse::<u32>().map_or(0, |number| u16::try_from(number).unwrap_or(u16::MAX)).max(1))
}
