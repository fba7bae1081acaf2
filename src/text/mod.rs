//! Strings as terminals and people see them.
//!
//! Leaf room: pure functions over text; no I/O, no clock, no other room.

pub mod ansi;
mod clip;
pub mod human;
mod nearest;
mod percent;
mod sanitize;
mod script;
pub mod shell;
mod spell;
pub mod style;
mod titles;
pub mod width;
pub mod wrap;

pub use clip::beginning;
pub use nearest::{distance, nearest};
pub use percent::{decode as percent_decode, encode as percent_encode};
pub use sanitize::sanitize;
pub use script::{mixed_word, not_ascii};
pub use spell::{Alphabet, Piece, hides, spell, spell_code, spell_line, spelled};
pub use titles::without_titles;

/// 1024 bytes.
pub const KIB: usize = 1024;
/// 1024 × 1024 bytes.
pub const MIB: usize = 1024 * KIB;
