//! Strings as terminals and people see them.
//!
//! Leaf room: pure functions over text; no I/O, no clock, no other room.

pub(crate) mod ansi;
pub(crate) mod bars;
mod clip;
mod clock;
mod fence;
pub(crate) mod front_matter;
pub(crate) mod fuzzy;
pub(crate) mod human;
mod nearest;
mod percent;
mod sanitize;
mod script;
pub(crate) mod shell;
mod since;
mod spell;
pub(crate) mod style;
mod titles;
pub(crate) mod width;
pub(crate) mod wrap;

pub(crate) use clip::beginning;
pub(crate) use clock::Clock;
#[cfg(test)]
pub(crate) use fence::TAGS;
pub(crate) use fence::escape;
pub(crate) use nearest::{distance, nearest};
pub(crate) use percent::{decode as percent_decode, encode as percent_encode};
pub(crate) use sanitize::{sanitize, without_controls};
pub(crate) use script::{mixed_word, not_ascii};
pub(crate) use since::Since;
pub(crate) use spell::{Alphabet, SpelledPiece, hides, spell, spell_code, spell_line, spelled};
pub(crate) use titles::without_titles;

/// 1024 bytes.
pub(crate) const KIB: usize = 1024;
/// 1024 × 1024 bytes.
pub(crate) const MIB: usize = 1024 * KIB;
