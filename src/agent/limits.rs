//! The limits of a turn.

use super::context::Events;
use super::spending::CostLimits;

/// The most tokens of one answer, without thinking.
const OUTPUT: u32 = 16_384;

/// A million tokens with every request would be dear.
const COMPACT_AT: u32 = 200_000;

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnLimits {
    /// The number of requests after which the person is asked whether to continue.
    pub steps: u32,
    /// How often the text of one answer may be shown. A request that breaks off after its text was shown this often is not sent again. It is 2
    /// on a screen, and 1 if the output is not a terminal, where two attempts could not be told apart.
    pub tellings: u32,
    /// How much of the shell's recent commands goes with a query.
    pub events: Events,
    /// Tokens of a request above which older parts of the conversation are summarised, however large the model's window is.
    pub compact_at: u32,
    /// Whether the conventions of a project (`AGENTS.md` and its relatives) are sent.
    pub conventions: bool,
    /// Whether notes that the person keeps are sent.
    pub memory: bool,
    /// What questions may cost.
    pub cost: CostLimits,
}

impl Default for TurnLimits {
    fn default() -> TurnLimits {
        TurnLimits {
            steps: 50,
            tellings: 2,
            events: Events::default(),
            compact_at: COMPACT_AT,
            conventions: true,
            memory: false,
            cost: CostLimits::default(),
        }
    }
}

impl TurnLimits {
    /// The most tokens of an answer: at most a quarter of the context window, and what the model can say at once.
    pub(super) fn output(&self, context_window: Option<u32>, most: Option<u32>) -> u32 {
        let within = context_window.map_or(OUTPUT, |window| OUTPUT.min(window / 4)).max(256);
        most.map_or(within, |most| within.min(most))
    }
}
