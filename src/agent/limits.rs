//! The limits of a turn.

use super::context::Events;

/// Tokens of one answer, thinking apart.
const OUTPUT: u32 = 16_384;

/// How far a turn may go by itself, and how much it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Requests after which the person is asked whether to go on.
    pub steps: u32,
    /// How often the text of one answer may be shown. A request whose text was shown this often and then broke off is not sent
    /// again: 2 on a screen, 1 where what is printed can't be told apart any more.
    pub tellings: u32,
    /// What a query tells of what happened in the shell.
    pub events: Events,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 50, tellings: 2, events: Events::default() }
    }
}

impl Limits {
    /// Tokens an answer may have: a small window is not to be filled by the answer alone.
    pub(super) fn output(&self, context_window: Option<u32>) -> u32 {
        context_window.map_or(OUTPUT, |window| OUTPUT.min(window / 4)).max(256)
    }
}
