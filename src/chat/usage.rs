//! Token usage.

use std::ops::AddAssign;
use std::time::{Duration, SystemTime};

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

/// When an answer was asked for, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Timing {
    pub started: SystemTime,
    /// From the question to the first piece of an answer of the model. `None` if nothing arrived.
    pub first_token: Option<Duration>,
    /// From the question to the end of its answer, with calls and approvals.
    pub took: Duration,
}

#[cfg(test)]
impl Timing {
    /// An answer that took no time.
    pub(crate) const ZERO: Timing = Timing { started: SystemTime::UNIX_EPOCH, first_token: None, took: Duration::ZERO };
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
