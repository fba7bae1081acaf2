//! How many tokens a request may have.

/// The window of a model whose window nobody knows.
const UNKNOWN: u32 = 32_768;
/// Windows below this are small: less of them is kept free.
const SMALL: u32 = 64_000;
/// Tokens of a large window that stay free, at least.
const FREE: u32 = 16_384;
/// The fewest tokens that an answer is given.
const SHORTEST_ANSWER: u32 = 256;

/// The limits of a model's requests, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) struct Budget {
    pub(in crate::agent) window: u32,
    compact_at: u32,
}

impl Budget {
    /// The budget of a window. No request grows above `compact_at`, however large the window is.
    pub(in crate::agent) fn new(window: Option<u32>, compact_at: u32) -> Budget {
        Budget { window: window.filter(|window| *window > 0).unwrap_or(UNKNOWN), compact_at }
    }

    /// Whether the window is too small for all tools.
    pub(in crate::agent) fn is_small(&self) -> bool {
        self.window < 8_192
    }

    /// A request with more tokens than this is made shorter before it is sent.
    pub(in crate::agent) fn trigger(&self) -> u32 {
        let most = if self.window < SMALL { self.window / 4 * 3 } else { self.window - FREE.max(self.window / 20 * 3) };
        most.min(self.compact_at.max(SHORTEST_ANSWER))
    }

    /// The length to aim at. It is well below the trigger, so that the next request does not have to be made shorter again.
    pub(super) fn goal(&self) -> u32 {
        self.trigger() / 5 * 4
    }

    /// Tokens of tool results that stay whole when older ones become stubs.
    pub(super) fn results_kept(&self) -> u32 {
        40_000.min(self.window / 4)
    }

    /// Tokens of exchanges that stay whole when older ones become a summary.
    pub(super) fn exchanges_kept(&self) -> u32 {
        20_000.min(self.window / 5 * 2)
    }

    /// Tokens of the person's earlier questions that a summary repeats word for word.
    pub(super) fn questions_kept(&self) -> u32 {
        20_000.min(self.window / 8)
    }

    /// Stubs that save less than this are not worth a new prefix in the provider's cache.
    pub(super) fn worthwhile(&self) -> u32 {
        self.window / 10
    }

    /// Tokens that the answer may have beside a request of this length. The answer becomes shorter before the request does.
    pub(in crate::agent) fn output(&self, wanted: u32, request: u32) -> u32 {
        wanted.min(self.window.saturating_sub(request)).max(SHORTEST_ANSWER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigger(window: u32) -> u32 {
        Budget::new(Some(window), 200_000).trigger()
    }

    #[test]
    fn small_windows_are_filled_to_three_quarters_and_large_ones_to_85_percent() {
        assert_eq!(trigger(4_096), 3_072);
        assert_eq!(trigger(32_768), 24_576);
        assert_eq!(trigger(64_000), 64_000 - 16_384);
        assert_eq!(trigger(128_000), 128_000 - 19_200);
        assert_eq!(trigger(1_000_000), 200_000, "a full million is dear");
        assert_eq!(Budget::new(None, 200_000).window, 32_768);
        assert_eq!(Budget::new(Some(0), 200_000).window, 32_768);
    }

    #[test]
    fn an_answer_is_shortened_before_anything_is_left_out() {
        let budget = Budget::new(Some(8_192), 200_000);
        assert_eq!(budget.output(2_048, 1_000), 2_048);
        assert_eq!(budget.output(16_384, 6_000), 2_192);
        assert_eq!(budget.output(16_384, 9_000), 256);
    }
}
