//! From bytes to commands.
//!
//! The scanner finds the shell's private marks in its output; the tracker turns them into commands: what was typed, where, how
//! long it took, how it ended. Pure: no files, no clock (whoever feeds it says what time it is), no terminal. Marks are believed
//! only with the session's nonce, so nothing a program prints can start, end or forge a command.

mod command;
mod drawn;
mod dress;
mod mark;
mod modes;
mod redraw;
mod scan;
mod screen;
mod tracker;

pub(crate) use command::Command;
pub(crate) use drawn::{draws_text, places_cursor};
pub(crate) use dress::{closing, epilogue, is_visible, prologue};
pub(crate) use mark::{HookProblem, LineOnScreen, Mark};
pub(crate) use modes::{Modes, Switch};
pub(crate) use redraw::{Redraw, RedrawStep, rows_down, wipe};
pub(crate) use scan::{Piece, Scanner};
pub(crate) use screen::Screen;
pub(crate) use tracker::{Hooks, Moment, Tracker, Zone};

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;
