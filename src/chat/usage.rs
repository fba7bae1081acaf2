//! Token usage.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Token counts as the provider reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// All input tokens, cached ones included.
    pub input: u64,
    pub output: u64,
    /// Input tokens read from the provider's cache.
    pub cached: u64,
    /// Input tokens written to the provider's cache.
    pub cache_written: u64,
    /// The cost in US dollars, if the model's price is known.
    pub cost: Option<f64>,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.input += other.input;
        self.output += other.output;
        self.cached += other.cached;
        self.cache_written += other.cache_written;
        self.cost = match (self.cost, other.cost) {
            (Some(ours), Some(theirs)) => Some(ours + theirs),
            (one, other) => one.or(other),
        };
    }
}
